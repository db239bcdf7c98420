#include "replay/h3/h3_long_head.h"

enum { FRAME_DATA = 0x00, FRAME_HEADERS = 0x01 };

// A literal field line with a literal name (RFC 9204, 4.5.6), neither in Huffman's code.
enum { LITERAL_NAME = 0x20, NAME_PREFIX_BITS = 3, VALUE_PREFIX_BITS = 7 };

// What the lengths of a field line take at most, and a frame's head.
enum { FIELD_OVERHEAD_BYTES = 8, FRAME_OVERHEAD_BYTES = 16 };

bool h3_head_can_go_whole(struct quiche_paths *paths, const quiche_conn *quic, const quiche_h3_header *fields,
                          size_t count) {
    size_t size = FRAME_OVERHEAD_BYTES;
    for (size_t i = 0; i < count; i++)
        size += fields[i].name_len + fields[i].value_len + FIELD_OVERHEAD_BYTES;
    quiche_path_stats path;
    quiche_transport_params client;
    return quiche_paths_active(paths, quic, &path) && size <= path.cwnd &&
           quiche_conn_peer_transport_params(quic, &client) &&
           size <= client.peer_initial_max_stream_data_bidi_local;
}

// RFC 9000, 16.
static int add_varint(struct buf *out, uint64_t value) {
    uint8_t bytes[8];
    size_t size = value < 1 << 6 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8;
    for (size_t i = size; i > 0; i--) {
        bytes[i - 1] = (uint8_t)value;
        value >>= 8;
    }
    bytes[0] |= (uint8_t)((size == 1 ? 0u : size == 2 ? 1u : size == 4 ? 2u : 3u) << 6);
    return buf_add(out, bytes, size);
}

// RFC 7541, 5.1; `first` holds the bits before the prefix.
static int add_prefixed(struct buf *out, uint8_t first, unsigned prefix_bits, size_t value) {
    uint8_t bytes[16];
    size_t size = 0;
    const size_t most = (1u << prefix_bits) - 1;
    bytes[size++] = (uint8_t)(first | (value < most ? value : most));
    if (value >= most) {
        for (value -= most; value >= 128; value >>= 7)
            bytes[size++] = (uint8_t)(value | 128);
        bytes[size++] = (uint8_t)value;
    }
    return buf_add(out, bytes, size);
}

static int add_section(struct buf *out, const quiche_h3_header *fields, size_t count) {
    static const uint8_t no_dynamic_table[] = {0, 0};
    int result = buf_add(out, no_dynamic_table, sizeof no_dynamic_table);
    for (size_t i = 0; i < count && result == 0; i++) {
        const quiche_h3_header *field = &fields[i];
        if (add_prefixed(out, LITERAL_NAME, NAME_PREFIX_BITS, field->name_len) < 0 ||
            buf_add(out, field->name, field->name_len) < 0 ||
            add_prefixed(out, 0, VALUE_PREFIX_BITS, field->value_len) < 0 ||
            buf_add(out, field->value, field->value_len) < 0)
            result = -1;
    }
    return result;
}

int h3_long_head_make(struct buf *out, const quiche_h3_header *fields, size_t count, uint64_t body_size) {
    struct buf section = {0};
    int result = add_section(&section, fields, count);
    if (result == 0 && (add_varint(out, FRAME_HEADERS) < 0 || add_varint(out, buf_size(&section)) < 0 ||
                        buf_add(out, buf_bytes(&section), buf_size(&section)) < 0))
        result = -1;
    if (result == 0 && body_size > 0 && (add_varint(out, FRAME_DATA) < 0 || add_varint(out, body_size) < 0))
        result = -1;
    buf_free(&section);
    return result;
}
