// What a client may write against RFC 9114 and RFC 9204, and what should come of it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Streams of a client: requests, and those of one direction.
enum { REQUEST = 0, GOOD_REQUEST = 4, CONTROL = 2, ENCODER = 6, DECODER = 10, OTHER = 14 };

// Error codes: RFC 9114, 8.1; RFC 9204, 6.
enum {
    FINE = 0, // answered
    STREAM_CREATION_ERROR = 0x103,
    CLOSED_CRITICAL_STREAM = 0x104,
    FRAME_UNEXPECTED = 0x105,
    FRAME_ERROR = 0x106,
    EXCESSIVE_LOAD = 0x107,
    ID_ERROR = 0x108,
    SETTINGS_ERROR = 0x109,
    MISSING_SETTINGS = 0x10a,
    QPACK_DECOMPRESSION_FAILED = 0x200,
    // Of a stream; all others are of the connection.
    REQUEST_INCOMPLETE = 0x10d,
    MESSAGE_ERROR = 0x10e,
};

enum { PIECES_MAX = 4 };

struct piece {
    uint64_t stream;
    const char *bytes;
    size_t size;
    bool fin;
    bool reset; // after the bytes
};

struct attempt {
    const char *name;
    uint64_t error;
    struct piece pieces[PIECES_MAX];
};

// To write on a stream, to write and end it, to write and reset it.
#define ON(stream, text) ((struct piece){stream, text, sizeof(text) - 1, false, false})
#define LAST_ON(stream, text) ((struct piece){stream, text, sizeof(text) - 1, true, false})
#define RESET_ON(stream, text) ((struct piece){stream, text, sizeof(text) - 1, false, true})

// A field section is a prefix, here of no dynamic table, and lines. HEADERS' type is 1, then comes its
// length.
#define SECTION "\x00\x00"
#define METHOD_GET "\xd1"
#define HTTPS "\xd7"
#define AUTHORITY                                                                                            \
    "\x50\x06"                                                                                               \
    "a.test"
#define PATH "\x51\x06/small"
#define GET SECTION METHOD_GET HTTPS AUTHORITY PATH // 20 bytes
#define GET_SMALL "\x01\x14" GET
#define SETTINGS "\x00\x04\x00"

struct attempts {
    const struct attempt *list;
    size_t count;
};
// What the RFCs have an answer for.
extern const struct attempts attempts_by_the_rfcs;
// Where quiche 0.30 differs: what it does.
extern const struct attempts attempts_by_quiche;
