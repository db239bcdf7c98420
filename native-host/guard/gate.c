#include "guard/gate.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DNS_PORT = 53 };

static const uint64_t patrol_ns = 200 * NS_PER_MS;

struct waiting {
    struct gate *gate;
    struct waiting *next;
    struct loop_watch watch;
    bool connects;
    struct seccomp_notif question;
};

static bool is_same(const struct sockaddr *address, const char *text) {
    struct in_addr four;
    struct in6_addr six;
    if (address->sa_family == AF_INET)
        return inet_pton(AF_INET, text, &four) == 1 &&
               memcmp(&four, &((const struct sockaddr_in *)address)->sin_addr, sizeof four) == 0;
    return inet_pton(AF_INET6, text, &six) == 1 &&
           memcmp(&six, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof six) == 0;
}

// Read again each time: a laptop changes its network.
static bool is_name_server(const struct sockaddr *address) {
    in_port_t port = address->sa_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_port
                                                   : ((const struct sockaddr_in6 *)address)->sin6_port;
    if (ntohs(port) != DNS_PORT) return false;
    FILE *file = fopen("/etc/resolv.conf", "re");
    bool named = false, found = false;
    char line[512], text[INET6_ADDRSTRLEN];
    while (file && !found && fgets(line, sizeof line, file)) {
        // A zone (fe80::1%eth0) is the interface's affair.
        if (sscanf(line, " nameserver %45[0-9A-Fa-f.:]", text) != 1) continue;
        named = true;
        found = is_same(address, text);
    }
    if (file) fclose(file);
    // Where none is named, the resolver asks this machine.
    return found || (!named && (is_same(address, "127.0.0.1") || is_same(address, "::1")));
}

static bool is_internet_address_allowed(const struct gate *gate, const struct sockaddr *address) {
    enum address_space space;
    if (gate->nearest == SPACE_LOOPBACK || is_name_server(address)) return true;
    return address_space_here(address, gate->besides, &space) == 0 && space >= gate->nearest;
}

// A list of what is allowed; of every other family nothing is.
static bool allows(const void *context, const struct sockaddr *address, bool connects) {
    const struct sockaddr_nl *kernel = (const struct sockaddr_nl *)address;
    switch (address->sa_family) {
    case AF_INET:
    case AF_INET6:
        return is_internet_address_allowed(context, address);
    case AF_NETLINK: // as resolvers ask for interfaces; other processes have numbers
        return kernel->nl_pid == 0 && kernel->nl_groups == 0;
    case AF_UNSPEC: // takes a connection back; to send, a socket of IPv4 reads it as an address of its own
        return connects;
    default:
        return false;
    }
}

static void reply(const struct gate *gate, uint64_t id, const struct call_result *result) {
    memset(gate->answer, 0, sizeof *gate->answer);
    gate->answer->id = id;
    if (result->state == CALL_CONTINUES)
        gate->answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (result->value < 0)
        gate->answer->error = (int)result->value;
    else
        gate->answer->val = result->value;
    ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_SEND, gate->answer); // the caller may be gone
}

static struct call_result make(const struct gate *gate, const struct seccomp_notif *question) {
    const struct call_rules rules = {.allows = allows, .context = gate};
    struct caller caller;
    if (caller_open(&caller, gate->watch.fd, question) < 0)
        return (struct call_result){.state = CALL_RETURNED, .value = -EACCES};
    const struct call_result result = call_make(&caller, &rules, gate->room);
    caller_close(&caller);
    return result;
}

static void drop(struct waiting *waiting) {
    struct waiting **place = &waiting->gate->waiting;
    while (*place != waiting)
        place = &(*place)->next;
    *place = waiting->next;
    loop_remove(waiting->gate->loop, &waiting->watch);
    close(waiting->watch.fd);
    free(waiting);
}

static void go_on(void *context, uint32_t events) {
    struct waiting *waiting = context;
    struct call_result result = {.state = CALL_RETURNED};
    int error = 0;
    socklen_t size = sizeof error;
    (void)events;
    if (!waiting->connects)
        result = make(waiting->gate, &waiting->question);
    else if (getsockopt(waiting->watch.fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0)
        result.value = -error;
    if (result.state == CALL_WAITS) {
        close(result.fd);
        return;
    }
    reply(waiting->gate, waiting->question.id, &result);
    drop(waiting);
}

// A socket that we hold does not close with its caller.
static void patrol(void *context, uint64_t now_ns) {
    struct gate *gate = context;
    for (struct waiting *each = gate->waiting, *next; each; each = next) {
        next = each->next;
        if (ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &each->question.id) < 0) drop(each);
    }
    if (gate->waiting) loop_timer_set(gate->loop, &gate->patrol, now_ns + patrol_ns);
}

static int keep_waiting(struct gate *gate, const struct call_result *result) {
    struct waiting *waiting = malloc(sizeof *waiting);
    if (!waiting) return -1;
    *waiting = (struct waiting){.gate = gate,
                                .next = gate->waiting,
                                .watch = {.fd = result->fd, .ready = go_on, .context = waiting},
                                .connects = result->connects,
                                .question = *gate->question};
    if (loop_add(gate->loop, &waiting->watch, EPOLLOUT) < 0) {
        free(waiting);
        return -1;
    }
    if (!gate->waiting) loop_timer_set(gate->loop, &gate->patrol, loop_turn_ns(gate->loop) + patrol_ns);
    gate->waiting = waiting;
    return 0;
}

static void answer(void *context, uint32_t events) {
    struct gate *gate = context;
    if (!(events & EPOLLIN)) {
        loop_remove(gate->loop, &gate->watch); // no process is left that could ask
        return;
    }
    memset(gate->question, 0, sizeof *gate->question);
    // Who asked may be gone meanwhile (ENOENT).
    if (ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_RECV, gate->question) < 0) return;
    struct call_result result = make(gate, gate->question);
    if (result.state == CALL_WAITS) {
        if (keep_waiting(gate, &result) == 0) return;
        close(result.fd);
        result = (struct call_result){.state = CALL_RETURNED, .value = -ENOMEM};
    }
    reply(gate, gate->question->id, &result);
}

int gate_open(struct gate *gate, struct loop *loop, int fd, enum address_space nearest,
              const struct own_networks *besides) {
    struct seccomp_notif_sizes sizes;
    *gate = (struct gate){.nearest = nearest,
                          .besides = besides,
                          .loop = loop,
                          .watch = {.fd = fd, .ready = answer, .context = gate},
                          .patrol = {.due = patrol, .context = gate}};
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0) return -1;
    // The kernel's may be larger than those that this was compiled with.
    size_t question = sizeof *gate->question, reply = sizeof *gate->answer;
    gate->question = calloc(1, sizes.seccomp_notif > question ? sizes.seccomp_notif : question);
    gate->answer = calloc(1, sizes.seccomp_notif_resp > reply ? sizes.seccomp_notif_resp : reply);
    gate->room = call_room_open();
    if (!gate->question || !gate->answer || !gate->room) return -1;
    return loop_add(loop, &gate->watch, EPOLLIN);
}

void gate_close(struct gate *gate) {
    while (gate->waiting)
        drop(gate->waiting);
    loop_timer_clear(gate->loop, &gate->patrol);
    loop_remove(gate->loop, &gate->watch);
    close(gate->watch.fd);
    call_room_close(gate->room);
    free(gate->question);
    free(gate->answer);
}
