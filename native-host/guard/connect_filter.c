#include "guard/connect_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define ASK ANSWER(SECCOMP_RET_USER_NOTIF)

// The halves of an argument: both architectures are little-endian.
#define LOAD_LOW(number) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]))
#define LOAD_HIGH(number) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]) + 4)

enum { PROGRAM_MAX = 128 };

struct program {
    struct sock_filter lines[PROGRAM_MAX];
    unsigned short count;
};

static void add(struct program *program, const struct sock_filter *lines, size_t count) {
    memcpy(program->lines + program->count, lines, count * sizeof *lines);
    program->count = (unsigned short)(program->count + count);
}

// For one call; its lines end in an answer.
static void on_call(struct program *program, unsigned call, const struct sock_filter *lines, size_t count) {
    const struct sock_filter jump = IF_EQUAL(call, 0, (unsigned char)count);
    add(program, &jump, 1);
    add(program, lines, count);
}

#define ADD(program, lines) add(program, lines, sizeof(lines) / sizeof *(lines))
#define ON_CALL(program, call, lines) on_call(program, call, lines, sizeof(lines) / sizeof *(lines))

static void compose(struct program *program) {
    static const struct sock_filter head[] = {
        LOAD(arch),
        IF_EQUAL(NATIVE_ARCHITECTURE, 1, 0),
        REFUSE(EPERM),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
        REFUSE(ENOSYS),
    };
    static const struct sock_filter ask[] = {ASK}, absent[] = {REFUSE(ENOSYS)}, refuse[] = {REFUSE(EPERM)};
    static const struct sock_filter ask_for_an_address[] = {
        LOAD_LOW(4), IF_EQUAL(0, 0, 2), LOAD_HIGH(4), IF_EQUAL(0, 1, 0), ASK, ALLOW,
    };
    // TCP, UDP and what `ping` sends; of the kernel its routes and devices. SCTP and multipath TCP connect to
    // what their peer or an option names.
    static const struct sock_filter sockets[] = {
        LOAD_LOW(0),
        IF_EQUAL(AF_UNIX, 11, 0),
        IF_EQUAL(AF_NETLINK, 7, 0),
        IF_EQUAL(AF_INET, 1, 0),
        IF_EQUAL(AF_INET6, 0, 9),
        LOAD_LOW(2),
        IF_EQUAL(0, 6, 0),
        IF_EQUAL(IPPROTO_TCP, 5, 0),
        IF_EQUAL(IPPROTO_UDP, 4, 0),
        IF_EQUAL(IPPROTO_ICMP, 3, 2),
        LOAD_LOW(2),
        IF_EQUAL(NETLINK_ROUTE, 1, 0),
        IF_EQUAL(NETLINK_KOBJECT_UEVENT, 0, 1),
        ALLOW,
        REFUSE(EAFNOSUPPORT),
    };
    // A source route or routing header of the socket's own: its packets go there first.
    static const struct sock_filter socket_options[] = {
        LOAD_LOW(1),
        IF_EQUAL(IPPROTO_IP, 0, 2),
        LOAD_LOW(2),
        IF_EQUAL(IP_OPTIONS, 5, 4),
        IF_EQUAL(IPPROTO_IPV6, 0, 3),
        LOAD_LOW(2),
        IF_EQUAL(IPV6_RTHDR, 2, 0),
        IF_EQUAL(IPV6_2292PKTOPTIONS, 1, 0),
        ALLOW,
        REFUSE(EPERM),
    };
    // Processes that share descriptors would be as threads to one another, but not counted as such.
    static const struct sock_filter new_processes[] = {
        LOAD_LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_FILES, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        REFUSE(EPERM),
        ALLOW,
    };
    static const struct sock_filter tail[] = {ALLOW};
    ADD(program, head);
    ON_CALL(program, __NR_connect, ask);
    ON_CALL(program, __NR_sendmsg, ask);
    ON_CALL(program, __NR_sendmmsg, ask);
    ON_CALL(program, __NR_sendto, ask_for_an_address);
    ON_CALL(program, __NR_socket, sockets);
    ON_CALL(program, __NR_setsockopt, socket_options);
    ON_CALL(program, __NR_clone, new_processes);
    ON_CALL(program, __NR_clone3, absent); // its flags are in memory; the C library falls back to clone
    ON_CALL(program, __NR_io_uring_setup, absent);
    ON_CALL(program, __NR_pidfd_getfd, refuse);
    ON_CALL(program, __NR_process_vm_writev, refuse);
#ifndef __SANITIZE_ADDRESS__ // its search for leaks stops its own threads so
    ON_CALL(program, __NR_ptrace, refuse);
#endif
    ADD(program, tail);
}

static int install(struct program *program, unsigned flags) {
    const struct sock_fprog all = {.len = program->count, .filter = program->lines};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, &all);
}

int connect_filter_install(void) {
    struct program program = {.count = 0};
    compose(&program);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    // A signal must not interrupt a call while it is made; kernels before 5.19 know no such thing.
    const int fd = install(&program, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    return fd < 0 && errno == EINVAL ? install(&program, 0) : fd;
}
