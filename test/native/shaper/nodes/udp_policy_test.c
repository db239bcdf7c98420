// What a link does to UDP, packet by packet in virtual time: what it leaves alone, what it drops, how it
// polices, and how late it makes what it delays.
#include "../collect.h"
#include "../wire_packet.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/profile_of.h"

#define MS UINT64_C(1000000)

struct bench {
    struct collect *out;
    struct path path;
};

static void bench_open(struct bench *bench, const char *form, enum path_stream stream) {
    struct link_profile profile = profile_of(form);
    bench->out = collect_open();
    path_open(&bench->path, &profile, stream, &bench->out->pool, &bench->out->node);
    path_start(&bench->path, 0);
    link_profile_close(&profile); // it names no files
}

static void bench_close(struct bench *bench) {
    path_close(&bench->path);
    collect_close(bench->out);
}

static void steer(struct bench *bench, const char *form, uint64_t now_ns) {
    struct link_profile profile = profile_of(form);
    path_steer(&bench->path, &profile, now_ns);
    link_profile_close(&profile);
}

static struct packet *udp(struct bench *bench, bool down, int version, uint32_t payload_bytes) {
    struct packet *packet = packet_take(&bench->out->pool);
    assert_non_null(packet);
    wire_packet_udp(packet, version, down, payload_bytes);
    return packet;
}

static struct packet *tcp(struct bench *bench, bool down, uint32_t payload_bytes) {
    struct packet *packet = packet_take(&bench->out->pool);
    assert_non_null(packet);
    wire_packet_tcp(packet, 4, down, 1, WIRE_ACK, payload_bytes);
    return packet;
}

// Of IPv4: `source` or else destination.
static struct packet *with_port(struct packet *packet, bool source, uint16_t port) {
    uint8_t *at = packet->bytes + 20 + (source ? 0 : 2);
    at[0] = (uint8_t)(port >> 8);
    at[1] = (uint8_t)port;
    return packet;
}

UNIT_TEST(blocked_udp_is_dropped_but_for_dns_and_the_probe) {
    for (int d = 0; d < 2; d++) {
        bool down = d == 1;
        struct bench bench;
        bench_open(&bench, "unlimited/0ms,udp=blocked", down ? PATH_DOWN : PATH_UP);
        path_take(&bench.path, udp(&bench, down, 4, 1200), MS);
        path_take(&bench.path, udp(&bench, down, 6, 1200), MS);
        assert_int_equal(bench.out->count, 0);
        // The near end's own port 53 is no DNS server's.
        path_take(&bench.path, with_port(udp(&bench, down, 4, 40), !down, 53), MS);
        assert_int_equal(bench.out->count, 0);
        assert_int_equal(bench.path.udp_policy.drops, 3);
        assert_int_equal(bench.path.udp_policy.dropped_bytes, 1228 + 1248 + 68);
        path_take(&bench.path, with_port(udp(&bench, down, 4, 40), down, 53), MS);
        assert_int_equal(bench.out->count, 1);
        path_take(&bench.path, with_port(udp(&bench, down, 4, 40), false, down ? 7010 : 7011), MS);
        assert_int_equal(bench.out->count, 2);
        path_take(&bench.path, tcp(&bench, down, 1400), MS);
        assert_int_equal(bench.out->count, 3);
        assert_int_equal(bench.path.udp_policy.packets, 3);
        bench_close(&bench);
    }
}

UNIT_TEST(larger_packets_fall_into_the_black_hole) {
    struct bench bench;
    bench_open(&bench, "unlimited/0ms,udp=mtu=1280", PATH_DOWN);
    path_take(&bench.path, udp(&bench, true, 4, 1252), MS); // 1280
    path_take(&bench.path, udp(&bench, true, 6, 1232), MS); // 1280
    assert_int_equal(bench.out->count, 2);
    path_take(&bench.path, udp(&bench, true, 4, 1253), MS);
    path_take(&bench.path, udp(&bench, true, 6, 1233), MS);
    assert_int_equal(bench.out->count, 2);
    assert_int_equal(bench.path.udp_policy.drops, 2);
    path_take(&bench.path, tcp(&bench, true, 1400), MS);
    assert_int_equal(bench.out->count, 3);
    bench_close(&bench);
}

// 1 Mbit/s: 1500 bytes take 12 ms, and the bucket holds 100 ms, less than the 10 packets that it holds at
// least.
UNIT_TEST(a_bucket_polices) {
    struct bench bench;
    bench_open(&bench, "unlimited/0ms,udp=throttled:1mbit", PATH_UP);
    assert_int_equal(udp_burst_bytes(1000000), 15000);
    assert_int_equal(udp_burst_bytes(8000000), 100000);
    for (int i = 0; i < 30; i++)
        path_take(&bench.path, udp(&bench, false, 4, 1472), 1000 * MS);
    assert_int_equal(bench.out->count, 10);
    assert_int_equal(bench.path.udp_policy.drops, 20);
    path_take(&bench.path, udp(&bench, false, 4, 1472), 1012 * MS - 1);
    assert_int_equal(bench.out->count, 10);
    path_take(&bench.path, udp(&bench, false, 4, 1472), 1012 * MS);
    assert_int_equal(bench.out->count, 11);
    // Twice the rate from then on: half of it passes, to the packet.
    for (int i = 1; i <= 1000; i++)
        path_take(&bench.path, udp(&bench, false, 4, 1472), 1012 * MS + (uint64_t)i * 6 * MS);
    assert_int_equal(bench.out->count, 11 + 500);
    // TCP is not policed, and takes no tokens.
    for (int i = 0; i < 100; i++)
        path_take(&bench.path, tcp(&bench, false, 1400), 7013 * MS);
    assert_int_equal(bench.out->count, 11 + 500 + 100);
    // A bucket never holds more than its burst, however long nothing came.
    for (int i = 0; i < 30; i++)
        path_take(&bench.path, udp(&bench, false, 4, 1472), UINT64_C(100000000) * MS);
    assert_int_equal(bench.out->count, 11 + 500 + 100 + 10);
    bench_close(&bench);
}

UNIT_TEST(late_udp_is_late_by_just_that) {
    struct bench bench;
    bench_open(&bench, "unlimited/40ms,udp=late:50ms", PATH_DOWN);
    path_take(&bench.path, udp(&bench, true, 4, 1200), 10 * MS);
    path_take(&bench.path, tcp(&bench, true, 1000), 11 * MS);
    path_take(&bench.path, udp(&bench, true, 4, 1201), 12 * MS);
    assert_int_equal(path_held(&bench.path), 3);
    assert_int_equal(path_due_ns(&bench.path), 31 * MS);
    path_advance(&bench.path, 1000 * MS); // in one go
    assert_int_equal(bench.out->count, 3);
    assert_int_equal(bench.out->departures[0].time_ns, 31 * MS); // TCP overtakes
    assert_int_equal(bench.out->departures[1].time_ns, 80 * MS);
    assert_int_equal(bench.out->departures[2].time_ns, 82 * MS);
    assert_int_equal(bench.path.udp_policy.delayed, 2);
    assert_int_equal(bench.path.udp_policy.drops, 0);
    // Time on the link comes on top, packet after packet.
    steer(&bench, "12mbit/40ms,udp=late:50ms", 1000 * MS);
    path_take(&bench.path, udp(&bench, true, 4, 1472), 1000 * MS);
    path_take(&bench.path, udp(&bench, true, 4, 1472), 1000 * MS);
    path_advance(&bench.path, 2000 * MS);
    assert_int_equal(bench.out->departures[3].time_ns, 1071 * MS);
    assert_int_equal(bench.out->departures[4].time_ns, 1072 * MS);
    bench_close(&bench);
}

UNIT_TEST(steering_keeps_what_is_held_and_the_order) {
    struct bench bench;
    bench_open(&bench, "unlimited/0ms,udp=late:50ms", PATH_UP);
    path_take(&bench.path, udp(&bench, false, 4, 1200), 10 * MS);
    steer(&bench, "unlimited/0ms", 20 * MS);
    path_take(&bench.path, udp(&bench, false, 4, 1200), 20 * MS); // behind the first
    path_take(&bench.path, tcp(&bench, false, 1000), 21 * MS);
    steer(&bench, "unlimited/0ms,udp=blocked", 30 * MS);
    path_take(&bench.path, udp(&bench, false, 4, 1200), 30 * MS);
    path_advance(&bench.path, 1000 * MS);
    assert_int_equal(bench.out->count, 3);
    assert_int_equal(bench.out->departures[0].time_ns, 21 * MS);
    assert_int_equal(bench.out->departures[1].time_ns, 60 * MS);
    assert_int_equal(bench.out->departures[2].time_ns, 60 * MS);
    assert_int_equal(bench.path.udp_policy.drops, 1);
    assert_int_equal(path_held(&bench.path), 0);
    bench_close(&bench);
}

UNIT_TEST(a_change_of_something_else_does_not_fill_the_bucket) {
    struct bench bench;
    bench_open(&bench, "unlimited/0ms,udp=throttled:1mbit", PATH_UP);
    for (int i = 0; i < 10; i++)
        path_take(&bench.path, udp(&bench, false, 4, 1472), 1000 * MS);
    steer(&bench, "unlimited/10ms,udp=throttled:1mbit", 1000 * MS);
    path_take(&bench.path, udp(&bench, false, 4, 1472), 1000 * MS);
    assert_int_equal(bench.path.udp_policy.drops, 1);
    steer(&bench, "unlimited/10ms,udp=throttled:2mbit", 1000 * MS);
    path_take(&bench.path, udp(&bench, false, 4, 1472), 1000 * MS);
    assert_int_equal(bench.path.udp_policy.drops, 1);
    bench_close(&bench);
}

static struct packet *quic(struct bench *bench, uint8_t first_byte) {
    struct packet *packet = udp(bench, false, 4, 1200);
    packet->bytes[28] = first_byte;
    return packet;
}

// Through an end that tells the node of what left, as the program's does.
struct end {
    struct node node;
    struct bench *bench;
};

static void leave(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct bench *bench = ((struct end *)node)->bench;
    udp_policy_left(&bench->path.udp_policy, packet, now_ns);
    node_take(&bench->out->node, packet, now_ns);
}

static const struct node_kind end_kind = {leave, NULL, NULL, NULL};

UNIT_TEST(the_fallback_ends_when_a_byte_over_tcp_leaves_for_the_same_server) {
    struct bench bench;
    bench_open(&bench, "unlimited/40ms,udp=blocked", PATH_UP);
    struct end end = {.node = {&end_kind, NULL}, .bench = &bench};
    bench.path.origin_delay.node.next = &end.node;
    const struct udp_policy *policy = &bench.path.udp_policy;
    path_take(&bench.path, quic(&bench, 0x00), 2 * MS); // STUN, say
    path_take(&bench.path, with_port(quic(&bench, 0xc3), false, 53), 3 * MS);
    path_take(&bench.path, tcp(&bench, false, 100), 3 * MS); // before it, and leaves after it
    assert_int_equal(policy->quic_ns, 0);
    path_take(&bench.path, quic(&bench, 0xc3), 4 * MS);
    path_take(&bench.path, quic(&bench, 0xc3), 5 * MS);
    path_take(&bench.path, tcp(&bench, false, 0), 6 * MS); // a handshake carries no byte
    struct packet *other = tcp(&bench, false, 100);
    other->bytes[19] = 9; // to another server
    path_take(&bench.path, other, 7 * MS);
    path_advance(&bench.path, 100 * MS);
    assert_int_equal(bench.out->count, 4);
    assert_int_equal(policy->tcp_ns, 0);
    path_take(&bench.path, tcp(&bench, false, 517), 108 * MS);
    path_take(&bench.path, tcp(&bench, false, 100), 109 * MS);
    path_advance(&bench.path, 1000 * MS);
    assert_int_equal(policy->quic_ns, 4 * MS);
    assert_int_equal(policy->tcp_ns, 128 * MS);
    bench_close(&bench);
}

UNIT_TEST(malformed_packets_go_on_as_they_came) {
    struct bench bench;
    bench_open(&bench, "unlimited/0ms,udp=blocked", PATH_UP);
    uint8_t random = 1;
    for (uint32_t size = 1; size < 100; size++) {
        struct packet *packet = packet_take(&bench.out->pool);
        assert_non_null(packet);
        for (uint32_t i = 0; i < size; i++)
            packet->bytes[i] = random = (uint8_t)(random * 5 + 7);
        packet->bytes[0] = size % 2 ? 0x45 : 0x62;
        packet->size_bytes = size;
        path_take(&bench.path, packet, MS);
    }
    assert_int_equal(bench.out->count + bench.path.udp_policy.drops, 99);
    assert_true(bench.out->count > 0);
    bench_close(&bench);
}
