// How it works: this process is the reaper of all that the command starts (PR_SET_CHILD_SUBREAPER), so a
// process that the command leaves becomes our child, also one that made a session of its own. A pidfd says
// when the command itself has ended; only then are the others looked for, in /proc, and killed until none is
// left. The time is read before that.
//
// If we are to end (SIGTERM, and the kernel sends it when who started us is gone), the command is ended in
// the same way.
#include "command/run.h"

#include "base/clock.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What the command gets to end by itself after SIGTERM.
static const uint64_t grace_ns = NS_PER_S;
// A process that is killed is gone in this time, unless it waits in the kernel for a disk that does not
// answer.
static const uint64_t reap_ns = 3 * NS_PER_S;
static const struct timespec between_looks = {.tv_nsec = 500000};

struct start {
    pid_t pid;
    int output;                    // its stdout and stderr, non-blocking
    volatile uint64_t *started_ns; // shared with the child, which notes it just before exec
};

__attribute__((noreturn)) static void be_command(char *const *argv, pid_t parent, int output, int failure,
                                                 volatile uint64_t *started_ns) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int empty = open("/dev/null", O_RDONLY);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || empty < 0 || dup2(empty, 0) < 0 ||
        dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(EXIT_RUN_FAILED);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    *started_ns = clock_now_ns();
    execvp(argv[0], argv);
    int error = errno;
    ssize_t ignored = write(failure, &error, sizeof error);
    (void)ignored;
    _exit(EXIT_RUN_FAILED);
}

static void start_command(struct start *start, char *const *argv) {
    int output[2], failure[2];
    const pid_t self = getpid();
    start->started_ns =
        mmap(NULL, sizeof *start->started_ns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start->started_ns == MAP_FAILED || pipe2(output, O_CLOEXEC) < 0 || pipe2(failure, O_CLOEXEC) < 0)
        die(EXIT_RUN_FAILED, "no room for a command: %s", strerror(errno));
    start->pid = fork();
    if (start->pid < 0) die(EXIT_RUN_FAILED, "no process for a command: %s", strerror(errno));
    if (start->pid == 0) be_command(argv, self, output[1], failure[1], start->started_ns);
    close(output[1]);
    close(failure[1]);
    int error = 0;
    ssize_t size;
    // It ends with exec, which closes the other end.
    while ((size = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (size == (ssize_t)sizeof error) die(EXIT_BAD_INPUT, "%s: %s", argv[0], strerror(error));
    close(failure[0]);
    start->output = output[0];
    fcntl(start->output, F_SETFL, O_NONBLOCK);
}

// All that is there now. False: no writer is left.
static bool read_output(int fd, struct kept_output *output) {
    char bytes[16384];
    for (;;) {
        ssize_t size = read(fd, bytes, sizeof bytes);
        if (size > 0)
            kept_output_add(output, bytes, (size_t)size);
        else if (size == 0)
            return false;
        else if (errno != EINTR)
            return errno == EAGAIN;
        // A flood does not keep us from looking at the time.
        if (size < (ssize_t)sizeof bytes || output->size % (64 * sizeof bytes) == 0) return true;
    }
}

static pid_t parent_of(const char *pid) {
    char path[300], line[512];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = 0;
    // The name before may hold anything.
    const char *after = strrchr(line, ')');
    int parent;
    return after && sscanf(after, ") %*c %d", &parent) == 1 ? parent : -1;
}

// Our children that still run: what the command left.
static unsigned kill_children(pid_t self) {
    DIR *processes = opendir("/proc");
    if (!processes) return 0;
    unsigned killed = 0;
    for (struct dirent *entry; (entry = readdir(processes));) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || parent_of(entry->d_name) != self) continue;
        if (kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL) == 0) killed++;
    }
    closedir(processes);
    return killed;
}

static unsigned end_rest(void) {
    unsigned ended = 0;
    const pid_t self = getpid();
    const uint64_t until_ns = clock_now_ns() + reap_ns;
    while (clock_now_ns() < until_ns) {
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            ended++;
        if (gone < 0 && errno == ECHILD) return ended;
        kill_children(self);
        nanosleep(&between_looks, NULL);
    }
    return ended;
}

static int milliseconds_until(uint64_t then_ns) {
    const uint64_t now_ns = clock_now_ns();
    if (then_ns <= now_ns) return 0;
    const uint64_t left_ms = (then_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return left_ms > 3600000 ? 3600000 : (int)left_ms;
}

static void await(const struct start *start, uint64_t timeout_ns, struct kept_output *output,
                  struct run_result *result, int signals) {
    int ended = (int)syscall(SYS_pidfd_open, start->pid, 0);
    if (ended < 0) die(EXIT_RUN_FAILED, "a command cannot be watched: %s", strerror(errno));
    struct pollfd watched[] = {{.fd = ended, .events = POLLIN},
                               {.fd = start->output, .events = POLLIN},
                               {.fd = signals, .events = POLLIN}};
    uint64_t limit_ns = *start->started_ns + timeout_ns;
    bool is_ending = false;
    for (;;) {
        int ready = poll(watched, 3, milliseconds_until(limit_ns));
        if (ready < 0 && errno != EINTR) die(EXIT_RUN_FAILED, "poll: %s", strerror(errno));
        if (ready > 0 && watched[0].revents) break;
        if (ready > 0 && watched[1].revents && !read_output(start->output, output)) watched[1].fd = -1;
        const bool has_signal = ready > 0 && watched[2].revents;
        const bool is_late = clock_now_ns() >= limit_ns;
        if (is_ending) {
            if (is_late) kill(start->pid, SIGKILL);
        } else if (has_signal || is_late) {
            result->interrupted = has_signal;
            result->timed_out = !has_signal;
            is_ending = true;
            watched[2].fd = -1;
            limit_ns = clock_now_ns() + grace_ns;
            kill(start->pid, SIGTERM);
            // One that was stopped is to see it.
            kill(start->pid, SIGCONT);
        }
        if (is_ending && is_late && limit_ns < clock_now_ns()) limit_ns = clock_now_ns() + grace_ns;
    }
    result->end_ns = clock_now_ns();
    close(ended);
    if (waitpid(start->pid, &result->wait_status, 0) < 0)
        die(EXIT_RUN_FAILED, "a command's end cannot be read: %s", strerror(errno));
}

static uint64_t microseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

void run_command(char *const *argv, uint64_t timeout_ns, const struct walls *walls,
                 struct kept_output *output, struct run_result *result) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    int signals = signalfd(-1, &ending, SFD_CLOEXEC);
    if (signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        die(EXIT_RUN_FAILED, "a command cannot be watched: %s", strerror(errno));
    struct start start;
    start_command(&start, argv);
    *result = (struct run_result){0};
    if (walls) walls_raise_or_say(walls);
    await(&start, timeout_ns, output, result, signals);
    result->start_ns = *start.started_ns;
    result->left_behind = end_rest();
    // What was in the pipe; a process that could not be killed does not keep us here.
    for (int pieces = 0; pieces < 64 && read_output(start.output, output); pieces++) {
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    result->user_us = microseconds(usage.ru_utime);
    result->system_us = microseconds(usage.ru_stime);
    result->memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
    close(start.output);
    close(signals);
    munmap((void *)start.started_ns, sizeof *start.started_ns);
}
