// trilane-host: the archive of recordings for the browser's extension and the command line, by native
// messaging on standard input and output. Ends with its input. Does not print: standard output is for
// messages only.
#include "base/buf.h"
#include "base/log.h"
#include "messaging/dispatch.h"
#include "messaging/frame.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { READ_SIZE = 256 * 1024 };

static const char usage[] =
    "trilane-host: the archive of recordings, by native messaging on standard input and output.\n"
    "\n"
    "usage: trilane-host [--home DIR]\n"
    "\n"
    "  --home DIR   the data folder (default: $TRILANE_HOME, else trilane in the XDG data folder)\n"
    "  --version    print the version\n"
    "  --help       print this\n"
    "\n"
    "A browser starts it with the extension's origin as argument, which is taken and not needed.\n"
    "Messages are described in schemas/message.schema.json: a 4-byte length in the machine's\n"
    "byte order, then JSON.\n"
    "\n"
    "example: trilane-host --home /tmp/try <messages >answers\n";

// As cli/home.ts: --home, TRILANE_HOME, the XDG data folder (a relative one does not count), in that order.
static void find_home(const char *option, char home[PATH_MAX]) {
    const char *named = option && *option ? option : getenv("TRILANE_HOME");
    const char *xdg = getenv("XDG_DATA_HOME"), *user = getenv("HOME");
    int size;
    if (named && *named)
        size = snprintf(home, PATH_MAX, "%s", named);
    else if (xdg && *xdg == '/')
        size = snprintf(home, PATH_MAX, "%s/trilane", xdg);
    else if (user && *user)
        size = snprintf(home, PATH_MAX, "%s/.local/share/trilane", user);
    else
        die(EXIT_BAD_INPUT, "home: no data folder is known: name one with --home");
    if (size >= PATH_MAX - 128)
        die(EXIT_BAD_INPUT, "home: the data folder's path is too long: name another with --home");
}

static const char *parse(int argument_count, char **arguments) {
    static const struct option options[] = {{"home", required_argument, NULL, 'd'},
                                            {"version", no_argument, NULL, 'v'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *home = NULL;
    opterr = 0;
    for (int option; (option = getopt_long(argument_count, arguments, ":", options, NULL)) != -1;) {
        switch (option) {
        case 'd':
            home = optarg;
            break;
        case 'v':
            puts("trilane-host " TRILANE_VERSION);
            exit(0);
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case ':':
            die(EXIT_BAD_INPUT, "%s: needs a value: see trilane-host --help", arguments[optind - 1]);
        default:
            die(EXIT_BAD_INPUT, "%s: unknown option: see trilane-host --help", arguments[optind - 1]);
        }
    }
    for (; optind < argument_count; optind++)
        if (strncmp(arguments[optind], "chrome-extension://", strlen("chrome-extension://")) != 0)
            die(EXIT_BAD_INPUT, "%s: unexpected argument: see trilane-host --help", arguments[optind]);
    return home;
}

// Answers every whole message in `in`. 0, or the exit status to end with.
static int answer_messages(struct host *host, struct buf *in) {
    for (;;) {
        struct frame frame;
        enum frame_status status = frame_next(in, &frame);
        if (status == FRAME_PART) return 0;
        static const char too_large[] =
            "message: its length is above 64 MiB, so where the next one starts is not known";
        char *answer =
            status == FRAME_WHOLE ? dispatch(host, frame.bytes, frame.size) : dispatch_unreadable(too_large);
        if (!answer) {
            log_line("not enough memory: close other programs and try again");
            return EXIT_RUN_FAILED;
        }
        int written = frame_write(STDOUT_FILENO, answer, strlen(answer));
        int error = errno;
        free(answer);
        if (written < 0) {
            log_line("standard output: %s", strerror(error));
            return EXIT_RUN_FAILED;
        }
        if (status == FRAME_TOO_LARGE) {
            log_line("%s", too_large);
            return EXIT_BAD_INPUT;
        }
        frame_drain(in, &frame);
    }
}

// Until the input ends or a signal comes. Returns the exit status.
static int converse(struct host *host, struct buf *in, int signal_fd) {
    // poll, not the loop: standard input may be a file, which epoll does not take.
    struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
    for (;;) {
        if (poll(watched, 2, -1) < 0 && errno != EINTR) return EXIT_RUN_FAILED;
        struct signalfd_siginfo info;
        if (watched[1].revents && read(signal_fd, &info, sizeof info) == sizeof info)
            return 128 + (int)info.ssi_signo;
        if (!watched[0].revents) continue;
        if (buf_reserve(in, READ_SIZE) < 0) {
            log_line("not enough memory: close other programs and try again");
            return EXIT_RUN_FAILED;
        }
        ssize_t size = read(STDIN_FILENO, in->data + in->end, in->capacity - in->end);
        if (size < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            log_line("standard input: %s", strerror(errno));
            return EXIT_RUN_FAILED;
        }
        if (size == 0) {
            if (buf_size(in) == 0) return 0;
            log_line("standard input: ends inside a message: what was begun is dropped");
            return EXIT_BAD_INPUT;
        }
        in->end += (size_t)size;
        int status = answer_messages(host, in);
        if (status != 0) return status;
    }
}

int main(int argument_count, char **arguments) {
    log_program("trilane-host");
    char home[PATH_MAX];
    find_home(parse(argument_count, arguments), home);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    struct host *host = host_open(home);
    if (signal_fd < 0 || !host) die(EXIT_RUN_FAILED, "cannot start: %s", strerror(errno));
    struct buf in = {0};
    int status = converse(host, &in, signal_fd);
    buf_free(&in);
    host_close(host);
    close(signal_fd);
    return status;
}
