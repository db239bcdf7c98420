#include "guard/doors.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BACKLOG = 512, ADDRESS_TEXT = 64, SPARE_DESCRIPTORS = 64, QUERIES_PER_TURN = 64 };

int door_parse_address(const char *text, struct door_address *address) {
    char host[ADDRESS_TEXT], *end;
    const char *colon = strrchr(text, ':');
    bool six = text[0] == '[';
    if (!colon || (size_t)(colon - text) >= sizeof host || (six && (colon < text + 2 || colon[-1] != ']')))
        return -1;
    size_t from = six ? 1 : 0, length = (size_t)(colon - text) - 2 * from;
    memcpy(host, text + from, length);
    host[length] = 0;
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (!isdigit((unsigned char)colon[1]) || *end || port > 65535) return -1;
    *address = (struct door_address){.size = six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)};
    if (six) {
        struct sockaddr_in6 *to = (struct sockaddr_in6 *)&address->address;
        *to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
        return inet_pton(AF_INET6, host, &to->sin6_addr) == 1 ? 0 : -1;
    }
    struct sockaddr_in *to = (struct sockaddr_in *)&address->address;
    *to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, host, &to->sin_addr) == 1 ? 0 : -1;
}

// The two halves around the sign; false: there is none, or the first is too long.
static bool halves(const char *text, char *first, size_t first_size, const char **second) {
    const char *sign = strchr(text, '=');
    if (!sign || (size_t)(sign - text) >= first_size) return false;
    memcpy(first, text, (size_t)(sign - text));
    first[sign - text] = 0;
    *second = sign + 1;
    return true;
}

int door_list_add(struct door_list *list, const char *text) {
    char at[ADDRESS_TEXT];
    const char *target;
    if (list->count == DOORS_MAX || !halves(text, at, sizeof at, &target)) return -1;
    struct door *door = &list->all[list->count];
    if (door_parse_address(at, &door->at) < 0) return -1;
    door->target.count = 0;
    while (*target) {
        char one[ADDRESS_TEXT];
        size_t size = strcspn(target, ",");
        if (size >= sizeof one || door->target.count == DOOR_ADDRESSES_MAX) return -1;
        memcpy(one, target, size);
        one[size] = 0;
        if (door_parse_address(one, &door->target.all[door->target.count++]) < 0) return -1;
        target += size + (target[size] == ',');
    }
    if (door->target.count == 0) return -1;
    list->count++;
    return 0;
}

int door_list_add_name(struct door_list *list, const char *text) {
    const char *address;
    if (list->name_count == DOORS_MAX) return -1;
    struct door_name *name = &list->names[list->name_count];
    if (!halves(text, name->name, sizeof name->name, &address) ||
        inet_pton(AF_INET, address, &name->address) != 1)
        return -1;
    for (char *c = name->name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    list->name_count++;
    return 0;
}

int door_listen(const struct door *door) {
    int on = 1, fd = socket(door->at.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&door->at.address, door->at.size) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void pause_doors(struct doors *doors) {
    doors->paused = true;
    for (size_t i = 0; i < doors->open_count; i++)
        loop_remove(doors->loop, &doors->open[i].watch);
}

static void connection_closed(void *context) {
    struct doors *doors = context;
    if (!doors->paused) return;
    doors->paused = false;
    for (size_t i = 0; i < doors->open_count; i++)
        loop_add(doors->loop, &doors->open[i].watch, EPOLLIN);
}

static void door_ready(void *context, uint32_t events) {
    struct open_door *door = context;
    struct doors *doors = door->doors;
    (void)events;
    if (doors->connections.count >= doors->connections_max) {
        pause_doors(doors);
        return;
    }
    int fd = accept4(door->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        door_connection_open(&doors->connections, fd, &door->target);
    else if ((errno == EMFILE || errno == ENFILE) && doors->connections.count > 0)
        pause_doors(doors);
}

void doors_open(struct doors *doors, struct loop *loop, const struct door_list *list) {
    struct rlimit files;
    *doors = (struct doors){.loop = loop, .list = list, .names_watch = {.fd = -1}};
    doors->connections =
        (struct door_connections){.loop = loop, .closed = connection_closed, .context = doors};
    rlim_t most = 1024;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 2 * most + SPARE_DESCRIPTORS)
        most = files.rlim_cur > 2 * SPARE_DESCRIPTORS ? (files.rlim_cur - SPARE_DESCRIPTORS) / 2 : 1;
    doors->connections_max = (size_t)most;
}

int doors_add(struct doors *doors, int listening_fd, const struct door_target *target) {
    struct open_door *door = &doors->open[doors->open_count];
    *door = (struct open_door){.doors = doors,
                               .watch = {.fd = listening_fd, .ready = door_ready, .context = door},
                               .target = *target};
    doors->open_count++;
    return loop_add(doors->loop, &door->watch, EPOLLIN);
}

static void names_ready(void *context, uint32_t events) {
    struct doors *doors = context;
    (void)events;
    for (int i = 0; i < QUERIES_PER_TURN; i++) {
        struct sockaddr_storage peer;
        socklen_t size = sizeof peer;
        uint8_t query[DOOR_QUERY_MAX], answer[DOOR_ANSWER_MAX];
        ssize_t n = recvfrom(doors->names_watch.fd, query, sizeof query, 0, (struct sockaddr *)&peer, &size);
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) continue; // an earlier answer's ICMP error
        size_t answer_size =
            door_names_answer(doors->list->names, doors->list->name_count, query, (size_t)n, answer);
        // An answer that cannot be sent now is a lost packet: the question comes again.
        if (answer_size > 0)
            sendto(doors->names_watch.fd, answer, answer_size, MSG_NOSIGNAL, (struct sockaddr *)&peer, size);
    }
}

int doors_answer_names(struct doors *doors, int fd) {
    doors->names_watch = (struct loop_watch){.fd = fd, .ready = names_ready, .context = doors};
    return loop_add(doors->loop, &doors->names_watch, EPOLLIN);
}

void doors_close(struct doors *doors) {
    door_connections_close(&doors->connections);
    for (size_t i = 0; i < doors->open_count; i++) {
        loop_remove(doors->loop, &doors->open[i].watch);
        close(doors->open[i].watch.fd);
    }
    if (doors->names_watch.fd < 0) return;
    loop_remove(doors->loop, &doors->names_watch);
    close(doors->names_watch.fd);
}
