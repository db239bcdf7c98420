#include "messaging/job_supervisor.h"

#include "base/clock.h"
#include "base/log.h"
#include "messaging/child_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t grace_ns = 10 * NS_PER_S;

struct supervisor {
    pid_t command;
    int signals;
    bool canceled;
    uint64_t kill_ns; // when to end it by force; 0: not requested to end
};

static void cancel(struct supervisor *supervisor) {
    if (supervisor->canceled) return; // a second SIGINT would cut its own clean end short
    supervisor->canceled = true;
    supervisor->kill_ns = clock_now_ns() + grace_ns;
    kill(supervisor->command, SIGINT);
}

// The command's status as a shell has it, or -1 while it is running.
static int reap(const struct supervisor *supervisor) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)supervisor->command, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
        return -1;
    // What it left behind, while its number, the group's too, is still its own.
    kill(-supervisor->command, SIGKILL);
    int status;
    while (waitpid(supervisor->command, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for_end(struct supervisor *supervisor) {
    for (;;) {
        int status = reap(supervisor);
        if (status >= 0) return status;
        uint64_t now_ns = clock_now_ns();
        int timeout_ms = -1;
        if (supervisor->kill_ns != 0) {
            if (now_ns >= supervisor->kill_ns) {
                kill(-supervisor->command, SIGKILL);
                supervisor->kill_ns = now_ns + grace_ns;
            }
            timeout_ms = (int)((supervisor->kill_ns - now_ns) / NS_PER_MS) + 1;
        }
        struct pollfd watched[] = {{.fd = supervisor->signals, .events = POLLIN},
                                   {.fd = JOB_CONTROL_FD, .events = POLLIN}};
        if (poll(watched, 2, timeout_ms) <= 0) continue;
        struct signalfd_siginfo info;
        while (read(supervisor->signals, &info, sizeof info) == sizeof info)
            if (info.ssi_signo != SIGCHLD) cancel(supervisor);
        char request[64];
        if (watched[1].revents && read(JOB_CONTROL_FD, request, sizeof request) > 0) cancel(supervisor);
    }
}

static int open_output(const char *name) {
    return open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int job_open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int job_remove_ending(int folder, const char *ending) {
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // closedir() closes it
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    int status = 0;
    if (!entries) {
        if (again >= 0) close(again);
        return -1;
    }
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ending) == 0 && unlinkat(folder, entry->d_name, 0) < 0) status = -1;
    }
    closedir(entries);
    return status;
}

int job_forget_pages(int folder) {
    return job_remove_ending(folder, ".har");
}

// Over the blanks that hold its room, in one write: until it is whole there is none.
static bool leave_word(int folder, int status, bool canceled) {
    char word[JOB_EXIT_SIZE + 1];
    int size =
        snprintf(word, sizeof word, "{\"status\":%d,\"canceled\":%s}", status, canceled ? "true" : "false");
    memset(word + size, ' ', sizeof word - (size_t)size);
    word[JOB_EXIT_SIZE - 1] = '\n';
    int fd = openat(folder, job_exit_name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool left = pwrite(fd, word, JOB_EXIT_SIZE, 0) == JOB_EXIT_SIZE;
    return close(fd) == 0 && left;
}

int job_supervise(const char *path, char *const *argv) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    // The pipe's number first: a folder opened where there is no pipe would have it.
    int folder = fcntl(JOB_CONTROL_FD, F_SETFD, FD_CLOEXEC) < 0 ? -1 : job_open_folder(path);
    if (folder < 0 || fchdir(folder) < 0 || sigprocmask(SIG_BLOCK, &signals, NULL) < 0) {
        log_line("%s: %s", path, strerror(errno));
        if (folder >= 0) close(folder);
        return EXIT_RUN_FAILED;
    }
    struct supervisor supervisor = {.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
    int out = open_output(job_events_name), err = open_output(job_stderr_name), status = -1;
    const struct child_command command = {
        .argv = argv, .folder = ".", .out = out, .err = err, .death_signal = SIGTERM};
    if (supervisor.signals >= 0 && out >= 0 && err >= 0 &&
        (supervisor.command = child_command_start(&command)) > 0)
        status = wait_for_end(&supervisor);
    else
        log_line("%s: %s", path, strerror(errno));
    job_forget_pages(folder);
    bool left = leave_word(folder, status < 0 ? EXIT_RUN_FAILED : status, supervisor.canceled);
    if (out >= 0) close(out);
    if (err >= 0) close(err);
    if (supervisor.signals >= 0) close(supervisor.signals);
    close(folder);
    return status >= 0 && left ? 0 : EXIT_RUN_FAILED;
}
