// nat and moves: ports and addresses as the far side sees them, what comes for former ones, checksums equal
// to those computed from the whole packet, and when the path moves. In virtual time.
#include "shaper/moves.h"
#include "shaper/nodes/byte_order.h"
#include "shaper/nodes/checksum.h"
#include "shaper/nodes/node.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/profile_of.h"
#include "wire_packet.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static const uint64_t ms = 1000000;

static uint32_t sum_of(const uint8_t *bytes, uint32_t size, uint32_t sum) {
    for (uint32_t i = 0; i < size; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static uint32_t header_bytes(const uint8_t *bytes) {
    return bytes[0] >> 4 == 4 ? 20 : 40;
}

static uint8_t protocol_of(const uint8_t *bytes) {
    return bytes[bytes[0] >> 4 == 4 ? 9 : 6];
}

// Summed over the whole packet: a right checksum makes all ones (RFC 1071).
static void assert_checksums_right(const uint8_t *bytes, uint32_t size_bytes) {
    uint32_t header = header_bytes(bytes), addresses = header == 20 ? 12 : 8;
    uint8_t protocol = protocol_of(bytes);
    if (header == 20) assert_int_equal(sum_of(bytes, 20, 0), 0xffff);
    uint32_t pseudo = sum_of(bytes + addresses, header - addresses, size_bytes - header + protocol);
    if (protocol == IPPROTO_ICMP) pseudo = 0;
    assert_int_equal(sum_of(bytes + header, size_bytes - header, pseudo), 0xffff);
}

static void assert_right(const struct packet *packet) {
    assert_checksums_right(packet->bytes, packet->size_bytes);
}

static uint32_t port(const struct packet *packet, bool destination) {
    return read_16(packet->bytes + header_bytes(packet->bytes) + (destination ? 2 : 0));
}

static void set_port(struct packet *packet, bool destination, uint32_t value) {
    uint8_t *at = packet->bytes + header_bytes(packet->bytes) + (destination ? 2 : 0);
    uint8_t *checksum =
        packet->bytes + header_bytes(packet->bytes) + (protocol_of(packet->bytes) == 6 ? 16 : 6);
    uint8_t after[2];
    uint16_t sum;
    write_16(after, value);
    memcpy(&sum, checksum, 2);
    sum = checksum_after(sum, at, after, 2);
    memcpy(checksum, &sum, 2);
    memcpy(at, after, 2);
    assert_right(packet);
}

static void assert_address(const struct packet *packet, bool destination, const char *expected) {
    char text[INET6_ADDRSTRLEN];
    bool v4 = packet->bytes[0] >> 4 == 4;
    const uint8_t *at = packet->bytes + (v4 ? (destination ? 16 : 12) : (destination ? 24 : 8));
    inet_ntop(v4 ? AF_INET : AF_INET6, at, text, sizeof text);
    assert_string_equal(text, expected);
}

static void set_destination(struct packet *packet, const char *address) {
    bool v4 = packet->bytes[0] >> 4 == 4;
    uint32_t size = v4 ? 4 : 16, header = header_bytes(packet->bytes);
    uint8_t *at = packet->bytes + (v4 ? 16 : 24), after[16];
    uint8_t *fields[] = {packet->bytes + header + (protocol_of(packet->bytes) == 6 ? 16 : 6),
                         v4 ? packet->bytes + 10 : NULL};
    inet_pton(v4 ? AF_INET : AF_INET6, address, after);
    for (int i = 0; i < 2; i++) {
        uint16_t sum;
        if (!fields[i]) continue;
        memcpy(&sum, fields[i], 2);
        sum = checksum_after(sum, at, after, size);
        memcpy(fields[i], &sum, 2);
    }
    memcpy(at, after, size);
    assert_right(packet);
}

static struct nat *new_nat(void) {
    struct nat *nat = calloc(1, sizeof *nat);
    assert_non_null(nat);
    nat_open(nat);
    return nat;
}

static void make(struct packet *packet, int version, bool tcp, bool down) {
    if (tcp)
        wire_packet_tcp(packet, version, down, 77, WIRE_ACK, 333);
    else
        wire_packet_udp(packet, version, down, 333);
}

enum { KINDS = 4 };

UNIT_TEST(before_any_change_nothing_changes) {
    struct nat *nat = new_nat();
    for (int kind = 0; kind < KINDS * 2; kind++) {
        struct packet packet, same;
        bool down = kind >= KINDS;
        make(&packet, kind % 2 ? 4 : 6, kind / 2 % 2, down);
        same = packet;
        if (down)
            assert_true(nat_down(nat, &packet));
        else
            nat_up(nat, &packet, 0);
        assert_memory_equal(packet.bytes, same.bytes, packet.size_bytes);
    }
    free(nat);
}

UNIT_TEST(lost_bindings_are_renewed_with_other_ports) {
    for (int kind = 0; kind < KINDS; kind++) {
        int version = kind % 2 ? 4 : 6;
        bool tcp = kind / 2;
        struct nat *nat = new_nat();
        struct packet packet, sent, answer;
        uint32_t seen[4] = {40000};
        for (uint32_t n = 1; n <= 3; n++) {
            nat_lose_ports(nat);
            // What comes for the former port before the command has sent anything has no receiver.
            make(&answer, version, tcp, true);
            set_port(&answer, true, seen[n - 1]);
            assert_false(nat_down(nat, &answer));
            assert_int_equal(port(&answer, true), 40000); // whose it was
            assert_right(&answer);
            make(&packet, version, tcp, false);
            sent = packet;
            nat_up(nat, &packet, n * ms);
            seen[n] = port(&packet, false);
            for (uint32_t before = 0; before < n; before++)
                assert_int_not_equal(seen[n], seen[before]);
            assert_right(&packet);
            assert_address(&packet, false, version == 4 ? "100.64.0.2" : "fd00:7472::2");
            nat_up_back(nat, &packet);
            assert_memory_equal(packet.bytes, sent.bytes, sent.size_bytes);
            make(&answer, version, tcp, true);
            set_port(&answer, true, seen[n]);
            assert_true(nat_down(nat, &answer));
            assert_int_equal(port(&answer, true), 40000);
            assert_right(&answer);
            make(&answer, version, tcp, true);
            set_port(&answer, true, seen[n - 1]);
            assert_false(nat_down(nat, &answer)); // nor has it any after
            // The binding stays.
            make(&packet, version, tcp, false);
            nat_up(nat, &packet, n * ms + 1);
            assert_int_equal(port(&packet, false), seen[n]);
        }
        assert_int_equal(nat->renewed, 3);
        assert_int_equal(nat->bindings[2].before, seen[2]);
        assert_int_equal(nat->bindings[2].after, seen[3]);
        assert_int_equal(nat->bindings[2].at_ns, 3 * ms);
        assert_int_equal(nat->unbound, 6);
        assert_int_equal(nat->unbound_bytes, 6 * answer.size_bytes);
        free(nat);
    }
}

UNIT_TEST(another_address_leaves_ports_alone) {
    static const char *const seen[2][3] = {{"fd00:7472::2", "fd00:7472:1::1", "fd00:7472:1::2"},
                                           {"100.64.0.2", "100.65.0.1", "100.65.0.2"}};
    for (int kind = 0; kind < KINDS; kind++) {
        int version = kind % 2 ? 4 : 6;
        struct nat *nat = new_nat();
        struct packet packet;
        for (int n = 1; n <= 2; n++) {
            nat_change_address(nat);
            make(&packet, version, kind / 2, false);
            nat_up(nat, &packet, 0);
            assert_address(&packet, false, seen[kind % 2][n]);
            assert_int_equal(port(&packet, false), 40000);
            assert_right(&packet);
            make(&packet, version, kind / 2, true);
            set_destination(&packet, seen[kind % 2][n]);
            assert_true(nat_down(nat, &packet));
            assert_address(&packet, true, seen[kind % 2][0]);
            assert_right(&packet);
            make(&packet, version, kind / 2, true);
            set_destination(&packet, seen[kind % 2][n - 1]);
            assert_false(nat_down(nat, &packet));
            assert_right(&packet);
        }
        assert_int_equal(nat->unbound, 2);
        free(nat);
    }
}

// Every port of the command at once: no two flows get the same one, but where there are more than ports to
// give.
UNIT_TEST(flows_get_ports_of_their_own) {
    static bool given[NAT_PORTS];
    struct nat *nat = new_nat();
    struct packet packet;
    nat_lose_ports(nat);
    enum { FLOWS = NAT_PORT_LAST - NAT_PORT_FIRST + 1 };
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        make(&packet, 4, false, false);
        set_port(&packet, false, 33000 + flow);
        nat_up(nat, &packet, 0);
        uint32_t seen = port(&packet, false);
        assert_true(seen >= NAT_PORT_FIRST && seen <= NAT_PORT_LAST && !given[seen]);
        given[seen] = true;
    }
    make(&packet, 4, false, false);
    set_port(&packet, false, 32999); // one more takes the place of another
    nat_up(nat, &packet, 0);
    uint32_t seen = port(&packet, false);
    make(&packet, 4, false, true);
    set_port(&packet, true, seen);
    assert_true(nat_down(nat, &packet));
    assert_int_equal(port(&packet, true), 32999);
    free(nat);
}

UNIT_TEST(a_datagram_without_a_checksum_stays_without) {
    struct nat *nat = new_nat();
    struct packet packet;
    nat_lose_ports(nat);
    wire_packet_udp(&packet, 4, false, 10);
    write_16(packet.bytes + 26, 0);
    nat_up(nat, &packet, 0);
    assert_int_equal(read_16(packet.bytes + 26), 0);
    assert_int_equal(sum_of(packet.bytes, 20, 0), 0xffff);
    assert_int_not_equal(port(&packet, false), 40000);
    free(nat);
}

// Any payload, so that checksums of all kinds occur, 0xffff for a sum of zero among them.
UNIT_TEST(checksums_are_those_of_the_whole_packet) {
    struct nat *nat = new_nat();
    bool ones = false;
    srand(3);
    for (int round = 0; round < 200000; round++) {
        struct packet packet;
        if (round % 1000 == 0) nat_lose_ports(nat);
        if (round % 5000 == 0) nat_change_address(nat);
        wire_packet_udp(&packet, round % 2 ? 4 : 6, false, 12);
        uint8_t *payload = packet.bytes + header_bytes(packet.bytes) + 8;
        uint8_t after[2] = {(uint8_t)rand(), (uint8_t)rand()}, *checksum = payload - 2;
        uint16_t sum;
        memcpy(&sum, checksum, 2);
        sum = checksum_after(sum, payload, after, 2);
        memcpy(checksum, &sum, 2);
        memcpy(payload, after, 2);
        if (read_16(checksum) == 0) write_16(checksum, 0xffff);
        nat_up(nat, &packet, 0);
        assert_right(&packet);
        ones = ones || read_16(checksum) == 0xffff;
        assert_int_not_equal(read_16(checksum), 0);
    }
    assert_true(ones);
    free(nat);
}

// The far side answers a datagram with "port unreachable", which quotes it.
UNIT_TEST(icmp_errors_are_mapped_with_what_they_quote) {
    for (int version = 4; version <= 6; version += 2) {
        struct nat *nat = new_nat();
        struct packet sent, seen, error;
        nat_lose_ports(nat);
        nat_change_address(nat);
        wire_packet_udp(&sent, version, false, 10);
        seen = sent;
        nat_up(nat, &seen, 0);
        wire_packet_udp(&error, version, true, seen.size_bytes); // with 8 bytes of header: room for ICMP's
        uint32_t header = header_bytes(error.bytes);
        uint8_t *icmp = error.bytes + header;
        set_destination(&error, version == 4 ? "100.65.0.1" : "fd00:7472:1::1");
        error.bytes[version == 4 ? 9 : 6] = version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6;
        memset(icmp, 0, 8);
        icmp[0] = version == 4 ? 3 : 1;
        icmp[1] = version == 4 ? 3 : 4;
        memcpy(icmp + 8, seen.bytes, seen.size_bytes);
        if (version == 4) {
            write_16(error.bytes + 10, 0);
            write_16(error.bytes + 10, 0xffff - sum_of(error.bytes, 20, 0));
        }
        uint32_t pseudo =
            version == 4 ? 0 : sum_of(error.bytes + 8, 32, error.size_bytes - 40 + IPPROTO_ICMPV6);
        write_16(icmp + 2, 0xffff - sum_of(icmp, error.size_bytes - header, pseudo));
        assert_right(&error);
        assert_true(nat_down(nat, &error));
        assert_right(&error);
        assert_memory_equal(icmp + 8, sent.bytes, sent.size_bytes);
        assert_address(&error, true, version == 4 ? "100.64.0.2" : "fd00:7472::2");
        free(nat);
    }
}

UNIT_TEST(what_is_not_the_commands_passes) {
    struct nat *nat = new_nat();
    struct packet packet, same;
    nat_lose_ports(nat);
    nat_change_address(nat);
    wire_packet_udp(&packet, 6, true, 10);
    set_destination(&packet, "ff02::1");
    same = packet;
    assert_true(nat_down(nat, &packet));
    assert_memory_equal(packet.bytes, same.bytes, same.size_bytes);
    wire_packet_udp(&packet, 4, true, 10); // from another address than the command's
    same = packet;
    nat_up(nat, &packet, 0);
    assert_memory_equal(packet.bytes, same.bytes, same.size_bytes);
    free(nat);
}

UNIT_TEST(moves_come_at_their_times) {
    struct link_profile profile = profile_of("10mbit/50ms,rebind=2s,switch=4s:3g");
    struct moves moves;
    assert_int_equal(moves_open(&moves, &profile, 7 * ms), 0);
    static const struct {
        uint64_t at_ms;
        enum move_kind kind;
    } expected[] = {{2007, MOVE_PORT}, {4007, MOVE_PORT}, {4007, MOVE_SWITCH}, {6007, MOVE_PORT}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(moves_due_ns(&moves), expected[i].at_ms * ms);
        struct move move = moves_next(&moves);
        assert_int_equal(move.at_ns, expected[i].at_ms * ms);
        assert_int_equal(move.kind, expected[i].kind);
        assert_int_equal(memcmp(&move.before, &move.after, sizeof move.before) != 0,
                         move.kind == MOVE_SWITCH);
    }
    assert_int_equal(moves.nat->generation, 3);
    assert_int_equal(moves.nat->addresses, 1);
    assert_int_equal(moves.count, 4);
    moves_close(&moves);
    link_profile_close(&profile);
}

UNIT_TEST(other_settings_keep_the_times_from_the_start) {
    struct link_profile plain = profile_of("10mbit/50ms"),
                        often = profile_of("10mbit/50ms,rebind=300ms:address"),
                        late = profile_of("10mbit/50ms,switch=1s:3g");
    struct moves moves;
    assert_int_equal(moves_open(&moves, &plain, 0), 0);
    assert_true(moves_due_ns(&moves) == NODE_NEVER);
    moves_steer(&moves, &often, 1000 * ms);
    assert_int_equal(moves_due_ns(&moves), 1200 * ms);
    assert_int_equal(moves_next(&moves).kind, MOVE_ADDRESS);
    assert_int_equal(moves_due_ns(&moves), 1500 * ms);
    moves_steer(&moves, &late, 1300 * ms); // its time is past
    assert_int_equal(moves_due_ns(&moves), 1300 * ms);
    assert_int_equal(moves_next(&moves).kind, MOVE_SWITCH);
    assert_true(moves_due_ns(&moves) == NODE_NEVER);
    moves_close(&moves);
    link_profile_close(&plain);
    link_profile_close(&often);
    link_profile_close(&late);
}
