#include "messaging/message_error.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 4, 0))) static int fail(struct message_error *error, const char *code,
                                                      const char *remedy, const char *format,
                                                      va_list arguments) {
    error->code = code;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    snprintf(error->remedy, sizeof error->remedy, "%s", remedy);
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
