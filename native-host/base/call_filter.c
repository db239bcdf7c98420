#include "base/call_filter.h"

#include <linux/audit.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "name this architecture's AUDIT_ARCH"
#endif

// Of x86-64: calls with this bit are those of another ABI, under other numbers.
#define X32_BIT 0x40000000

static void add(struct call_filter *filter, const struct sock_filter *lines, size_t count) {
    if (filter->count + count <= CALL_FILTER_MAX)
        memcpy(filter->lines + filter->count, lines, count * sizeof *lines);
    filter->count += count;
}

void call_filter_open(struct call_filter *filter) {
    static const struct sock_filter head[] = {
        FILTER_LOAD(arch), FILTER_IF_EQUAL(NATIVE_ARCHITECTURE, 1, 0),         FILTER_REFUSE(EPERM),
        FILTER_LOAD(nr),   BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1), FILTER_REFUSE(ENOSYS),
    };
    filter->count = 0;
    add(filter, head, sizeof head / sizeof *head);
}

void call_filter_on(struct call_filter *filter, unsigned call, const struct sock_filter *lines,
                    size_t count) {
    const struct sock_filter jump = FILTER_IF_EQUAL(call, 0, (unsigned char)count);
    add(filter, &jump, 1);
    add(filter, lines, count);
}

void call_filter_allow(struct call_filter *filter, const unsigned *calls, size_t count) {
    static const struct sock_filter allow[] = {FILTER_ALLOW};
    for (size_t i = 0; i < count; i++)
        CALL_FILTER_ON(filter, calls[i], allow);
}

int call_filter_install(struct call_filter *filter, unsigned otherwise, unsigned flags) {
    const struct sock_filter tail = FILTER_ANSWER(otherwise);
    add(filter, &tail, 1);
    if (filter->count > CALL_FILTER_MAX) {
        errno = E2BIG;
        return -1;
    }
    const struct sock_fprog program = {.len = (unsigned short)filter->count, .filter = filter->lines};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    // Kernels before 5.16 else slow each load from memory, for fear of code that the program compiles. Ours
    // compile none, and a browser's processes that do have filters of their own.
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW | flags,
                        &program);
}
