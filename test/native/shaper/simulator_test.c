// The simulator against the devices: the same packets at the same times through a path in virtual time and
// through a real lab must meet the same fates and leave at the same times, but for what this machine adds.
//
// Started anew as `far` it is both ends of a lab: a sender on the far side notes when it sent each packet,
// the receiver on the near side when its kernel had it, and prints both.
#include "run.h"

#include "base/clock.h"
#include "base/namespace.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { PORT = 7010, BURSTS = 60, BURST_MAX = 40, PACKETS_MAX = BURSTS * BURST_MAX, HEADERS = 28 };

#define FAR_SIDE "100.64.0.1"

// What is sent: the beginning of each datagram.
struct mark {
    uint64_t sent_ns;
    uint32_t number;
    uint32_t size_bytes; // of the IP packet
};

// A burst is handed over in one system call, so that its packets arrive together; bursts are apart by more
// than any of these links needs for one. So a fate never hangs on a few microseconds.
static const uint64_t burst_gap_ns = 12 * NS_PER_MS;

static uint32_t burst_packets(int burst) {
    return burst % 3 == 0 ? BURST_MAX : burst % 3 == 1 ? 1 : 7;
}

static uint32_t packet_bytes(uint32_t number) {
    return number % 4 == 3 ? 200 : 1400;
}

static int open_socket(uint16_t port) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0) exit(90);
    if (port > 0 && bind(fd, (struct sockaddr *)&name, sizeof name) < 0) exit(91);
    return fd;
}

static void sleep_until(uint64_t when_ns) {
    struct timespec t = {.tv_sec = (time_t)(when_ns / NS_PER_S), .tv_nsec = (long)(when_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

// Waits for the near side's hello, then sends.
static void send_bursts(void) {
    int fd = open_socket(PORT);
    struct sockaddr_in peer;
    socklen_t peer_size = sizeof peer;
    uint8_t hello;
    if (recvfrom(fd, &hello, sizeof hello, 0, (struct sockaddr *)&peer, &peer_size) != 1) exit(92);
    static uint8_t bytes[BURST_MAX][1500];
    uint64_t start_ns = clock_now_ns() + 20 * NS_PER_MS;
    uint32_t number = 0;
    for (int burst = 0; burst < BURSTS; burst++) {
        struct mmsghdr messages[BURST_MAX];
        struct iovec parts[BURST_MAX];
        memset(messages, 0, sizeof messages);
        uint32_t count = burst_packets(burst);
        sleep_until(start_ns + (uint64_t)burst * burst_gap_ns);
        uint64_t now_ns = clock_now_ns();
        for (uint32_t i = 0; i < count; i++, number++) {
            struct mark mark = {.sent_ns = now_ns, .number = number, .size_bytes = packet_bytes(number)};
            memcpy(bytes[i], &mark, sizeof mark);
            parts[i] = (struct iovec){.iov_base = bytes[i], .iov_len = mark.size_bytes - HEADERS};
            messages[i].msg_hdr = (struct msghdr){
                .msg_name = &peer, .msg_namelen = peer_size, .msg_iov = &parts[i], .msg_iovlen = 1};
        }
        if (sendmmsg(fd, messages, count, 0) != (int)count) exit(93);
    }
    pause();
}

// The kernel's receive time stamps are of the wall clock.
static uint64_t wall_minus_monotonic_ns(void) {
    struct timespec wall;
    uint64_t before_ns = clock_now_ns();
    clock_gettime(CLOCK_REALTIME, &wall);
    uint64_t after_ns = clock_now_ns();
    return (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec - (before_ns + after_ns) / 2;
}

// Prints a line for each packet: number, size, when it was sent, when it was there.
static int receive_bursts(void) {
    int fd = open_socket(0);
    struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, FAR_SIDE, &far.sin_addr);
    if (sendto(fd, "", 1, 0, (struct sockaddr *)&far, sizeof far) != 1) return 94;
    uint64_t wall_ns = wall_minus_monotonic_ns();
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    while (poll(&ready, 1, 1000) > 0) {
        uint8_t bytes[1500];
        union {
            struct cmsghdr header;
            uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
        } control;
        struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        struct mark mark;
        ssize_t size = recvmsg(fd, &message, 0);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (size < (ssize_t)sizeof mark || !header) return 95;
        struct timespec t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        memcpy(&mark, bytes, sizeof mark);
        printf("%u %zd %" PRIu64 " %" PRIu64 "\n", mark.number, size + HEADERS, mark.sent_ns,
               (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec - wall_ns);
    }
    return 0;
}

// Both ends of a lab with this link: prints what the near end does.
static int run_lab(const char *link) {
    namespace_enter_lab();
    pid_t sender = fork();
    if (sender == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        send_bursts();
    }
    char self[256] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 96;
    execl(PROGRAM_TRILANE_SHAPER, PROGRAM_TRILANE_SHAPER, "--link", link, "--", self, "near", NULL);
    return 97;
}

struct seen {
    uint64_t sent_ns;
    uint64_t left_ns; // 0: lost
    uint32_t size_bytes;
    int copies;
};

struct note {
    struct node node;
    struct packet_pool *pool;
    struct seen *seen;
};

static void note_departure(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct note *note = (struct note *)node;
    struct seen *seen = &note->seen[packet->number];
    if (seen->copies++ == 0) seen->left_ns = now_ns;
    packet_return(note->pool, packet);
}

static const struct node_kind note_kind = {note_departure, NULL, NULL, NULL};

// What the path does with these packets at the times at which they were sent.
static void simulate(const char *form, struct seen *seen, uint32_t count) {
    static struct link_settings settings; // large
    struct link_profile profile;
    struct link_error error;
    struct packet_pool pool = {0};
    struct path path;
    struct note note = {.node = {&note_kind, NULL}, .pool = &pool, .seen = seen};
    memset(&settings, 0, sizeof settings);
    if (link_settings_read(&settings, form, &error) < 0 || link_profile_read(&profile, &settings, &error) < 0)
        fail_msg("%s", error.line);
    path_open(&path, &profile, PATH_DOWN, &pool, &note.node);
    path_start(&path, seen[0].sent_ns);
    for (uint32_t i = 0; i < count; i++) {
        struct packet *packet = packet_take(&pool);
        assert_non_null(packet);
        memset(packet->bytes, 0, sizeof packet->bytes);
        packet->size_bytes = seen[i].size_bytes;
        path_take(&path, packet, seen[i].sent_ns);
    }
    path_advance(&path, seen[count - 1].sent_ns + 100 * NS_PER_S);
    path_close(&path);
    packet_pool_close(&pool);
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// How many packets met another fate; -1 if the sender was stopped in the middle. `late_ns`: of those that
// arrived, sorted, and how many those are.
static int differences(const char *form, int64_t *late_ns, uint32_t *arrived) {
    char self[256] = {0};
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    static struct run run;
    run_words(&run, self, "far", form, NULL);
    if (run.status != 0) fail_msg("%s: status %d: %s", form, run.status, run.err);
    static struct seen real[PACKETS_MAX], simulated[PACKETS_MAX];
    memset(real, 0, sizeof real);
    memset(simulated, 0, sizeof simulated);
    uint64_t burst_ns[BURSTS] = {0};
    uint32_t first[BURSTS + 1] = {0};
    for (int burst = 0; burst < BURSTS; burst++)
        first[burst + 1] = first[burst] + burst_packets(burst);
    uint32_t count = first[BURSTS], burst = 0;
    for (char *line = run.out; *line; line = strchr(line, '\n') + 1) {
        uint32_t number, size_bytes;
        uint64_t sent_ns, left_ns;
        assert_int_equal(sscanf(line, "%u %u %" SCNu64 " %" SCNu64, &number, &size_bytes, &sent_ns, &left_ns),
                         4);
        assert_true(number < count);
        assert_int_equal(size_bytes, packet_bytes(number));
        if (real[number].copies++ == 0) real[number].left_ns = left_ns;
        for (burst = 0; first[burst + 1] <= number; burst++) {
        }
        burst_ns[burst] = sent_ns;
    }
    // Of a burst that was lost as a whole we do not know when it was sent but for its plan, which is enough.
    for (burst = 0; burst < BURSTS; burst++) {
        if (burst_ns[burst] == 0 && burst == 0) return -1;
        if (burst_ns[burst] == 0) burst_ns[burst] = burst_ns[burst - 1] + burst_gap_ns;
        if (burst > 0 && burst_ns[burst] < burst_ns[burst - 1] + burst_gap_ns / 2) return -1;
        for (uint32_t i = first[burst]; i < first[burst + 1]; i++) {
            simulated[i].sent_ns = burst_ns[burst];
            simulated[i].size_bytes = packet_bytes(i);
        }
    }
    simulate(form, simulated, count);
    int different = 0;
    *arrived = 0;
    for (uint32_t i = 0; i < count; i++) {
        different += real[i].copies != simulated[i].copies;
        if (real[i].copies > 0 && simulated[i].copies > 0)
            late_ns[(*arrived)++] = (int64_t)(real[i].left_ns - simulated[i].left_ns);
    }
    qsort(late_ns, *arrived, sizeof *late_ns, by_size);
    return different;
}

UNIT_TEST(same_fates_at_the_same_times) {
    static const char *const forms[] = {
        "50mbit/20ms,queue=12p",
        "unlimited/30ms,loss=20%,seed=5",
        "down=40mbit,up=1mbit,rtt=10ms,queue=20kB,loss=5%",
    };
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        static int64_t late_ns[PACKETS_MAX];
        uint32_t arrived = 0;
        int different = -1;
        // A machine that stops us in the middle of a burst is not the link's doing: once more.
        for (int attempt = 0; attempt < 4 && different != 0; attempt++)
            different = differences(forms[f], late_ns, &arrived);
        if (different != 0) fail_msg("%s: %d packets met another fate", forms[f], different);
        assert_true(arrived > 100);
        int64_t median_ns = late_ns[arrived / 2], most_ns = late_ns[(uint64_t)arrived * 19 / 20];
        print_message("%s: %u arrived; late by %.3f, %.3f, %.3f ms (least, median, 95 %%)\n", forms[f],
                      arrived, (double)late_ns[0] / 1e6, (double)median_ns / 1e6, (double)most_ns / 1e6);
        // Wide enough for a busy machine; the bench states how exact it is on a quiet one.
        assert_true(late_ns[0] > -200000 && median_ns < 500000 && most_ns < 5000000);
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "far") == 0) return run_lab(argv[2]);
    if (argc == 2 && strcmp(argv[1], "near") == 0) return receive_bursts();
    return unit_tests_run();
}
