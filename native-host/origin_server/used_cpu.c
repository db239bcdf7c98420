#include "origin_server/used_cpu.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
