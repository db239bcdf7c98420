// TLS between two ends of a socket pair whose buffers are small: every byte arrives, in order, whatever the
// socket takes at a time; what is no TLS, and a peer that is gone, are told apart from the end.
#include "flows/tls_setup.h"
#include "test/native/cmocka_unit.h"
#include "tls_io/tls_link.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

enum { NEAR, FAR, ENDS, ALLOWED = 64 * 1024 };

struct ends {
    int fds[ENDS];
    struct tls_setup *setups[ENDS];
    struct tls_link *links[ENDS];
};

static void link_ends(struct ends *ends) {
    for (int i = 0; i < ENDS; i++) {
        assert_int_equal(tls_setup_open(&ends->setups[i], i == FAR), 0);
        ends->links[i] = tls_link_open(tls_setup_connection(ends->setups[i]), ends->fds[i]);
        assert_non_null(ends->links[i]);
    }
}

static void open_ends(struct ends *ends) {
    const int room = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends->fds), 0);
    for (int i = 0; i < ENDS; i++)
        setsockopt(ends->fds[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    link_ends(ends);
}

// Over TCP, with segments of so many bytes.
static void open_tcp_ends(struct ends *ends, int segment_bytes) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof name;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ends->fds[NEAR] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0 && ends->fds[NEAR] >= 0);
    assert_int_equal(
        setsockopt(ends->fds[NEAR], IPPROTO_TCP, TCP_MAXSEG, &segment_bytes, sizeof segment_bytes), 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &size), 0);
    assert_int_equal(connect(ends->fds[NEAR], (struct sockaddr *)&name, sizeof name), 0);
    ends->fds[FAR] = accept(listener, NULL, NULL);
    assert_true(ends->fds[FAR] >= 0);
    close(listener);
    for (int i = 0; i < ENDS; i++)
        assert_int_equal(fcntl(ends->fds[i], F_SETFL, O_NONBLOCK), 0);
    link_ends(ends);
}

static void close_ends(struct ends *ends) {
    for (int i = 0; i < ENDS; i++) {
        tls_link_close(ends->links[i]);
        tls_setup_close(ends->setups[i]);
        if (ends->fds[i] >= 0) close(ends->fds[i]);
    }
}

static void shake_hands(struct ends *ends) {
    int done[ENDS] = {0};
    for (int turn = 0; turn < 100 && !(done[NEAR] && done[FAR]); turn++)
        for (int i = 0; i < ENDS; i++) {
            if (done[i]) continue;
            tls_link_allow(ends->links[i], ALLOWED);
            const int told = tls_link_handshake(ends->links[i]);
            assert_true(told == 1 || told == TLS_LINK_AGAIN);
            done[i] = told == 1;
        }
    assert_true(done[NEAR] && done[FAR]);
}

UNIT_TEST(every_byte_arrives_and_the_end) {
    enum { SIZE = 1000003, READ = 1000 };
    struct ends ends;
    open_ends(&ends);
    shake_hands(&ends);
    uint8_t *content = malloc(SIZE), *arrived = malloc(SIZE + READ);
    assert_true(content && arrived);
    for (size_t i = 0; i < SIZE; i++)
        content[i] = (uint8_t)(i * 31 ^ i >> 8);
    size_t sent = 0, received = 0;
    int waits = 0, finished = TLS_LINK_AGAIN;
    ssize_t n = TLS_LINK_AGAIN;
    while (n != TLS_LINK_END) {
        if (sent < SIZE) {
            const ssize_t taken = tls_link_write(ends.links[FAR], content + sent, SIZE - sent);
            assert_true(taken > 0 || taken == TLS_LINK_AGAIN);
            sent += taken > 0 ? (size_t)taken : 0;
            waits += tls_link_waits(ends.links[FAR]);
        } else if (finished != 1) {
            finished = tls_link_finish(ends.links[FAR]);
            assert_int_not_equal(finished, TLS_LINK_FAILED);
        }
        tls_link_allow(ends.links[NEAR], ALLOWED);
        while ((n = tls_link_read(ends.links[NEAR], arrived + received, READ)) > 0) {
            received += (size_t)n;
            assert_true(received <= SIZE);
        }
        assert_int_not_equal(n, TLS_LINK_FAILED);
    }
    assert_true(waits > 0); // the socket was the limit
    assert_int_equal(finished, 1);
    assert_true(tls_link_was_closed(ends.links[NEAR]));
    assert_int_equal(received, SIZE);
    assert_memory_equal(arrived, content, SIZE);
    free(content);
    free(arrived);
    close_ends(&ends);
}

// A record that fits a packet can be read when that packet has come.
UNIT_TEST(the_first_records_fit_packets) {
    enum { SEGMENT = 1000, YOUNG = 128 * 1024, CONTENT = 256 * 1024, HEAD = 5, RECORD_MOST = 16384 };
    struct ends ends;
    open_tcp_ends(&ends, SEGMENT);
    shake_hands(&ends);
    uint8_t *content = calloc(1, CONTENT), *wire = malloc(2 * CONTENT);
    assert_true(content && wire);
    size_t sent = 0, arrived = 0, at = 0, young = 0, old = 0, most = 0;
    for (bool open = true; open;) {
        const ssize_t taken = tls_link_write(ends.links[NEAR], content + sent, CONTENT - sent);
        assert_int_not_equal(taken, TLS_LINK_FAILED);
        if (taken > 0) sent += (size_t)taken;
        if (sent == CONTENT && !tls_link_waits(ends.links[NEAR])) shutdown(ends.fds[NEAR], SHUT_WR);
        struct pollfd ready = {.fd = ends.fds[FAR], .events = POLLIN};
        poll(&ready, 1, 1000);
        const ssize_t n = recv(ends.fds[FAR], wire + arrived, 2 * CONTENT - arrived, 0);
        if (n > 0) arrived += (size_t)n;
        open = n != 0;
    }
    assert_int_equal(sent, CONTENT);
    for (size_t size; at + HEAD <= arrived; at += HEAD + size) {
        size = (size_t)wire[at + 3] << 8 | wire[at + 4];
        if (at < YOUNG) {
            assert_in_range(HEAD + size, 1, SEGMENT);
            young++;
        } else {
            most = size > most ? size : most;
            old++;
        }
    }
    assert_true(young > YOUNG / SEGMENT && old > 0);
    assert_true(most >= RECORD_MOST); // full ones, once it has grown up
    free(content);
    free(wire);
    close_ends(&ends);
}

// Without an allowance nothing is read, however much there is.
UNIT_TEST(a_turn_reads_no_more_than_it_may) {
    struct ends ends;
    uint8_t bytes[1024] = {0};
    open_ends(&ends);
    shake_hands(&ends);
    assert_int_equal(tls_link_write(ends.links[NEAR], bytes, sizeof bytes), sizeof bytes);
    tls_link_allow(ends.links[FAR], 0);
    assert_int_equal(tls_link_read(ends.links[FAR], bytes, sizeof bytes), TLS_LINK_AGAIN);
    tls_link_allow(ends.links[FAR], ALLOWED);
    assert_int_equal(tls_link_read(ends.links[FAR], bytes, sizeof bytes), sizeof bytes);
    close_ends(&ends);
}

UNIT_TEST(what_is_no_tls_fails) {
    struct ends ends;
    open_ends(&ends);
    static const char request[] = "GET / HTTP/1.1\r\nHost: far.trilane\r\n\r\n";
    assert_int_equal(send(ends.fds[NEAR], request, sizeof request - 1, 0), sizeof request - 1);
    tls_link_allow(ends.links[FAR], ALLOWED);
    assert_int_equal(tls_link_handshake(ends.links[FAR]), TLS_LINK_FAILED);
    assert_int_equal(errno, EPROTO);
    close_ends(&ends);
}

UNIT_TEST(a_peer_that_is_gone_is_noticed) {
    struct ends ends;
    uint8_t bytes[64] = {0};
    open_ends(&ends);
    close(ends.fds[NEAR]);
    ends.fds[NEAR] = -1;
    tls_link_allow(ends.links[FAR], ALLOWED);
    assert_int_equal(tls_link_handshake(ends.links[FAR]), TLS_LINK_FAILED);
    assert_int_equal(errno, ECONNRESET);
    close_ends(&ends);

    open_ends(&ends);
    shake_hands(&ends);
    close(ends.fds[NEAR]);
    ends.fds[NEAR] = -1;
    tls_link_allow(ends.links[FAR], ALLOWED);
    assert_int_equal(tls_link_read(ends.links[FAR], bytes, sizeof bytes), TLS_LINK_END);
    assert_false(tls_link_was_closed(ends.links[FAR])); // it only went
    assert_int_equal(tls_link_write(ends.links[FAR], bytes, sizeof bytes), TLS_LINK_FAILED);
    assert_int_equal(errno, EPIPE);
    close_ends(&ends);
}
