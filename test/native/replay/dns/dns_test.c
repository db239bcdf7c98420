// The DNS server's sockets, in a network namespace with several addresses: the real server in a process of
// its own, asked as resolvers ask it and as nobody should.
#include "replay/dns/dns.h"

#include "base/namespace.h"
#include "base/netlink.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { MANY_COUNT = 150, TC = 0x02 };

// Shared with the server's process.
struct told {
    unsigned count;
    struct dns_question last;
};

struct server {
    pid_t pid;
    struct told *told;
    struct recording recording;
    struct recorded_exchange exchanges[1 + MANY_COUNT];
    char addresses[MANY_COUNT][24];
};

static void on_asked(void *context, const struct dns_question *question, uint64_t now_ns) {
    struct told *told = context;
    assert_true(now_ns > 0);
    told->last = *question;
    told->count++;
}

static void on_signal(void *context, int signal) {
    (void)signal;
    loop_stop(context);
}

static int serve(struct server *server, int ready) {
    struct loop *loop;
    struct dns *dns;
    char error[256];
    struct dns_options options = {.https_alpn = "h2,h3", .question = on_asked, .context = server->told};
    if (loop_open(&loop) < 0 || loop_on_signals(loop, (const int[]){SIGTERM, 0}, on_signal, loop) < 0)
        return 1;
    if (dns_open(&dns, loop, &server->recording, &options, error, sizeof error) < 0) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (write(ready, "", 1) != 1 || loop_run(loop) < 0) return 1;
    dns_close(dns);
    loop_close(loop);
    return 0;
}

static int set_up(void **state) {
    static struct server server;
    static const char *const addresses[] = {"192.0.2.10",   "192.0.2.11",   "192.0.2.99",  "100.64.0.53",
                                            "2001:db8::10", "2001:db8::11", "2001:db8::99"};
    struct netlink netlink;
    assert_int_equal(netlink_open(&netlink), 0);
    assert_int_equal(netlink_link_up(&netlink, "lo", 0), 0);
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        assert_int_equal(
            netlink_add_address(&netlink, "lo", addresses[i], strchr(addresses[i], ':') ? 128 : 32), 0);
    netlink_close(&netlink);

    server.exchanges[0] = (struct recorded_exchange){
        .scheme = "https", .host = "www.example.org", .port = 443, .address = "192.0.2.10"};
    for (int i = 0; i < MANY_COUNT; i++) {
        snprintf(server.addresses[i], sizeof server.addresses[i], "198.51.100.%d", i);
        server.exchanges[1 + i] = (struct recorded_exchange){.seq = 1 + i,
                                                             .scheme = "https",
                                                             .host = "many.example.org",
                                                             .port = 443,
                                                             .address = server.addresses[i]};
    }
    server.recording =
        (struct recording){.name = "test", .exchanges = server.exchanges, .exchange_count = 1 + MANY_COUNT};
    server.told = mmap(NULL, sizeof *server.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(server.told != MAP_FAILED);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    server.pid = fork();
    if (server.pid == 0) {
        close(ready[0]);
        exit(serve(&server, ready[1]));
    }
    close(ready[1]);
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *state = &server;
    return 0;
}

static int tear_down(void **state) {
    struct server *server = *state;
    int status;
    kill(server->pid, SIGTERM);
    assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
    munmap(server->told, sizeof *server->told);
    return status; // also what the sanitizer found in the server
}

static size_t make_query(uint8_t *to, const char *host, unsigned id) {
    uint8_t *at = to;
    memcpy(at, (uint8_t[]){(uint8_t)(id >> 8), (uint8_t)id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 12);
    at += 12;
    while (*host) {
        size_t size = strcspn(host, ".");
        *at++ = (uint8_t)size;
        memcpy(at, host, size);
        at += size;
        host += size + (host[size] == '.');
    }
    memcpy(at, (uint8_t[]){0, 0, DNS_TYPE_A, 0, 1}, 5);
    return (size_t)(at + 5 - to);
}

static size_t make_tcp_query(uint8_t *to, const char *host, unsigned id) {
    size_t size = make_query(to + 2, host, id);
    to[0] = (uint8_t)(size >> 8);
    to[1] = (uint8_t)size;
    return 2 + size;
}

static socklen_t socket_address(const char *address, uint16_t port, struct sockaddr_storage *to) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
        memcpy(to, &v4, sizeof v4);
        return sizeof v4;
    }
    assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
    memcpy(to, &v6, sizeof v6);
    return sizeof v6;
}

// Connected, so that only answers from the very address that was asked come in, and from an address of the
// client's own: else the kernel would by itself answer from the right one.
static int connect_to(const char *address, int type) {
    struct sockaddr_storage server, client;
    socklen_t size = socket_address(address, 53, &server);
    socket_address(strchr(address, ':') ? "2001:db8::99" : "192.0.2.99", 0, &client);
    int fd = socket(server.ss_family, type | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    // Long enough never to matter unless an answer does not come at all.
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20}, sizeof(struct timeval));
    assert_int_equal(bind(fd, (struct sockaddr *)&client, size), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&server, size), 0);
    return fd;
}

static void read_all(int fd, uint8_t *to, size_t size) {
    while (size > 0) {
        ssize_t got = recv(fd, to, size, 0);
        assert_true(got > 0);
        to += got;
        size -= (size_t)got;
    }
}

// The id of the next answer over TCP; its bytes are dropped.
static unsigned read_tcp_answer(int fd) {
    uint8_t answer[DNS_MESSAGE_MAX], length[2];
    read_all(fd, length, 2);
    size_t size = (size_t)length[0] << 8 | length[1];
    assert_true(size >= 12);
    read_all(fd, answer, size);
    return (unsigned)answer[0] << 8 | answer[1];
}

UNIT_TEST_OF(test_udp_answers_from_the_address_asked, struct server *server, NULL, NULL) {
    static const char *const addresses[] = {"192.0.2.10",   "192.0.2.11",   "100.64.0.53", "127.0.0.1",
                                            "2001:db8::10", "2001:db8::11", "::1"};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        int fd = connect_to(addresses[i], SOCK_DGRAM);
        uint8_t query[64], answer[512];
        size_t size = make_query(query, "www.example.org", (unsigned)i);
        unsigned before = server->told->count;
        assert_int_equal(send(fd, query, size, 0), size);
        ssize_t answer_size = recv(fd, answer, sizeof answer, 0);
        assert_true(answer_size > 0);
        assert_int_equal(answer[1], i);
        assert_memory_equal(answer + answer_size - 4, ((uint8_t[]){192, 0, 2, 10}), 4);
        assert_int_equal(server->told->count, before + 1);
        assert_string_equal(server->told->last.name, "www.example.org");
        assert_int_equal(server->told->last.outcome, DNS_OK);
        close(fd);
    }
}

UNIT_TEST(test_udp_garbage) {
    int fd = connect_to("100.64.0.53", SOCK_DGRAM);
    uint8_t bytes[2048];
    srand(2);
    for (int i = 0; i < 2000; i++) {
        size_t size = (size_t)rand() % sizeof bytes;
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)rand();
        if (size > 2) bytes[2] |= 0x80; // no query, so that nothing comes back
        send(fd, bytes, size, MSG_DONTWAIT);
    }
    // Datagrams may be dropped while the server is behind: ask until it answers.
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 200000}, sizeof(struct timeval));
    ssize_t got = -1;
    for (int i = 0; i < 100 && got < 0; i++) {
        uint8_t query[64];
        send(fd, query, make_query(query, "www.example.org", 7), 0);
        got = recv(fd, bytes, sizeof bytes, 0);
    }
    assert_true(got > 0);
    assert_int_equal(bytes[1], 7);
    close(fd);
}

UNIT_TEST(test_truncated_then_tcp) {
    uint8_t query[64], answer[DNS_MESSAGE_MAX];
    int fd = connect_to("192.0.2.11", SOCK_DGRAM);
    size_t size = make_query(query, "many.example.org", 1);
    assert_int_equal(send(fd, query, size, 0), size);
    assert_true(recv(fd, answer, sizeof answer, 0) > 0);
    assert_true(answer[2] & TC);
    close(fd);
    fd = connect_to("192.0.2.11", SOCK_STREAM);
    size = make_tcp_query(query, "many.example.org", 1);
    assert_int_equal(send(fd, query, size, 0), size);
    uint8_t length[2];
    read_all(fd, length, 2);
    size = (size_t)length[0] << 8 | length[1];
    assert_int_equal(size, 12 + 22 + MANY_COUNT * 16);
    read_all(fd, answer, size);
    assert_int_equal(answer[7], MANY_COUNT);
    assert_false(answer[2] & TC);
    close(fd);
}

UNIT_TEST(test_tcp_in_pieces_and_together) {
    uint8_t queries[4096];
    size_t size = 0;
    int fd = connect_to("2001:db8::10", SOCK_STREAM);
    for (unsigned id = 0; id < 20; id++)
        size += make_tcp_query(queries + size, "www.example.org", id);
    for (size_t i = 0; i < 100; i++) // the first two and a half byte by byte
        assert_int_equal(send(fd, queries + i, 1, 0), 1);
    assert_int_equal(send(fd, queries + 100, size - 100, 0), size - 100);
    shutdown(fd, SHUT_WR); // having asked, a client may be done writing
    for (unsigned id = 0; id < 20; id++)
        assert_int_equal(read_tcp_answer(fd), id);
    uint8_t byte;
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    close(fd);
}

// A client that asks and does not read: the server stops reading from it, and goes on when it reads.
UNIT_TEST(test_tcp_backpressure) {
    enum { COUNT = 20000 };
    uint8_t query[64];
    size_t size = make_tcp_query(query, "many.example.org", 0), sent = 0;
    int fd = connect_to("100.64.0.53", SOCK_STREAM);
    unsigned answers = 0;
    while (answers < COUNT) {
        while (sent < COUNT * size) {
            unsigned id = (unsigned)(sent / size);
            make_tcp_query(query, "many.example.org", id);
            ssize_t now = send(fd, query + sent % size, size - sent % size, MSG_DONTWAIT);
            if (now < 0) {
                assert_int_equal(errno, EAGAIN);
                break;
            }
            sent += (size_t)now;
        }
        assert_int_equal(read_tcp_answer(fd), answers & 0xffff);
        answers++;
    }
    close(fd);
}

UNIT_TEST(test_tcp_garbage) {
    srand(3);
    for (int i = 0; i < 200; i++) {
        uint8_t bytes[600], sink[4096];
        int fd = connect_to("192.0.2.10", SOCK_STREAM);
        size_t size = (size_t)rand() % sizeof bytes;
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)(rand() % 3 ? rand() : 0); // many lengths of 0
        send(fd, bytes, size, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (recv(fd, sink, sizeof sink, 0) > 0) {
        }
        close(fd);
    }
    test_tcp_in_pieces_and_together();
}

UNIT_TEST(test_tcp_many_connections) {
    enum { COUNT = 80 };
    int fds[COUNT], answered = 0;
    for (int i = 0; i < COUNT; i++)
        fds[i] = connect_to("192.0.2.10", SOCK_STREAM);
    for (int i = 0; i < COUNT; i++) {
        uint8_t query[64], length[2];
        send(fds[i], query, make_tcp_query(query, "www.example.org", 1), MSG_NOSIGNAL);
        if (recv(fds[i], length, 2, MSG_WAITALL) == 2) answered++;
    }
    // Those beyond 64 are closed at once; connections of the tests before may not have been seen to end yet.
    assert_in_range(answered, 60, 64);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
}

UNIT_TEST_OF(test_second_server_refused, struct server *server, NULL, NULL) {
    struct loop *loop;
    struct dns *dns;
    char error[256];
    struct dns_options options = {.https_alpn = "h2,h3"};
    assert_int_equal(loop_open(&loop), 0);
    assert_int_equal(dns_open(&dns, loop, &server->recording, &options, error, sizeof error), -1);
    assert_non_null(strstr(error, "port 53"));
    assert_non_null(strstr(error, "another server"));
    loop_close(loop);
}

GROUP_FIXTURE(set_up, tear_down)

int main(void) {
    namespace_enter_lab();
    return unit_tests_run();
}
