// Recorded bodies without their content coding, for clients that do not accept it: decoded when first asked
// for, kept until the end, since a lane may still be sending one.
#ifndef TRILANE_REPLAY_DECODED_BODIES_H
#define TRILANE_REPLAY_DECODED_BODIES_H

#include "archive/recording.h"
#include "archive/variant.h"

#include <stddef.h>
#include <stdint.h>

struct decoded_bodies;

// The recording must outlive it. NULL when memory is short.
struct decoded_bodies *decoded_bodies_open(const struct recording *recording);
void decoded_bodies_close(struct decoded_bodies *bodies);

// NULL: it cannot be decoded (archive/content_decoding.h), and is to be sent as it was recorded.
const uint8_t *decoded_body(struct decoded_bodies *bodies, const struct recorded_exchange *exchange,
                            enum coding coding, size_t *size);

#endif
