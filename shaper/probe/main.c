// trilane-probe: measures a link from its two ends.
//
// `trilane-probe far COMMAND...` is the far end: it makes a lab, starts COMMAND (a trilane-shaper) in it, and
// serves while that runs. `trilane-probe near PHASE...`, run by the shaper on the near side, has datagrams
// sent in either direction and prints what became of each, one line of JSON for a phase; phases joined by +
// run at once, one in each direction. The ends talk beside the link, over descriptors 3 (down) and 4 (up),
// which the shaper hands on: a link that loses everything is measured as well as any.
//
// Does not know what the link is meant to be: cli/load/selftest compares.
#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/namespace.h"
#include "base/netlink.h"
#include "base/schedule.h"
#include "shaper/nodes/udp_policy.h"
#include "shaper/probe/datagrams.h"
#include "shaper/tun/lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// What the two ends of a probe say to each other beside the link, which may lose and delay: over a socket
// pair that the far end made and the shaper hands on. Does not know what is said.

// All of it; false where the other end has gone (errno 0) or on an error.
static bool control_write(int fd, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t written = send(fd, at, size, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool control_read(int fd, void *bytes, size_t size) {
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

enum { CONTROL = 3, DIRECTIONS = 2, NEAR_PORT = UDP_PROBE_NEAR_PORT, FAR_PORT = UDP_PROBE_FAR_PORT };

static const char help[] =
    "Usage: trilane-probe far COMMAND [ARGUMENT]...\n"
    "       trilane-probe near PHASE...\n"
    "Measures a link from its two ends; `trilane selftest` runs it.\n"
    "\n"
    "  PHASE  DIRECTION:KIND:BYTES:PACKETS:INTERVAL_US:BURST:DRAIN_MS, as down:steady:64:1000:500:0:100;\n"
    "         two of them, one for each direction, joined by + run at once. KIND is steady (never less than\n"
    "         the interval between two packets) or flood (what is late is made up for). BURST packets are\n"
    "         sent at once first. DRAIN_MS is waited for the last packet.\n"
    "  --help, --version\n"
    "\n"
    "Example:\n"
    "  trilane-probe far trilane-shaper --link 10mbit/50ms -- trilane-probe near "
    "down:steady:64:100:5000:0:200\n";

static void check(bool ok, const char *what) {
    if (!ok) die(EXIT_RUN_FAILED, "%s: %s", what, errno ? strerror(errno) : "the other end has gone");
}

static uint64_t *make_times(const struct phase *phase) {
    uint64_t *times_ns = calloc(phase->count, sizeof *times_ns);
    check(times_ns != NULL, "memory");
    return times_ns;
}

static int open_sender(const char *address, uint16_t port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    check(fd >= 0 && inet_pton(AF_INET, address, &name.sin_addr) == 1 &&
              connect(fd, (struct sockaddr *)&name, sizeof name) == 0,
          "socket");
    return fd;
}

// Sends the phase from this side and notifies the other one of its end.
static uint64_t *send_phase(const struct phase *phase, const char *address, uint16_t port, int control) {
    prctl(PR_SET_TIMERSLACK, 1UL);
    uint64_t *sent_ns = make_times(phase);
    int fd = open_sender(address, port);
    char done = 1;
    check(datagrams_send(fd, phase, sent_ns), "send");
    check(control_write(control, &done, sizeof done), "control");
    close(fd);
    return sent_ns;
}

static struct arrivals receive_phase(struct receiver *receiver, const struct phase *phase, int control) {
    struct arrivals arrivals = {0};
    char done;
    check(datagrams_receive(receiver, phase, control, &arrivals), "receive");
    check(control_read(control, &done, sizeof done), "control");
    return arrivals;
}

// The far end of one direction; ends when the near one does.
__attribute__((noreturn)) static void serve(enum phase_direction direction, int control) {
    struct receiver receiver;
    struct phase phase;
    if (direction == PHASE_UP) check(datagrams_open(&receiver, "0.0.0.0", FAR_PORT), "socket");
    while (control_read(control, &phase, sizeof phase)) {
        char ready = 1;
        if (direction == PHASE_DOWN) {
            uint64_t *sent_ns = send_phase(&phase, LAB_NEAR_ADDRESS, NEAR_PORT, control);
            check(control_write(control, sent_ns, phase.count * sizeof *sent_ns), "control");
            free(sent_ns);
            continue;
        }
        datagrams_discard(&receiver);
        check(control_write(control, &ready, sizeof ready), "control");
        struct arrivals arrivals = receive_phase(&receiver, &phase, control);
        check(control_write(control, &arrivals, sizeof arrivals) &&
                  control_write(control, arrivals.list, arrivals.count * sizeof *arrivals.list),
              "control");
        free(arrivals.list);
    }
    exit(0);
}

static int run_far(char **command) {
    int pairs[DIRECTIONS][2];
    pid_t servers[DIRECTIONS], parent = getppid();
    struct netlink netlink;
    schedule_promptly(); // inherited by the shaper, which may not ask for it once it is in the lab
    namespace_enter_lab();
    child_die_with_parent(parent);
    check(netlink_open(&netlink) == 0 && netlink_link_up(&netlink, "lo", 0) == 0, "lo");
    netlink_close(&netlink);
    for (int i = 0; i < DIRECTIONS; i++) {
        check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[i]) == 0, "socket pair");
        // Out of the way of the numbers that the command gets.
        for (int end = 0; end < 2; end++) {
            int moved = fcntl(pairs[i][end], F_DUPFD_CLOEXEC, CONTROL + DIRECTIONS);
            check(moved >= 0, "descriptor");
            close(pairs[i][end]);
            pairs[i][end] = moved;
        }
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        servers[i] = fork();
        check(servers[i] >= 0, "fork");
        if (servers[i] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        schedule_ordinarily();
        close(pairs[i][1]);
        close(pairs[1 - i][0]);
        close(pairs[1 - i][1]);
        serve((enum phase_direction)i, pairs[i][0]);
    }
    pid_t pid = fork();
    check(pid >= 0, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < DIRECTIONS; i++)
            check(dup2(pairs[i][1], CONTROL + i) >= 0, "descriptor");
        execvp(command[0], command);
        die(EXIT_RUN_FAILED, "%s: %s", command[0], strerror(errno));
    }
    int status;
    check(waitpid(pid, &status, 0) == pid, "wait");
    for (int i = 0; i < DIRECTIONS; i++) {
        kill(servers[i], SIGKILL);
        waitpid(servers[i], NULL, 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Differences to start_ns, which may be below 0 by the clock's being set.
static void print_times(FILE *out, const char *name, const uint64_t *times_ns, uint64_t count,
                        uint64_t start_ns) {
    fprintf(out, ",\"%s\":[", name);
    for (uint64_t i = 0; i < count; i++)
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", (int64_t)(times_ns[i] - start_ns));
    fputc(']', out);
}

static void print_phase(FILE *out, const struct phase *phase, const uint64_t *sent_ns,
                        const struct arrivals *arrivals) {
    uint64_t start_ns = sent_ns[0];
    uint64_t to_monotonic_ns = clock_now_ns() - datagrams_now_ns();
    fprintf(out, "{\"direction\":\"%s\",\"kind\":\"%s\",\"size_bytes\":%" PRIu32 ",\"start_ns\":%" PRIu64,
            phase_direction_name(phase->direction), phase_kind_name(phase->kind), phase->size_bytes,
            start_ns + to_monotonic_ns);
    fprintf(out, ",\"overrun\":%" PRIu64, arrivals->overrun);
    print_times(out, "sent_ns", sent_ns, phase->count, start_ns);
    fputs(",\"numbers\":[", out);
    for (uint64_t i = 0; i < arrivals->count; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? "," : "", arrivals->list[i].number);
    fputs("],\"arrived_ns\":[", out);
    for (uint64_t i = 0; i < arrivals->count; i++)
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", (int64_t)(arrivals->list[i].time_ns - start_ns));
    fputs("]}\n", out);
}

static void run_phase(const struct phase *phase, struct receiver *receiver, FILE *out) {
    int control = CONTROL + (int)phase->direction;
    uint64_t *sent_ns;
    struct arrivals arrivals;
    if (phase->direction == PHASE_DOWN) datagrams_discard(receiver);
    check(control_write(control, phase, sizeof *phase), "control");
    if (phase->direction == PHASE_DOWN) {
        arrivals = receive_phase(receiver, phase, control);
        sent_ns = make_times(phase);
        check(control_read(control, sent_ns, phase->count * sizeof *sent_ns), "control");
    } else {
        char ready;
        check(control_read(control, &ready, sizeof ready), "control");
        sent_ns = send_phase(phase, LAB_FAR_ADDRESS, FAR_PORT, control);
        check(control_read(control, &arrivals, sizeof arrivals), "control");
        arrivals.list = calloc(arrivals.count + 1, sizeof *arrivals.list);
        check(arrivals.list && control_read(control, arrivals.list, arrivals.count * sizeof *arrivals.list),
              "control");
    }
    print_phase(out, phase, sent_ns, &arrivals);
    free(arrivals.list);
    free(sent_ns);
}

// Both at once, each in a process of its own; their lines in order.
static void run_pair(const struct phase *phases, struct receiver *receiver) {
    FILE *outs[DIRECTIONS];
    pid_t pids[DIRECTIONS];
    for (int i = 0; i < DIRECTIONS; i++) {
        int fd = memfd_create("phase", MFD_CLOEXEC);
        check(fd >= 0 && (outs[i] = fdopen(fd, "w+")) && (pids[i] = fork()) >= 0, "phase");
        if (pids[i] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_phase(&phases[i], receiver, outs[i]);
        exit(fclose(outs[i]) == 0 ? 0 : EXIT_RUN_FAILED);
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        int status;
        char block[65536];
        size_t size;
        if (waitpid(pids[i], &status, 0) != pids[i] || status != 0) exit(EXIT_RUN_FAILED); // it has said why
        rewind(outs[i]);
        while ((size = fread(block, 1, sizeof block, outs[i])) > 0)
            fwrite(block, 1, size, stdout);
        fclose(outs[i]);
    }
}

static void run_words(char *words, struct receiver *receiver) {
    struct phase phases[DIRECTIONS];
    char *second = strchr(words, '+');
    if (second) *second++ = '\0';
    if (!phase_read(&phases[0], words)) die(EXIT_BAD_INPUT, "\"%s\" is no phase: see --help", words);
    if (second && !phase_read(&phases[1], second))
        die(EXIT_BAD_INPUT, "\"%s\" is no phase: see --help", second);
    if (second && phases[0].direction == phases[1].direction)
        die(EXIT_BAD_INPUT, "two phases %s cannot run at once", phase_direction_name(phases[0].direction));
    fflush(stdout);
    if (second)
        run_pair(phases, receiver);
    else
        run_phase(&phases[0], receiver, stdout);
}

static int run_near(int count, char **words) {
    struct receiver receiver;
    if (fcntl(CONTROL, F_GETFD) < 0 || fcntl(CONTROL + 1, F_GETFD) < 0)
        die(EXIT_BAD_INPUT,
            "near: there is no far end: start it as `trilane-probe far trilane-shaper ... --`");
    check(datagrams_open(&receiver, LAB_NEAR_ADDRESS, NEAR_PORT), "socket");
    for (int i = 0; i < count; i++)
        run_words(words[i], &receiver);
    close(receiver.fd);
    return fflush(stdout) == 0 ? 0 : EXIT_RUN_FAILED;
}

int main(int argc, char **argv) {
    log_program("trilane-probe");
    if (argc >= 3 && strcmp(argv[1], "far") == 0) return run_far(argv + 2);
    if (argc >= 3 && strcmp(argv[1], "near") == 0) return run_near(argc - 2, argv + 2);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("trilane-probe " TRILANE_VERSION);
        return 0;
    }
    bool wants_help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fputs(help, wants_help ? stdout : stderr);
    return wants_help ? 0 : EXIT_BAD_INPUT;
}
