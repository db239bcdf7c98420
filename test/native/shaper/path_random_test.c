// Whole paths of random settings, with traffic of many kinds and settings that change on the way: no packet
// is lost unseen, none is made up, the watcher hears of every drop, and nothing depends on when the loop
// wakes up.
#include "datagram.h"
#include "random_path.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"

#define MS UINT64_C(1000000)

enum { ROUNDS = 2000, PACKETS = 250, OUT_MAX = 4 * PACKETS, REASONS = DROP_MEMORY + 1 };

struct end {
    struct node node;
    struct packet_pool *pool;
    uint32_t count;
    uint64_t bytes;
    struct {
        uint64_t time_ns;
        uint32_t id; // of the content
    } out[OUT_MAX];
};

// Test traffic carries its number and flow in the UDP payload, or in the bytes behind an IP header.
static void arrive(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct end *end = (struct end *)node;
    assert_true(end->count < OUT_MAX);
    assert_true(end->count == 0 || now_ns >= end->out[end->count - 1].time_ns);
    uint16_t flow;
    uint32_t number;
    uint8_t protocol = packet->bytes[packet->bytes[0] >> 4 == 4 ? 9 : 6];
    packet->bytes[packet->bytes[0] >> 4 == 4 ? 9 : 6] = 17;
    if (protocol != 17) datagram_mark(packet, 0);       // for the checksum
    assert_true(datagram_read(packet, &flow, &number)); // to the last byte
    assert_int_equal(protocol, flow % 4 == 3 ? 6 : 17);
    end->out[end->count].time_ns = now_ns;
    end->out[end->count++].id = number << 8 | flow;
    end->bytes += packet->size_bytes;
    packet_return(end->pool, packet);
}

static const struct node_kind end_kind = {arrive, NULL, NULL, NULL};

struct watch {
    struct packet_watcher watcher;
    uint64_t drops[REASONS];
    uint64_t dropped_bytes;
};

static void ignore(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    (void)watcher, (void)packet, (void)now_ns;
}

static void note_drop(struct packet_watcher *watcher, const struct packet *packet, enum drop_reason reason,
                      uint64_t now_ns) {
    struct watch *watch = (struct watch *)watcher;
    (void)now_ns;
    watch->drops[reason]++;
    watch->dropped_bytes += packet->size_bytes;
}

// Traffic of a seed: bursts and pauses, of a few flows of datagrams and one of other packets.
static struct packet *next_packet(struct packet_pool *pool, struct random *random, uint32_t number) {
    struct packet *packet = packet_take(pool);
    assert_non_null(packet);
    uint16_t flow = (uint16_t)(random_next(random) % 4);
    uint32_t payload_bytes = random_next(random) % 3 ? 1400 : 4 + (uint32_t)(random_next(random) % 1400);
    datagram_make(packet, flow % 2 ? 4 : 6, flow, number, payload_bytes, 2);
    if (flow == 3) { // not UDP
        packet->bytes[9] = 6;
        datagram_mark(packet, 2);
    }
    return packet;
}

enum wake { WAKE_EXACTLY, WAKE_LATE, WAKE_NEVER };

struct tally {
    uint64_t taken_bytes, reordered, copies, repairs, parity, marks, drops[REASONS];
};

static void assert_books(const struct path *path, const struct end *end, const struct watch *watch,
                         uint32_t taken) {
    const struct fec_decoder *decoder = &path->fec_decoder;
    uint64_t drops = 0;
    for (int i = 0; i < REASONS; i++)
        drops += watch->drops[i];
    assert_int_equal(taken + path->duplicate.copies + path->fec_encoder.parity_packets + decoder->repairs,
                     end->count + drops + decoder->parity_packets + decoder->late + path_held(path));
}

static void run(const struct link_profile profiles[2], uint64_t seed, enum wake wake, struct end *end,
                struct tally *tally) {
    struct packet_pool pool = {0};
    struct watch watch = {.watcher = {ignore, ignore, ignore, ignore, ignore, note_drop}};
    pool.watcher = &watch.watcher;
    end->node = (struct node){&end_kind, NULL};
    end->pool = &pool;
    end->count = 0;
    end->bytes = 0;
    static struct path path;
    struct random traffic, waking;
    random_open(&traffic, seed, 1);
    random_open(&waking, seed, 2);
    uint64_t now_ns = 1000 * MS, pace_ns = 1 + random_next(&traffic) % MS, taken_bytes = 0;
    path_open(&path, &profiles[0], PATH_UP, &pool, &end->node);
    path_start(&path, now_ns);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (random_next(&traffic) % 4)
            now_ns += random_next(&traffic) % (random_next(&traffic) % 50 ? 2 : 100) * pace_ns;
        while (wake != WAKE_NEVER && path_due_ns(&path) <= now_ns) {
            uint64_t wake_ns = path_due_ns(&path);
            if (wake == WAKE_LATE) wake_ns += random_next(&waking) % (20 * MS);
            path_advance(&path, wake_ns < now_ns ? wake_ns : now_ns);
        }
        if (i == PACKETS / 2) (seed % 2 ? path_switch : path_steer)(&path, &profiles[1], now_ns);
        struct packet *packet = next_packet(&pool, &traffic, i);
        taken_bytes += packet->size_bytes;
        path_take(&path, packet, now_ns);
        assert_books(&path, end, &watch, i + 1);
    }
    while (wake == WAKE_EXACTLY && path_due_ns(&path) != NODE_NEVER)
        path_advance(&path, path_due_ns(&path));
    path_advance(&path, UINT64_MAX / 2);
    assert_true(path_due_ns(&path) == NODE_NEVER);
    const struct rate_settings *rate = &profiles[1].up.rate;
    bool ends = rate->kind == RATE_TRACE && rate->trace_once; // what it has not sent by then, it never sends
    assert_true(ends || path_held(&path) == 0);
    assert_books(&path, end, &watch, PACKETS);
    if (path.fec_encoder.parity_packets == 0 && path_held(&path) == 0)
        assert_int_equal(taken_bytes + path.duplicate.copied_bytes, end->bytes + watch.dropped_bytes);
    assert_int_equal(watch.drops[DROP_QUEUE], path.link.queue.drops);
    assert_int_equal(watch.drops[DROP_AQM], path.link.queue.aqm_drops);
    assert_int_equal(watch.drops[DROP_LOSS], path.loss.drops);
    assert_int_equal(watch.drops[DROP_OFF], path.onoff.drops);
    assert_int_equal(watch.drops[DROP_UDP], path.udp_policy.drops);
    assert_int_equal(watch.drops[DROP_MOVED_QUEUED] + watch.drops[DROP_MOVED_SENT], path.moved);
    if (wake == WAKE_EXACTLY) {
        tally->reordered += path.reorder.reordered;
        tally->copies += path.duplicate.copies;
        tally->repairs += path.fec_decoder.repairs;
        tally->marks += path.link.queue.marks;
        tally->parity += path.fec_encoder.parity_packets;
        for (int i = 0; i < REASONS; i++)
            tally->drops[i] += watch.drops[i];
    }
    path_close(&path);
    packet_pool_close(&pool);
}

UNIT_TEST(every_packet_is_accounted_for_whenever_the_loop_wakes) {
    struct random_path_files files;
    random_path_open(&files);
    struct end *exact = malloc(sizeof *exact), *other = malloc(sizeof *other);
    struct tally tally = {0};
    struct random random;
    random_open(&random, 4, 1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static struct link_profile profiles[2];
        memset(profiles, 0, sizeof profiles);
        for (int i = 0; i < 2; i++) {
            profiles[i].up = random_path_settings(&files, &random);
            profiles[i].udp = random_path_udp(&random);
            profiles[i].seed = (uint32_t)round;
        }
        run(profiles, round, WAKE_EXACTLY, exact, &tally);
        for (int w = WAKE_LATE; w <= WAKE_NEVER; w++) {
            run(profiles, round, (enum wake)w, other, &tally);
            assert_int_equal(other->count, exact->count);
            for (uint32_t i = 0; i < exact->count; i++) {
                assert_int_equal(other->out[i].id, exact->out[i].id);
                assert_true(other->out[i].time_ns == exact->out[i].time_ns);
            }
        }
    }
    // All of it did happen.
    assert_true(tally.reordered > ROUNDS && tally.copies > ROUNDS && tally.parity > ROUNDS);
    assert_true(tally.repairs > ROUNDS / 4 && tally.marks > ROUNDS / 4);
    assert_true(tally.drops[DROP_LOSS] > ROUNDS && tally.drops[DROP_OFF] > ROUNDS);
    assert_true(tally.drops[DROP_UDP] > ROUNDS);
    assert_true(tally.drops[DROP_MOVED_QUEUED] > ROUNDS / 4 && tally.drops[DROP_MOVED_SENT] > ROUNDS / 4);
    assert_true(tally.drops[DROP_QUEUE] > ROUNDS && tally.drops[DROP_AQM] > ROUNDS);
    free(exact);
    free(other);
    random_path_close(&files);
}
