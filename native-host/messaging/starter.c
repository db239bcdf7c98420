#include "messaging/starter.h"

#include "base/folders.h"
#include "base/handover.h"
#include "base/log.h"
#include "messaging/child_command.h"
#include "messaging/job_supervisor.h"
#include "messaging/starter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// A job's words come after its folder, a query's after an empty word.
enum { WORDS_MAX = 48, REQUEST_SIZE = 16384, SUPERVISOR_WORDS = 4 };

struct starter {
    pid_t pid;
    int to;
};

// ---- The process itself ----

static pid_t start_query(char *const *argv, const int *descriptors) {
    const struct child_command command = {.argv = argv,
                                          .folder = "/",
                                          .out = descriptors[0],
                                          .err = descriptors[1],
                                          .death_signal = SIGKILL,
                                          .as_sibling = true};
    return child_command_start(&command);
}

// `words` has room for the supervisor's before argv.
static int start_job(const struct host_paths *paths, char *folder, char **words, int control) {
    words[0] = (char *)(uintptr_t)paths->host;
    words[1] = "--job";
    words[2] = folder;
    words[3] = "--";
    pid_t pid = fork();
    if (pid < 0) return -1;
    if (pid == 0) {
        setsid();
        pid_t supervisor = fork();
        if (supervisor != 0) _exit(supervisor < 0);
        // Its own input and output are no one's already.
        int none = open("/dev/null", O_RDWR);
        if (none < 0 || dup2(none, STDERR_FILENO) < 0) _exit(1);
        // dup2 to itself would leave it closed on exec.
        if (control == JOB_CONTROL_FD ? fcntl(JOB_CONTROL_FD, F_SETFD, 0) < 0
                                      : dup2(control, JOB_CONTROL_FD) < 0)
            _exit(1);
        close_range(JOB_CONTROL_FD + 1, ~0U, 0);
        sigset_t signals;
        sigemptyset(&signals);
        sigprocmask(SIG_SETMASK, &signals, NULL);
        execv(words[0], words);
        _exit(1);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    if (status == 0) return 0;
    errno = EAGAIN;
    return -1;
}

// The number to answer: a process's, 0, or -errno.
static int serve_one(const struct host_paths *paths, char *request, size_t size, const int *descriptors,
                     size_t descriptor_count) {
    char *words[SUPERVISOR_WORDS + WORDS_MAX + 1] = {NULL}, **argv = words + SUPERVISOR_WORDS;
    if (size == 0 || request[size - 1] != '\0') return -EINVAL;
    size_t count = 0;
    for (char *at = request + strlen(request) + 1; at < request + size; at += strlen(at) + 1) {
        if (count == WORDS_MAX) return -E2BIG;
        argv[count++] = at;
    }
    if (!starter_allows(paths, argv)) return -EPERM;
    int result = -EPERM;
    if (!*request && descriptor_count == 2)
        result = start_query(argv, descriptors);
    else if (descriptor_count == 1 && starter_allows_folder(paths, request))
        result = start_job(paths, request, words, descriptors[0]);
    return result == -1 ? -errno : result;
}

// Every host holds a shared lock on the folder that its walls stand around.
static void remove_if_unused(const char *home, size_t kept) {
    const int lock = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) folders_remove_empty(home, kept);
    if (lock >= 0) close(lock);
}

__attribute__((noreturn)) static void serve(const struct host_paths *paths, int from, pid_t host,
                                            size_t kept) {
    static char request[REQUEST_SIZE];
    int none = open("/dev/null", O_RDWR);
    // The browser's end of the conversation must close with the host.
    if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(none, STDOUT_FILENO) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != host)
        _exit(EXIT_RUN_FAILED);
    if (from != STDERR_FILENO + 1) from = dup2(from, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, ~0U, 0);
    fcntl(from, F_SETFD, FD_CLOEXEC);
    for (;;) {
        int descriptors[2];
        size_t count = 2;
        const ssize_t size = handover_receive(from, request, sizeof request, descriptors, &count);
        if (size <= 0) {
            remove_if_unused(paths->home, kept);
            _exit(0);
        }
        const int answer = serve_one(paths, request, (size_t)size, descriptors, count);
        for (size_t i = 0; i < count; i++)
            close(descriptors[i]);
        if (send(from, &answer, sizeof answer, MSG_NOSIGNAL) < 0) _exit(0);
    }
}

// ---- For the host ----

struct starter *starter_open(const struct host_paths *paths) {
    int ends[2];
    struct starter *starter = malloc(sizeof *starter);
    if (!starter) return NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        free(starter);
        return NULL;
    }
    const pid_t host = getpid();
    // The host makes its data folder to raise walls around it. If nothing is stored, nothing stays.
    const size_t kept = folders_existing(paths->home);
    *starter = (struct starter){.pid = fork(), .to = ends[0]};
    if (starter->pid == 0) serve(paths, ends[1], host, kept);
    close(ends[1]);
    if (starter->pid > 0) return starter;
    const int error = errno;
    close(starter->to);
    free(starter);
    errno = error;
    return NULL;
}

void starter_close(struct starter *starter) {
    close(starter->to);
    while (waitpid(starter->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    free(starter);
}

static int ask(struct starter *starter, const char *folder, char *const *argv, const int *descriptors,
               size_t count) {
    char request[REQUEST_SIZE];
    size_t size = 0;
    for (const char *word = folder; word; word = *argv++) {
        const size_t length = strlen(word) + 1;
        if (length > sizeof request - size) {
            errno = E2BIG;
            return -1;
        }
        memcpy(request + size, word, length);
        size += length;
    }
    int answer;
    if (handover_send(starter->to, request, size, descriptors, count) < 0) return -1;
    ssize_t received;
    while ((received = recv(starter->to, &answer, sizeof answer, 0)) < 0 && errno == EINTR) {
    }
    if (received == 0) errno = EPIPE;
    if (received != sizeof answer) return -1;
    if (answer < 0) errno = -answer;
    return answer < 0 ? -1 : answer;
}

pid_t starter_query(struct starter *starter, char *const *argv, int out, int err) {
    const pid_t pid = ask(starter, "", argv, (const int[]){out, err}, 2);
    // Here too, so that the group is there whoever runs first.
    if (pid > 0) setpgid(pid, pid);
    return pid;
}

int starter_job(struct starter *starter, const char *folder, int control, char *const *argv) {
    return ask(starter, folder, argv, &control, 1);
}
