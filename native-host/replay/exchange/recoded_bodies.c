#include "replay/exchange/recoded_bodies.h"

#include "archive/content_coding.h"

#include <stdbool.h>
#include <stdlib.h>

struct made {
    uint8_t *bytes; // NULL: it cannot be made
    size_t size;
    bool tried;
};

struct recoded {
    struct made plain;
    struct made gzip;
};

struct recoded_bodies {
    const struct recording *recording;
    struct recoded *recoded; // of each exchange; NULL until one is needed
};

struct recoded_bodies *recoded_bodies_open(const struct recording *recording) {
    struct recoded_bodies *bodies = calloc(1, sizeof *bodies);
    if (bodies) bodies->recording = recording;
    return bodies;
}

void recoded_bodies_close(struct recoded_bodies *bodies) {
    if (!bodies) return;
    for (size_t i = 0; bodies->recoded && i < bodies->recording->exchange_count; i++) {
        free(bodies->recoded[i].plain.bytes);
        free(bodies->recoded[i].gzip.bytes);
    }
    free(bodies->recoded);
    free(bodies);
}

static void make_plain(struct made *plain, const struct recorded_exchange *exchange, enum coding recorded) {
    if (plain->tried) return;
    plain->tried = true;
    plain->bytes = content_decode(recorded, exchange->body, (size_t)exchange->body_size, &plain->size);
}

static void make_gzip(struct recoded *recoded, const struct recorded_exchange *exchange,
                      enum coding recorded) {
    if (recoded->gzip.tried) return;
    recoded->gzip.tried = true;
    const bool plain_was_wanted = recoded->plain.tried;
    make_plain(&recoded->plain, exchange, recorded);
    if (recoded->plain.bytes)
        recoded->gzip.bytes = content_gzip(recoded->plain.bytes, recoded->plain.size, &recoded->gzip.size);
    if (plain_was_wanted || !recoded->gzip.bytes) return;
    free(recoded->plain.bytes);
    recoded->plain = (struct made){0};
}

const uint8_t *recoded_body(struct recoded_bodies *bodies, const struct recorded_exchange *exchange,
                            enum coding recorded, unsigned accepted, enum coding *coding, size_t *size) {
    if (!bodies->recoded)
        bodies->recoded = calloc(bodies->recording->exchange_count, sizeof *bodies->recoded);
    if (!bodies->recoded) return NULL;
    struct recoded *recoded = &bodies->recoded[exchange - bodies->recording->exchanges];
    const struct made *made = &recoded->plain;
    *coding = CODING_IDENTITY;
    if (accepted & CODING_GZIP) {
        make_gzip(recoded, exchange, recorded);
        made = &recoded->gzip;
        *coding = CODING_GZIP;
    } else if (accepted & CODING_IDENTITY) {
        make_plain(&recoded->plain, exchange, recorded);
    }
    *size = made->size;
    return made->bytes;
}

void recoded_bodies_prepare(struct recoded_bodies *bodies) {
    for (size_t i = 0; i < bodies->recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &bodies->recording->exchanges[i];
        const struct header *header = recorded_header(exchange, "content-encoding");
        const enum coding recorded = header ? coding_of(header->value, header->value_size) : CODING_IDENTITY;
        if (exchange->body_size == 0 || !(recorded & (CODING_BR | CODING_ZSTD))) continue;
        enum coding coding;
        size_t size;
        recoded_body(bodies, exchange, recorded, CODING_GZIP, &coding, &size);
    }
}
