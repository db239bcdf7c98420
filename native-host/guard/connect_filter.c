#include "guard/connect_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
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

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IF_EQUAL(value, skip_then, skip_else) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, skip_then, skip_else)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)

// The halves of an argument that is a pointer: both architectures are little-endian.
#define LOAD_LOW(number) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]))
#define LOAD_HIGH(number) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]) + 4)

static int install(unsigned flags, uintptr_t handover) {
    struct sock_filter filter[] = {
        LOAD(arch),
        IF_EQUAL(NATIVE_ARCHITECTURE, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        IF_EQUAL(__NR_connect, 14, 0),
        IF_EQUAL(__NR_sendmmsg, 13, 0),
        IF_EQUAL(__NR_io_uring_setup, 11, 0),
        IF_EQUAL(__NR_sendmsg, 6, 0),
        IF_EQUAL(__NR_sendto, 1, 0),
        ANSWER(SECCOMP_RET_ALLOW),
        // sendto: has it an address?
        LOAD_LOW(4),
        IF_EQUAL(0, 0, 7),
        LOAD_HIGH(4),
        IF_EQUAL(0, 6, 5),
        // sendmsg: is it the handover?
        LOAD_LOW(1),
        IF_EQUAL((uint32_t)handover, 0, 3),
        LOAD_HIGH(1),
        IF_EQUAL((uint32_t)((uint64_t)handover >> 32), 2, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS), // io_uring_setup
        ANSWER(SECCOMP_RET_USER_NOTIF),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

int connect_filter_install(const struct msghdr *handover) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    // A signal must not interrupt a call while it is decided on; kernels before 5.19 know no such thing.
    int fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                     (uintptr_t)handover);
    return fd < 0 && errno == EINVAL ? install(SECCOMP_FILTER_FLAG_NEW_LISTENER, (uintptr_t)handover) : fd;
}
