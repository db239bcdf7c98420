#include "base/walls.h"

#include "base/call_filter.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

// Every program of ours: its memory, files, threads, events, time, and the end of what it started. No other
// programs, namespaces, mounts, other processes' memory, or the kernel itself.
static const unsigned common[] = {
    __NR_read,
    __NR_write,
    __NR_readv,
    __NR_writev,
    __NR_pread64,
    __NR_pwrite64,
    __NR_close,
    __NR_lseek,
    __NR_fstat,
    __NR_newfstatat,
    __NR_statx,
    __NR_fstatfs,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_openat,
    __NR_unlinkat,
    __NR_renameat,
    __NR_renameat2,
    __NR_mkdirat,
    __NR_fcntl,
    __NR_ftruncate,
    __NR_fallocate,
    __NR_fsync,
    __NR_fdatasync,
    __NR_flock,
    __NR_fchmod,
    __NR_fchown,
    __NR_getcwd,
    __NR_readlinkat,
    __NR_getdents64,
    __NR_ioctl,
    __NR_dup,
    __NR_dup3,
    __NR_mmap,
    __NR_munmap,
    __NR_mremap,
    __NR_mprotect,
    __NR_madvise,
    __NR_brk,
    __NR_mlock,
    __NR_munlock,
    __NR_futex,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_set_tid_address,
    __NR_membarrier,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    __NR_sched_setaffinity,
    __NR_sched_setscheduler,
    __NR_sched_getscheduler,
    __NR_sched_getparam,
    __NR_sched_setattr,
    __NR_sched_getattr,
    __NR_setpriority,
    __NR_getpriority,
    __NR_prctl,
    __NR_getpid,
    __NR_gettid,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_kill,
    __NR_tgkill,
    __NR_wait4,
    __NR_waitid,
    __NR_pidfd_send_signal,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_rt_sigtimedwait,
    __NR_sigaltstack,
    __NR_restart_syscall,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_epoll_create1,
    __NR_epoll_ctl,
    __NR_epoll_pwait,
    __NR_epoll_pwait2,
    __NR_ppoll,
    __NR_pselect6,
    __NR_eventfd2,
    __NR_timerfd_create,
    __NR_timerfd_settime,
    __NR_timerfd_gettime,
    __NR_signalfd4,
    __NR_pipe2,
    __NR_getrandom,
    __NR_getrusage,
    __NR_prlimit64,
    __NR_getrlimit,
    __NR_setrlimit,
    __NR_sysinfo,
    __NR_uname,
    __NR_times,
    __NR_exit,
    __NR_exit_group,
#ifdef __x86_64__ // what newer architectures have under one name only
    __NR_open,
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_unlink,
    __NR_rename,
    __NR_mkdir,
    __NR_rmdir,
    __NR_readlink,
    __NR_dup2,
    __NR_epoll_wait,
    __NR_poll,
    __NR_select,
    __NR_time,
    __NR_arch_prctl,
#endif
#ifdef __SANITIZE_ADDRESS__ // its search for leaks stops its own threads so
    __NR_clone,
    __NR_ptrace,
    __NR_process_vm_readv,
#ifdef __x86_64__
    __NR_getdents,
    __NR_fork,
    __NR_pipe,
#endif
#endif
};

static int filter_calls(const struct walls *walls) {
    struct call_filter filter;
    call_filter_open(&filter);
    call_filter_allow(&filter, walls->calls, walls->call_count);
    call_filter_allow(&filter, common, sizeof common / sizeof common[0]);
    // Threads only. Of clone3 the flags are in memory, where a filter cannot look: the C library falls back.
    static const struct sock_filter threads[] = {
        FILTER_LOAD_LOW(0),
        FILTER_IF_ANY(CLONE_THREAD, 0, 1),
        FILTER_ALLOW,
        FILTER_REFUSE(EPERM),
    };
    CALL_FILTER_ON(&filter, __NR_clone, threads);
    return call_filter_install(&filter, SECCOMP_RET_ERRNO | ENOSYS, 0);
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

// Rights of Landlock that these headers may lack. To cut a file: from its version 3 on.
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_REFER (UINT64_C(1) << 13) // from 2 on: to move or link from folder to folder
#define ACCESS_MOVE (ACCESS_REFER | LANDLOCK_ACCESS_FS_MAKE_FIFO)
#define ACCESS_READ ((uint64_t)LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define ACCESS_ALL_OF_1 ((UINT64_C(1) << 13) - 1)
#define ACCESS_WRITE                                                                                         \
    (ACCESS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |                             \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |          \
     ACCESS_TRUNCATE)
// Of what is no folder.
#define ACCESS_OF_FILES                                                                                      \
    ((uint64_t)LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE)

// Best effort: what is not there cannot be opened either.
static void allow_path(int rules, const char *path, uint64_t access) {
    struct stat status;
    struct landlock_path_beneath_attr beneath = {.allowed_access = access,
                                                 .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (beneath.parent_fd < 0) return;
    if (fstat(beneath.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        beneath.allowed_access &= ACCESS_OF_FILES;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
}

// A folder; or a file, if `alone` and there already; else the file's folder.
static void allow_at(int rules, const char *path, bool alone, uint64_t access) {
    struct stat status;
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    const bool is_there = stat(path, &status) == 0;
    allow_path(rules, is_there && (alone || S_ISDIR(status.st_mode)) ? path : dirname(folder), access);
}

static long landlock_version(void) {
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool walls_have_files(void) {
    return landlock_version() > 0;
}

static int wall_files(const struct walls *walls) {
    static const char *const system_folders[] = {"/proc", "/sys", "/usr", "/lib", "/lib64", "/dev/urandom"};
    const long version = landlock_version();
    if (version < (walls->moves_files ? 2 : 1)) return 0;
    const uint64_t known =
        ACCESS_ALL_OF_1 | (version >= 2 ? ACCESS_REFER : 0) | (version >= 3 ? ACCESS_TRUNCATE : 0);
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = known};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) return -1;
    for (size_t i = 0; i < sizeof system_folders / sizeof system_folders[0]; i++)
        allow_path(rules, system_folders[i], ACCESS_READ);
    allow_path(rules, "/dev/null", ACCESS_WRITE & known);
    const uint64_t write = (walls->moves_files ? ACCESS_WRITE | ACCESS_MOVE : ACCESS_WRITE) & known;
    for (size_t i = 0; i < WALLS_PATHS; i++) {
        if (walls->reads[i]) allow_at(rules, walls->reads[i], true, ACCESS_READ);
        if (walls->writes[i]) allow_at(rules, walls->writes[i], false, write);
    }
    const int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return result;
}

int walls_raise(const struct walls *walls) {
    if (drop_capabilities(walls->capabilities) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    if (!walls->any_file && wall_files(walls) < 0) return -1;
    return filter_calls(walls);
}

void walls_raise_or_say(const struct walls *walls) {
    if (walls_raise(walls) < 0) log_line("no walls around this program: %s", strerror(errno));
}
