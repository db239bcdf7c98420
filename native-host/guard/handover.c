#include "guard/handover.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    char bytes[CMSG_SPACE(HANDOVER_MAX * sizeof(int))];
    struct cmsghdr align;
};

int handover_send(int to, const int *descriptors, size_t count) {
    char byte = 0;
    union control control;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof *descriptors)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof *descriptors);
    memcpy(CMSG_DATA(header), descriptors, count * sizeof *descriptors);
    ssize_t size;
    while ((size = sendmsg(to, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return size == 1 ? 0 : -1;
}

size_t handover_receive(int from, int *descriptors, size_t max) {
    char byte;
    union control control;
    int all[HANDOVER_MAX];
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t size;
    while ((size = recvmsg(from, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    struct cmsghdr *header = size == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS) return 0;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *all;
    memcpy(all, CMSG_DATA(header), count * sizeof *all);
    for (size_t i = max; i < count; i++)
        close(all[i]);
    if (count > max) count = max;
    memcpy(descriptors, all, count * sizeof *all);
    return count;
}
