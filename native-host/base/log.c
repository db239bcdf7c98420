#include "base/log.h"

#include "base/debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Written once at start, read by every line after it.
static const char *program = "trilane";

void log_program(const char *name) {
    program = name;
    debug_open();
}

// One write per line, so that lines of several processes on one terminal do not mix. What is quoted may hold
// anything, and commands no terminal.
static void print(const char *format, va_list arguments) {
    char line[1024];
    int n = snprintf(line, sizeof line, "%s: ", program);
    if (n < 0 || (size_t)n >= sizeof line) return;
    vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    // C0, DEL, and C1, which is 0xc2 and a byte in UTF-8.
    for (unsigned char *at = (unsigned char *)line; *at; at++)
        if (*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)) *at = '?';
    fprintf(stderr, "%s\n", line);
}

void log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void die(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    exit(status);
}
