// trilane-fetch over h3 against a server that keeps to QUIC but not to HTTP/3: each of its ways has its row,
// in time, and what is whole counts.
#include "hostile_h3.h"
#include "rows.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

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
