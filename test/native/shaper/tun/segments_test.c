// segments: what the kernel leaves to the device is done as the kernel would do it, and nothing that a header
// may say leads outside the bytes. Checksums are verified the long way, two bytes at a time.
#include "shaper/nodes/byte_order.h"
#include "shaper/tun/segments.h"
#include "test/native/cmocka_unit.h"

enum { TCP = 6, UDP = 17, FIN = 0x01, PSH = 0x08, ACK = 0x10, ECE = 0x40, CWR = 0x80, UDP_SEGMENTATION = 5 };

struct shape {
    int version;
    int protocol;
    uint32_t tcp_options_bytes;
    uint32_t payload_bytes;
    uint16_t segment_bytes; // 0: not to be segmented
};

static uint32_t ip_bytes_of(const struct shape *shape) {
    return shape->version == 4 ? 20 : 40;
}

static uint32_t header_bytes_of(const struct shape *shape) {
    return ip_bytes_of(shape) + (shape->protocol == TCP ? 20 + shape->tcp_options_bytes : 8);
}

static uint32_t at_16(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t at_32(const uint8_t *bytes) {
    return at_16(bytes) << 16 | at_16(bytes + 2);
}

static uint32_t words(const uint8_t *bytes, uint32_t size, uint32_t sum) {
    for (uint32_t i = 0; i < size; i += 2) {
        sum += (uint32_t)bytes[i] << 8 | (i + 1 < size ? bytes[i + 1] : 0);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static uint32_t pseudo_header(const uint8_t *packet, int version, int protocol, uint32_t transport_bytes) {
    uint32_t sum = version == 4 ? words(packet + 12, 8, 0) : words(packet + 8, 32, 0);
    uint8_t rest[4];
    write_16(rest, transport_bytes);
    write_16(rest + 2, (uint32_t)protocol);
    return words(rest, 4, sum);
}

// What a kernel with the offloads writes: lengths of the whole, the checksum's field holding the
// pseudo-header's sum.
static uint32_t compose(const struct shape *shape, uint8_t *bytes, struct virtio_net_hdr *offload) {
    uint32_t ip_bytes = ip_bytes_of(shape), header_bytes = header_bytes_of(shape);
    uint32_t size = header_bytes + shape->payload_bytes;
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)rand();
    bytes[0] = shape->version == 4 ? 0x45 : 0x60;
    if (shape->version == 4) {
        write_16(bytes + 2, size);
        write_16(bytes + 4, 65530); // the numbers of the packets wrap
        bytes[9] = (uint8_t)shape->protocol;
        write_16(bytes + 10, 0);
        write_16(bytes + 10, ~words(bytes, 20, 0) & 0xffff);
    } else {
        write_16(bytes + 4, size - 40);
        bytes[6] = (uint8_t)shape->protocol;
    }
    uint8_t *transport = bytes + ip_bytes;
    uint32_t field = shape->protocol == TCP ? 16 : 6;
    if (shape->protocol == TCP) {
        transport[12] = (uint8_t)((20 + shape->tcp_options_bytes) / 4 << 4);
        transport[13] = FIN | PSH | ACK | ECE | CWR;
    } else {
        write_16(transport + 4, size - ip_bytes);
    }
    write_16(transport + field, pseudo_header(bytes, shape->version, shape->protocol, size - ip_bytes));
    uint8_t tcp_type = shape->version == 4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6;
    *offload = (struct virtio_net_hdr){
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
        .gso_size = shape->segment_bytes,
        .csum_start = (uint16_t)ip_bytes,
        .csum_offset = (uint16_t)field,
    };
    if (shape->segment_bytes > 0)
        offload->gso_type =
            shape->protocol == TCP ? tcp_type | VIRTIO_NET_HDR_GSO_ECN : (uint8_t)UDP_SEGMENTATION;
    return size;
}

static void assert_sums_are_right(const struct packet *packet, int version, int protocol) {
    uint32_t ip_bytes = version == 4 ? 20 : 40, transport_bytes = packet->size_bytes - ip_bytes;
    if (version == 4) assert_int_equal(words(packet->bytes, 20, 0), 0xffff);
    uint32_t sum = pseudo_header(packet->bytes, version, protocol, transport_bytes);
    assert_int_equal(words(packet->bytes + ip_bytes, transport_bytes, sum), 0xffff);
}

static const struct shape several[] = {
    {4, TCP, 12, 65000, 1448}, {6, TCP, 12, 64000, 1428}, {4, TCP, 0, 1449, 1448},  {4, TCP, 40, 2896, 1448},
    {6, TCP, 0, 1001, 1000},   {4, UDP, 0, 12000, 1200},  {6, UDP, 0, 12001, 1200}, {4, UDP, 0, 5, 1},
};

UNIT_TEST(a_whole_is_cut_as_the_kernel_cuts_it) {
    srand(5);
    for (size_t i = 0; i < sizeof several / sizeof several[0]; i++) {
        const struct shape *shape = &several[i];
        uint8_t *bytes = malloc(SEGMENTS_CAPACITY);
        struct virtio_net_hdr offload;
        uint32_t size = compose(shape, bytes, &offload), ip_bytes = ip_bytes_of(shape);
        uint32_t header_bytes = header_bytes_of(shape), done = 0, index = 0;
        struct segments segments;
        assert_true(segments_several(&offload));
        assert_int_equal(segments_open(&segments, &offload, bytes, size), 0);
        while (segments_more(&segments)) {
            struct packet packet;
            segments_next(&segments, &packet);
            uint32_t left = shape->payload_bytes - done;
            uint32_t payload = left < shape->segment_bytes ? left : shape->segment_bytes;
            bool last = payload == left;
            assert_int_equal(packet.size_bytes, header_bytes + payload);
            assert_memory_equal(packet.bytes + header_bytes, bytes + header_bytes + done, payload);
            if (shape->version == 4) {
                assert_int_equal(at_16(packet.bytes + 2), packet.size_bytes);
                assert_int_equal(at_16(packet.bytes + 4), (65530 + index) & 0xffff);
                assert_memory_equal(packet.bytes + 6, bytes + 6, 4); // fragment, hop limit, protocol
                assert_memory_equal(packet.bytes + 12, bytes + 12, 8);
            } else {
                assert_int_equal(at_16(packet.bytes + 4), packet.size_bytes - 40);
                assert_memory_equal(packet.bytes + 6, bytes + 6, 34);
            }
            const uint8_t *transport = packet.bytes + ip_bytes;
            if (shape->protocol == TCP) {
                assert_int_equal(at_32(transport + 4), at_32(bytes + ip_bytes + 4) + done);
                assert_int_equal(transport[13], ACK | ECE | (index == 0 ? CWR : 0) | (last ? FIN | PSH : 0));
                assert_memory_equal(transport + 18, bytes + ip_bytes + 18, 2 + shape->tcp_options_bytes);
            } else {
                assert_int_equal(at_16(transport + 4), 8 + payload);
            }
            assert_sums_are_right(&packet, shape->version, shape->protocol);
            done += payload;
            index++;
        }
        assert_int_equal(done, shape->payload_bytes);
        free(bytes);
    }
}

UNIT_TEST(the_checksum_of_one_packet_is_completed) {
    static const struct shape shapes[] = {{4, TCP, 12, 1448, 0},
                                          {6, TCP, 0, 1, 0},
                                          {4, UDP, 0, 0, 0},
                                          {6, UDP, 0, 1200, 0},
                                          {4, TCP, 0, 777, 0}};
    srand(6);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct packet packet;
        struct virtio_net_hdr offload;
        packet.size_bytes = compose(&shapes[i], packet.bytes, &offload);
        assert_false(segments_several(&offload));
        assert_int_equal(segments_complete(&offload, &packet), 0);
        assert_sums_are_right(&packet, shapes[i].version, shapes[i].protocol);
        // Without the flag the packet is as it should be, right or wrong.
        struct packet copy = packet;
        offload.flags = 0;
        assert_int_equal(segments_complete(&offload, &packet), 0);
        assert_memory_equal(copy.bytes, packet.bytes, packet.size_bytes);
    }
}

// A UDP checksum that comes out as 0 is sent as 0xffff (RFC 768): 0 says that there is none.
UNIT_TEST(a_udp_checksum_is_never_zero) {
    struct shape shape = {4, UDP, 0, 2, 0};
    struct packet packet;
    struct virtio_net_hdr offload;
    packet.size_bytes = compose(&shape, packet.bytes, &offload);
    write_16(packet.bytes + 28, 0);
    uint32_t sum = words(packet.bytes + 20, packet.size_bytes - 20, 0);
    write_16(packet.bytes + 28, ~sum & 0xffff); // all words together: 0xffff
    assert_int_equal(segments_complete(&offload, &packet), 0);
    assert_int_equal(at_16(packet.bytes + 26), 0xffff);
}

UNIT_TEST(headers_that_do_not_fit_are_refused) {
    const struct shape *shape = &several[0];
    uint8_t *bytes = malloc(SEGMENTS_CAPACITY);
    struct virtio_net_hdr right, offload;
    struct segments segments;
    uint32_t size = compose(shape, bytes, &right);
    assert_int_equal(segments_open(&segments, &right, bytes, size), 0);
    static const struct {
        uint8_t flags, type;
        uint16_t gso_size, csum_start;
    } wrong[] = {
        {0, 1, 1448, 20}, {1, 2, 1448, 20},    {1, 1, 0, 20},    {1, 1, 1990, 20},
        {1, 4, 1448, 20}, {1, 1, 1448, 65000}, {1, 1, 1448, 19},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        offload = right;
        offload.flags = wrong[i].flags;
        offload.gso_type = wrong[i].type;
        offload.gso_size = wrong[i].gso_size;
        offload.csum_start = wrong[i].csum_start;
        assert_int_equal(segments_open(&segments, &offload, bytes, size), -1);
    }
    assert_int_equal(segments_open(&segments, &right, bytes, 52), -1); // no payload
    assert_int_equal(segments_open(&segments, &right, bytes, 3), -1);
    free(bytes);
}

// Whatever the header says, under the sanitizers: refused, or cut into packets that hold all of the payload.
UNIT_TEST(anything_is_refused_or_cut) {
    srand(7);
    unsigned cut = 0, times = unit_times(200000);
    for (unsigned i = 0; i < times; i++) {
        uint32_t size = 1 + (uint32_t)rand() % (i % 16 == 0 ? 9000 : 200);
        uint8_t *bytes = malloc(size); // the sanitizer sees a byte too many
        for (uint32_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)rand();
        bytes[0] = rand() % 2 ? 0x45 : 0x60;
        struct virtio_net_hdr offload = {
            .flags = (uint8_t)(rand() % 4),
            .gso_type = (uint8_t)(rand() % 8),
            .gso_size = (uint16_t)(rand() % 1600),
            .csum_start = (uint16_t)(rand() % 64),
            .csum_offset = (uint16_t)(rand() % 32),
        };
        struct segments segments;
        struct packet packet;
        if (segments_open(&segments, &offload, bytes, size) == 0) {
            cut++;
            uint32_t payload = 0;
            while (segments_more(&segments)) {
                segments_next(&segments, &packet);
                assert_true(packet.size_bytes <= PACKET_CAPACITY);
                payload += packet.size_bytes - segments.header_bytes;
            }
            assert_int_equal(payload, size - segments.header_bytes);
        }
        packet.size_bytes = size < PACKET_CAPACITY ? size : PACKET_CAPACITY;
        memcpy(packet.bytes, bytes, packet.size_bytes);
        segments_complete(&offload, &packet);
        free(bytes);
    }
    assert_true(cut > times / 200);
}
