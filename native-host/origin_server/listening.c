#include "origin_server/listening.h"

#include <stdio.h>
#include <string.h>

enum { TCP_LISTEN = 0x0a, LINE_SIZE = 512 };

typedef bool (*visitor)(void *context, uint16_t port); // false: seen enough

static bool each_of(const char *table, bool is_tcp, visitor visit, void *context) {
    char path[32], line[LINE_SIZE];
    snprintf(path, sizeof path, "/proc/net/%s", table);
    FILE *file = fopen(path, "re");
    bool wants_more = true;
    while (file && wants_more && fgets(line, sizeof line, file)) {
        unsigned local_port, remote_port, state;
        if (sscanf(line, " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%x %x", &local_port, &remote_port, &state) != 3)
            continue;
        if (is_tcp ? state == TCP_LISTEN : remote_port == 0)
            wants_more = visit(context, (uint16_t)local_port);
    }
    if (file) fclose(file);
    return wants_more;
}

static bool is_other(void *context, uint16_t port) {
    return port != *(const uint16_t *)context;
}

bool listening_on(const char *protocol, uint16_t port) {
    const bool is_tcp = strcmp(protocol, "tcp") == 0;
    return !each_of(is_tcp ? "tcp" : "udp", is_tcp, is_other, &port) ||
           !each_of(is_tcp ? "tcp6" : "udp6", is_tcp, is_other, &port);
}

struct list {
    char *text;
    size_t size, used;
};

static bool add(void *context, uint16_t port) {
    struct list *list = context;
    int written =
        snprintf(list->text + list->used, list->size - list->used, "%s%u", list->used > 0 ? ", " : "", port);
    if (written < 0 || (size_t)written >= list->size - list->used) return false;
    list->used += (size_t)written;
    return true;
}

void listening_list(char *text, size_t size) {
    struct list list = {.text = text, .size = size};
    if (each_of("tcp", true, add, &list)) each_of("tcp6", true, add, &list);
    if (list.used == 0) snprintf(text, size, "no port");
}
