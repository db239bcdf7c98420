#include "messaging/examples.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size > 0 && *size < 1 << 20);
    fclose(file);
    return bytes;
}

void each_example(const char *kind,
                  void (*each)(void *context, const char *name, const char *bytes, size_t size),
                  void *context) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/schemas/examples/message/%s", TRILANE_ROOT, kind);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort); // in an order, so that a seed means something
    int examples = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        size_t size;
        if (strstr(entries[i]->d_name, ".json")) {
            assert_true(asprintf(&path, "%s/%s", folder, entries[i]->d_name) > 0);
            char *bytes = read_file(path, &size);
            free(path);
            each(context, entries[i]->d_name, bytes, size);
            free(bytes);
            examples++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_true(examples >= 10);
}
