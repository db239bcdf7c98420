// The main of a fuzz target where there is no libFuzzer: runs it over each file of the folders that are
// named, and for 10 s (with TRILANE_WIDE a minute) over changes of each, the same ones every time. Knows
// nothing of coverage: `npm run fuzz` looks for new inputs.
#include "target.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { INPUT_BYTES = 1 << 16, CHANGES = 8, PATH_BYTES = 4096, USUAL_S = 10, WIDE_S = 60 };

// splitmix64
static uint64_t draw(uint64_t *state, uint64_t below) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

// In an allocation of exactly its size, so that the sanitizer sees a byte read beyond it.
static void run(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size > 0 ? size : 1);
    PROMISE(exact);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

// Some bytes set, taken out, said twice, or cut off.
static size_t change(uint8_t *bytes, size_t size, uint64_t *state) {
    for (uint64_t left = 1 + draw(state, 4); left > 0 && size > 0; left--) {
        size_t at = draw(state, size), length = 1 + draw(state, size - at < 16 ? size - at : 16);
        switch (draw(state, 4)) {
        case 0:
            for (size_t i = 0; i < length && i < 3; i++)
                bytes[at + i] = (uint8_t)draw(state, 256);
            break;
        case 1:
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            if (size + length > INPUT_BYTES) break;
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
            break;
        default:
            if (draw(state, 4) == 0) size = at;
        }
    }
    return size;
}

static unsigned run_file(const char *path, unsigned changes, uint64_t *state) {
    static uint8_t input[INPUT_BYTES], changed[INPUT_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = fread(input, 1, sizeof input, file);
    fclose(file);
    run(input, size);
    for (unsigned i = 0; i < changes; i++) {
        memcpy(changed, input, size);
        run(changed, change(changed, size, state));
    }
    return 1 + changes;
}

static unsigned run_folder(const char *folder, uint64_t *state) {
    struct dirent **files;
    unsigned runs = 0;
    int count = scandir(folder, &files, NULL, alphasort);
    if (count < 0) perror(folder);
    for (int at = 0; at < count; at++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", folder, files[at]->d_name);
        if (files[at]->d_name[0] != '.') runs += run_file(path, CHANGES, state);
        free(files[at]);
    }
    if (count >= 0) free(files);
    return runs;
}

int main(int argc, char **argv) {
    uint64_t state = 1;
    unsigned long runs = 0, before;
    const char *wide = getenv("TRILANE_WIDE");
    time_t end = time(NULL) + (wide && *wide ? WIDE_S : USUAL_S);
    do {
        before = runs;
        for (int i = 1; i < argc; i++)
            runs += run_folder(argv[i], &state);
    } while (runs > before && time(NULL) < end);
    printf("%lu runs\n", runs);
    return runs > 0 ? 0 : 1;
}
