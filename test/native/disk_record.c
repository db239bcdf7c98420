// Preloaded into a program: what it does to the files below TRILANE_DISK_FOLDER is written down in
// TRILANE_DISK_RECORD, in order: each write with its bytes, each change of a size or a name, each sync. A
// line for each step, "\t" between its parts: kind, path from the folder on, and by kind: offset and bytes in
// hex; size; new path. Lines that the program itself has noted there, by appending, stand between them.
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;
static int record = -1;
static ssize_t (*real_write)(int fd, const void *bytes, size_t size);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TRILANE_DISK_RECORD");
    *(void **)&real_write = dlsym(RTLD_NEXT, "write");
    folder = getenv("TRILANE_DISK_FOLDER");
    if (path && folder) record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// From the folder on; NULL: it is elsewhere.
static const char *within(const char *path) {
    size_t size = folder ? strlen(folder) : 0;
    if (record < 0 || strncmp(path, folder, size) != 0 || (path[size] != '/' && path[size] != '\0'))
        return NULL;
    return path[size] == '/' ? path + size + 1 : "";
}

// Of a file that is open, or of `name` in a folder that is.
static const char *place(int fd, const char *name, char path[PATH_MAX * 2]) {
    char link[64];
    path[0] = '\0';
    if (name && name[0] == '/') return within(strcpy(path, name));
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(fd == AT_FDCWD ? "/proc/self/cwd" : link, path, PATH_MAX - 1);
    if (size < 0) return NULL;
    path[size] = '\0';
    if (name) snprintf(path + size, PATH_MAX, "/%s", name);
    return within(path);
}

static void note(const char *kind, const char *path, const char *more, const void *bytes, size_t size) {
    if (!path || record < 0) return;
    char *line = malloc(strlen(path) + strlen(more) + 2 * size + 64);
    if (!line) abort();
    int length = sprintf(line, "%s\t%s\t%s", kind, path, more);
    for (size_t i = 0; i < size; i++)
        length += sprintf(line + length, "%02x", ((const unsigned char *)bytes)[i]);
    line[length++] = '\n';
    if (real_write(record, line, (size_t)length) != length) abort();
    free(line);
}

static void note_number(const char *kind, int fd, off_t number, const void *bytes, size_t size) {
    char path[PATH_MAX * 2], more[64];
    snprintf(more, sizeof more, "%lld%s", (long long)number, bytes ? "\t" : "");
    note(kind, place(fd, NULL, path), more, bytes, size);
}

#define REAL(result, name, parameters)                                                                       \
    static result(*real) parameters;                                                                         \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t size) {
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t written = real_write(fd, bytes, size);
    if (written > 0 && at >= 0 && fd != record) note_number("write", fd, at, bytes, (size_t)written);
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, (int, const void *, size_t, off64_t));
    ssize_t written = real(fd, bytes, size, at);
    if (written > 0) note_number("write", fd, at, bytes, (size_t)written);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return pwrite64(fd, bytes, size, at);
}

int ftruncate64(int fd, off64_t size) {
    REAL(int, ftruncate64, (int, off64_t));
    int status = real(fd, size);
    if (status == 0) note_number("size", fd, size, NULL, 0);
    return status;
}

int ftruncate(int fd, off_t size) {
    return ftruncate64(fd, size);
}

#define SYNC(name, kind)                                                                                     \
    int name(int fd) {                                                                                       \
        char path[PATH_MAX * 2];                                                                             \
        REAL(int, name, (int));                                                                              \
        int status = real(fd);                                                                               \
        if (status == 0) note(kind, place(fd, NULL, path), "", NULL, 0);                                     \
        return status;                                                                                       \
    }
SYNC(fsync, "sync")
SYNC(fdatasync, "sync")
SYNC(syncfs, "sync all")

// The file is there now, if it was not. `before`: whether it was.
static void note_opened(int at, const char *name, int flags, int fd, bool before) {
    char path[PATH_MAX * 2];
    if (fd >= 0 && (flags & O_CREAT) && !before) note("make", place(at, name, path), "", NULL, 0);
    if (fd >= 0 && (flags & O_TRUNC) && before) note_number("size", fd, 0, NULL, 0);
}

static int open_as(int at, const char *name, int flags, mode_t mode) {
    REAL(int, openat, (int, const char *, int, ...));
    struct stat found;
    bool before = fstatat(at, name, &found, 0) == 0;
    int fd = real(at, name, flags, mode);
    note_opened(at, name, flags, fd, before);
    return fd;
}

#define MODE(flags, mode)                                                                                    \
    va_list more;                                                                                            \
    va_start(more, flags);                                                                                   \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                                  \
    va_end(more)

int openat(int at, const char *name, int flags, ...) {
    MODE(flags, mode);
    return open_as(at, name, flags, mode);
}

int open(const char *name, int flags, ...) {
    MODE(flags, mode);
    return open_as(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags, mode);
    return open_as(AT_FDCWD, name, flags, mode);
}

int mkdirat(int at, const char *name, mode_t mode) {
    char path[PATH_MAX * 2];
    REAL(int, mkdirat, (int, const char *, mode_t));
    int status = real(at, name, mode);
    if (status == 0) note("folder", place(at, name, path), "", NULL, 0);
    return status;
}

int mkdir(const char *name, mode_t mode) {
    return mkdirat(AT_FDCWD, name, mode);
}

int renameat(int from, const char *name, int to, const char *other) {
    char path[PATH_MAX * 2], path_to[PATH_MAX * 2];
    REAL(int, renameat, (int, const char *, int, const char *));
    int status = real(from, name, to, other);
    const char *now = status == 0 ? place(to, other, path_to) : NULL;
    if (now) note("rename", place(from, name, path), now, NULL, 0);
    return status;
}

int rename(const char *name, const char *other) {
    return renameat(AT_FDCWD, name, AT_FDCWD, other);
}

int unlinkat(int at, const char *name, int flags) {
    char path[PATH_MAX * 2];
    REAL(int, unlinkat, (int, const char *, int));
    int status = real(at, name, flags);
    if (status == 0) note("remove", place(at, name, path), "", NULL, 0);
    return status;
}

int unlink(const char *name) {
    return unlinkat(AT_FDCWD, name, 0);
}
