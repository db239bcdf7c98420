#include "run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 60 };

static int left_ms(time_t started) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t left = started + LIMIT_S - now.tv_sec;
    return left > 0 ? (int)left * 1000 : 0;
}

// Appends what is there to text; false at the end.
static bool collect(int fd, char *text, size_t capacity, size_t *size) {
    char rest[4096];
    bool full = *size >= capacity - 1;
    ssize_t n = full ? read(fd, rest, sizeof rest) : read(fd, text + *size, capacity - 1 - *size);
    if (n <= 0) return false;
    if (!full) *size += (size_t)n;
    return true;
}

void run_start(struct run *run, char *const argv[], void (*prepare)(void)) {
    memset(run, 0, sizeof *run);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0) abort();
    run->pid = fork();
    if (run->pid < 0) abort();
    if (run->pid == 0) {
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
        dup2(out[1], 1);
        dup2(err[1], 2);
        if (prepare) prepare();
        execvp(argv[0], argv);
        _exit(99);
    }
    close(out[1]);
    close(err[1]);
    run->pipes[0] = out[0];
    run->pipes[1] = err[0];
}

void run_finish(struct run *run) {
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    size_t out_size = 0, err_size = 0;
    struct pollfd fds[2] = {{.fd = run->pipes[0], .events = POLLIN}, {.fd = run->pipes[1], .events = POLLIN}};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        int ready = poll(fds, 2, left_ms(start.tv_sec));
        if (ready < 0) abort();
        if (ready == 0) {
            fprintf(stderr, "not ended within %d s\n", LIMIT_S);
            run->overdue = true;
            kill(-run->pid, SIGKILL);
            break;
        }
        if (fds[0].revents && !collect(run->pipes[0], run->out, sizeof run->out, &out_size)) fds[0].fd = -1;
        if (fds[1].revents && !collect(run->pipes[1], run->err, sizeof run->err, &err_size)) fds[1].fd = -1;
    }
    close(run->pipes[0]);
    close(run->pipes[1]);
    int status;
    if (waitpid(run->pid, &status, 0) < 0) abort();
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void run_program(struct run *run, char *const argv[]) {
    run_start(run, argv, NULL);
    run_finish(run);
}

void run_words(struct run *run, const char *program, ...) {
    char *argv[32] = {(char *)(uintptr_t)program};
    va_list words;
    va_start(words, program);
    for (size_t i = 1; (argv[i] = va_arg(words, char *)); i++)
        if (i == 31) abort();
    va_end(words);
    run_program(run, argv);
}

pid_t start_program(char *const argv[], int fd3) {
    pid_t pid = fork();
    if (pid < 0) abort();
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails does not leave it
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    if (fd3 == 3)
        fcntl(3, F_SETFD, 0);
    else
        dup2(fd3, 3);
    execvp(argv[0], argv);
    _exit(99);
}

void end_run(int status) {
    fflush(NULL);
    _exit(status);
}
