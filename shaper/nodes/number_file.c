#include "shaper/nodes/number_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct number_file {
    uint64_t count;
    uint64_t room;
    double *numbers;
    uint32_t shared; // owners besides the first
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int add(struct number_file *file, double number) {
    if (file->count == file->room) {
        uint64_t room = file->room > 0 ? 2 * file->room : 1024;
        double *numbers = realloc(file->numbers, room * sizeof *numbers);
        if (!numbers) return -1;
        file->numbers = numbers;
        file->room = room;
    }
    file->numbers[file->count++] = number;
    return 0;
}

// Decimal digits, perhaps with a point and an exponent: of what strtod takes neither nan, inf nor
// hexadecimal.
static bool is_number(const char *word, double max, double *number) {
    if (word[strspn(word, "0123456789.eE+-")] != 0) return false;
    char *end;
    *number = strtod(word, &end);
    return end != word && !*end && *number >= 0 && *number <= max;
}

// `stream` is at its start. 0, or -1 with the error's line.
static int read_numbers(struct number_file *file, FILE *stream, const char *path, double max, char *error,
                        size_t error_size) {
    char word[64];
    size_t size = 0;
    uint64_t line = 1;
    for (;;) {
        int c = getc_unlocked(stream);
        if (c != EOF && !is_space((char)c)) {
            if (size < sizeof word - 1) word[size] = (char)c;
            size++; // counts on: what is too long is no number
            continue;
        }
        if (size > 0) {
            word[size < sizeof word ? size : sizeof word - 1] = 0;
            double number;
            if (size >= sizeof word || strlen(word) != size || !is_number(word, max, &number)) {
                for (char *byte = word; *byte; byte++)
                    if (*byte < ' ' || *byte > '~') *byte = '?';
                snprintf(error, error_size,
                         "%s: line %llu: \"%.24s\" is not a number from 0 to %.15g: write decimal numbers, "
                         "one a line",
                         path, (unsigned long long)line, word, max);
                return -1;
            }
            if (add(file, number) < 0) {
                snprintf(error, error_size, "%s: line %llu: not enough memory: shorten the file", path,
                         (unsigned long long)line);
                return -1;
            }
            size = 0;
        }
        if (c == EOF) break;
        if (c == '\n') line++;
    }
    if (ferror(stream)) {
        snprintf(error, error_size, "%s: line %llu: %s", path, (unsigned long long)line, strerror(errno));
        return -1;
    }
    if (file->count == 0) {
        snprintf(error, error_size, "%s: line %llu: no number: write one a line", path,
                 (unsigned long long)line);
        return -1;
    }
    return 0;
}

struct number_file *number_file_open(const char *path, double max, char *error, size_t error_size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // does not wait for who writes into a pipe
    struct stat about;
    if (fd < 0 || fstat(fd, &about) < 0) {
        snprintf(error, error_size, "%s: %s: name a file of numbers", path, strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    if (!S_ISREG(about.st_mode)) {
        snprintf(error, error_size, "%s: not a regular file: name a file of numbers", path);
        close(fd);
        return NULL;
    }
    struct number_file *file = calloc(1, sizeof *file);
    FILE *stream = file ? fdopen(fd, "r") : NULL;
    if (!stream) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        close(fd);
        free(file);
        return NULL;
    }
    int result = read_numbers(file, stream, path, max, error, error_size);
    fclose(stream);
    if (result == 0) return file;
    number_file_close(file);
    return NULL;
}

struct number_file *number_file_share(struct number_file *file) {
    file->shared++;
    return file;
}

void number_file_close(struct number_file *file) {
    if (!file) return;
    if (file->shared > 0) {
        file->shared--;
        return;
    }
    free(file->numbers);
    free(file);
}

uint64_t number_file_count(const struct number_file *file) {
    return file->count;
}

double number_file_at(const struct number_file *file, uint64_t n) {
    return file->numbers[n % file->count];
}
