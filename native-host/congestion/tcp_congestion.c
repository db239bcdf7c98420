#include "congestion/tcp_congestion.h"

#include "base/namespace.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int tcp_congestion_check(const char *name, char *error, size_t error_size) {
    char list[256], words[256];
    if (namespace_get_sysctl("net/ipv4/tcp_available_congestion_control", list, sizeof list) < 0)
        snprintf(list, sizeof list, "unknown");
    snprintf(words, sizeof words, "%s", list);
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, name) == 0) return 0;
    snprintf(error, error_size,
             "TCP congestion controller \"%s\": this kernel has %s; `sudo modprobe tcp_%s` may add it", name,
             list, name);
    return -1;
}

int tcp_congestion_set(int fd, const char *name, char *error, size_t error_size) {
    char now[TCP_CONGESTION_NAME];
    tcp_congestion_get(fd, now);
    if (strcmp(now, name) == 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
        return 0;
    if (errno == ENOENT) return tcp_congestion_check(name, error, error_size);
    // The kernel has it, but keeps it to those who may configure the network. trilane-shaper takes that right
    // from the near end, unless an option forbids it.
    if (errno == EPERM)
        snprintf(error, error_size,
                 "TCP congestion controller \"%s\" needs privileges: give trilane-shaper --keep-capabilities",
                 name);
    else
        snprintf(error, error_size, "TCP congestion controller \"%s\": %s", name, strerror(errno));
    return -1;
}

void tcp_congestion_get(int fd, char name[TCP_CONGESTION_NAME]) {
    socklen_t size = TCP_CONGESTION_NAME;
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) < 0) size = 0;
    name[size < TCP_CONGESTION_NAME ? size : TCP_CONGESTION_NAME - 1] = 0;
}
