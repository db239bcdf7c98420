#include "base/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

int folders_make(const char *path) {
    char partial[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof partial) {
        errno = ENAMETOOLONG;
        return -1;
    }
    bool read_only = false;
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(partial, path, i);
        partial[i] = '\0';
        if (mkdir(partial, 0700) == 0 || errno == EEXIST) continue;
        // A folder above may stand on a disk that may only be read. One that is not there stays so, and
        // nothing below it can be made.
        if (errno == EROFS && path[i] != '\0') {
            read_only = true;
            continue;
        }
        if (errno == ENOENT && read_only) errno = EROFS;
        return -1;
    }
    return 0;
}
