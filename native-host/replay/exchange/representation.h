// The response that is sent for a recorded one: as it was recorded, or as the request's conditions and range
// make of it (304, 412, 206, 416), in another coding for who does not accept its own. Does not choose between
// recorded ones (archive/matcher.h).
#pragma once

#include "archive/matcher.h"
#include "replay/exchange/request_selectors.h"
#include "replay/exchange/unrecorded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Recorded bodies in another content coding, for clients that do not accept the recorded one: gzip if they
// accept that, else none. Made when first requested or all at the start, and kept until the end, since a lane
// may still be sending one.
struct recoded_bodies;

// The recording must outlive it. NULL when memory is short.
struct recoded_bodies *recoded_bodies_open(const struct recording *recording);
void recoded_bodies_close(struct recoded_bodies *bodies);

// In clear, Chromium accepts neither br nor zstd, and refuses what comes in them. So that no request waits
// for it, all these bodies are made gzip now.
void recoded_bodies_prepare(struct recoded_bodies *bodies);

enum { CONTENT_RANGE_SIZE = 80 };

struct representation {
    uint16_t status;
    const struct header *headers;
    size_t header_count;
    const uint8_t *body; // lives as long as the recording, or as `recoded`
    uint64_t body_size;  // 0 also for HEAD, 204 and 304
    // For content-length. Of a HEAD it is the size that the body would have, where that is known.
    bool has_length;
    uint64_t length;
    bool is_recoded;
    struct header *own_headers; // NULL: `headers` are the recording's, or the next
    struct header unrecorded_headers[UNRECORDED_HEADERS_MAX];
    char content_range[CONTENT_RANGE_SIZE];
};

// `answer` as the matcher gave it; `unrecorded` of one that it missed (unrecorded.h). 0, or -1 when memory is
// short. `representation` is not to be moved, and points into `selectors`.
int representation_make(struct representation *representation, const struct match_answer *answer,
                        enum unrecorded unrecorded, const struct request_selectors *selectors,
                        struct recoded_bodies *recoded);
void representation_free(struct representation *representation);
