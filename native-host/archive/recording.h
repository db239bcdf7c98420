// A recording opened for replay: its exchanges in memory, its bodies mapped from the archive's body files.
// Read-only; does not import, match or serve. The archive's contract is schemas/archive.sql.
#pragma once

#include "archive/recorded_certificate.h"
#include "archive/recorded_failures.h"

#include <stddef.h>
#include <stdint.h>

enum { RECORDING_HASH_BYTES = 32 };

struct header {
    const char *name; // lower case; NUL-terminated
    const char *value;
    size_t name_size;
    size_t value_size;
};

// A 103 response that came before the final one.
struct recorded_hint {
    struct header *headers;
    size_t header_count;
    uint64_t time_ns; // from the whole request on; 0: at once, or not known
};

// What a request was for (archive/destination.h). PAGE: a document, at the top or in a frame. OTHER: what is
// navigated to at the top, and all else.
enum destination {
    DESTINATION_UNKNOWN,
    DESTINATION_PAGE,
    DESTINATION_FRAME,
    DESTINATION_SCRIPT,
    DESTINATION_STYLE,
    DESTINATION_IMAGE,
    DESTINATION_FONT,
    DESTINATION_MEDIA,
    DESTINATION_FETCH,
    DESTINATION_OTHER
};

// One recorded request and its response. All pointers live as long as the recording.
struct recorded_exchange {
    int64_t seq; // in recorded order, from 0
    const char *method;
    const char *scheme;                 // "http" or "https"
    const char *host;                   // lower case, without port
    uint16_t port;                      // as in the URL, 80 or 443 by default
    const char *path;                   // with query, as on the wire
    const char *address;                // the server address it is replayed from, text form
    const uint8_t *request_body_sha256; // RECORDING_HASH_BYTES; NULL: the request had no body
    enum destination destination;
    uint16_t status;
    struct header *headers; // hop-by-hop and content-length left out: each lane writes its own framing
    size_t header_count;
    struct recorded_hint *hints; // in their order
    size_t hint_count;
    const uint8_t *body; // as on the wire (content-encoded), mapped; NULL when empty
    uint64_t body_size;
    int64_t server_time_ns;                         // the recorded server's think time; -1: not known
    const struct recorded_certificate *certificate; // its server's; NULL: not known
    const char *connection;                         // the source's name of its connection; NULL: not known
    uint32_t record_bytes; // of its server's TLS records when a connection is young; 0: not known
};

struct recording {
    int64_t id;
    const char *name;
    const char *url;    // the page's start URL
    const char *digest; // SHA-256 of all exchanges, hex: results refuse to mix recordings that differ
    struct recorded_exchange *exchanges;
    size_t exchange_count;
    struct recorded_failures *failures; // NULL: none
    struct recording_memory *memory;    // what all the above points into
};

// Opens recording `name` of the archive in folder `home` (home/archive.db, home/bodies). 0, or -1 with one
// line that names the thing and the remedy in `error`.
int recording_open(struct recording *recording, const char *home, const char *name, char *error,
                   size_t error_size);
void recording_close(struct recording *recording);
