#include "guard/gate.h"

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
#include <sys/uio.h>
#include <unistd.h>

enum { DNS_PORT = 53, MESSAGES_MAX = 1024 /* the kernel takes no more at once */ };

static bool read_from(const struct seccomp_notif *question, uint64_t at, void *into, size_t size) {
    struct iovec local = {.iov_base = into, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)at, .iov_len = size};
    return process_vm_readv((pid_t)question->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

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

// A list of what is allowed; of every other family nothing is. An address that cannot be read is refused: the
// call would fail, too.
static bool is_allowed(const struct gate *gate, uint64_t at, uint64_t size) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
        struct sockaddr_nl kernel;
    } address;
    memset(&address, 0, sizeof address);
    if (size < sizeof address.any.sa_family) return true; // none: EINVAL
    if (!read_from(gate->question, at, &address, size < sizeof address ? size : sizeof address)) return false;
    switch (address.any.sa_family) {
    case AF_INET:
    case AF_INET6:
        return is_internet_address_allowed(gate, &address.any);
    case AF_NETLINK: // as resolvers ask for interfaces; other processes have numbers
        return address.kernel.nl_pid == 0;
    case AF_UNSPEC: // takes a connection back; to send, a socket of IPv4 reads it as an address of its own
        return gate->question->data.nr == SYS_connect;
    default:
        return false;
    }
}

// Its name is its only part of interest.
static bool is_header_allowed(const struct gate *gate, const struct msghdr *header) {
    return !header->msg_name || is_allowed(gate, (uintptr_t)header->msg_name, header->msg_namelen);
}

static bool is_message_allowed(const struct gate *gate, uint64_t at) {
    struct msghdr header;
    return read_from(gate->question, at, &header, sizeof header) && is_header_allowed(gate, &header);
}

static bool are_allowed(const struct gate *gate, uint64_t at, uint64_t count) {
    for (uint64_t i = 0; i < count && i < MESSAGES_MAX; i++) {
        struct mmsghdr message;
        if (!read_from(gate->question, at + i * sizeof message, &message, sizeof message) ||
            !is_header_allowed(gate, &message.msg_hdr))
            return false;
    }
    return true;
}

static bool decide(const struct gate *gate) {
    const struct seccomp_data *call = &gate->question->data;
    switch (call->nr) {
    case SYS_connect:
        return is_allowed(gate, call->args[1], (uint32_t)call->args[2]);
    case SYS_sendto:
        return is_allowed(gate, call->args[4], (uint32_t)call->args[5]);
    case SYS_sendmsg:
        return is_message_allowed(gate, call->args[1]);
    case SYS_sendmmsg:
        return are_allowed(gate, call->args[1], (uint32_t)call->args[2]);
    default:
        return false;
    }
}

static void answer(void *context, uint32_t events) {
    struct gate *gate = context;
    if (!(events & EPOLLIN)) {
        loop_remove(gate->loop, &gate->watch); // nobody is left who could ask
        return;
    }
    memset(gate->question, 0, sizeof *gate->question);
    // Who asked may be gone meanwhile (ENOENT).
    if (ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_RECV, gate->question) < 0) return;
    bool allowed = decide(gate);
    memset(gate->answer, 0, sizeof *gate->answer);
    gate->answer->id = gate->question->id;
    // What was read was the caller's only if it still waits: its number may be another process's by now.
    if (ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &gate->question->id) < 0) return;
    if (allowed)
        gate->answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else
        gate->answer->error = -EACCES;
    ioctl(gate->watch.fd, SECCOMP_IOCTL_NOTIF_SEND, gate->answer);
}

int gate_open(struct gate *gate, struct loop *loop, int fd, enum address_space nearest,
              const struct own_networks *besides) {
    struct seccomp_notif_sizes sizes;
    *gate = (struct gate){.nearest = nearest,
                          .besides = besides,
                          .loop = loop,
                          .watch = {.fd = fd, .ready = answer, .context = gate}};
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0) return -1;
    // The kernel's may be larger than those that this was compiled with.
    size_t question = sizeof *gate->question, reply = sizeof *gate->answer;
    gate->question = calloc(1, sizes.seccomp_notif > question ? sizes.seccomp_notif : question);
    gate->answer = calloc(1, sizes.seccomp_notif_resp > reply ? sizes.seccomp_notif_resp : reply);
    if (!gate->question || !gate->answer) return -1;
    return loop_add(loop, &gate->watch, EPOLLIN);
}

void gate_close(struct gate *gate) {
    loop_remove(gate->loop, &gate->watch);
    close(gate->watch.fd);
    free(gate->question);
    free(gate->answer);
}
