// A process behind its walls keeps the capabilities that it needs, gains none, starts nothing, and works on
// with its files only. Every program has them: a debugger makes calls in its place, as a stranger's code
// would.
#include "base/walls.h"

#include "base/namespace.h"
#include "test/native/cmocka_unit.h"
#include "test/native/replay/page_archive.h"
#include "test/native/shaper/run.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

static void *nothing(void *context) {
    return context;
}

// What the process says of itself, or the step that it could still do.
static bool write_beside(const char *folder, const char *name) {
    char path[PATH_MAX], aside[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(aside, sizeof aside, "%s/%s.aside", folder, name);
    const int fd = open(aside, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0 && rename(aside, path) == 0 &&
           unlink(path) == 0;
}

// A container may have walls of its own around this test.
static unsigned long long status_number(pid_t pid, const char *name, const char *format) {
    char path[64], line[256];
    unsigned long long value = ~0ULL;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), format, &value);
    if (file) fclose(file);
    return value;
}

// Before Linux 5.9 only whether there is any can be seen.
static unsigned long long filter_count(pid_t pid) {
    const unsigned long long count = status_number(pid, "Seccomp_filters:", "%llu");
    return count != ~0ULL ? count : status_number(pid, "Seccomp:", "%llu") == SECCOMP_MODE_FILTER;
}

// Where the kernel counts no filters, the one that is around this test hides those of the programs.
static bool shows_filters(void) {
    return status_number(getpid(), "Seccomp_filters:", "%llu") != ~0ULL || filter_count(getpid()) == 0;
}

static bool has_own_filter(pid_t pid) {
    return filter_count(pid) > filter_count(getpid());
}

static void skip_unless_shown(void) {
    if (shows_filters()) return;
    print_message("skipped: this kernel does not count seccomp filters, and one is around the test\n");
    skip();
}

static int behind_walls(const char *folder) {
    char *const words[] = {"true", NULL};
    const bool has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
    const unsigned long long filters = filter_count(getpid());
    const bool shown = shows_filters();
    const struct walls walls = {.capabilities = WALLS_CAPABILITY(CAP_NET_ADMIN), .writes = {folder}};
    if (walls_raise(&walls) < 0) return 1;
    if (execv("/bin/true", words) == 0 || errno != ENOSYS) return 2;
    if (syscall(SYS_unshare, 0) == 0 || errno != ENOSYS) return 3;
    // A file is written as reports are, beside no other one.
    if (!write_beside(folder, "report")) return 12;
    if (has_landlock && (write_beside(folder, "../report") || open("/etc/passwd", O_RDONLY) >= 0)) return 13;
#ifndef __SANITIZE_ADDRESS__ // which needs this and ptrace itself
    // Without a stack of its own it would be a fork.
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0 || errno != EPERM) return 9;
#endif
    if (syscall(SYS_clone3, NULL, 0) == 0 || errno != ENOSYS) return 10;
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0) return 11;
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0 || errno != ENOSYS) return 4;
    if (status_number(getpid(), "NoNewPrivs:", "%llu") != 1) return 5;
    if (shown && filter_count(getpid()) != filters + 1) return 6;
    if (status_number(getpid(), "CapEff:", "%llx") & ~WALLS_CAPABILITY(CAP_NET_ADMIN)) return 8;
    return 0;
}

UNIT_TEST(test_what_is_left) {
    int status;
    char folder[] = "/tmp/trilane-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    pid_t child = fork();
    if (child == 0) _exit(behind_walls(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(rmdir(folder), 0);
    skip_unless_shown(); // of all this only its own filter was not looked at
}

#ifdef __x86_64__

// What a stranger's code could do in the place of the program's: a call from the instruction at which it
// waits.
enum { NOT_WAITING = -1001 };

static long call_once_as(pid_t pid, long number, const char *text, int flags) {
    struct user_regs_struct before, now;
    int status;
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0) return -1000;
    waitpid(pid, &status, __WALL);
    ptrace(PTRACE_GETREGS, pid, 0, &before);
    const bool waits = (ptrace(PTRACE_PEEKTEXT, pid, before.rip - 2, 0) & 0xffff) == 0x050f;
    now = before;
    now.rsp -= 8192;
    const struct iovec local = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text) + 1};
    const struct iovec remote = {.iov_base = (void *)(uintptr_t)now.rsp, .iov_len = local.iov_len};
    const bool written = process_vm_writev(pid, &local, 1, &remote, 1, 0) > 0;
    now.rdi = number == SYS_openat ? (unsigned long)AT_FDCWD : now.rsp;
    now.rsi = number == SYS_openat ? now.rsp : 0;
    now.rdx = (unsigned long)flags;
    now.r10 = 0;
    now.rip -= 2;
    now.rax = (unsigned long)number;
    now.orig_rax = ~0UL;
    long result = NOT_WAITING;
    if (waits && written) {
        ptrace(PTRACE_SETREGS, pid, 0, &now);
        ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
        waitpid(pid, &status, __WALL);
        ptrace(PTRACE_GETREGS, pid, 0, &now);
        result = (long)now.rax;
    }
    ptrace(PTRACE_SETREGS, pid, 0, &before);
    ptrace(PTRACE_DETACH, pid, 0, 0);
    return result;
}

static const struct timespec between_looks = {.tv_nsec = 10000000};

// As soon as it waits.
static long call_as(pid_t pid, long number, const char *text, int flags) {
    long result = NOT_WAITING;
    for (int i = 0; i < 3000 && (result = call_once_as(pid, number, text, flags)) == NOT_WAITING; i++)
        nanosleep(&between_looks, NULL);
    return result;
}

static char home[64], secret[80], plan[80], report[80], output[80];

static int set_up(void **state) {
    (void)state;
    if (page_archive_make(home) < 0) return -1;
    // Beside the folder that the program may write.
    snprintf(secret, sizeof secret, "%s.secret", home);
    snprintf(plan, sizeof plan, "%s/run.json", home);
    snprintf(report, sizeof report, "%s/report.json", home);
    snprintf(output, sizeof output, "%s/output", home);
    FILE *file = fopen(secret, "w"), *run = fopen(plan, "w");
    if (!file || !run) return -1;
    fputs("{\"schema\":\"trilane/flow-run/1\",\"for_ms\":60000,\"sample_ms\":5,\"ping_ms\":null,\"flows\":["
          "{\"transport\":\"tcp\",\"congestion\":\"cubic\",\"direction\":\"down\",\"start_ms\":0,"
          "\"duration_ms\":null,\"size_bytes\":null}]}",
          run);
    return fclose(file) | fclose(run);
}

#define NET_ADMIN WALLS_CAPABILITY(CAP_NET_ADMIN)
#define BIND WALLS_CAPABILITY(CAP_NET_BIND_SERVICE)

static const struct program {
    const char *name;
    char *argv[16];
    unsigned long long capabilities;
    bool reads_any_file;
} programs[] = {
    {"replay",
     {PROGRAM_TRILANE_REPLAY, "--home", home, "--recording", "page", "--", "sleep", "60"},
     NET_ADMIN | BIND,
     false},
    {"shaper",
     {PROGRAM_TRILANE_SHAPER, "--link", "3mbit/50ms", "--report", report, "--", "sleep", "60"},
     0,
     false},
    {"flows",
     {PROGRAM_TRILANE_FLOWS, "far", plan, "--report", report, "--", "sleep", "60"},
     NET_ADMIN | BIND | WALLS_CAPABILITY(CAP_NET_RAW),
     false},
    {"fetch", {PROGRAM_TRILANE_FETCH, "--urls", "-"}, 0, false},
    {"host", {PROGRAM_TRILANE_HOST, "--home", home}, 0, false},
    {"guard", {PROGRAM_TRILANE_GUARD, "--", "sleep", "60"}, 0, true},
    {"guard with doors",
     {PROGRAM_TRILANE_GUARD, "--new-network", "--door", "127.0.0.1:80=127.0.0.1:3000", "--", "sleep", "60"},
     0,
     false},
    {"guard with a debugging port",
     {PROGRAM_TRILANE_GUARD, "--debugging", "--", PROGRAM_TRILANE_SHAPER, "--", PROGRAM_TRILANE_GUARD,
      "--inside", "--", "sh", "-c", "sleep 60", "--remote-debugging-port=0"},
     0,
     false},
    {"command",
     {PROGRAM_TRILANE_COMMAND, "--record", report, "--", "sleep", "60"},
     WALLS_CAPABILITY(CAP_KILL),
     false},
    {"server",
     {PROGRAM_TRILANE_SERVER, "--run", "exec sleep 60", "--output", output, "--", "sleep", "60"},
     WALLS_CAPABILITY(CAP_KILL),
     false},
};

static void wait_for_walls(pid_t pid) {
    for (int i = 0; i < 3000 && !has_own_filter(pid); i++)
        nanosleep(&between_looks, NULL);
}

static void look_at(const struct program *program, pid_t pid, bool has_landlock) {
    wait_for_walls(pid);
    const unsigned long long kept = status_number(pid, "CapEff:", "%llx");
    const long opened = call_as(pid, SYS_openat, secret, O_RDONLY);
    // As install-host's launcher is, which the browser starts next.
    const long writable = call_as(pid, SYS_openat, secret, O_WRONLY);
    print_message("%-27s CapEff %llx, no_new_privs %llu, seccomp %llu, a file outside: %ld, to write %ld\n",
                  program->name, kept, status_number(pid, "NoNewPrivs:", "%llu"),
                  status_number(pid, "Seccomp:", "%llu"), opened, writable);
    assert_true(has_own_filter(pid));
    assert_int_equal(status_number(pid, "NoNewPrivs:", "%llu"), 1);
    assert_int_equal(kept & ~program->capabilities, 0);
    if (has_landlock && !program->reads_any_file) {
        assert_int_equal(opened, -EACCES);
        assert_int_equal(writable, -EACCES);
    } else {
        assert_true(opened >= 0);
    }
    static const long closed[] = {
        SYS_execve, SYS_setns, SYS_mount, SYS_unshare, SYS_chroot, SYS_bpf,
#ifndef __SANITIZE_ADDRESS__
        SYS_ptrace,
#endif
    };
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
        assert_int_equal(call_as(pid, closed[i], "/bin/true", 0), -ENOSYS);
}

UNIT_TEST_AS(test_each_program_has_its_walls, void, , set_up, NULL) {
    skip_unless_shown();
    const bool has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        int input[2], status;
        assert_int_equal(pipe(input), 0);
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(input[0], 0);
            close(input[1]);
            const int silent = open("/dev/null", O_WRONLY);
            dup2(silent, 1);
            execv(programs[i].argv[0], programs[i].argv);
            _exit(127);
        }
        look_at(&programs[i], pid, has_landlock);
        kill(pid, SIGTERM);
        close(input[0]);
        close(input[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
    }
}

#endif

UNIT_TEST(test_the_links_command_has_no_walls) {
    struct run without, run;
    char *argv[] = {
        PROGRAM_TRILANE_SHAPER, "--link", "3mbit/50ms", "--", "grep", "-E", "^(NoNewPrivs|Seccomp.*):",
        "/proc/self/status",    NULL};
    run_program(&without, argv + 4);
    run_program(&run, argv);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "NoNewPrivs:"));
    assert_string_equal(run.out, without.out);
}

int main(void) {
    // The right to look into a program that no user may look into, whoever runs this test.
    namespace_enter_lab();
    unsetenv(NAMESPACE_TOKEN);
    return unit_tests_run();
}
