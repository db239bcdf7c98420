// What h1_exchange and h2_exchange make of what a server says, whole and a byte at a time: bodies of each
// framing, interim responses, and every way of not keeping one's word, each told once and in words.
#include "fetch/byte_stream.h"
#include "test/native/cmocka_unit.h"

#include <nghttp2/nghttp2.h>

struct talk {
    const struct exchange_kind *kind;
    struct exchange *exchange;
    struct response response;
    struct url url;
    struct buf out;
    unsigned overs;
};

static void on_over(void *context) {
    ((struct talk *)context)->overs++;
}

static void begin(struct talk *t, const struct exchange_kind *kind) {
    const char *why;
    *t = (struct talk){.kind = kind};
    assert_int_equal(url_parse(&t->url, "https://shop.example/a?b", &why), 0);
    t->exchange = kind->open();
    assert_non_null(t->exchange);
    response_begin(&t->response, 1000, on_over, t);
    const struct request request = {&t->url, "test"};
    kind->ask(t->exchange, &request, &t->response, &t->out);
}

static void finish(struct talk *t) {
    t->kind->close(t->exchange);
    response_free(&t->response);
    url_free(&t->url);
    buf_free(&t->out);
}

static int set_up_h1(void **state) {
    *state = calloc(1, sizeof(struct talk));
    begin(*state, &h1_exchange);
    return 0;
}

static int set_up_h2(void **state) {
    *state = calloc(1, sizeof(struct talk));
    begin(*state, &h2_exchange);
    return 0;
}

static int tear_down(void **state) {
    finish(*state);
    free(*state);
    return 0;
}

#define H1_TEST(name) UNIT_TEST_OF(name, struct talk *t, set_up_h1, tear_down)
#define H2_TEST(name) UNIT_TEST_OF(name, struct talk *t, set_up_h2, tear_down)

static void say(struct talk *t, const void *bytes, size_t size, size_t piece) {
    for (size_t at = 0; at < size; at += piece)
        t->kind->received(t->exchange, (const uint8_t *)bytes + at, size - at < piece ? size - at : piece,
                          &t->out);
}

struct h1_case {
    const char *said;
    bool ends;           // the server, after it
    const char *failure; // NULL: it comes whole
    unsigned status, body_bytes;
    bool reusable;
};

static const struct h1_case h1_cases[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, NULL, 200, 5, true},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", false, NULL, 200, 5, false},
    {"HTTP/1.0 200 OK\r\n\r\nhello", true, NULL, 200, 5, false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", false, NULL,
     200, 5, true},
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n", false,
     NULL, 204, 0, true},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, NULL, 304, 0, true},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", true,
     "the server ended the connection after 5 of the 9 bytes of content-length", 200, 5, false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", true,
     "the server ended the connection before the end of the response, after 5 bytes of the body", 200, 5,
     false},
    {"HTTP/1.1 200 OK\r\nContent-Le", true,
     "the server ended the connection before the end of the response, "
     "after 0 bytes of the body",
     200, 0, false},
    {"", true, "the server ended the connection before the response", 0, 0, false},
    {"SSH-2.0-OpenSSH_9.2\r\n", false, "this is no HTTP/1.1: ", 0, 0, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", false, "this is no HTTP/1.1: ", 200, 0, false},
    {"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", false,
     "content-length \"9223372036854775808\" is no length", 200, 0, false},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n", false,
     NULL, 200, 2, true},
    {"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", false,
     "status 101 is no answer to this request", 101, 0, false},
};

UNIT_TEST(h1_answers_are_read) {
    for (size_t i = 0; i < sizeof h1_cases / sizeof *h1_cases; i++)
        for (int whole = 0; whole < 2; whole++) {
            const struct h1_case *c = &h1_cases[i];
            struct talk t;
            begin(&t, &h1_exchange);
            say(&t, c->said, strlen(c->said), whole ? 4096 : 1);
            if (c->ends) h1_exchange.ended(t.exchange, NULL);
            if (t.overs != 1) fail_msg("case %zu is over %u times", i, t.overs);
            if (c->failure && strncmp(t.response.reason, c->failure, strlen(c->failure)) != 0)
                fail_msg("case %zu: %s", i, t.response.reason);
            if (t.response.has_failed != (c->failure != NULL)) fail_msg("case %zu: %s", i, t.response.reason);
            assert_int_equal(t.response.status, c->status);
            assert_int_equal(t.response.body_bytes, c->body_bytes);
            assert_int_equal(t.response.last_byte_ns == 0, t.response.has_failed);
            assert_int_equal(h1_exchange.is_reusable(t.exchange), c->reusable);
            finish(&t);
        }
}

H1_TEST(h1_asks_as_it_should) {
    assert_int_equal(buf_add(&t->out, "", 1), 0);
    assert_string_equal((const char *)buf_bytes(&t->out),
                        "GET /a?b HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n");
}

H1_TEST(bytes_behind_the_end_are_told) {
    static const char said[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello";
    say(t, said, sizeof said - 1, 4096);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "2 bytes came behind the end of the response");
    assert_false(h1_exchange.is_reusable(t->exchange));
}

H1_TEST(a_body_too_large_ends_it) {
    char said[2000] = "HTTP/1.1 200 OK\r\n\r\n";
    memset(said + strlen(said), 'x', 1500);
    say(t, said, 1500, 100);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "the body has more than the 1000 bytes that --max-body allows");
}

H1_TEST(endless_fields_end_it) {
    say(t, "HTTP/1.1 200 OK\r\n", 17, 17);
    for (int i = 0; i < 100000 && t->overs == 0; i++)
        say(t, "name: value\r\n", 13, 13);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "its fields have more than 262144 bytes");
}

UNIT_TEST(an_endless_field_ends_it) {
    static const char *const begins[] = {"name", "name: value"};
    char more[1000];
    memset(more, 'x', sizeof more);
    for (int i = 0; i < 2; i++) {
        struct talk t;
        begin(&t, &h1_exchange);
        say(&t, "HTTP/1.1 200 OK\r\n", 17, 17);
        say(&t, begins[i], strlen(begins[i]), 100);
        for (int k = 0; k < 1000 && t.overs == 0; k++)
            say(&t, more, sizeof more, sizeof more);
        assert_int_equal(t.overs, 1);
        assert_string_equal(t.response.reason, "its fields have more than 262144 bytes");
        finish(&t);
    }
}

H1_TEST(endless_interim_heads_end_it) {
    for (int i = 0; i < 1000 && t->overs == 0; i++)
        say(t, "HTTP/1.1 103 Early Hints\r\n\r\n", 28, 28);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "it has more than 100 interim responses (1xx)");
}

// Its connection ended without a word (close_notify): only what was framed by a length or chunks is whole.
H1_TEST(an_h1_connection_that_is_cut_off_is_told) {
    say(t, "HTTP/1.1 200 OK\r\n\r\nhello", 24, 24);
    h1_exchange.ended(t->exchange, "the connection was cut off");
    assert_int_equal(t->overs, 1);
    assert_string_equal(
        t->response.reason,
        "the connection was cut off before the end of the response, after 5 bytes of the body");
    assert_int_equal(t->response.last_byte_ns, 0);
}

// --- HTTP/2: frames by hand

// SETTINGS, HEADERS of stream 1 with `:status: 200` (static table), then what a case has.
#define FRAME(size, type, flags, payload) "\0\0" size type flags "\0\0\0\1" payload
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
#define HEADERS FRAME("\1", "\1", "\4", "\x88")
#define LENGTH_5 FRAME("\5", "\1", "\4", "\x88\x0f\x0d\x01\x35") // content-length: 5
#define SAY(frames) frames, sizeof(frames) - 1

static const struct {
    const char *said;
    size_t size;
    const char *failure; // NULL: it comes whole
    unsigned body_bytes;
} h2_cases[] = {
    {SAY(SETTINGS HEADERS FRAME("\5", "\0", "\1", "hello")), NULL, 5},
    {SAY(SETTINGS LENGTH_5 FRAME("\5", "\0", "\1", "hello")), NULL, 5},
    {SAY(SETTINGS LENGTH_5 FRAME("\3", "\0", "\1", "hel")),
     "the server broke the rules of HTTP/2 after 3 of the 5 bytes of content-length", 3},
    {SAY(SETTINGS LENGTH_5 FRAME("\0", "\0", "\1", "")),
     "the server broke the rules of HTTP/2 after 0 of the 5 bytes of content-length", 0},
    {SAY(SETTINGS HEADERS FRAME("\4", "\3", "\0", "\0\0\0\x0b")), "the stream was reset: ENHANCE_YOUR_CALM",
     0},
    {SAY(SETTINGS "\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0"), "the stream was reset: REFUSED_STREAM", 0},
    {SAY("HTTP/1.1 400 Bad Request\r\n\r\n"), "the server broke the rules of HTTP/2 (PROTOCOL_ERROR)", 0},
};

UNIT_TEST(h2_answers_are_read) {
    for (size_t i = 0; i < sizeof h2_cases / sizeof *h2_cases; i++)
        for (int whole = 0; whole < 2; whole++) {
            struct talk t;
            begin(&t, &h2_exchange);
            say(&t, h2_cases[i].said, h2_cases[i].size, whole ? 4096 : 1);
            if (t.overs != 1) fail_msg("case %zu is over %u times", i, t.overs);
            const char *failure = h2_cases[i].failure ? h2_cases[i].failure : "";
            if (strcmp(t.response.reason, failure) != 0) fail_msg("case %zu: %s", i, t.response.reason);
            assert_int_equal(t.response.body_bytes, h2_cases[i].body_bytes);
            assert_int_equal(t.response.last_byte_ns == 0, t.response.has_failed);
            if (!h2_cases[i].failure) assert_true(h2_exchange.is_reusable(t.exchange));
            finish(&t);
        }
}

H2_TEST(an_h2_connection_that_ends_is_told) {
    say(t, SAY(SETTINGS HEADERS FRAME("\5", "\0", "\0", "hello")), 4096);
    h2_exchange.ended(t->exchange, NULL);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "the server ended the connection after 5 bytes of the body");
}

// nghttp2 notices: how much of it it passes on before depends on the pieces.
UNIT_TEST(an_h2_body_behind_its_length_is_told) {
    static const char why[] = "the server broke the rules of HTTP/2 after ";
    for (size_t piece = 1; piece < 100; piece += 7) {
        struct talk t;
        begin(&t, &h2_exchange);
        say(&t, SAY(SETTINGS LENGTH_5 FRAME("\6", "\0", "\1", "hello!")), piece);
        assert_int_equal(t.overs, 1);
        assert_memory_equal(t.response.reason, why, sizeof why - 1);
        assert_int_equal(t.response.last_byte_ns, 0);
        finish(&t);
    }
}

H2_TEST(an_h2_goodbye_lets_the_response_end) {
    say(t,
        SAY(SETTINGS HEADERS FRAME("\5", "\0", "\0", "hello") "\0\0\x08\x07\0\0\0\0\0\0\0\0\1\0\0\0\0" FRAME(
            "\1", "\0", "\1", "!")),
        1);
    assert_int_equal(t->overs, 1);
    assert_false(t->response.has_failed);
    assert_int_equal(t->response.body_bytes, 6);
    assert_false(h2_exchange.is_reusable(t->exchange));
}

// A server that asks again and again, and reads no answer: what waits for it has a limit, also behind the
// end.
UNIT_TEST(unread_h2_answers_end_it) {
    static const struct {
        const char *said;
        size_t size;
    } floods[] = {{SAY("\0\0\x08\6\0\0\0\0\0pingpong")}, {SAY(SETTINGS)}};
    enum { ENOUGH = 400000, LIMIT = (1 << 20) + 100 };
    for (size_t i = 0; i < sizeof floods / sizeof *floods; i++) {
        struct talk t;
        begin(&t, &h2_exchange);
        say(&t, SAY(SETTINGS HEADERS), 4096);
        for (int k = 0; k < ENOUGH; k++)
            say(&t, floods[i].said, floods[i].size, 4096);
        assert_int_equal(t.overs, 1);
        assert_string_equal(t.response.reason, "the server asks for answers (PING, SETTINGS) and reads none");
        assert_in_range(buf_size(&t.out), 1 << 20, LIMIT);
        assert_false(h2_exchange.is_reusable(t.exchange));
        finish(&t);
    }
}

H2_TEST(endless_interim_h2_heads_end_it) {
    say(t, SAY(SETTINGS), 4096);
    for (int i = 0; i < 1000 && t->overs == 0; i++)
        say(t,
            SAY(FRAME("\5", "\1", "\4",
                      "\x08\x03"
                      "103")),
            4096);
    assert_int_equal(t->overs, 1);
    assert_string_equal(t->response.reason, "it has more than 100 interim responses (1xx)");
}
