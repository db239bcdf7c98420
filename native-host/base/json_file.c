#include "base/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int json_file_write(const char *path, const json_t *document) {
    char temporary[4096];
    int n = snprintf(temporary, sizeof temporary, "%s.%d.tmp", path, (int)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    FILE *file = fopen(temporary, "we");
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
