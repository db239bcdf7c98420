#include "origin_server/proc.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- Ports ----

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

// ---- CPU time ----

enum { PATH_SIZE = 300 };

static uint64_t thread_ns(const char *process, const char *thread) {
    char path[2 * PATH_SIZE];
    uint64_t ns = 0;
    snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", process, thread);
    FILE *file = fopen(path, "re");
    if (!file) return 0; // it has ended
    if (fscanf(file, "%" SCNu64, &ns) != 1) ns = 0;
    fclose(file);
    return ns;
}

static uint64_t process_ns(const char *process) {
    char path[PATH_SIZE];
    uint64_t sum_ns = 0;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.') sum_ns += thread_ns(process, entry->d_name);
    if (threads) closedir(threads);
    return sum_ns;
}

// Of /proc/PID/stat: after the name, which may have anything in it, come state, parent, group and session.
static pid_t session_of(const char *process) {
    char path[PATH_SIZE], text[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *after_name = strrchr(text, ')');
    int session;
    return after_name && sscanf(after_name + 1, " %*c %*d %*d %d", &session) == 1 ? session : -1;
}

uint64_t used_cpu_ns(pid_t session) {
    uint64_t sum_ns = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        const char *name = entry->d_name;
        if (name[0] >= '1' && name[0] <= '9' && session_of(name) == session) sum_ns += process_ns(name);
    }
    if (processes) closedir(processes);
    return sum_ns;
}
