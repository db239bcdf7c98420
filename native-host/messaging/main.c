// trilane-host: the door to Trilane for the browser's extension and the command line, by native messaging on
// standard input and output. Ends with its input; the races and labs it started go on. Does not print:
// standard output is for messages only.
#include "archive/archive_db.h"
#include "base/command_line.h"
#include "base/folders.h"
#include "base/log.h"
#include "base/walls.h"
#include "messaging/dispatch.h"
#include "messaging/frame.h"
#include "messaging/inbound.h"
#include "messaging/job_supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORK_INTERVAL_MS = 50 };

static const char usage[] =
    "trilane-host: recordings, profiles and races, by native messaging on standard input and output.\n"
    "\n"
    "usage: trilane-host [--home DIR] [--cli PATH] [ORIGIN]\n"
    "\n"
    "  --home DIR   the data folder (default: $TRILANE_HOME, else trilane in the XDG data folder)\n"
    "  --cli PATH   the command line (default: cli/trilane of this installation)\n"
    "  --version    print the version\n"
    "  --help       print this\n"
    "\n"
    "A browser starts it with the extension's origin as argument: no other than " EXTENSION_ORIGIN "\n"
    "is answered; Firefox with its manifest and the extension's id, " FIREFOX_ID ".\n"
    "`trilane install-host` shows the browser where it is.\n"
    "Messages are described in schemas/message.schema.json: a 4-byte length in the machine's\n"
    "byte order, then JSON.\n"
    "\n"
    "As `trilane-host --job FOLDER -- COMMAND...` it is what a race or a lab runs under.\n"
    "\n"
    "example: trilane-host --home /tmp/try <messages >answers\n";

// The path of the program that this is.
static void find_self(char self[PATH_MAX]) {
    ssize_t size = readlink("/proc/self/exe", self, PATH_MAX - 1);
    if (size < 0) die(EXIT_RUN_FAILED, "/proc/self/exe: %s", strerror(errno));
    self[size] = '\0';
}

// As the installation has them: FOLDER/cli/trilane and FOLDER/build/native/messaging/trilane-host.
static void find_cli(const char *self, char cli[PATH_MAX]) {
    size_t size = strlen(self);
    for (int up = 0; up < 4; up++)
        while (size > 0 && self[--size] != '/') {
        }
    if (snprintf(cli, PATH_MAX, "%.*s/cli/trilane", (int)size, self) >= PATH_MAX)
        die(EXIT_BAD_INPUT, "command line: its path is too long: name another with --cli");
}

struct words {
    const char *home, *cli, *job;
    char **command; // after --job
};

static const struct option_row rows[] = {
    {"home", OPTION_TEXT, OPTION_IN(struct words, home)},
    {"cli", OPTION_TEXT, OPTION_IN(struct words, cli)},
    {"job", OPTION_TEXT, OPTION_IN(struct words, job)},
};
static const struct command_line line = {.program = "trilane-host",
                                         .help = usage,
                                         .order = WORDS_ANYWHERE,
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};

static struct words parse(int argument_count, char **arguments) {
    struct words words = {0};
    int place = command_line_read(&line, &words, argument_count, arguments);
    words.command = arguments + place;
    if (words.job) return words;
    // Firefox gives the manifest's path, then the extension's id.
    if (argument_count - place == 2 && *arguments[place] == '/') {
        if (strcmp(arguments[place + 1], FIREFOX_ID) != 0)
            die(EXIT_BAD_INPUT, "%s: is not Trilane's extension, which is " FIREFOX_ID, arguments[place + 1]);
        return words;
    }
    for (; place < argument_count; place++) {
        const char *origin = arguments[place];
        if (strncmp(origin, "chrome-extension://", strlen("chrome-extension://")) != 0)
            die(EXIT_BAD_INPUT, "%s: unexpected argument: see trilane-host --help", origin);
        if (strcmp(origin, EXTENSION_ORIGIN) != 0)
            die(EXIT_BAD_INPUT, "%s: is not Trilane's extension, which is " EXTENSION_ORIGIN, origin);
    }
    return words;
}

static int send_to_output(void *context, const char *json, size_t size) {
    (void)context;
    if (frame_write(STDOUT_FILENO, json, size) == 0) return 0;
    log_line("standard output: %s", strerror(errno));
    return -1;
}

static int connection_lost(void) {
    log_line("cannot answer: nobody reads, or memory is short: close other programs and try again");
    return EXIT_RUN_FAILED;
}

// Reads what is there. 0, or -1 with the exit status to end with.
static int take_input(struct host *host, struct inbound *inbound, int *exit_status) {
    size_t room;
    uint8_t *at = inbound_room(inbound, &room);
    if (!at) {
        *exit_status = connection_lost();
        return -1;
    }
    ssize_t size = read(STDIN_FILENO, at, room);
    if (size < 0) {
        if (errno == EINTR || errno == EAGAIN) return 0;
        log_line("standard input: %s", strerror(errno));
        *exit_status = EXIT_RUN_FAILED;
        return -1;
    }
    if (size == 0) {
        *exit_status = inbound_between_messages(inbound) ? 0 : EXIT_BAD_INPUT;
        if (*exit_status != 0) log_line("standard input: ends inside a message: what was begun is dropped");
        return -1;
    }
    switch (inbound_added(inbound, host, (size_t)size)) {
    case INBOUND_CONTINUES:
        return 0;
    case INBOUND_UNREADABLE:
        log_line("a message's length is above 64 MiB: where the next one starts is not known");
        *exit_status = EXIT_BAD_INPUT;
        return -1;
    case INBOUND_CONNECTION_LOST:
        break;
    }
    *exit_status = connection_lost();
    return -1;
}

// Until the input ends or a signal comes. Returns the exit status.
static int converse(struct host *host, struct inbound *inbound, int signal_fd) {
    // poll, not the loop: standard input may be a file, which epoll does not take.
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
    for (;;) {
        if (poll(watched, 2, host_works(host) ? WORK_INTERVAL_MS : -1) < 0 && errno != EINTR)
            return EXIT_RUN_FAILED;
        struct signalfd_siginfo info;
        if (watched[1].revents && read(signal_fd, &info, sizeof info) == sizeof info)
            return 128 + (int)info.ssi_signo;
        int status = 0;
        if (watched[0].revents && take_input(host, inbound, &status) < 0) return status;
        if (host_work(host) < 0) return connection_lost();
    }
}

// A part of the data folder may be a link to another disk. NULL: it is none, or not there.
static const char *linked(char real[PATH_MAX], const char *home, const char *name) {
    char path[PATH_MAX + NAME_MAX];
    struct stat info;
    if (!home) return NULL;
    snprintf(path, sizeof path, "%s/%s", home, name);
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && realpath(path, real) ? real : NULL;
}

// Makes the data folder, and holds a lock on it, so that no host that ends removes it as an empty one
// (starter.h). The lock's descriptor, or -1: there is none.
static int enter_home(const char *home) {
    for (;;) {
        struct stat ours, there;
        if (folders_make(home) < 0) return -1;
        const int lock = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (lock < 0 && errno == ENOENT) continue;
        if (lock < 0 || flock(lock, LOCK_SH) < 0 || fstat(lock, &ours) < 0) return -1;
        if (stat(home, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
            archive_db_keep_private(home);
            return lock;
        }
        close(lock); // it was removed meanwhile
    }
}

// A message is a stranger's. What starts programs is a process of its own by now (starter.h).
static void raise_walls(const struct host_paths *paths, bool has_home) {
    static const unsigned calls[] = {
        __NR_sendmsg, __NR_recvfrom, __NR_setpgid, __NR_memfd_create,
        __NR_linkat,  __NR_mknodat,  __NR_syncfs,  __NR_statfs,
#ifdef __x86_64__
        __NR_link,    __NR_mknod,
#endif
    };
    char archive[PATH_MAX], bodies[PATH_MAX];
    // Without a data folder its walls would be those of the folder around it: then nothing is written.
    const char *home = has_home ? paths->home : NULL;
    const struct walls walls = {
        .calls = calls,
        .call_count = sizeof calls / sizeof calls[0],
        .writes = {home, linked(archive, home, "archive.db"), linked(bodies, home, "bodies")},
        .moves_files = true};
    walls_raise_or_say(&walls);
}

int main(int argument_count, char **arguments) {
    log_program("trilane-host");
    struct words words = parse(argument_count, arguments);
    if (words.job) {
        if (!words.command[0]) die(EXIT_BAD_INPUT, "--job: needs a command: see trilane-host --help");
        return job_supervise(words.job, words.command);
    }
    char home[PATH_MAX], self[PATH_MAX], cli[PATH_MAX];
    folders_home(words.home, home);
    find_self(self);
    find_cli(self, cli);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // ignored by who started us, perhaps, and then no one could be waited for
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    const struct host_paths paths = {.home = home, .cli = words.cli ? words.cli : cli, .host = self};
    const struct answers answers = {.send = send_to_output};
    struct host *host = host_open(&paths, &answers);
    if (signal_fd < 0 || !host) die(EXIT_RUN_FAILED, "cannot start: %s", strerror(errno));
    const int home_lock = enter_home(home);
    raise_walls(&paths, home_lock >= 0);
    struct inbound inbound = {0};
    int status = converse(host, &inbound, signal_fd);
    buf_free(&inbound.in);
    if (home_lock >= 0) close(home_lock);
    host_close(host);
    close(signal_fd);
    return status;
}
