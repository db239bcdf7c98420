// trilane-fetch over h3 against a server that keeps to QUIC but not to HTTP/3: each of its ways has its row,
// in time, and what is whole counts.
#include "hostile_server.h"
#include "rows.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <quiche.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// A server on loopback that keeps to QUIC and says of HTTP/3 what it is given, byte by byte: on the request's
// stream, and on streams of its own.
struct hostile_h3 {
    const char *says; // after the request, on its stream
    size_t size;
    const char *again; // and then this without end; NULL: the stream ends
    size_t again_size;
    bool resets;     // in place of the stream's end
    bool closes;     // the connection, in order, in place of the stream's end
    const char *own; // on a stream of the server's beside the one that SETTINGS come on, from its type on
    size_t own_size;
    const char *control; // on the latter, behind the SETTINGS
    size_t control_size;
    unsigned idle_ms; // its idle time-out; 0: a long one
    unsigned chain;   // as many more certificates that it sends along
};

enum { LIFE_S = 120, CID_BYTES = 8, PACKET_BYTES = 1350, WINDOW_BYTES = 1 << 20 };
enum { REQUEST_STREAM = 0, CONTROL_STREAM = 3, OWN_STREAM = 7, H3_REQUEST_CANCELLED = 0x10c };

struct client {
    const struct hostile_h3 *hostile;
    struct sockaddr_in local, peer;
    quiche_conn *quic; // NULL: none has come
    bool asked;        // the request has come
    bool began;        // to answer
    bool ended;
    size_t said; // of `says`
};

static quiche_config *new_config(unsigned idle_ms) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    if (!config) abort();
    quiche_config_set_max_idle_timeout(config, idle_ms ? idle_ms : LIFE_S * 1000);
    quiche_config_set_max_send_udp_payload_size(config, PACKET_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_remote(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_bidi(config, 8);
    quiche_config_set_initial_max_streams_uni(config, 8);
    return config;
}

static void accept_client(struct client *c, quiche_config *config, SSL_CTX *context,
                          const struct sockaddr_in *peer) {
    uint8_t scid[CID_BYTES];
    RAND_bytes(scid, sizeof scid);
    if (c->quic) quiche_conn_free(c->quic);
    *c = (struct client){.hostile = c->hostile, .local = c->local, .peer = *peer};
    SSL *ssl = SSL_new(context);
    SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
    SSL_set_accept_state(ssl);
    c->quic =
        quiche_conn_new_with_tls(scid, sizeof scid, NULL, 0, (struct sockaddr *)&c->local, sizeof c->local,
                                 (struct sockaddr *)&c->peer, sizeof c->peer, config, ssl, true);
    if (!c->quic) abort();
}

static void read_request(struct client *c) {
    uint8_t bytes[4096];
    bool end = false;
    uint64_t error;
    while (!end && quiche_conn_stream_recv(c->quic, REQUEST_STREAM, bytes, sizeof bytes, &end, &error) >= 0)
        ;
    c->asked = c->asked || end;
}

static void say_on(struct client *c, uint64_t stream, const char *text, size_t size, bool end) {
    uint64_t error;
    quiche_conn_stream_send(c->quic, stream, (const uint8_t *)text, size, end, &error);
}

static void answer(struct client *c) {
    const struct hostile_h3 *h = c->hostile;
    uint64_t error;
    if (!c->began) {
        say_on(c, CONTROL_STREAM, "\0\4\0", 3, false); // SETTINGS
        if (h->control) say_on(c, CONTROL_STREAM, h->control, h->control_size, false);
        if (h->own) say_on(c, OWN_STREAM, h->own, h->own_size, false);
        c->began = true;
    }
    while (c->said < h->size) {
        const ssize_t n = quiche_conn_stream_send(c->quic, REQUEST_STREAM, (const uint8_t *)h->says + c->said,
                                                  h->size - c->said, false, &error);
        if (n <= 0) return;
        c->said += (size_t)n;
    }
    // A piece that is taken in part is as good as whatever else.
    if (h->again) {
        while (quiche_conn_stream_send(c->quic, REQUEST_STREAM, (const uint8_t *)h->again, h->again_size,
                                       false, &error) == (ssize_t)h->again_size)
            ;
    } else if (!c->ended) {
        c->ended = true;
        if (h->closes)
            quiche_conn_close(c->quic, true, 0x100, NULL, 0);
        else if (h->resets)
            quiche_conn_stream_shutdown(c->quic, REQUEST_STREAM, QUICHE_SHUTDOWN_WRITE, H3_REQUEST_CANCELLED);
        else
            say_on(c, REQUEST_STREAM, "", 0, true);
    }
}

static void send_packets(struct client *c, int fd) {
    uint8_t packet[PACKET_BYTES];
    quiche_send_info info;
    for (ssize_t size; (size = quiche_conn_send(c->quic, packet, sizeof packet, &info)) > 0;)
        sendto(fd, packet, (size_t)size, 0, (struct sockaddr *)&c->peer, sizeof c->peer);
}

static void serve(struct client *c, int fd, SSL_CTX *context) {
    quiche_config *config = new_config(c->hostile->idle_ms);
    for (;;) {
        uint8_t packet[2048];
        struct sockaddr_in peer;
        socklen_t peer_size = sizeof peer;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        poll(&ready, 1, c->quic ? (int)quiche_conn_timeout_as_millis(c->quic) : -1);
        const ssize_t size =
            recvfrom(fd, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&peer, &peer_size);
        if (size < 0 && !c->quic) continue;
        if (size >= 0 && (!c->quic || peer.sin_port != c->peer.sin_port))
            accept_client(c, config, context, &peer);
        if (size >= 0) {
            const quiche_recv_info info = {(struct sockaddr *)&c->peer, sizeof c->peer,
                                           (struct sockaddr *)&c->local, sizeof c->local};
            quiche_conn_recv(c->quic, packet, (size_t)size, &info);
        } else {
            quiche_conn_on_timeout(c->quic);
        }
        if (quiche_conn_is_established(c->quic)) {
            if (!c->asked) read_request(c);
            if (c->asked) answer(c);
        }
        send_packets(c, fd);
    }
}

// As hostile_server_start: 0, or -1. Ended by hostile_server_stop.
static int hostile_h3_start(struct hostile_server *server, const struct hostile_h3 *hostile) {
    const struct hostile tls = {.alpn = "h3", .chain = hostile->chain};
    struct client client = {.hostile = hostile,
                            .local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof client.local;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&client.local, size) < 0 ||
        getsockname(fd, (struct sockaddr *)&client.local, &size) < 0)
        return -1;
    server->port = ntohs(client.local.sin_port);
    SSL_CTX *context = hostile_context(&tls, server->authority);
    if (!context) return -1;
    server->pid = fork();
    if (server->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(LIFE_S);
        serve(&client, fd, context);
    }
    close(fd);
    SSL_CTX_free(context);
    return server->pid > 0 ? 0 : -1;
}

// Frames: HEADERS with fields of QPACK's static table or literal ones, and DATA.
#define HEADERS(size, fields) "\1" size "\0\0" fields
#define STATUS_103 HEADERS("\3", "\xd8")
#define STATUS_200 HEADERS("\3", "\xd9")
#define STATUS_404 HEADERS("\3", "\xdb")
#define LENGTH_5                                                                                             \
    HEADERS("\x15", "\xd9\x27\7content-length\1"                                                             \
                    "5")
#define LENGTH_2_63                                                                                          \
    HEADERS("\x27", "\xd9\x27\7content-length\x13"                                                           \
                    "9223372036854775808")
#define STATUS_PLUS_200 HEADERS("\x9", "\x5f\x0a\4+200")
#define HELLO "\0\5hello"
#define SAID(frames) .says = frames, .size = sizeof(frames) - 1
#define AGAIN(frames) .again = frames, .again_size = sizeof(frames) - 1
#define OWN(bytes) .own = bytes, .own_size = sizeof(bytes) - 1
#define CONTROL(frames) .control = frames, .control_size = sizeof(frames) - 1
#define BYTES_16 "................"
#define BYTES_128 BYTES_16 BYTES_16 BYTES_16 BYTES_16 BYTES_16 BYTES_16 BYTES_16 BYTES_16

static const struct {
    const char *words; // before the URL
    const char *stage; // NULL: it comes whole
    const char *reason;
    struct hostile_h3 hostile;
} cases[] = {
    {"", NULL, NULL, {SAID(STATUS_200 HELLO)}},
    {"", NULL, NULL, {SAID(STATUS_103 STATUS_103 LENGTH_5 HELLO)}},
    {"", NULL, NULL, {SAID(STATUS_200 HELLO), CONTROL("\7\1\4")}}, // GOAWAY
    {"", "response", "the body ended after 3 of the 5 bytes of content-length", {SAID(LENGTH_5 "\0\3hel")}},
    {"", "response", "the body ended after 0 of the 5 bytes of content-length", {SAID(LENGTH_5)}},
    {"",
     "response",
     "the body continues behind the 5 bytes of content-length",
     {SAID(LENGTH_5 "\0\6hello!")}},
    {"", "response", "content-length \"9223372036854775808\" is no length", {SAID(LENGTH_2_63)}},
    {"", "response", "it has a second status behind its head", {SAID(STATUS_200 HELLO STATUS_404)}},
    {"", "response", "a body came before its status", {SAID(STATUS_103 HELLO)}},
    {"", "response", "a body came before its status", {SAID(HELLO)}},
    {"", "response", "it ended before its status", {SAID(STATUS_103)}},
    {"", "response", "it ended before its status", {SAID("")}},
    {"", "response", "status 0 is no answer to this request", {SAID(STATUS_PLUS_200)}},
    {"", "response", "it has more than 100 interim responses (1xx)", {SAID(""), AGAIN(STATUS_103)}},
    {"",
     "response",
     "its fields or a frame are too large: EXCESSIVE_LOAD",
     {SAID("\1\x80\x10\0\0"), AGAIN(BYTES_128)}}, // a head of 1 MB
    {"",
     "response",
     "its fields or a frame are too large: EXCESSIVE_LOAD",
     {SAID("\1\xff\xff\xff\xff\xff\xff\xff\xff")}},
    {"", NULL, NULL, {SAID("\5\4\0\0\0\xd9" STATUS_200 HELLO)}}, // PUSH_PROMISE: quiche passes over it
    {"",
     "response",
     "this is no HTTP/3: ",
     {SAID(STATUS_200), AGAIN("\0\0"), OWN("\1\0" STATUS_200 HELLO)}}, // a push
    {"",
     "response",
     "this is no HTTP/3: STREAM_CREATION_ERROR",
     {SAID(STATUS_200), AGAIN("\0\0"), OWN("\0\4\0")}}, // SETTINGS twice
    {"", "response", "the server reset the stream after ", {SAID(STATUS_200 "\0\3hel"), .resets = true}},
    {"",
     "response",
     "the server ended it with HTTP/3 error 0x100",
     {SAID(STATUS_200 "\0\3hel"), .closes = true}},
    {"--max-body 1000",
     "response",
     "the body has more than the 1000 bytes that --max-body allows",
     {SAID(STATUS_200), AGAIN(HELLO)}},
    {"--timeout 1", "timeout", "the response did not end in time; ", {SAID(STATUS_200), AGAIN(HELLO)}},
    {"--timeout 1",
     "timeout",
     "the response did not end in time; ",
     {SAID(STATUS_200), AGAIN("\x21\2xx")}}, // reserved frames
    {"",
     "response",
     "its fields or a frame are too large: EXCESSIVE_LOAD",
     {SAID("\x21\xff\xff\xff\xff\xff\xff\xff\xff")}},
    {"", "connect", "this end ended it with QUIC error 0xd", {SAID(STATUS_200 HELLO), .chain = 400}},
};

UNIT_TEST(each_way_has_its_row) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hostile_server server;
        struct run run;
        char words[256];
        assert_int_equal(hostile_h3_start(&server, &cases[i].hostile), 0);
        snprintf(words, sizeof words, "--lane h3 --insecure %s https://127.0.0.1:%u/", cases[i].words,
                 server.port);
        rows_fetch(&run, words);
        hostile_server_stop(&server);
        rows_expect(&run, cases[i].stage, cases[i].reason);
    }
}

// quiche passes on any bytes of a field: none may reach a terminal.
UNIT_TEST(control_characters_are_not_kept) {
    const struct hostile_h3 hostile = {SAID(HEADERS("\x14", "\xd9\x27\0"
                                                            "alt-svc\7\x1b[2Jh3\x7f") HELLO)};
    struct hostile_server server;
    struct run run;
    char words[256];
    assert_int_equal(hostile_h3_start(&server, &hostile), 0);
    snprintf(words, sizeof words, "--lane h3 --insecure https://127.0.0.1:%u/", server.port);
    rows_fetch(&run, words);
    hostile_server_stop(&server);
    json_t *row = json_loads(run.out, JSON_DISABLE_EOF_CHECK, NULL);
    assert_string_equal(rows_text(row, "alt_svc"), "?[2Jh3?");
    json_decref(row);
}

// Its idle time is over while nobody looks.
UNIT_TEST(a_connection_that_is_gone_is_not_used_again) {
    const struct hostile_h3 hostile = {SAID(STATUS_200 HELLO), .idle_ms = 1000};
    struct hostile_server server;
    struct run run;
    char words[512];
    assert_int_equal(hostile_h3_start(&server, &hostile), 0);
    snprintf(words, sizeof words,
             "--lane h3 --insecure --reuse --timeout 3 --urls "
             "<(echo https://127.0.0.1:%1$u/1; sleep 2; echo https://127.0.0.1:%1$u/2)",
             server.port);
    rows_fetch(&run, words);
    hostile_server_stop(&server);
    rows_expect_two_connections(&run);
}
