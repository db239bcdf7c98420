#include "base/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

// A device, a pipe or an open descriptor, which a rename would replace: root would lose /dev/null.
static bool is_stream(const char *path) {
    static const char *const descriptors[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        if (strncmp(path, descriptors[i], strlen(descriptors[i])) == 0) return true;
    struct stat there;
    return stat(path, &there) == 0 && (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode));
}

int json_file_try(const char *path) {
    if (is_stream(path)) return access(path, W_OK);
    char temporary[PATH_BYTES];
    FILE *file = open_aside(path, temporary);
    if (!file) return -1;
    fclose(file);
    unlink(temporary);
    return 0;
}

static int write_and_close(FILE *file, const json_t *document) {
    int failed = json_dumpf(document, file, JSON_COMPACT) < 0 || fputc('\n', file) == EOF;
    int error = errno;
    if (fclose(file) != 0 && !failed) { // a full disk may show only here
        failed = 1;
        error = errno;
    }
    errno = error ? error : EIO;
    return failed ? -1 : 0;
}

static int write_into(const char *path, const json_t *document) {
    int fd = open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    return file ? write_and_close(file, document) : -1;
}

int json_file_write(const char *path, const json_t *document) {
    if (is_stream(path)) return write_into(path, document);
    char temporary[PATH_BYTES];
    FILE *file = open_aside(path, temporary);
    if (!file) return -1;
    if (write_and_close(file, document) == 0 && rename(temporary, path) == 0) return 0;
    int error = errno;
    unlink(temporary);
    errno = error;
    return -1;
}
