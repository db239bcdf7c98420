// Counters of flows: what they make of packets, in any order, and of bytes that are no packets.
#include "shaper/evidence/flow_counters.h"
#include "shaper/evidence/flow_table.h"
#include "shaper/nodes/capacity.h"
#include "shaper/nodes/trace.h"
#include "wire_packet.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <sys/mman.h>

UNIT_TEST(both_directions_are_one_flow) {
    for (int version = 4; version <= 6; version += 2) {
        struct packet down, up;
        struct flow_packet of_down, of_up;
        wire_packet_tcp(&down, version, true, 1000, WIRE_ACK, 700);
        wire_packet_tcp(&up, version, false, 5, WIRE_SYN, 0);
        assert_true(flow_packet_read(&of_down, down.bytes, down.size_bytes, true));
        assert_true(flow_packet_read(&of_up, up.bytes, up.size_bytes, false));
        assert_memory_equal(&of_down.key, &of_up.key, sizeof of_down.key);
        assert_int_equal(of_down.key.far_port, 443);
        assert_int_equal(of_down.key.near_port, 40000);
        assert_int_equal(of_down.payload_bytes, 700);
        assert_int_equal(of_down.sequence, 1000);
        assert_int_equal(of_up.sequence, 6); // a SYN takes one
        assert_int_equal(of_up.payload_bytes, 0);
    }
}

UNIT_TEST(later_fragments_and_extension_headers) {
    struct packet packet;
    struct flow_packet flow;
    wire_packet_udp(&packet, 4, true, 100);
    packet.bytes[7] = 1; // not the first fragment
    assert_true(flow_packet_read(&flow, packet.bytes, packet.size_bytes, true));
    assert_int_equal(flow.key.far_port, 0);
    assert_int_equal(flow.payload_bytes, 108);
    wire_packet_udp(&packet, 6, true, 100);
    memmove(packet.bytes + 48, packet.bytes + 40, 108);
    memset(packet.bytes + 40, 0, 8);
    packet.bytes[40] = packet.bytes[6]; // destination options before UDP
    packet.bytes[6] = 60;
    assert_true(flow_packet_read(&flow, packet.bytes, packet.size_bytes + 8, true));
    assert_int_equal(flow.key.protocol, 17);
    assert_int_equal(flow.key.far_port, 443);
    assert_int_equal(flow.payload_bytes, 100);
}

// Any bytes, ending at a page that may not be touched.
UNIT_TEST(any_bytes_are_read_within_their_size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    srand(7);
    unsigned known = 0, times = unit_times(1000000);
    for (unsigned i = 0; i < times; i++) {
        struct packet packet;
        uint32_t size;
        if (i % 2) {
            int version = i % 4 == 1 ? 4 : 6;
            if (i % 8 < 4)
                wire_packet_tcp(&packet, version, true, 1, WIRE_ACK, (uint32_t)rand() % 16);
            else
                wire_packet_udp(&packet, version, true, (uint32_t)rand() % 16);
            for (int k = rand() % 4; k > 0; k--)
                packet.bytes[(uint32_t)rand() % packet.size_bytes] = (uint8_t)rand();
            size = (uint32_t)rand() % (packet.size_bytes + 1);
        } else {
            size = (uint32_t)rand() % 100;
            for (uint32_t k = 0; k < size; k++)
                packet.bytes[k] = (uint8_t)rand();
            if (size > 6 && i % 4)
                packet.bytes[0] = 0x60, packet.bytes[6] = (uint8_t[]){0, 43, 44, 60}[i / 4 % 4];
        }
        uint8_t *at = pages + page - size;
        memcpy(at, packet.bytes, size);
        struct flow_packet flow;
        if (flow_packet_read(&flow, at, size, i % 3 == 0)) {
            known++;
            assert_true(flow.payload_bytes <= size);
        }
    }
    assert_in_range(known, times / 10, times - 1);
    munmap(pages, 2 * page);
}

// Against a table of bytes: random pieces of a stream whose numbers wrap around, again and again.
UNIT_TEST(each_byte_of_a_stream_counts_once) {
    enum { BYTES = 60000, START = -20000 };
    srand(3);
    for (int round = 0; round < 50; round++) {
        struct stream_bytes stream = {0};
        static bool seen[BYTES];
        memset(seen, 0, sizeof seen);
        assert_int_equal(stream_bytes_add(&stream, (uint32_t)START, 0), 0);
        uint64_t counted = 0;
        for (int i = 0; i < 400; i++) {
            uint32_t at = (uint32_t)rand() % BYTES, size = 1 + (uint32_t)rand() % (round % 2 ? 1448 : 20);
            if (at + size > BYTES) size = BYTES - at;
            uint32_t fresh = 0;
            for (uint32_t k = at; k < at + size; k++)
                if (!seen[k]) seen[k] = true, fresh++;
            assert_int_equal(stream_bytes_add(&stream, (uint32_t)START + at, size), fresh);
            counted += fresh;
        }
        assert_int_equal(stream_bytes_add(&stream, (uint32_t)START, BYTES), BYTES - counted);
        stream_bytes_close(&stream);
    }
}

// More gaps than are kept: none is counted twice, and memory stays bounded.
UNIT_TEST(gaps_beyond_number_are_given_up) {
    struct stream_bytes stream = {0};
    stream_bytes_add(&stream, 0, 0);
    uint64_t counted = 0;
    for (uint32_t i = 0; i < 10000; i++)
        counted += stream_bytes_add(&stream, 2 * i * 100 + 100, 100);
    assert_int_equal(counted, 10000 * 100);
    assert_true(stream.capacity <= 4096);
    for (uint32_t i = 0; i < 10000; i++)
        counted += stream_bytes_add(&stream, 2 * i * 100, 100);
    assert_in_range(counted, 10000 * 100 + 4000 * 100, 10000 * 100 + 4097 * 100);
    stream_bytes_close(&stream);
}

static double real(const json_t *of, const char *name) {
    return json_number_value(json_object_get(of, name));
}

UNIT_TEST(counters_and_metrics_of_a_small_run) {
    struct flow_table table = {0};
    const uint64_t start_ns = 5 * NS_PER_S;
    for (uint32_t i = 0; i < 10;
         i++) { // ten segments of 1000 bytes 10 ms apart, one of them lost and sent again
        struct packet packet;
        wire_packet_tcp(&packet, 4, true, 1 + (i < 9 ? i : 4) * 1000, WIRE_ACK, 1000);
        packet.arrived_ns = start_ns + i * 10 * NS_PER_MS;
        flow_table_sent(&table, &packet, true, packet.arrived_ns);
        flow_table_left_link(&table, &packet, true, packet.arrived_ns + 8 * NS_PER_MS);
        if (i == 4)
            flow_table_lost(&table, &packet, true, DROP_LOSS);
        else
            flow_table_received(&table, &packet, true, packet.arrived_ns + 10 * NS_PER_MS);
    }
    uint64_t capacity_bytes = 20800;
    struct flow_counters_run run = {.link = "1mbit/20ms",
                                    .start_ns = start_ns,
                                    .end_ns = start_ns + NS_PER_S,
                                    .down_capacity_bytes = &capacity_bytes};
    json_t *report = flow_counters_of(&table, &run);
    assert_non_null(report);
    const json_t *down = json_object_get(report, "down");
    assert_true(real(down, "sent_packets") == 10 && real(down, "received_packets") == 9);
    assert_true(real(down, "sent_bytes") == 10 * 1040);
    assert_true(real(down, "goodput_bytes") == 9000);
    assert_true(real(down, "goodput_bps") == 9000 * 8 / 0.1);
    assert_true(real(down, "loss_ratio") == 0.1);
    assert_true(real(down, "utilization") == 0.5);
    assert_true(real(json_object_get(down, "queue_delay_ns"), "mean") == 8e6);
    const json_t *up = json_object_get(report, "up");
    assert_true(json_is_null(json_object_get(up, "goodput_bps")));
    assert_true(json_is_null(json_object_get(up, "loss_ratio")));
    assert_true(json_is_null(json_object_get(up, "utilization")));
    const json_t *flow = json_array_get(json_object_get(report, "flows"), 0);
    assert_int_equal(json_array_size(json_object_get(report, "flows")), 1);
    assert_string_equal(json_string_value(json_object_get(flow, "protocol")), "tcp");
    assert_string_equal(json_string_value(json_object_get(json_object_get(flow, "far"), "address")),
                        "100.64.0.1");
    assert_true(real(json_object_get(json_object_get(flow, "down"), "lost_packets"), "loss") == 1);
    json_decref(report);
    flow_table_close(&table);
}

UNIT_TEST(flows_beyond_number_are_counted_together) {
    struct flow_table table = {0};
    struct packet packet;
    wire_packet_udp(&packet, 4, true, 10);
    for (uint32_t i = 0; i < FLOWS_MAX + 100; i++) {
        packet.bytes[16] = (uint8_t)(i >> 16); // the near address
        packet.bytes[17] = (uint8_t)(i >> 8);
        packet.bytes[18] = (uint8_t)i;
        flow_table_sent(&table, &packet, true, i);
    }
    assert_int_equal(table.count, FLOWS_MAX);
    assert_int_equal(table.untracked_packets, 100);
    assert_int_equal(table.down.sent_packets, FLOWS_MAX + 100);
    flow_table_close(&table);
}

UNIT_TEST(capacity_is_the_integral_of_the_rate) {
    struct rate_settings steps = {
        .kind = RATE_STEPS,
        .steps_bps = {.count = 3, .step = {{0, 8000000}, {NS_PER_S, 800000}, {2 * NS_PER_S, 8000}}}};
    struct rate_settings constant = {.kind = RATE_STEPS, .steps_bps = {.count = 1, .step = {{0, 80}}}};
    struct capacity capacity;
    uint64_t t = 123456789;
    capacity_open(&capacity, &steps, t);
    assert_true(capacity.known);
    assert_int_equal(capacity_bytes(&capacity, t), 0);
    assert_int_equal(capacity_bytes(&capacity, t + NS_PER_MS), 1000);
    assert_int_equal(capacity_bytes(&capacity, t + NS_PER_S), 1000000);
    assert_int_equal(capacity_bytes(&capacity, t + NS_PER_S + NS_PER_MS), 1000100);
    assert_int_equal(capacity_bytes(&capacity, t + 3 * NS_PER_S), 1101000);
    capacity_steer(&capacity, &constant, t + 3 * NS_PER_S);
    assert_int_equal(capacity_bytes(&capacity, t + 4 * NS_PER_S), 1101010);
    capacity_steer(&capacity, &(struct rate_settings){.kind = RATE_UNLIMITED}, t + 4 * NS_PER_S);
    assert_false(capacity.known);
    assert_int_equal(capacity_bytes(&capacity, t + 5 * NS_PER_S), 1101010);
}

UNIT_TEST(capacity_of_a_trace_is_its_opportunities) {
    char error[256];
    struct trace *trace =
        trace_open(unit_file("trace", "0\n10\n10\n40\n"), error, sizeof error); // at 40 ms it wraps
    assert_non_null(trace);
    struct rate_settings rate = {.kind = RATE_TRACE, .trace = trace};
    struct capacity capacity;
    uint64_t t = 123456789;
    capacity_open(&capacity, &rate, t);
    assert_true(capacity.known);
    assert_int_equal(capacity_bytes(&capacity, t + 9 * NS_PER_MS), 1500);
    assert_int_equal(capacity_bytes(&capacity, t + 10 * NS_PER_MS), 3 * 1500);
    assert_int_equal(capacity_bytes(&capacity, t + 50 * NS_PER_MS), 7 * 1500);
    rate.trace_once = true;
    capacity_steer(&capacity, &rate, t + 50 * NS_PER_MS);
    assert_int_equal(capacity_bytes(&capacity, t + 90 * NS_PER_MS), 7 * 1500);
    trace_close(trace);
}
