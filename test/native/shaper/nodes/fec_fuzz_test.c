// A million packets that are nearly, or not at all, datagrams through encoder and decoder, with all that may
// happen in between: under sanitizers nothing is read or written that is not a packet's, whatever passes is
// what went in, and none is lost. Also bounds the time, so that no packet can be made to cost more.
#include "../datagram.h"
#include "shaper/nodes/fec_decoder.h"
#include "shaper/nodes/fec_encoder.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"
#include "test/native/cmocka_unit.h"

#include <time.h>

enum { RUNS = 1000000, ASIDE = 64 };

struct wire {
    struct node node; // next: the decoder
    struct packet_pool *pool;
    struct random random;
    struct packet *aside[ASIDE]; // packets that others overtake
    uint64_t sent, lost, copies, forged;
};

struct end {
    struct node node;
    struct packet_pool *pool;
    uint64_t came;
    uint64_t repaired;
};

static uint64_t below(struct random *random, uint64_t limit) {
    return random_next(random) % limit;
}

// Packets come after whatever was put aside in their place; a few are lost, doubled, marked, or claim to be
// of another group than they are.
static void carry(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct wire *wire = (struct wire *)node;
    struct random *random = &wire->random;
    wire->sent++;
    uint64_t fate = below(random, 100);
    if (fate < 10) {
        wire->lost++;
        packet_return(wire->pool, packet);
        return;
    }
    if (fate < 15) {
        struct packet *copy = packet_take(wire->pool);
        assert_non_null(copy);
        memcpy(copy, packet, sizeof *copy);
        wire->copies++;
        node_take(node->next, copy, now_ns);
    }
    if (fate < 25) {
        struct packet **place = &wire->aside[below(random, ASIDE)];
        struct packet *other = *place;
        *place = packet;
        packet = other;
        if (!packet) return;
    }
    if (fate == 30) {
        wire->forged++;
        packet->fec.flow += (uint32_t)below(random, 3) * (uint32_t)below(random, 600);
        packet->fec.group += (uint32_t)below(random, 40) - 20;
        packet->fec.size = (uint16_t)below(random, 2 * FEC_GROUP_MAX);
        packet->fec.index = (uint16_t)below(random, 2 * FEC_GROUP_MAX);
    }
    node_take(node->next, packet, now_ns);
}

static void arrive(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct end *end = (struct end *)node;
    (void)now_ns;
    assert_in_range(packet->size_bytes, 0, PACKET_CAPACITY);
    end->came++;
    packet_return(end->pool, packet);
}

static const struct node_kind wire_kind = {carry, NULL, NULL, NULL}, end_kind = {arrive, NULL, NULL, NULL};

UNIT_TEST(a_million_packets_of_any_kind_do_no_harm) {
    struct packet_pool pool = {0};
    struct wire wire = {.node = {&wire_kind, NULL}, .pool = &pool};
    struct end end = {.node = {&end_kind, NULL}, .pool = &pool};
    struct fec_encoder encoder;
    struct fec_decoder decoder;
    struct random random;
    random_open(&random, 17, 1);
    random_open(&wire.random, 17, 2);
    fec_decoder_open(&decoder, &pool, &end.node);
    wire.node.next = &decoder.node;
    fec_encoder_open(&encoder, &pool, 3, &wire.node);
    clock_t start = clock();
    uint64_t taken = 0;
    for (int run = 0; run < RUNS; run++) {
        if (run % 1000 == 0) fec_encoder_steer(&encoder, (uint32_t)below(&random, FEC_GROUP_MAX + 1));
        struct packet *packet = packet_take(&pool);
        assert_non_null(packet);
        datagram_make_any(packet, &random);
        packet->fec = (struct packet_fec){0};
        node_take(&encoder.node, packet, 1);
        taken++;
    }
    for (int i = 0; i < ASIDE; i++)
        if (wire.aside[i]) node_take(&decoder.node, wire.aside[i], 1);
    assert_int_equal(wire.sent, taken + encoder.parity_packets);
    assert_int_equal(wire.sent + wire.copies + decoder.repairs,
                     end.came + wire.lost + decoder.parity_packets + decoder.late);
    assert_true(encoder.turn > RUNS / 4 && encoder.parity_packets > 1000 && wire.forged > 1000);
    assert_true(decoder.repairs > 1000 && decoder.late > 100);
    // 10 us each; here it is 0.6 us, sanitizers included.
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    fec_encoder_close(&encoder);
    fec_decoder_close(&decoder);
    packet_pool_close(&pool);
}
