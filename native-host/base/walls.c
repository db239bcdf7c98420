#include "base/walls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
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

// Calls with this bit are those of another ABI of x86-64, under other numbers.
#define X32_BIT 0x40000000

// No program of ours makes these after set-up: other programs, other processes' memory, other namespaces and
// mounts, the kernel itself, and interfaces to it that are large and often mended.
static const unsigned refused[] = {
    __NR_execve,
    __NR_execveat,
    __NR_setns,
    __NR_unshare,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_move_mount,
    __NR_open_tree,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_mount_setattr,
    __NR_open_by_handle_at,
    __NR_pidfd_getfd,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
    __NR_acct,
    __NR_quotactl,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_sethostname,
    __NR_setdomainname,
#ifndef __SANITIZE_ADDRESS__ // its search for leaks stops its own threads so
    __NR_ptrace,
    __NR_process_vm_readv,
#endif
    __NR_process_vm_writev,
};

// A clone that makes a namespace: in a user namespace of its own a child has every capability.
#define NEW_NAMESPACES                                                                                       \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |            \
     CLONE_NEWNET)

enum { REFUSED = sizeof refused / sizeof refused[0], HEAD = 13, TAIL = 2 };

static int filter_calls(void) {
    struct sock_filter filter[HEAD + REFUSED + TAIL] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        // Its flags are in memory, where a filter cannot look: the C library falls back to clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    // To the last statement; a jump counts from the one after it.
    for (unsigned i = 0; i < REFUSED; i++)
        filter[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
                                                        (unsigned char)(REFUSED - i), 0);
    filter[HEAD + REFUSED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[HEAD + REFUSED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {.len = HEAD + REFUSED + TAIL, .filter = filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int drop_capabilities(uint64_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[2], then[2];
    if (syscall(SYS_capget, &header, now) < 0) return -1;
    // Beyond the kernel's last capability this fails, and without the right to it: who has none loses none.
    for (unsigned long i = 0; i < 64; i++)
        if (!(kept >> i & 1)) prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (int half = 0; half < 2; half++) {
        unsigned left = now[half].permitted & (unsigned)(kept >> (32 * half));
        then[half] = (struct __user_cap_data_struct){.effective = left, .permitted = left};
    }
    return (int)syscall(SYS_capset, &header, then);
}

int walls_raise(uint64_t kept) {
    if (drop_capabilities(kept) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return filter_calls();
}
