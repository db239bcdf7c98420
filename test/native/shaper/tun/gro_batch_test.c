// batch: whatever comes in whatever order, a batch cut again is the packets that went into it, byte for byte;
// and what was one whole and lost nothing is one batch again.
#include "shaper/tun/gro_batch.h"
#include "shaper/tun/segments.h"
#include "test/native/cmocka_unit.h"

enum { COUNT = 40, MSS = 1000 };

// A whole of COUNT packets and a bit, as a kernel with the offloads writes it, cut.
static uint32_t cut(int version, uint8_t flags, struct packet *packets) {
    static uint8_t bytes[SEGMENTS_CAPACITY];
    uint32_t ip_bytes = version == 4 ? 20 : 40, header_bytes = ip_bytes + 32;
    uint32_t size = header_bytes + COUNT * MSS + 77;
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)rand();
    bytes[0] = version == 4 ? 0x45 : 0x60;
    bytes[version == 4 ? 9 : 6] = 6;
    bytes[ip_bytes + 12] = 0x80;
    bytes[ip_bytes + 13] = flags;
    struct virtio_net_hdr offload = {
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
        .gso_type = version == 4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
        .gso_size = MSS,
        .csum_start = (uint16_t)ip_bytes,
        .csum_offset = 16,
    };
    struct segments segments;
    assert_int_equal(segments_open(&segments, &offload, bytes, size), 0);
    uint32_t count = 0;
    while (segments_more(&segments))
        segments_next(&segments, &packets[count++]);
    return count;
}

// What the receiver's kernel makes of the batch is what went in.
static void assert_whole(const struct gro_batch *batch) {
    if (batch->count == 1) return;
    static uint8_t whole[SEGMENTS_CAPACITY];
    struct virtio_net_hdr offload;
    gro_batch_headers(batch, &offload, whole);
    uint32_t size = batch->header_bytes;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t payload_bytes = batch->packets[i]->size_bytes - batch->header_bytes;
        memcpy(whole + size, batch->packets[i]->bytes + batch->header_bytes, payload_bytes);
        size += payload_bytes;
    }
    assert_int_equal(size, batch->size_bytes);
    assert_int_equal(offload.hdr_len, batch->header_bytes);
    struct segments segments;
    assert_int_equal(segments_open(&segments, &offload, whole, size), 0);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct packet packet;
        assert_true(segments_more(&segments));
        segments_next(&segments, &packet);
        assert_int_equal(packet.size_bytes, batch->packets[i]->size_bytes);
        assert_memory_equal(packet.bytes, batch->packets[i]->bytes, packet.size_bytes);
    }
    assert_false(segments_more(&segments));
}

// How many batches these packets make; each is checked.
static int batches(struct packet *packets, const uint64_t *due_ns, uint64_t span_ns, uint32_t count) {
    struct gro_batch batch = {0};
    int made = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (gro_batch_add(&batch, &packets[i], due_ns ? due_ns[i] : 5, span_ns)) continue;
        assert_whole(&batch);
        made++;
        batch.count = 0;
        assert_true(gro_batch_add(&batch, &packets[i], due_ns ? due_ns[i] : 5, span_ns));
    }
    assert_whole(&batch);
    return made + 1;
}

static struct packet packets[2 * COUNT + 4];

UNIT_TEST(a_whole_becomes_a_whole_again) {
    srand(3);
    assert_int_equal(batches(packets, NULL, 0, cut(4, 0x10, packets)), 1);
    assert_int_equal(batches(packets, NULL, 0, cut(6, 0x18, packets)), 1);
    assert_int_equal(batches(packets, NULL, 0, cut(4, 0x19, packets)), 1);
}

UNIT_TEST(what_leaves_at_another_time_is_another_train) {
    srand(4);
    uint64_t due_ns[COUNT + 1];
    uint32_t count = cut(4, 0x10, packets);
    for (uint32_t i = 0; i < count; i++)
        due_ns[i] = 1000 + i / 10;
    assert_int_equal(batches(packets, due_ns, 0, count), (int)(count + 9) / 10);
    assert_int_equal(batches(packets, due_ns, 1, count), (int)(count + 19) / 20);
    assert_int_equal(batches(packets, due_ns, COUNT, count), 1);
}

UNIT_TEST(a_gap_a_flag_or_a_checksum_we_do_not_know_ends_a_train) {
    srand(5);
    uint32_t count = cut(4, 0x10, packets);
    memmove(&packets[7], &packets[8], (count - 8) * sizeof packets[0]);
    assert_int_equal(batches(packets, NULL, 0, count - 1), 2);
    count = cut(4, 0x10, packets);
    packets[20].cut = false;
    assert_int_equal(batches(packets, NULL, 0, count), 3);
    count = cut(4, 0x90, packets); // the first says that the window was reduced
    assert_int_equal(batches(packets, NULL, 0, count), 2);
    count = cut(4, 0x10, packets); // two connections in turn
    struct packet others[COUNT + 1];
    cut(4, 0x10, others);
    for (uint32_t i = count; i-- > 0;) {
        packets[2 * i] = packets[i];
        packets[2 * i + 1] = others[i];
    }
    assert_int_equal(batches(packets, NULL, 0, 2 * count), (int)(2 * count));
}

// Packets gone, doubled or moved: no batch holds what it should not.
UNIT_TEST(disorder_never_makes_a_wrong_train) {
    srand(6);
    for (unsigned round = 0; round < unit_times(3000); round++) {
        uint32_t count = cut(rand() % 2 ? 4 : 6, rand() % 4 ? 0x10 : 0x18, packets);
        for (int change = rand() % 4; change > 0; change--) {
            uint32_t i = (uint32_t)rand() % count, k = (uint32_t)rand() % count;
            struct packet kept = packets[i];
            packets[i] = packets[k];
            if (rand() % 2) packets[k] = kept;
        }
        batches(packets, NULL, 0, count);
    }
}
