#include "base/handover.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    char bytes[CMSG_SPACE(HANDOVER_MAX * sizeof(int))];
    struct cmsghdr align;
};

int handover_send(int to, const void *data, size_t size, const int *descriptors, size_t count) {
    union control control;
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof *descriptors)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof *descriptors);
    memcpy(CMSG_DATA(header), descriptors, count * sizeof *descriptors);
    ssize_t sent;
    while ((sent = sendmsg(to, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return sent == (ssize_t)size ? 0 : -1;
}

ssize_t handover_receive(int from, void *data, size_t size, int *descriptors, size_t *count) {
    union control control;
    int all[HANDOVER_MAX];
    struct iovec part = {.iov_base = data, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received;
    while ((received = recvmsg(from, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    const size_t max = *count;
    struct cmsghdr *header = received > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *count = 0;
    if (!header || header->cmsg_type != SCM_RIGHTS) return received;
    const size_t came = (header->cmsg_len - CMSG_LEN(0)) / sizeof *all;
    memcpy(all, CMSG_DATA(header), came * sizeof *all);
    for (size_t i = max; i < came; i++)
        close(all[i]);
    *count = came > max ? max : came;
    memcpy(descriptors, all, *count * sizeof *all);
    return received;
}
