// The process whose call waits for an answer: its memory and its descriptors, while it waits.
#pragma once

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct caller {
    int listener; // where the question came from
    const struct seccomp_notif *question;
    int pidfd;
};

// 0, or -1 with errno. Both must outlive it. Close it after 0.
int caller_open(struct caller *caller, int listener, const struct seccomp_notif *question);
void caller_close(const struct caller *caller);

// False if the caller has no such memory.
bool caller_read(const struct caller *caller, uint64_t at, void *into, size_t size);
bool caller_gather(const struct caller *caller, const struct iovec *parts, size_t count, void *into,
                   size_t size);
bool caller_write(const struct caller *caller, uint64_t at, const void *from, size_t size);

// A descriptor of ours for what `fd` is there, close-on-exec; or -1 with errno.
int caller_take(const struct caller *caller, int fd);

// What was read and taken is the caller's only if it still waits: its number may be another process's by now.
bool caller_waits(const struct caller *caller);

// It has one thread, which waits; and no two processes share descriptors (connect_filter.c). So each of its
// descriptors is what it is now until the call is over.
bool caller_is_single(const struct caller *caller);
