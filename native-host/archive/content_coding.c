#include "archive/content_coding.h"

#include <brotli/decode.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { FIRST_BYTES = 64 * 1024, GZIP_WINDOW = 15 + 16, ZLIB_WINDOW = 15, RAW_WINDOW = -15 };

// Bytes in the making.
struct output {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

// Room for at least one more byte. False: too many, or no memory.
static bool make_room(struct output *out) {
    if (out->size < out->capacity) return true;
    if (out->capacity >= DECODED_BYTES_MAX) return false;
    const size_t capacity = out->capacity ? 2 * out->capacity : FIRST_BYTES;
    uint8_t *bytes = realloc(out->bytes, capacity);
    if (!bytes) return false;
    out->bytes = bytes;
    out->capacity = capacity;
    return true;
}

// zlib counts in 32 bits.
static size_t at_most_a_gigabyte(size_t size) {
    return size < (1u << 30) ? size : (1u << 30);
}

static bool inflate_all(struct output *out, const uint8_t *body, size_t size, int window) {
    z_stream stream = {0};
    if (inflateInit2(&stream, window) != Z_OK) return false;
    int result = Z_OK;
    while (result == Z_OK && make_room(out)) {
        if (stream.avail_in == 0 && size > 0) {
            stream.next_in = (uint8_t *)(uintptr_t)body;
            stream.avail_in = (uInt)at_most_a_gigabyte(size);
            body += stream.avail_in;
            size -= stream.avail_in;
        }
        stream.next_out = out->bytes + out->size;
        stream.avail_out = (uInt)at_most_a_gigabyte(out->capacity - out->size);
        result = inflate(&stream, Z_NO_FLUSH); // Z_BUF_ERROR: the body ended too soon
        out->size = (size_t)(stream.next_out - out->bytes);
        // A gzip body may be of several members (RFC 1952, 2.2).
        if (result == Z_STREAM_END && window == GZIP_WINDOW && stream.avail_in + size > 0)
            result = inflateReset(&stream);
    }
    inflateEnd(&stream);
    return result == Z_STREAM_END;
}

static bool unbrotli(struct output *out, const uint8_t *body, size_t size) {
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    BrotliDecoderResult result =
        state ? BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT : BROTLI_DECODER_RESULT_ERROR;
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT && make_room(out)) {
        uint8_t *next = out->bytes + out->size;
        size_t room = out->capacity - out->size;
        result = BrotliDecoderDecompressStream(state, &size, &body, &room, &next, NULL);
        out->size = (size_t)(next - out->bytes);
    }
    if (state) BrotliDecoderDestroyInstance(state);
    return result == BROTLI_DECODER_RESULT_SUCCESS && size == 0;
}

static bool unzstd(struct output *out, const uint8_t *body, size_t size) {
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {body, size, 0};
    size_t left = 1; // 0: a frame is whole
    while (stream && (left > 0 || in.pos < in.size) && make_room(out)) {
        ZSTD_outBuffer to = {out->bytes, out->capacity, out->size};
        const size_t in_before = in.pos, out_before = to.pos;
        left = ZSTD_decompressStream(stream, &to, &in);
        out->size = to.pos;
        if (ZSTD_isError(left)) break;
        if (left > 0 && in.pos == in_before && to.pos == out_before) break; // ended too soon
    }
    ZSTD_freeDStream(stream);
    return stream && left == 0 && in.pos == in.size;
}

static bool decode(struct output *out, enum coding coding, const uint8_t *body, size_t size) {
    switch (coding) {
    case CODING_GZIP:
        return inflate_all(out, body, size, GZIP_WINDOW);
    case CODING_DEFLATE: // with zlib's frame, and from some servers without (RFC 9110, 8.4.1.2)
        if (inflate_all(out, body, size, ZLIB_WINDOW)) return true;
        out->size = 0;
        return inflate_all(out, body, size, RAW_WINDOW);
    case CODING_BR:
        return unbrotli(out, body, size);
    case CODING_ZSTD:
        return unzstd(out, body, size);
    case CODING_IDENTITY:
    case CODING_OTHER:
        break;
    }
    return false;
}

uint8_t *content_decode(enum coding coding, const uint8_t *body, size_t size, size_t *decoded_size) {
    struct output out = {0};
    if (!make_room(&out)) return NULL;
    if (size == 0 || !decode(&out, coding, body, size)) {
        free(out.bytes);
        return NULL;
    }
    *decoded_size = out.size;
    return out.bytes;
}

uint8_t *content_gzip(const uint8_t *body, size_t size, size_t *gzip_size) {
    enum { LEVEL = 6, MEMORY = 8 };
    z_stream stream = {0};
    if (size > DECODED_BYTES_MAX ||
        deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    const size_t capacity = deflateBound(&stream, size);
    uint8_t *bytes = malloc(capacity);
    int result = Z_MEM_ERROR;
    if (bytes) {
        stream.next_in = (uint8_t *)(uintptr_t)body;
        stream.avail_in = (uInt)size;
        stream.next_out = bytes;
        stream.avail_out = (uInt)capacity;
        result = deflate(&stream, Z_FINISH);
    }
    *gzip_size = capacity - stream.avail_out;
    deflateEnd(&stream);
    if (result == Z_STREAM_END) return bytes;
    free(bytes);
    return NULL;
}
