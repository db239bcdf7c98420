// With a process namespace there are two processes: a first one, process 1 in there, which only reaps orphans
// and passes signals on, and the command. When process 1 ends, for whatever reason, the kernel ends all
// others in there; and it is set to be killed when we end, for whatever reason. So nothing has to be found
// and killed one by one.
//
// A signal typed at a terminal reaches every process of the foreground group by itself. Only signals sent to
// us alone are forwarded, or the command would see each Ctrl-C twice. What it makes of a Ctrl-C is its own
// affair: an interpreter or an editor continues.
#include "base/child.h"

#include "base/debug.h"
#include "base/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_PASSED = 3,
    LAST_PASSED = 4,
    STATUS_NOT_FOUND = 127,
    STATUS_NOT_STARTED = 126,
    STATUS_SIGNAL = 128
};

static const unsigned long ordinary_timer_slack_ns = 50000;
static const int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP};

unsigned child_inherited_descriptors(void) {
    unsigned inherited = 0;
    for (int fd = FIRST_PASSED; fd <= LAST_PASSED; fd++)
        if (fcntl(fd, F_GETFD) >= 0) inherited |= 1U << fd;
    for (int fd = 0; fd < FIRST_PASSED; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) _exit(EXIT_RUN_FAILED);
    return inherited;
}

void child_die_with_parent(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent) _exit(EXIT_RUN_FAILED);
}

static int shell_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? STATUS_SIGNAL + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void drop_capabilities(void) {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capset, &header, none);
}

__attribute__((noreturn)) static void run_command(const struct child_options *options) {
    close_range(LAST_PASSED + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int fd = FIRST_PASSED; fd <= LAST_PASSED; fd++)
        if (!(options->inherited_descriptors >> fd & 1)) close(fd);
    if (!options->keep_capabilities) {
        drop_capabilities();
        schedule_command();
    }
    signal(SIGPIPE, SIG_DFL);                          // ignored by us, perhaps
    prctl(PR_SET_TIMERSLACK, ordinary_timer_slack_ns); // the loop's own is inherited
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(options->argv[0], options->argv);
    int error = errno;
    const char *why = error == ENOENT ? "command not found"
                      : error == EACCES
                          ? "permission denied: make it executable and its folders open to all (chmod o+x)"
                          : strerror(error);
    log_line("%s: %s", options->argv[0], why);
    _exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_STARTED);
}

struct stop {
    uint64_t start_ns;
    uint64_t end_ns;
};

// Process 1 of the process namespace. Signals are blocked since before it was forked, so none is lost. Writes
// to `stops` when the command was stopped.
__attribute__((noreturn)) static void run_init(pid_t command, int stops) {
    if (dup2(stops, FIRST_PASSED) < 0) _exit(EXIT_RUN_FAILED);
    stops = FIRST_PASSED;
    close_range(FIRST_PASSED + 1, ~0U, 0);
    struct stop stop = {0};
    sigset_t all;
    sigfillset(&all);
    for (;;) {
        siginfo_t info;
        int number = sigwaitinfo(&all, &info);
        if (number == SIGCHLD) {
            int status;
            pid_t pid;
            uint64_t now_ns = clock_now_ns();
            while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
                if (pid != command) continue;
                if (WIFSTOPPED(status)) {
                    stop.start_ns = now_ns;
                } else if (WIFCONTINUED(status)) {
                    stop.end_ns = now_ns;
                    if (stop.start_ns > 0 && write(stops, &stop, sizeof stop) < 0 && errno != EAGAIN)
                        _exit(EXIT_RUN_FAILED); // whom we tell is gone
                    stop.start_ns = 0;
                } else {
                    _exit(shell_status(status));
                }
            }
        } else if (number > 0 && info.si_code <= 0 &&
                   info.si_pid == 0) { // sent by us, from outside the namespace
            kill(command, number);
        }
    }
}

// The first process of the child: up to the command, or its init.
__attribute__((noreturn)) static void run_child(const struct child_options *options, const int gate[2],
                                                int stops) {
    close(gate[1]);
    char go;
    // Only once PDEATHSIG is set is the parent's life awaited: whenever it dies, either the read or the
    // signal shows it.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || read(gate[0], &go, 1) != 1) _exit(EXIT_RUN_FAILED);
    close(gate[0]);
    if (options->process_namespace) {
        // A fresh /proc, for this process namespace. A container that hides parts of /proc forbids it: the
        // old one still serves /proc/self.
        if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
            log_line("mount namespace: %s", strerror(errno));
            _exit(EXIT_RUN_FAILED);
        }
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    }
    if (options->prepare && options->prepare(options->prepare_context) < 0) _exit(EXIT_RUN_FAILED);
    if (!options->process_namespace) run_command(options);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    pid_t command = fork();
    if (command < 0) {
        log_line("fork: %s", strerror(errno));
        _exit(EXIT_RUN_FAILED);
    }
    if (command == 0) run_command(options);
    run_init(command, stops);
}

static void end(struct child *child, int wait_status) {
    debug_line(lab, "process %d ended with status %d", child->pid, shell_status(wait_status));
    child->pid = 0;
    loop_timer_clear(child->loop, &child->grace);
    child->ended(child->context, shell_status(wait_status));
}

static void reap(struct child *child) {
    int status;
    if (child->pid > 0 && waitpid(child->pid, &status, WNOHANG) == child->pid) end(child, status);
}

static void grace_over(void *context, uint64_t now_ns) {
    struct child *child = context;
    (void)now_ns;
    if (child->pid > 0) kill(child->pid, SIGKILL);
}

static void interrupt(struct child *child, const struct signalfd_siginfo *info) {
    int number = (int)info->ssi_signo;
    bool sent = info->ssi_code <= 0; // and not typed
    if (child->pid > 0 && sent) kill(child->pid, number);
    if (child->signalled) return;
    child->signalled = sent;
    if (child->pid > 0 && sent &&
        loop_timer_set(child->loop, &child->grace, clock_now_ns() + child->grace_ns) < 0)
        kill(child->pid, SIGKILL);
    if (child->interrupted) child->interrupted(child->context, number);
}

static void read_signals(void *context, uint32_t events) {
    struct child *child = context;
    (void)events;
    struct signalfd_siginfo info;
    while (read(child->signal_watch.fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap(child);
        else
            interrupt(child, &info);
    }
}

static void read_stops(void *context, uint32_t events) {
    struct child *child = context;
    (void)events;
    struct stop stop;
    ssize_t size;
    while ((size = read(child->stop_watch.fd, &stop, sizeof stop)) == sizeof stop)
        if (child->stopped) child->stopped(child->context, stop.start_ns, stop.end_ns);
    if (size == 0) loop_remove(child->loop, &child->stop_watch); // process 1 is gone
}

int child_open(struct child *child, struct loop *loop) {
    child->pid = 0;
    child->signalled = false;
    child->stop_watch.fd = -1;
    child->loop = loop;
    child->grace = (struct loop_timer){.due = grace_over, .context = child};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded_signals / sizeof forwarded_signals[0]; i++)
        sigaddset(&set, forwarded_signals[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -1;
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0) return -1;
    child->signal_watch = (struct loop_watch){.fd = fd, .ready = read_signals, .context = child};
    return loop_add(loop, &child->signal_watch, EPOLLIN);
}

// The caller closes the second end; the first one is child_close's.
static int watch_stops(struct child *child, int stops[2]) {
    if (pipe2(stops, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
    child->stop_watch = (struct loop_watch){.fd = stops[0], .ready = read_stops, .context = child};
    if (loop_add(child->loop, &child->stop_watch, EPOLLIN) == 0) return 0;
    int error = errno;
    close(stops[0]);
    close(stops[1]);
    child->stop_watch.fd = -1;
    errno = error;
    return -1;
}

int child_start(struct child *child, const struct child_options *options) {
    child->grace_ns = options->grace_ns;
    int gate[2], stops[2] = {-1, -1};
    if (pipe2(gate, O_CLOEXEC) < 0) return -1;
    if (options->process_namespace && watch_stops(child, stops) < 0) {
        int error = errno;
        close(gate[0]);
        close(gate[1]);
        errno = error;
        return -1;
    }
    int flags = SIGCHLD | (options->process_namespace ? CLONE_NEWPID | CLONE_NEWNS : 0);
    long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, NULL); // fork, into new namespaces
    if (pid == 0) run_child(options, gate, stops[1]);
    int error = errno;
    close(gate[0]);
    if (stops[1] >= 0) close(stops[1]);
    if (pid > 0) {
        child->pid = (pid_t)pid;
        debug_line(lab, "process %ld: %s", pid, options->argv[0]);
        while (write(gate[1], "", 1) < 0 && errno == EINTR) {
        }
        for (int fd = FIRST_PASSED; fd <= LAST_PASSED; fd++)
            if (options->inherited_descriptors >> fd & 1) close(fd);
    }
    close(gate[1]);
    errno = error;
    return pid > 0 ? 0 : -1;
}

void child_close(struct child *child) {
    if (child->pid > 0) {
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        child->pid = 0;
    }
    loop_timer_clear(child->loop, &child->grace);
    if (child->stop_watch.fd >= 0) {
        loop_remove(child->loop, &child->stop_watch);
        close(child->stop_watch.fd);
        child->stop_watch.fd = -1;
    }
    if (child->signal_watch.fd >= 0) {
        loop_remove(child->loop, &child->signal_watch);
        close(child->signal_watch.fd);
        child->signal_watch.fd = -1;
    }
}
