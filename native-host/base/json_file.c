#include "base/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

// A new file under a random name, so that no link that another user put there is followed.
static FILE *open_aside(const char *path, char temporary[PATH_BYTES]) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return NULL;
    int n = snprintf(temporary, PATH_BYTES, "%s.%016" PRIx64 json_file_aside_end, path, number);
    if (n < 0 || n >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

int json_file_try(const char *path) {
    char temporary[PATH_BYTES];
    FILE *file = open_aside(path, temporary);
    if (!file) return -1;
    fclose(file);
    unlink(temporary);
    return 0;
}

int json_file_write(const char *path, const json_t *document) {
    char temporary[PATH_BYTES];
    FILE *file = open_aside(path, temporary);
    if (!file) return -1;
    int failed = json_dumpf(document, file, JSON_COMPACT) < 0 || fputc('\n', file) == EOF;
    int error = errno;
    if (fclose(file) != 0 && !failed) { // a full disk may show only here
        failed = 1;
        error = errno;
    }
    if (!failed && rename(temporary, path) < 0) {
        failed = 1;
        error = errno;
    }
    if (failed) {
        unlink(temporary);
        errno = error ? error : EIO;
        return -1;
    }
    return 0;
}
