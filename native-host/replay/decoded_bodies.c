#include "replay/decoded_bodies.h"

#include "archive/content_decoding.h"

#include <stdbool.h>
#include <stdlib.h>

struct decoded {
    uint8_t *bytes;
    size_t size;
    bool tried;
};

struct decoded_bodies {
    const struct recording *recording;
    struct decoded *decoded; // of each exchange; NULL until one is asked for
};

struct decoded_bodies *decoded_bodies_open(const struct recording *recording) {
    struct decoded_bodies *bodies = calloc(1, sizeof *bodies);
    if (bodies) bodies->recording = recording;
    return bodies;
}

void decoded_bodies_close(struct decoded_bodies *bodies) {
    if (!bodies) return;
    for (size_t i = 0; bodies->decoded && i < bodies->recording->exchange_count; i++)
        free(bodies->decoded[i].bytes);
    free(bodies->decoded);
    free(bodies);
}

const uint8_t *decoded_body(struct decoded_bodies *bodies, const struct recorded_exchange *exchange,
                            enum coding coding, size_t *size) {
    if (!bodies->decoded)
        bodies->decoded = calloc(bodies->recording->exchange_count, sizeof *bodies->decoded);
    if (!bodies->decoded) return NULL;
    struct decoded *decoded = &bodies->decoded[exchange - bodies->recording->exchanges];
    if (!decoded->tried) {
        decoded->tried = true;
        decoded->bytes = content_decode(coding, exchange->body, (size_t)exchange->body_size, &decoded->size);
    }
    *size = decoded->size;
    return decoded->bytes;
}
