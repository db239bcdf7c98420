// Native code in the browser's place: it changes what a call points to, or which socket it means, while
// trilane-guard looks, and tries the ways past the calls that ask. None of it arrives. What is allowed goes
// on as if nobody had looked. The program is also what it runs: by a word as its first argument.
#include "base/namespace.h"
#include "base/netlink.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

// On a busy machine the other thread may sleep through all tries: then there are more, until each address was
// there often enough. All together fit into one queue of connections (4096 by default): a full one holds a
// try for seconds.
enum { PORT = 9000, TRIES = 2000, MORE_TRIES = 2000, SEEN_TRIES = 100 };

static const char near_address[] = "127.0.0.1", far_address[] = "203.0.113.77";
static char self[4096];

static struct sockaddr_in at(const char *address, int port) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, address, &four.sin_addr);
    return four;
}

// What the calls name, and what another thread or process changes all the time.
struct target {
    struct sockaddr_in address;
    struct iovec data;
    struct mmsghdr message;
    int sockets[2]; // of a pair of ours, and one of UDP
    int fd;         // one of them
    int pause;
    atomic_bool over;
};

static void *change_address(void *context) {
    struct target *target = context;
    volatile in_addr_t *place = &target->address.sin_addr.s_addr;
    const in_addr_t there = at(near_address, 0).sin_addr.s_addr, away = at(far_address, 0).sin_addr.s_addr;
    // A look after each: two writes side by side reach the other CPU as one, which then rarely sees the
    // first.
    while (!target->over) {
        *place = there;
        if (target->over) break;
        *place = away;
    }
    return NULL;
}

static void *change_socket(void *context) {
    struct target *target = context;
    volatile socklen_t *size = &target->message.msg_hdr.msg_namelen;
    while (!target->over) {
        *size = 0;
        dup2(target->sockets[0], target->fd);
        dup2(target->sockets[1], target->fd);
        *size = sizeof target->address;
    }
    return NULL;
}

static void *change_nothing(void *context) {
    (void)context;
    return NULL;
}

static void try_connect(struct target *target) {
    (void)connect(target->fd, (struct sockaddr *)&target->address, sizeof target->address);
    send(target->fd, "x", 1, MSG_DONTWAIT);
}
static void try_tcp(struct target *target) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    (void)connect(fd, (struct sockaddr *)&target->address, sizeof target->address);
    close(fd);
}
static void try_sendto(struct target *target) {
    sendto(target->fd, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&target->address, sizeof target->address);
}
static void try_sendmsg(struct target *target) {
    sendmsg(target->fd, &target->message.msg_hdr, MSG_DONTWAIT);
}
static void spin(int turns) {
    for (volatile int i = 0; i < turns; i++) {
    }
}

static void *give_other_socket(void *context) {
    struct target *target = context;
    spin(target->pause);
    dup2(target->sockets[1], target->fd);
    return NULL;
}
// The thread is gone soon, and was there when the call began.
static void try_as_a_thread_ends(struct target *target) {
    pthread_t thread;
    const int wait = target->pause = (target->pause + 4999) % 60000;
    dup2(target->sockets[0], target->fd);
    if (pthread_create(&thread, NULL, give_other_socket, target) != 0) return;
    spin(60000 - wait);
    // Sometimes surely too late, or a busy machine would see no try.
    const bool is_over = wait < 4999 && pthread_join(thread, NULL) == 0;
    try_sendmsg(target);
    if (!is_over) pthread_join(thread, NULL);
}
static void try_sendmmsg(struct target *target) {
    sendmmsg(target->fd, &target->message, 1, MSG_DONTWAIT);
}

static const struct attack {
    const char *name;
    void (*attempt)(struct target *target);
    void *(*change)(void *target);
    bool by_process; // which changes it: each has one thread
} attacks[] = {
    {"connect", try_connect, change_address, false},
    {"connect-tcp", try_tcp, change_address, false},
    {"sendto", try_sendto, change_address, false},
    {"sendmsg", try_sendmsg, change_address, false},
    {"sendmmsg", try_sendmmsg, change_address, false},
    {"sendmsg-of-another-process", try_sendmsg, change_address, true},
    {"sendmsg-by-another-socket", try_sendmsg, change_socket, false},
    {"sendmsg-as-a-thread-ends", try_as_a_thread_ends, change_nothing, false},
};
enum { ATTACKS = sizeof attacks / sizeof attacks[0] };

static int attack(const struct attack *attack) {
    const struct timespec pause = {.tv_nsec = 1000000}; // lets the other thread run
    pthread_t thread;
    pid_t other = 0;
    int ends[2];
    struct target *target =
        mmap(NULL, sizeof *target, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (target == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return 1;
    target->sockets[0] = ends[0];
    target->sockets[1] = socket(AF_INET, SOCK_DGRAM, 0);
    target->fd = dup(target->sockets[1]);
    // Only a name on the pair is near; a name on the other socket always is.
    target->address = at(attack->change == change_address ? far_address : near_address, PORT);
    target->data = (struct iovec){.iov_base = (char[]){"x"}, .iov_len = 1};
    target->message.msg_hdr = (struct msghdr){.msg_name = &target->address,
                                              .msg_namelen = sizeof target->address,
                                              .msg_iov = &target->data,
                                              .msg_iovlen = 1};
    if (!attack->by_process)
        pthread_create(&thread, NULL, attack->change, target);
    else if ((other = fork()) == 0)
        _exit(attack->change(target) != NULL);
    const volatile in_addr_t *place = &target->address.sin_addr.s_addr;
    int seen[2] = {0};
    for (int i = 0; i < TRIES || (i < TRIES + MORE_TRIES && attack->change == change_address &&
                                  (seen[0] < SEEN_TRIES || seen[1] < SEEN_TRIES));
         i++) {
        if (i >= TRIES) nanosleep(&pause, NULL);
        seen[*place == at(near_address, 0).sin_addr.s_addr]++;
        attack->attempt(target);
    }
    target->over = true;
    return other ? waitpid(other, NULL, 0) != other : pthread_join(thread, NULL);
}

// A step further each time; what the kernel would have done is in the comment.
static int try_other_ways(void) {
    const uint8_t route[] = {131, 7, 4, 127, 0, 0, 1}; // LSRR over 127.0.0.1
    struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = 1};
    char byte = 0;
    const struct iovec part = {.iov_base = &byte, .iov_len = 1};
    const int udp = socket(AF_INET, SOCK_DGRAM, 0), kernel = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    const struct {
        const char *way;
        bool refused;
    } ways[] = {
        {"source route", setsockopt(udp, IPPROTO_IP, IP_OPTIONS, route, sizeof route) < 0},
        {"routing header", setsockopt(socket(AF_INET6, SOCK_DGRAM, 0), IPPROTO_IPV6, 57, route, 0) < 0},
        {"socket of SCTP", socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP) < 0 && errno == EAFNOSUPPORT},
        {"socket of multipath TCP", socket(AF_INET, SOCK_STREAM, 262) < 0 && errno == EAFNOSUPPORT},
        {"socket of a virtual machine", socket(AF_VSOCK, SOCK_STREAM, 0) < 0 && errno == EAFNOSUPPORT},
        {"netlink between processes", socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK) < 0},
        {"netlink to a group", sendto(kernel, "x", 1, 0, (struct sockaddr *)&group, sizeof group) < 0},
        {"shared descriptors", syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0) < 0 && errno == EPERM},
        {"clone3", syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS},
        {"io_uring", syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == ENOSYS},
        {"another process's descriptor", syscall(SYS_pidfd_getfd, -1, 0, 0) < 0 && errno == EPERM},
        {"another process's memory",
         process_vm_writev(getpid(), &part, 1, &part, 1, 0) < 0 && errno == EPERM},
    };
    int open = 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!ways[i].refused) open += printf("open: %s\n", ways[i].way) > 0;
    return open;
}

static int connect_to(int port, int flags) {
    const struct sockaddr_in to = at(near_address, port);
    struct pollfd socket_fd = {.fd = socket(AF_INET, SOCK_STREAM | flags, 0), .events = POLLOUT};
    int error = connect(socket_fd.fd, (const struct sockaddr *)&to, sizeof to) < 0 ? errno : 0, later = 0;
    socklen_t size = sizeof later;
    poll(&socket_fd, 1, 5000);
    getsockopt(socket_fd.fd, SOL_SOCKET, SO_ERROR, &later, &size);
    printf("%d then %d\n", error, later);
    return 0;
}

// The sender's number as who receives sees it; whether a message that fills the socket arrives whole.
static void send_between_processes(void) {
    enum { SIZE = 600000 };
    static char data[SIZE];
    int ends[2], on = 1;
    char control[CMSG_SPACE(sizeof(struct ucred))];
    struct ucred from = {0};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    struct iovec part = {.iov_base = data, .iov_len = SIZE};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    const pid_t child = fork();
    if (child == 0) {
        while (part.iov_len > 0)
            part.iov_len -= (size_t)sendmsg(ends[1], &message, 0);
        _exit(0);
    }
    close(ends[1]);
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    size_t arrived = (size_t)recvmsg(ends[0], &message, 0);
    memcpy(&from, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof from);
    for (ssize_t size; (size = read(ends[0], data, SIZE)) > 0;)
        arrived += (size_t)size;
    printf("%zu bytes, by %s\n", arrived, from.pid == child ? "the sender" : "somebody else");
    waitpid(child, NULL, 0);
}

static void *read_slowly(void *context) {
    static char data[4096];
    size_t *arrived = context;
    for (ssize_t size; (size = read((int)*arrived, data, sizeof data)) > 0;)
        arrived[1] += (size_t)size;
    return NULL;
}

// By a process with threads: the gate sends, and waits in its place.
static void send_to_a_thread(void) {
    enum { SIZE = 600000 };
    static char data[SIZE];
    int ends[2];
    pthread_t thread;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    size_t arrived[2] = {(size_t)ends[0], 0};
    pthread_create(&thread, NULL, read_slowly, arrived);
    struct iovec part = {.iov_base = data, .iov_len = SIZE};
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    for (ssize_t sent; part.iov_len > 0 && (sent = sendmsg(ends[1], &message, 0)) > 0;)
        part.iov_len -= (size_t)sent;
    close(ends[1]);
    pthread_join(thread, NULL);
    printf("%zu bytes\n", arrived[1]);
}

static int be_ordinary(void) {
    connect_to(PORT, 0);
    connect_to(PORT, SOCK_NONBLOCK);
    connect_to(PORT + 1, 0); // refused
    connect_to(PORT + 1, SOCK_NONBLOCK);
    send_between_processes();
    send_to_a_thread();
    return 0;
}

static int receive_at(const char *address, int type) {
    const struct sockaddr_in here = at(address, PORT);
    const int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(fd, (const struct sockaddr *)&here, sizeof here) < 0) return -1;
    if (type == SOCK_STREAM) listen(fd, TRIES + MORE_TRIES);
    return fd;
}

static bool has_come(int udp, int tcp) {
    char byte;
    return recv(udp, &byte, 1, 0) >= 0 || accept(tcp, NULL, NULL) >= 0;
}

// A network with a near and a far address, where `role` runs; says at which of them something arrived.
static int arena(const char *nearest, const char *role) {
    struct netlink netlink;
    struct run run;
    namespace_enter_lab();
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0 ||
        netlink_add_address(&netlink, "lo", "203.0.113.5", 24) < 0)
        return 1;
    netlink_close(&netlink);
    const int near_udp = receive_at(near_address, SOCK_DGRAM),
              near_tcp = receive_at(near_address, SOCK_STREAM);
    const int far_udp = receive_at(far_address, SOCK_DGRAM), far_tcp = receive_at(far_address, SOCK_STREAM);
    char *guarded[] = {PROGRAM_TRILANE_GUARD,   "--nearest", (char *)(uintptr_t)nearest, "--", self,
                       (char *)(uintptr_t)role, NULL};
    run_program(&run, strcmp(nearest, "unguarded") == 0 ? guarded + 4 : guarded);
    fputs(run.out, stdout);
    fputs(run.err, stderr);
    if (has_come(near_udp, near_tcp)) puts("near");
    if (has_come(far_udp, far_tcp)) puts("far");
    return run.status;
}

static void run_arena(const char *nearest, const char *role, struct run *run) {
    run_words(run, self, "arena", nearest, role, NULL);
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
}

UNIT_TEST(test_no_race_is_won) {
    struct run run;
    for (int i = 0; i < ATTACKS; i++) {
        const bool names_the_near_one_only = attacks[i].change != change_address;
        print_message("%s\n", attacks[i].name);
        run_arena("local", attacks[i].name, &run);
        assert_string_equal(run.out, names_the_near_one_only ? "" : "far\n");
        // Else the tries are none.
        run_arena("unguarded", attacks[i].name, &run);
        assert_string_equal(run.out, names_the_near_one_only ? "near\n" : "near\nfar\n");
    }
}

UNIT_TEST(test_no_other_way_is_open) {
    struct run run;
    run_arena("local", "other-ways", &run);
    assert_string_equal(run.out, "");
}

UNIT_TEST(test_what_is_allowed_is_as_without) {
    struct run with, without;
    run_arena("unguarded", "ordinary", &without);
    run_arena("loopback", "ordinary", &with);
    assert_string_equal(with.out, without.out);
    assert_non_null(strstr(with.out, "600000 bytes, by the sender\n600000 bytes\nnear\n"));
    char expected[64];
    snprintf(expected, sizeof expected, "0 then 0\n%d then 0\n%d then 0\n", EINPROGRESS, ECONNREFUSED);
    assert_int_equal(strncmp(with.out, expected, strlen(expected)), 0);
}

static int play(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "arena") == 0) return arena(argv[2], argv[3]);
    if (argc == 2 && strcmp(argv[1], "other-ways") == 0) return try_other_ways();
    if (argc == 2 && strcmp(argv[1], "ordinary") == 0) return be_ordinary();
    for (int i = 0; i < ATTACKS; i++)
        if (strcmp(argv[1], attacks[i].name) == 0) return attack(&attacks[i]);
    return 1;
}

int main(int argc, char **argv) {
    if (!realpath("/proc/self/exe", self)) return 1;
    if (argc > 1) end_run(play(argc, argv));
    return unit_tests_run();
}
