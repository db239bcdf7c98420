// Composes a filter of system calls: rules by call, each a few lines of BPF that end in an answer, then one
// answer for all other calls. Calls under another architecture's or ABI's numbers are refused. The one such
// composer: walls.c lists what is allowed with it, the guard's connect_filter.c what the guard decides.
#pragma once

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define FILTER_LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
// The halves of an argument: both architectures are little-endian.
#define FILTER_LOAD_LOW(number) FILTER_LOAD(args[number])
#define FILTER_LOAD_HIGH(number)                                                                             \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]) + 4)
#define FILTER_IF_EQUAL(value, skip_then, skip_else)                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, skip_then, skip_else)
#define FILTER_IF_ANY(bits, skip_then, skip_else)                                                            \
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, skip_then, skip_else)
#define FILTER_ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FILTER_REFUSE(error) FILTER_ANSWER(SECCOMP_RET_ERRNO | (error))
#define FILTER_ALLOW FILTER_ANSWER(SECCOMP_RET_ALLOW)

enum { CALL_FILTER_MAX = 512 };

struct call_filter {
    struct sock_filter lines[CALL_FILTER_MAX];
    size_t count; // above the maximum: it did not fit
};

// The calls that come first cost least on kernels before 5.11; later ones remember what is always allowed.
void call_filter_open(struct call_filter *filter);

void call_filter_on(struct call_filter *filter, unsigned call, const struct sock_filter *lines, size_t count);
#define CALL_FILTER_ON(filter, call, lines)                                                                  \
    call_filter_on(filter, call, lines, sizeof(lines) / sizeof *(lines))

void call_filter_allow(struct call_filter *filter, const unsigned *calls, size_t count);

// For this process, those that it starts, and for ever: they gain no privileges any more (no_new_privs).
// `otherwise`: the answer to all other calls. What seccomp() returns, or -1 with errno. Call it once.
int call_filter_install(struct call_filter *filter, unsigned otherwise, unsigned flags);
