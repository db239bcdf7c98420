#include "guard/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// PIDFD_THREAD: the number is a thread's. Kernels before 6.9 know only processes.
enum { THREAD_FLAG = O_EXCL, PATH_SIZE = 64 };

static int process_of(unsigned thread) {
    char path[PATH_SIZE], line[128];
    int process = -1;
    snprintf(path, sizeof path, "/proc/%u/status", thread);
    FILE *file = fopen(path, "re");
    while (file && process < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &process) != 1) process = -1;
    if (file) fclose(file);
    return process;
}

int caller_open(struct caller *caller, int listener, const struct seccomp_notif *question) {
    *caller = (struct caller){.listener = listener, .question = question};
    caller->pidfd = (int)syscall(SYS_pidfd_open, question->pid, THREAD_FLAG);
    if (caller->pidfd < 0 && errno == EINVAL)
        caller->pidfd = (int)syscall(SYS_pidfd_open, process_of(question->pid), 0);
    return caller->pidfd < 0 ? -1 : 0;
}

void caller_close(const struct caller *caller) {
    close(caller->pidfd);
}

bool caller_gather(const struct caller *caller, const struct iovec *parts, size_t count, void *into,
                   size_t size) {
    const struct iovec local = {.iov_base = into, .iov_len = size};
    return size == 0 ||
           process_vm_readv((pid_t)caller->question->pid, &local, 1, parts, count, 0) == (ssize_t)size;
}

bool caller_read(const struct caller *caller, uint64_t at, void *into, size_t size) {
    const struct iovec remote = {.iov_base = (void *)(uintptr_t)at, .iov_len = size};
    return caller_gather(caller, &remote, 1, into, size);
}

bool caller_write(const struct caller *caller, uint64_t at, const void *from, size_t size) {
    const struct iovec local = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};
    const struct iovec remote = {.iov_base = (void *)(uintptr_t)at, .iov_len = size};
    return process_vm_writev((pid_t)caller->question->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

int caller_take(const struct caller *caller, int fd) {
    return (int)syscall(SYS_pidfd_getfd, caller->pidfd, fd, 0);
}

bool caller_waits(const struct caller *caller) {
    return ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &caller->question->id) == 0;
}

// The kernel counts a folder's links: two, and one for each thread.
bool caller_is_single(const struct caller *caller) {
    char path[PATH_SIZE];
    struct stat tasks;
    snprintf(path, sizeof path, "/proc/%u/task", caller->question->pid);
    return stat(path, &tasks) == 0 && tasks.st_nlink == 3 && caller_waits(caller);
}
