#include "messaging/message_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The size of the character at `text` in UTF-8, 0 where there is none: a quoted name may have been cut inside
// one.
static size_t character_size(const unsigned char *text) {
    size_t size = text[0] < 0x80   ? 1
                  : text[0] < 0xc2 ? 0
                  : text[0] < 0xe0 ? 2
                  : text[0] < 0xf0 ? 3
                  : text[0] < 0xf5 ? 4
                                   : 0;
    for (size_t i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    return size;
}

// What is quoted may hold anything; an error is one line of text.
static void make_one_line(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at;) {
        size_t size = character_size(at);
        if (size == 0 || *at < ' ' || *at == 0x7f) *at = '?';
        at += size > 0 ? size : 1;
    }
}

__attribute__((format(printf, 4, 0))) static int fail(struct message_error *error, const char *code,
                                                      const char *remedy, const char *format,
                                                      va_list arguments) {
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    snprintf(error->remedy, sizeof error->remedy, "%s", remedy);
    make_one_line(error->message);
    make_one_line(error->remedy);
    return -1;
}

int message_fail(struct message_error *error, const char *code, const char *remedy, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(error, code, remedy, format, arguments);
    va_end(arguments);
    return -1;
}

int message_malformed(struct message_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(error, "malformed", "send what schemas/message.schema.json describes", format, arguments);
    va_end(arguments);
    return -1;
}

int message_fail_errno(struct message_error *error, const char *path) {
    const char *why = strerror(errno);
    switch (errno) {
    case ENOSPC:
    case EDQUOT:
        return message_fail(error, "disk-full", "make room, or choose another folder with --home",
                            "%s: the disk is full", path);
    case EROFS:
    case EACCES:
    case EPERM:
        return message_fail(error, "read-only", "choose a folder you may write to with --home",
                            "%s: cannot be written: %s", path, why);
    case ENOMEM:
        return message_fail_memory(error);
    }
    return message_fail(error, "failed", "see that the folder is sound, or choose another with --home",
                        "%s: %s", path, why);
}

int message_fail_memory(struct message_error *error) {
    return message_fail(error, "failed", "close other programs and try again", "not enough memory");
}
