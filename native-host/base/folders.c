#include "base/folders.h"

#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Cuts the last name off.
static size_t parent_size(const char *path, size_t size) {
    while (size > 0 && path[size - 1] != '/')
        size--;
    while (size > 0 && path[size - 1] == '/')
        size--;
    return size;
}

size_t folders_existing(const char *path) {
    char partial[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof partial) return size;
    memcpy(partial, path, size + 1);
    while (size > 0 && access(partial, F_OK) < 0) {
        size = parent_size(partial, size);
        partial[size] = '\0';
    }
    return size;
}

void folders_remove_empty(const char *path, size_t kept) {
    char partial[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof partial) return;
    memcpy(partial, path, size + 1);
    while (size > kept && rmdir(partial) == 0) {
        size = parent_size(partial, size);
        partial[size] = '\0';
    }
}

void folders_home(const char *option, char home[PATH_MAX]) {
    const char *named = option && *option ? option : getenv("TRILANE_HOME");
    const char *xdg = getenv("XDG_DATA_HOME"), *user = getenv("HOME");
    char here[PATH_MAX] = "";
    int size;
    if (named && *named && *named != '/' && !getcwd(here, sizeof here))
        die(EXIT_RUN_FAILED, "this folder: %s", strerror(errno));
    if (named && *named)
        size = snprintf(home, PATH_MAX, "%s%s%s", *named == '/' ? "" : here, *named == '/' ? "" : "/", named);
    else if (xdg && *xdg == '/')
        size = snprintf(home, PATH_MAX, "%s/trilane", xdg);
    else if (user && *user)
        size = snprintf(home, PATH_MAX, "%s/.local/share/trilane", user);
    else
        die(EXIT_BAD_INPUT, "home: no data folder is known: name one with --home");
    if (size >= PATH_MAX - 128)
        die(EXIT_BAD_INPUT, "home: the data folder's path is too long: name another with --home");
}
