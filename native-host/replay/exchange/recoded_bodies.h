// Recorded bodies in another content coding, for clients that do not accept the recorded one: gzip if they
// accept that, else none. Made when first requested or all at the start, and kept until the end, since a lane
// may still be sending one.
#pragma once

#include "archive/recording.h"
#include "archive/variant.h"

#include <stddef.h>
#include <stdint.h>

struct recoded_bodies;

// The recording must outlive it. NULL when memory is short.
struct recoded_bodies *recoded_bodies_open(const struct recording *recording);
void recoded_bodies_close(struct recoded_bodies *bodies);

// In clear, Chromium accepts neither br nor zstd, and refuses what comes in them. So that no request waits
// for it, all these bodies are made gzip now.
void recoded_bodies_prepare(struct recoded_bodies *bodies);

// `accepted`: codings that will do. *coding is CODING_GZIP or CODING_IDENTITY. NULL: none can be made of it,
// and it is to be sent as it was recorded.
const uint8_t *recoded_body(struct recoded_bodies *bodies, const struct recorded_exchange *exchange,
                            enum coding recorded, unsigned accepted, enum coding *coding, size_t *size);
