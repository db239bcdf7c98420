#include "archive/archive_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *archive_code_name(enum archive_code code) {
    switch (code) {
    case ARCHIVE_NOT_FOUND:
        return "not-found";
    case ARCHIVE_EXISTS:
        return "exists";
    case ARCHIVE_INVALID:
        return "invalid";
    case ARCHIVE_TOO_LARGE:
        return "too-large";
    case ARCHIVE_DISK_FULL:
        return "disk-full";
    case ARCHIVE_READ_ONLY:
        return "read-only";
    case ARCHIVE_BUSY:
        return "busy";
    case ARCHIVE_FOREIGN:
        return "foreign";
    case ARCHIVE_NEWER:
        return "newer";
    case ARCHIVE_FAILED:
        break;
    }
    return "failed";
}

int archive_fail(struct archive_error *error, enum archive_code code, const char *remedy, const char *format,
                 ...) {
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    snprintf(error->remedy, sizeof error->remedy, "%s", remedy);
    return -1;
}

int archive_fail_errno(struct archive_error *error, const char *path) {
    switch (errno) {
    case ENOSPC:
    case EDQUOT:
        return archive_fail(error, ARCHIVE_DISK_FULL, "make room, or choose another folder with --home",
                            "%s: the disk is full", path);
    case EROFS:
    case EACCES:
    case EPERM:
        return archive_fail(error, ARCHIVE_READ_ONLY, "choose a folder you may write to with --home",
                            "%s: cannot be written: %s", path, strerror(errno));
    }
    return archive_fail(error, ARCHIVE_FAILED, "see that the folder is sound, or choose another with --home",
                        "%s: %s", path, strerror(errno));
}

int archive_fail_memory(struct archive_error *error) {
    return archive_fail(error, ARCHIVE_FAILED, "close other programs and try again", "not enough memory");
}
