// The far namespace as the kernel has it: addresses that can be served from, and connections with the initial
// window and settings that were asked for. Each test has a namespace of its own, so it runs in a process of
// its own.
#include "base/clock.h"
#include "base/namespace.h"
#include "replay/origins/far_network.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

static struct recorded_exchange exchanges[] = {{.address = "198.51.100.7"},
                                               {.address = "2001:db8::7"},
                                               {.address = "198.51.100.7"},
                                               {.address = "203.0.113.1"}};

static void stop_loop(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(context);
}

// Lets the loop answer what has been announced to it.
static void run_for_a_moment(struct loop *loop) {
    struct loop_timer timer = {.due = stop_loop, .context = loop};
    loop_timer_set(loop, &timer, clock_now_ns() + 20 * NS_PER_MS);
    loop_run(loop);
}

// The server's end of a connection to that address within the namespace; -1 where there is none.
static int connection_to(const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    inet_pton(AF_INET, text, &address.sin_addr);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0 ||
        connect(client, (struct sockaddr *)&address, sizeof address) < 0)
        return -1;
    int server = accept(listener, NULL, NULL);
    close(listener);
    return server;
}

// Its initial window, in packets; -1 where there is none.
static int window_to(const char *text) {
    int server = connection_to(text);
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(server, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? (int)info.tcpi_snd_cwnd : -1;
}

static int has_address(const char *text) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    inet_pton(AF_INET6, text, &address.sin6_addr);
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    return bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

// In a namespace of its own, where slow start is as a tuned machine may have it.
static int open_far(struct far_network *far, struct loop **loop, bool for_others,
                    const struct tcp_transport *tcp) {
    struct recording recording = {.exchanges = exchanges, .exchange_count = 4};
    char error[256] = "";
    namespace_enter_lab();
    namespace_set_sysctl("net/ipv4/tcp_slow_start_after_idle", "0");
    if (loop_open(loop) < 0 ||
        far_network_open(far, *loop, &recording, false, for_others, tcp, error, sizeof error) < 0) {
        fprintf(stderr, "%s\n", error);
        return -1;
    }
    run_for_a_moment(*loop);
    return 0;
}

static bool sysctl_is(const char *name, const char *expected) {
    char value[64] = "";
    return namespace_get_sysctl(name, value, sizeof value) == 0 && strcmp(value, expected) == 0;
}

static int stock(struct far_network *far, const struct tcp_transport *tcp) {
    const int window = (int)tcp->initial_window_packets;
    if (far->address_count != 3) return 3;
    if (far->tcp_metrics_saved || !far->tcp.slow_start_after_idle) return 4;
    if (!sysctl_is("net/ipv4/tcp_slow_start_after_idle", "1")) return 5;
    if (window_to("198.51.100.7") != window) return 6;
    if (window_to("203.0.113.1") != window) return 7;
    if (window_to(FAR_NETWORK_DNS_ADDRESS) != window) return 8;
    if (window_to("192.0.2.1") != -1) return 9; // nobody's
    return has_address("2001:db8::7") ? 0 : 10;
}

// Of a program that asks for no congestion control: a connection has that of the experiment.
static int serving_for_others(struct far_network *far, const struct tcp_transport *tcp) {
    char control[16] = "";
    socklen_t size = sizeof control;
    (void)far;
    if (window_to("198.51.100.7") != (int)tcp->initial_window_packets) return 3;
    int server = connection_to("203.0.113.1");
    if (getsockopt(server, IPPROTO_TCP, TCP_CONGESTION, control, &size) < 0) return 4;
    return strcmp(control, tcp->congestion_control) == 0 ? 0 : 5;
}

static int tuned(struct far_network *far, const struct tcp_transport *tcp) {
    if (far->tcp.slow_start_after_idle || tcp->slow_start_after_idle) return 3;
    if (!sysctl_is("net/ipv4/tcp_wmem", "262144\t262144\t262144")) return 4;
    return sysctl_is("net/ipv4/tcp_rmem", "524288\t524288\t524288") ? 0 : 5;
}

static int refuse_address(void) {
    static struct recorded_exchange multicast[] = {{.address = "ff02::1"}};
    struct recording recording = {.exchanges = multicast, .exchange_count = 1};
    struct loop *loop;
    struct far_network far;
    char error[256] = "";
    namespace_enter_lab();
    if (loop_open(&loop) < 0 || far_network_open(&far, loop, &recording, false, false, &transport_stock.tcp,
                                                 error, sizeof error) == 0)
        return 2;
    far_network_close(&far);
    loop_close(loop);
    return strncmp(error, "address ff02::1: cannot be served from: ", 40) == 0 ? 0 : 3;
}

typedef int looked(struct far_network *far, const struct tcp_transport *tcp);

static int open_and_look(looked *look, bool for_others, const struct tcp_transport *tcp) {
    struct loop *loop;
    struct far_network far;
    if (open_far(&far, &loop, for_others, tcp) < 0) return 2;
    const int status = look(&far, tcp);
    far_network_close(&far);
    loop_close(loop);
    return status;
}

// `look`: NULL for an address that cannot be.
static void in_process(looked *look, bool for_others, const struct tcp_transport *tcp) {
    pid_t pid = fork();
    if (pid == 0) _exit(look ? open_and_look(look, for_others, tcp) : refuse_address());
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

UNIT_TEST(test_windows) {
    static const uint32_t windows[] = {10, 32, 3};
    for (size_t i = 0; i < 3; i++) {
        struct tcp_transport tcp = transport_stock.tcp;
        tcp.initial_window_packets = windows[i];
        in_process(stock, false, &tcp);
        tcp.congestion_control = "reno";
        in_process(serving_for_others, true, &tcp);
    }
}

UNIT_TEST(test_tuned) {
    struct tcp_transport tcp = transport_stock.tcp;
    tcp.slow_start_after_idle = false;
    tcp.send_buffer_bytes = 262144;
    tcp.receive_buffer_bytes = 524288;
    in_process(tuned, false, &tcp);
}

UNIT_TEST(test_addresses_that_cannot_be) {
    in_process(NULL, false, NULL);
}
