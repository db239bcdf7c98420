#include "archive/run_and_kill.h"
#include "test/native/cmocka_unit.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

// Whether a traced process is about to make a system call that can change what is on disk.
static bool changes_disk(pid_t pid) {
    static const long calls[] = {
#ifdef SYS_unlink // not on newer architectures
        SYS_unlink,   SYS_rmdir,   SYS_mkdir,    SYS_rename,
#endif
        SYS_unlinkat, SYS_mkdirat, SYS_renameat, SYS_openat,    SYS_ftruncate,
        SYS_pwrite64, SYS_write,   SYS_fsync,    SYS_fdatasync, SYS_syncfs,
    };
    struct __ptrace_syscall_info info = {0};
    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == (uint64_t)calls[i]) return true;
    return false;
}

bool run_and_kill(int (*child)(const char *home), const char *home, unsigned calls) {
    pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) _exit(1); // else nobody would wake it from its stop
        raise(SIGSTOP);
        _exit(child(home));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    for (unsigned i = 0; i <= calls; i += changes_disk(pid)) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            return true;
        }
        assert_true(WIFSTOPPED(status));
    }
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return false;
}
