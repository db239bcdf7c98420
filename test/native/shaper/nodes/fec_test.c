// Forward error correction in virtual time, encoder and decoder with a network between them that loses,
// doubles, reorders and marks as each test wants it: what is repaired is what was lost, to the last byte, and
// nothing else is touched.
#include "../datagram.h"
#include "shaper/nodes/fec_decoder.h"
#include "shaper/nodes/fec_encoder.h"
#include "shaper/nodes/settings.h"
#include "test/native/cmocka_unit.h"

enum { KEPT_MAX = 4096 };

// Encoder, a list of what is on the way, decoder, a list of what came.
struct lane {
    struct packet_pool pool;
    struct fec_encoder encoder;
    struct fec_decoder decoder;
    struct node wire;
    struct packet *on_the_way[KEPT_MAX];
    uint32_t sent;
    struct node end;
    struct packet *come[KEPT_MAX];
    uint32_t came;
};

static void send(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct lane *lane = (struct lane *)((char *)node - offsetof(struct lane, wire));
    (void)now_ns;
    assert_true(lane->sent < KEPT_MAX);
    lane->on_the_way[lane->sent++] = packet;
}

static void arrive(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct lane *lane = (struct lane *)((char *)node - offsetof(struct lane, end));
    (void)now_ns;
    assert_true(lane->came < KEPT_MAX);
    lane->come[lane->came++] = packet;
}

static const struct node_kind wire_kind = {send, NULL, NULL, NULL}, end_kind = {arrive, NULL, NULL, NULL};

static struct lane *lane_open(uint32_t group) {
    struct lane *lane = calloc(1, sizeof *lane);
    lane->wire = (struct node){&wire_kind, NULL};
    lane->end = (struct node){&end_kind, NULL};
    fec_encoder_open(&lane->encoder, &lane->pool, group, &lane->wire);
    fec_decoder_open(&lane->decoder, &lane->pool, &lane->end);
    return lane;
}

static void lane_close(struct lane *lane) {
    fec_encoder_close(&lane->encoder);
    fec_decoder_close(&lane->decoder);
    packet_pool_close(&lane->pool);
    free(lane);
}

static struct packet *make(struct lane *lane, int version, uint16_t flow, uint32_t number,
                           uint32_t payload_bytes) {
    struct packet *packet = packet_take(&lane->pool);
    assert_non_null(packet);
    packet->fec = (struct packet_fec){0};
    datagram_make(packet, version, flow, number, payload_bytes, 2);
    return packet;
}

static void encode(struct lane *lane, struct packet *packet) {
    node_take(&lane->encoder.node, packet, 1);
}

static void lose(struct lane *lane, uint32_t i) {
    packet_return(&lane->pool, lane->on_the_way[i]);
    lane->on_the_way[i] = NULL;
}

static void decode(struct lane *lane) {
    for (uint32_t i = 0; i < lane->sent; i++)
        if (lane->on_the_way[i]) node_take(&lane->decoder.node, lane->on_the_way[i], 2);
    lane->sent = 0;
}

static void assert_datagram(const struct packet *packet, uint16_t flow, uint32_t number) {
    uint16_t seen_flow;
    uint32_t seen_number;
    assert_true(datagram_read(packet, &seen_flow, &seen_number));
    assert_int_equal(seen_flow, flow);
    assert_int_equal(seen_number, number);
}

static void clear(struct lane *lane) {
    for (uint32_t i = 0; i < lane->came; i++)
        packet_return(&lane->pool, lane->come[i]);
    lane->came = 0;
}

// Sizes from 4 bytes of payload to what fills an MTU of 1500.
static uint32_t payload_of(uint32_t number) {
    return number % 5 == 0 ? 1452 : 4 + number * 37 % 1449;
}

UNIT_TEST(parity_follows_each_full_group_and_fits) {
    for (int version = 4; version <= 6; version += 2)
        for (uint32_t group = 1; group <= FEC_GROUP_MAX; group++) {
            struct lane *lane = lane_open(group);
            uint32_t longest = 0;
            for (uint32_t i = 0; i < 2 * group + group / 2; i++) {
                encode(lane, make(lane, version, 9, i, payload_of(i)));
                uint32_t size = payload_of(i) + (version == 4 ? 28 : 48);
                if (i % group == 0) longest = 0;
                if (size > longest) longest = size;
                assert_datagram(lane->on_the_way[i + i / group], 9, i); // as it was
                assert_int_equal(lane->sent, i + 1 + (i + 1) / group);
                if ((i + 1) % group != 0) continue;
                const struct packet *parity = lane->on_the_way[lane->sent - 1];
                assert_int_equal(parity->size_bytes, longest);
                assert_int_equal(parity->bytes[version == 4 ? 9 : 6], FEC_PROTOCOL);
                assert_int_equal(fec_ecn(parity), 2);
            }
            assert_int_equal(lane->encoder.parity_packets, 2);
            decode(lane);
            assert_int_equal(lane->came, 2 * group + group / 2);
            for (uint32_t i = 0; i < lane->came; i++)
                assert_datagram(lane->come[i], 9, i);
            assert_int_equal(lane->decoder.parity_packets, 2);
            assert_int_equal(lane->decoder.repairs + lane->decoder.failures + lane->decoder.late, 0);
            lane_close(lane);
        }
}

UNIT_TEST(any_one_of_a_group_is_repaired) {
    for (int version = 4; version <= 6; version += 2)
        for (uint32_t group = 1; group <= 12; group++)
            for (uint32_t lost = 0; lost <= group; lost++) { // `group`: the parity packet
                struct lane *lane = lane_open(group);
                for (uint32_t i = 0; i < group; i++)
                    encode(lane, make(lane, version, 3, i, payload_of(i + lost)));
                lose(lane, lost);
                decode(lane);
                assert_int_equal(lane->came, group);
                for (uint32_t i = 0; i < group; i++) // the repaired one last
                    assert_datagram(lane->come[i], 3,
                                    i == group - 1 && lost < group ? lost
                                    : i < lost                     ? i
                                                                   : i + 1);
                assert_int_equal(lane->decoder.repairs, lost < group);
                assert_int_equal(lane->decoder.failures, 0);
                lane_close(lane);
            }
}

UNIT_TEST(two_of_a_group_are_lost_for_good) {
    struct lane *lane = lane_open(4);
    for (uint32_t i = 0; i < 12; i++)
        encode(lane, make(lane, 4, 3, i, payload_of(i)));
    lose(lane, 1); // two of the first group
    lose(lane, 3);
    lose(lane, 7); // one, and the parity packet, of the second
    lose(lane, 9);
    decode(lane);
    static const uint32_t kept[] = {0, 2, 4, 5, 7, 8, 9, 10, 11};
    assert_int_equal(lane->came, 9);
    for (int i = 0; i < 9; i++)
        assert_datagram(lane->come[i], 3, kept[i]);
    assert_int_equal(lane->decoder.repairs, 0);
    assert_int_equal(lane->decoder.failures, 1); // of the second group the decoder cannot know that it ended
    assert_int_equal(lane->decoder.parity_packets, 2);
    lane_close(lane);
}

// Queues mark packets on the way; the repaired one says what the network said of the parity packet.
UNIT_TEST(marks_on_the_way_do_no_harm) {
    for (int version = 4; version <= 6; version += 2)
        for (int marked = 0; marked < 32; marked++) {
            struct lane *lane = lane_open(4);
            for (uint32_t i = 0; i < 4; i++)
                encode(lane, make(lane, version, 3, i, payload_of(i)));
            for (int i = 0; i < 5; i++)
                if (marked >> i & 1) datagram_mark(lane->on_the_way[i], 3);
            lose(lane, 2);
            decode(lane);
            assert_int_equal(lane->came, 4);
            assert_datagram(lane->come[3], 3, 2);
            assert_int_equal(fec_ecn(lane->come[3]), marked >> 4 ? 3 : 2);
            lane_close(lane);
        }
}

// What is not a whole UDP datagram behind a plain header passes as it is, and counts in no group.
UNIT_TEST(all_else_passes_untouched) {
    static const struct {
        int version;
        uint32_t at;
        uint8_t value;
    } changes[] = {
        {4, 9, 6},    {4, 9, 1},    {4, 9, 47},   {4, 6, 0x20}, // TCP, ICMP, GRE, more fragments
        {4, 7, 1},    {4, 6, 0x80}, {4, 0, 0x46}, {4, 3, 99},   // an offset, a reserved flag, options, length
        {4, 24, 200}, {4, 25, 7},   {4, 0, 0x55}, {4, 0, 0x44}, // UDP's length, version 5, too short a header
        {6, 6, 6},    {6, 6, 58},   {6, 6, 0},    {6, 6, 44},   // TCP, ICMPv6, hop-by-hop, fragment
        {6, 6, 60},   {6, 6, 43},   {6, 6, 50},   {6, 5, 9},    // other extensions, length
        {6, 44, 200}, {6, 45, 7},   {6, 0, 0x70}, {6, 6, FEC_PROTOCOL},
    };
    struct lane *lane = lane_open(2);
    uint32_t count = sizeof changes / sizeof changes[0];
    for (uint32_t i = 0; i < count; i++) {
        struct packet *packet = make(lane, changes[i].version, 3, i, 100);
        packet->bytes[changes[i].at] = changes[i].value;
        struct packet before = *packet;
        encode(lane, packet);
        assert_int_equal(lane->sent, 1);
        assert_int_equal(packet->fec.size, 0);
        decode(lane);
        assert_int_equal(lane->came, 1);
        assert_memory_equal(lane->come[0]->bytes, before.bytes, before.size_bytes);
        assert_int_equal(lane->come[0]->size_bytes, before.size_bytes);
        clear(lane);
    }
    assert_int_equal(lane->encoder.turn, 0);
    lane_close(lane);
}

// Datagrams of many flows mixed: groups are of one flow each.
UNIT_TEST(flows_have_groups_of_their_own) {
    struct lane *lane = lane_open(3);
    enum { FLOWS = 100 };
    for (uint32_t round = 0; round < 6; round++)
        for (uint32_t flow = 0; flow < FLOWS; flow++)
            encode(lane, make(lane, flow % 2 ? 4 : 6, (uint16_t)flow, round * FLOWS + flow,
                              payload_of(flow + round)));
    assert_int_equal(lane->encoder.parity_packets, 2 * FLOWS);
    for (uint32_t i = FLOWS; i < 2 * FLOWS; i++) // a whole round: one of each flow's group
        lose(lane, i);
    decode(lane);
    assert_int_equal(lane->came, 6 * FLOWS);
    assert_int_equal(lane->decoder.repairs, FLOWS);
    static bool seen[6 * FLOWS];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < lane->came; i++) {
        uint16_t flow;
        uint32_t number;
        assert_true(datagram_read(lane->come[i], &flow, &number));
        assert_int_equal(number % FLOWS, flow);
        assert_false(seen[number]);
        seen[number] = true;
    }
    lane_close(lane);
}

// The parity packet first, the datagrams backwards, everything twice: each comes once, or twice where it was
// sent twice.
UNIT_TEST(order_and_copies_do_not_matter) {
    for (int twice = 0; twice < 2; twice++) {
        struct lane *lane = lane_open(5);
        for (uint32_t i = 0; i < 5; i++)
            encode(lane, make(lane, 4, 3, i, payload_of(i)));
        lane->sent = 0;
        for (int i = 5; i >= 0; i--) {
            struct packet *copy = packet_take(&lane->pool);
            *copy = *lane->on_the_way[i];
            node_take(&lane->decoder.node, lane->on_the_way[i], 2);
            if (twice)
                node_take(&lane->decoder.node, copy, 2);
            else
                packet_return(&lane->pool, copy);
        }
        // With four datagrams and the parity packet here, the first is repaired before it comes itself.
        assert_int_equal(lane->came, twice ? 10 : 5);
        assert_int_equal(lane->decoder.repairs, 1);
        assert_int_equal(lane->decoder.late, 1);
        assert_int_equal(lane->decoder.failures, 0);
        int seen[5] = {0};
        for (uint32_t i = 0; i < lane->came; i++) {
            uint16_t flow;
            uint32_t number;
            assert_true(datagram_read(lane->come[i], &flow, &number));
            seen[number]++;
        }
        for (int i = 0; i < 5; i++)
            assert_int_equal(seen[i], 1 + twice);
        lane_close(lane);
    }
}

// The pool's slabs, which begin with the next one's address; all packets of which are back.
static uint64_t slabs(const struct lane *lane) {
    uint64_t slabs = 0, packets = 0;
    for (void *slab = lane->pool.slabs; slab; memcpy(&slab, slab, sizeof slab))
        slabs++;
    for (const struct packet *packet = lane->pool.free; packet; packet = packet->next)
        packets++;
    assert_int_equal(packets % slabs, 0); // 128 in each
    assert_true(packets / slabs >= 64);
    return slabs;
}

// Flows have places, which go from one to another; what comes later of the one before passes, and does no
// harm to the one that has the place now.
UNIT_TEST(late_packets_of_a_forgotten_flow_pass) {
    struct lane *lane = lane_open(3);
    for (uint32_t i = 0; i < 3; i++)
        encode(lane, make(lane, 4, 3, i, 100));
    uint32_t flow = lane->on_the_way[0]->fec.flow + FEC_FLOWS; // the same place
    for (uint32_t i = 0; i < 2; i++) {
        struct packet *packet = make(lane, 4, 4, 10 + i, 200);
        packet->fec = (struct packet_fec){flow, 1, 3, (uint16_t)i};
        node_take(&lane->decoder.node, packet, 1);
    }
    decode(lane); // all three and their parity packet, late
    struct packet *parity = packet_take(&lane->pool);
    parity->fec = (struct packet_fec){flow, 1, 3, 3};
    parity->size_bytes = 0;
    for (uint32_t i = 10; i < 13; i++) {
        struct packet *part = make(lane, 4, 4, i, 200);
        fec_add(parity, part);
        packet_return(&lane->pool, part);
    }
    fec_make_parity(parity, 2);
    node_take(&lane->decoder.node, parity, 3);
    assert_int_equal(lane->came, 2 + 3 + 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_datagram(lane->come[2 + i], 3, i);
    assert_datagram(lane->come[5], 4, 12);
    lane_close(lane);
}

// A sender may set the ECN field of some of its datagrams only.
UNIT_TEST(ecn_does_not_part_a_flow) {
    for (int version = 4; version <= 6; version += 2) {
        struct lane *lane = lane_open(4);
        for (uint32_t i = 0; i < 4; i++) {
            struct packet *packet = make(lane, version, 3, i, payload_of(i));
            datagram_mark(packet, (uint8_t)i);
            encode(lane, packet);
        }
        assert_int_equal(lane->sent, 5);
        lose(lane, 1);
        decode(lane);
        assert_datagram(lane->come[3], 3, 1);
        lane_close(lane);
    }
}

// A hundred thousand flows of one datagram each, and one among them that goes on.
UNIT_TEST(incomplete_groups_neither_hold_nor_pile_up) {
    struct lane *lane = lane_open(8);
    uint32_t number = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        encode(lane, make(lane, 4, (uint16_t)(1000 + i % 60000), number++, 500));
        if (i % 50 == 0) encode(lane, make(lane, 6, 7, number++, 900));
        for (uint32_t s = 0; s < lane->sent; s++)
            if (lane->on_the_way[s]->fec.index == 3) lose(lane, s);
        uint32_t expected = 0;
        for (uint32_t s = 0; s < lane->sent; s++)
            expected += lane->on_the_way[s] && lane->on_the_way[s]->fec.index < 8;
        uint64_t repairs = lane->decoder.repairs;
        decode(lane);
        assert_int_equal(lane->came, expected + lane->decoder.repairs - repairs);
        clear(lane);
    }
    assert_in_range(lane->decoder.repairs, 245, 250); // of 2000 datagrams of the flow that went on
    fec_encoder_close(&lane->encoder);
    fec_decoder_close(&lane->decoder);
    assert_in_range(slabs(lane), 1, 5); // one sum for each place at either end, and what was on the way
    lane_close(lane);
}

UNIT_TEST(steering_keeps_the_groups_that_are_begun) {
    struct lane *lane = lane_open(3);
    for (uint32_t i = 0; i < 20; i++) {
        if (i == 4) fec_encoder_steer(&lane->encoder, 2);
        if (i == 12) fec_encoder_steer(&lane->encoder, 0);
        encode(lane, make(lane, 4, 3, i, payload_of(i)));
    }
    // 3 and parity, 3 and parity (begun before), 2 and parity thrice, then none.
    assert_int_equal(lane->sent, 20 + 2 + 3);
    lose(lane, 5);
    lose(lane, 8);
    decode(lane);
    assert_int_equal(lane->came, 20);
    assert_int_equal(lane->decoder.repairs, 2);
    lane_close(lane);
}

// Independent losses of data and parity packets against what each group's losses must lead to.
UNIT_TEST(counters_say_what_became_of_each_group) {
    srand(21);
    uint64_t repaired_in_all = 0, failed_in_all = 0;
    for (int round = 0; round < 300; round++) {
        uint32_t group = 1 + (uint32_t)rand() % 8, loss = 1 + (uint32_t)rand() % 40;
        struct lane *lane = lane_open(group);
        uint32_t datagrams = group * (1 + (uint32_t)rand() % 40);
        uint64_t repairs = 0, failures = 0, lost_in_all = 0;
        for (uint32_t i = 0; i < datagrams; i++)
            encode(lane, make(lane, round % 2 ? 4 : 6, 3, i, payload_of(i)));
        for (uint32_t first = 0; first < lane->sent; first += group + 1) {
            uint32_t lost = 0;
            bool parity = true;
            for (uint32_t i = first; i <= first + group; i++) {
                if ((uint32_t)rand() % 100 >= loss) continue;
                parity = i < first + group;
                lost += parity;
                lose(lane, i);
            }
            repairs += parity && lost == 1;
            failures += parity && lost > 1;
            lost_in_all += lost;
        }
        decode(lane);
        assert_int_equal(lane->decoder.repairs, repairs);
        assert_int_equal(lane->decoder.failures, failures);
        assert_int_equal(lane->came, datagrams - lost_in_all + repairs);
        for (uint32_t i = 0; i < lane->came; i++) {
            uint16_t flow;
            uint32_t number;
            assert_true(datagram_read(lane->come[i], &flow, &number));
        }
        repaired_in_all += repairs;
        failed_in_all += failures;
        lane_close(lane);
    }
    assert_true(repaired_in_all > 500 && failed_in_all > 500);
}
