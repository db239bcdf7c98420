// What a lab's browser sends the replay over HTTP/1.1 and HTTP/2, in process over a pair of sockets: each
// connection comes to its end once the client has finished its side, and after many of them the site still
// serves.
#include "replay/h1/h1.h"
#include "replay/h2/h2.h"
#include "replay/report.h"
#include "target.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct header type = {"content-type", "text/html", 12, 9};
static struct recorded_exchange exchanges[] = {
    {.method = "GET", .path = "/", .status = 200, .body = (const uint8_t *)"<p>", .body_size = 3},
    {.seq = 1,
     .method = "GET",
     .path = "/a?b=1",
     .status = 206,
     .body = (const uint8_t *)"b",
     .body_size = 1},
    {.seq = 2, .method = "POST", .path = "/form", .status = 204},
    {.seq = 3, .method = "GET", .path = "/not", .status = 304},
};
enum { EXCHANGES = sizeof exchanges / sizeof *exchanges };
static const struct recording recording = {.name = "fuzz",
                                           .url = "https://a.test/",
                                           .digest = "0",
                                           .exchanges = exchanges,
                                           .exchange_count = EXCHANGES};

// Kept over so many inputs, as what an answer finds in them was found before.
enum { RUNS_OF_A_SITE = 1000 };
static struct loop *loop;
static struct report *report;
static struct exchange_site *site;

static void open_site(void) {
    report = report_open(&recording, true, 0);
    site = exchange_site_open(&recording, report);
    PROMISE(report && site && loop_open(&loop) == 0);
}

static struct loop_watch client;
static bool has_begun; // an HTTP/1.1 answer
static bool is_ok;     // an answer with status 200 has come

static void on_answer(void *context, uint32_t events) {
    uint8_t bytes[65536];
    (void)context, (void)events;
    const ssize_t size = recv(client.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size > 0 && !has_begun) PROMISE(size >= 9 && memcmp(bytes, "HTTP/1.1 ", 9) == 0);
    has_begun |= size > 0;
    // Over HTTP/2: HEADERS on stream 1 that begin with HPACK's ":status: 200".
    is_ok |= size > 0 && (memmem(bytes, (size_t)size, "HTTP/1.1 200 ", 13) ||
                          memmem(bytes, (size_t)size, "\1\4\0\0\0\1\x88", 7));
    if (size == 0 || (size < 0 && errno != EAGAIN)) loop_stop(loop);
}

static const uint8_t *rest;
static size_t rest_bytes;

// The second piece comes once the first was read.
static void send_rest(void *context) {
    (void)context;
    if (!rest) return;
    send(client.fd, rest, rest_bytes, MSG_NOSIGNAL); // refused where the server has closed by then
    shutdown(client.fd, SHUT_WR);
    rest = NULL;
}

static void talk(bool is_h2, const uint8_t *data, size_t size, size_t first) {
    struct stream_set streams;
    int pair[2];
    PROMISE(stream_set_open(&streams, loop) == 0);
    PROMISE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
    client = (struct loop_watch){.fd = pair[0], .ready = on_answer};
    PROMISE(loop_add(loop, &client, EPOLLIN) == 0);
    struct stream *stream = stream_open(&streams, pair[1], NULL, "192.0.2.1", 443);
    struct exchange_connection *connection =
        exchange_connection_open(site, is_h2 ? LANE_H2 : LANE_H1, "192.0.2.1", 443, 0);
    PROMISE(stream && connection && (is_h2 ? h2_open : h1_open)(stream, connection) == 0);
    PROMISE(send(client.fd, data, first, MSG_NOSIGNAL) == (ssize_t)first);
    rest = data + first;
    rest_bytes = size - first;
    has_begun = is_h2;
    is_ok = false;
    loop_on_turn_end(loop, send_rest, NULL);
    PROMISE(loop_run(loop) == 0);
    stream_set_close(&streams);
    loop_remove(loop, &client);
    close(pair[0]);
}

static const uint8_t good_h1[] = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
static const uint8_t good_h2[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0" // SETTINGS
                                 "\0\0\13\1\5\0\0\0\1\x82\x87\x84\x41\6a.test";       // HEADERS

static void close_site(void) {
    talk(false, good_h1, sizeof good_h1 - 1, sizeof good_h1 - 1);
    PROMISE(is_ok);
    talk(true, good_h2, sizeof good_h2 - 1, sizeof good_h2 - 1);
    PROMISE(is_ok);
    exchange_site_close(site);
    report_close(report);
    loop_close(loop);
}

// The first byte says which protocol, and where the pieces part.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned runs;
    if (size < 2) return 0;
    for (size_t i = 0; i < EXCHANGES; i++) {
        exchanges[i].scheme = "https";
        exchanges[i].host = "a.test";
        exchanges[i].port = 443;
        exchanges[i].address = "192.0.2.1";
        exchanges[i].headers = &type;
        exchanges[i].header_count = 1;
    }
    if (runs == 0) open_site();
    const size_t first = 1 + (data[0] >> 1); // else there is nothing to come before the rest
    talk(data[0] & 1, data + 1, size - 1, first < size - 1 ? first : size - 1);
    runs = (runs + 1) % runs_kept(RUNS_OF_A_SITE);
    if (runs == 0) close_site();
    return 0;
}
