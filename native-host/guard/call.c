#include "guard/call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DATA_MAX = 1 << 20, // of a stream the caller sends the rest by another call, as it has to anyway
    CONTROL_MAX = 4096,
    RIGHTS_MAX = 253, // the kernel's own bounds
    MESSAGES_MAX = 1024,
};

struct call_room {
    unsigned char data[DATA_MAX];
    struct iovec parts[IOV_MAX];
    _Alignas(struct cmsghdr) unsigned char control[CONTROL_MAX];
    int taken[RIGHTS_MAX]; // descriptors that go along
    size_t taken_count;
};

struct call {
    const struct caller *caller;
    const struct call_rules *rules;
    struct call_room *room;
    int own; // the socket, as we have it
    int flags;
    struct call_result result;
};

union address {
    struct sockaddr any;
    struct sockaddr_storage room;
};

struct call_room *call_room_open(void) {
    return malloc(sizeof(struct call_room));
}

void call_room_close(struct call_room *room) {
    free(room);
}

// 0, or -errno.
static int copy_address(const struct call *call, uint64_t at, uint64_t size, bool connects,
                        union address *address) {
    memset(address, 0, sizeof *address);
    if (size > sizeof *address || size < sizeof address->any.sa_family) return -EINVAL;
    if (!caller_read(call->caller, at, address, size)) return -EFAULT;
    return call->rules->allows(call->rules->context, &address->any, connects) ? 0 : -EACCES;
}

// A socket that waits is made one that does not for the time of the call, which does not end sooner for that.
static int connect_at_once(int fd, const union address *address, socklen_t size, bool *waits) {
    const int flags = fcntl(fd, F_GETFL);
    *waits = !(flags & O_NONBLOCK);
    if (*waits) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    const int status = connect(fd, &address->any, size) < 0 ? -errno : 0;
    if (*waits) fcntl(fd, F_SETFL, flags);
    return status;
}

static int64_t make_connect(struct call *call, uint64_t at, uint64_t size) {
    union address address;
    bool waits;
    const int refused = copy_address(call, at, size, true, &address);
    if (refused) return refused;
    if (!caller_waits(call->caller)) return -EINTR;
    const int status = connect_at_once(call->own, &address, (socklen_t)size, &waits);
    if (status == -EINPROGRESS && waits) call->result = (struct call_result){CALL_WAITS, .connects = true};
    return status;
}

// What may go along with a message: nothing that leads it elsewhere, as a routing header does.
static bool is_control_allowed(const struct cmsghdr *header) {
    switch (header->cmsg_level) {
    case SOL_SOCKET:
        return header->cmsg_type == SCM_RIGHTS;
    case SOL_UDP:
        return header->cmsg_type == UDP_SEGMENT;
    case SOL_IP:
        return header->cmsg_type == IP_TOS || header->cmsg_type == IP_TTL || header->cmsg_type == IP_PKTINFO;
    case SOL_IPV6:
        return header->cmsg_type == IPV6_TCLASS || header->cmsg_type == IPV6_HOPLIMIT ||
               header->cmsg_type == IPV6_PKTINFO;
    default:
        return false;
    }
}

// The descriptors in there become ours, which are the same files.
static int take_rights(struct call *call, struct cmsghdr *header) {
    struct call_room *room = call->room;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (count > RIGHTS_MAX - room->taken_count) return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        int fd;
        unsigned char *place = CMSG_DATA(header) + i * sizeof fd;
        memcpy(&fd, place, sizeof fd);
        if ((fd = caller_take(call->caller, fd)) < 0) return -errno;
        room->taken[room->taken_count++] = fd;
        memcpy(place, &fd, sizeof fd);
    }
    return 0;
}

static int copy_control(struct call *call, struct msghdr *message) {
    const size_t size = message->msg_controllen;
    if (size > CONTROL_MAX) return -ENOBUFS;
    if (!caller_read(call->caller, (uintptr_t)message->msg_control, call->room->control, size))
        return -EFAULT;
    message->msg_control = call->room->control;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        const size_t left = size - (size_t)((unsigned char *)header - (unsigned char *)message->msg_control);
        if (header->cmsg_len < sizeof *header || header->cmsg_len > left) return -EINVAL;
        if (!is_control_allowed(header)) return -EPERM;
        if (header->cmsg_level != SOL_SOCKET) continue;
        const int failed = take_rights(call, header);
        if (failed) return failed;
    }
    return 0;
}

static int option_of(int fd, int option) {
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

static bool is_stream(int fd) {
    return option_of(fd, SO_TYPE) == SOCK_STREAM;
}

// Sends to whom it is connected, whatever a message names.
static bool is_connected_for_ever(int fd) {
    const int type = option_of(fd, SO_TYPE);
    switch (option_of(fd, SO_DOMAIN)) {
    case AF_UNIX:
        return type == SOCK_STREAM || type == SOCK_SEQPACKET;
    case AF_INET:
    case AF_INET6:
        return type == SOCK_STREAM;
    default:
        return false;
    }
}

// The parts become one.
static int copy_data(const struct call *call, struct msghdr *message, struct iovec *whole) {
    size_t size = 0, count = message->msg_iovlen;
    struct iovec *parts = message->msg_iov;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > DATA_MAX - size) {
            if (!is_stream(call->own)) return -EMSGSIZE;
            parts[i].iov_len = DATA_MAX - size;
            count = i + 1;
        }
        size += parts[i].iov_len;
    }
    if (!caller_gather(call->caller, parts, count, call->room->data, size)) return -EFAULT;
    *whole = (struct iovec){.iov_base = call->room->data, .iov_len = size};
    message->msg_iov = whole;
    message->msg_iovlen = 1;
    return 0;
}

// All but its parts is where the caller has it.
static int64_t send_copy(struct call *call, struct msghdr message) {
    union address address;
    struct iovec whole;
    int failed = 0;
    if (message.msg_name && message.msg_namelen > 0) {
        failed = copy_address(call, (uintptr_t)message.msg_name, message.msg_namelen, false, &address);
        message.msg_name = &address;
    } else {
        message.msg_name = NULL;
        message.msg_namelen = 0;
    }
    if (!failed) failed = copy_data(call, &message, &whole);
    if (!failed && message.msg_controllen > 0) failed = copy_control(call, &message);
    if (failed) return failed;
    if (!caller_waits(call->caller)) return -EINTR;
    message.msg_flags = 0;
    const ssize_t sent = sendmsg(call->own, &message, call->flags | MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    const int error = errno;
    if (error == EAGAIN && !(call->flags & MSG_DONTWAIT) && !(fcntl(call->own, F_GETFL) & O_NONBLOCK))
        call->result.state = CALL_WAITS;
    return -error;
}

static int64_t send_and_close(struct call *call, const struct msghdr *message) {
    call->room->taken_count = 0;
    const int64_t sent = send_copy(call, *message);
    for (size_t i = 0; i < call->room->taken_count; i++)
        close(call->room->taken[i]);
    return sent;
}

static int64_t send_header(struct call *call, struct msghdr message) {
    const size_t count = message.msg_iovlen;
    if (count > IOV_MAX) return -EMSGSIZE;
    if (!caller_read(call->caller, (uintptr_t)message.msg_iov, call->room->parts,
                     count * sizeof *call->room->parts))
        return -EFAULT;
    message.msg_iov = call->room->parts;
    if (!message.msg_control) message.msg_controllen = 0;
    return send_and_close(call, &message);
}

static int64_t make_sendto(struct call *call, const __u64 *args) {
    struct iovec part = {.iov_base = (void *)(uintptr_t)args[1], .iov_len = args[2]};
    const struct msghdr message = {.msg_name = (void *)(uintptr_t)args[4],
                                   .msg_namelen = (socklen_t)args[5],
                                   .msg_iov = &part,
                                   .msg_iovlen = 1};
    return send_and_close(call, &message);
}

static int64_t make_sendmsg(struct call *call, uint64_t at) {
    struct msghdr message;
    return caller_read(call->caller, at, &message, sizeof message) ? send_header(call, message) : -EFAULT;
}

// How many were sent; what went wrong with the next one is for the caller's next call.
static int64_t make_sendmmsg(struct call *call, uint64_t at, uint32_t count) {
    int64_t sent = 0;
    for (uint32_t i = 0; i < count && i < MESSAGES_MAX; i++) {
        struct mmsghdr message;
        const uint64_t place = at + i * sizeof message;
        const int64_t size = caller_read(call->caller, place, &message, sizeof message)
                                 ? send_header(call, message.msg_hdr)
                                 : -EFAULT;
        if (size < 0 && i == 0) return size;
        call->result.state = CALL_RETURNED;
        if (size < 0) break;
        message.msg_len = (unsigned)size;
        caller_write(call->caller, place + offsetof(struct mmsghdr, msg_len), &message.msg_len,
                     sizeof message.msg_len);
        sent++;
    }
    return sent;
}

static int64_t dispatch(struct call *call) {
    const struct seccomp_data *data = &call->caller->question->data;
    const int what = data->nr;
    if (what == SYS_connect) return make_connect(call, data->args[1], (uint32_t)data->args[2]);
    call->flags = (int)data->args[what == SYS_sendmsg ? 2 : 3];
    // It would show our memory.
    if (call->flags & MSG_ZEROCOPY) return -EOPNOTSUPP;
    if (what == SYS_sendto) return make_sendto(call, data->args);
    if (what == SYS_sendmsg) return make_sendmsg(call, data->args[1]);
    if (what == SYS_sendmmsg) return make_sendmmsg(call, data->args[1], (uint32_t)data->args[2]);
    return -ENOSYS;
}

struct call_result call_make(const struct caller *caller, const struct call_rules *rules,
                             struct call_room *room) {
    struct call call = {.caller = caller, .rules = rules, .room = room};
    const struct seccomp_data *data = &caller->question->data;
    // Before its socket is looked at: a thread that is gone later could have changed it meanwhile.
    const bool single =
        data->nr == SYS_sendmsg && !(data->args[2] & MSG_FASTOPEN) && caller_is_single(caller);
    call.own = caller_take(caller, (int)data->args[0]);
    if (call.own < 0) return (struct call_result){.state = CALL_RETURNED, .value = -errno};
    // Processes know one another by the number of who sends, as a browser's first process does its children.
    if (single && is_connected_for_ever(call.own)) {
        close(call.own);
        return (struct call_result){.state = CALL_CONTINUES};
    }
    const int64_t value = dispatch(&call);
    if (call.result.state == CALL_WAITS) {
        call.result.fd = call.own;
        return call.result;
    }
    close(call.own);
    return (struct call_result){.state = CALL_RETURNED, .value = value};
}
