// HTTPS records as RFC 9460 has them in its examples, and whatever else a server may send for one.
#include "fetch/https_record.h"
#include "test/native/cmocka_unit.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static void expect(const uint8_t *data, size_t size, const char *json) {
    json_t *record = https_record_read(data, size);
    assert_non_null(record);
    char *text = json_dumps(record, JSON_COMPACT);
    assert_string_equal(text, json);
    free(text);
    json_decref(record);
}

UNIT_TEST(records_are_read) {
    // RFC 9460, appendix D.
    expect(BYTES("\x00\x00\x03"
                 "foo\x07"
                 "example\x03"
                 "com\x00"),
           "{\"priority\":0,\"target\":\"foo.example.com.\",\"alpn\":[],\"port\":null,\"ipv4_hints\":[],"
           "\"ipv6_hints\":[],\"ech\":false}");
    expect(BYTES("\x00\x10\x03"
                 "foo\x07"
                 "example\x03"
                 "com\x00\x00\x03\x00\x02\x00\x35"),
           "{\"priority\":16,\"target\":\"foo.example.com.\",\"alpn\":[],\"port\":53,\"ipv4_hints\":[],"
           "\"ipv6_hints\":[],\"ech\":false}");
    expect(BYTES("\x00\x01\x00\x00\x01\x00\x06\x02h3\x02h2\x00\x04\x00\x08\xc0\x00\x02\x01\xc0\x00\x02\x02"
                 "\x00\x05\x00\x01x\x00\x06\x00\x10\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"),
           "{\"priority\":1,\"target\":\".\",\"alpn\":[\"h3\",\"h2\"],\"port\":null,\"ipv4_hints\":"
           "[\"192.0.2.1\",\"192.0.2.2\"],\"ipv6_hints\":[\"2001:db8::1\"],\"ech\":true}");
    // What is no text is written as the DNS writes it; unknown keys are passed over.
    expect(BYTES("\x00\x01\x02\x00\xff\x00\x00\x01\x00\x03\x02\x80\\\x02\x9b\x00\x02zz"),
           "{\"priority\":1,\"target\":\"\\\\000\\\\255.\",\"alpn\":[\"\\\\128\\\\092\"],\"port\":null,"
           "\"ipv4_hints\":[],\"ipv6_hints\":[],\"ech\":false}");
}

UNIT_TEST(broken_ones_are_none) {
    static const struct {
        const uint8_t *data;
        size_t size;
    } broken[] = {
        {BYTES("")},
        {BYTES("\x00")},
        {BYTES("\x00\x01")},
        {BYTES("\x00\x01\x05zz\x00")},
        {BYTES("\x00\x01\xc0\x0c")},                   // compressed
        {BYTES("\x00\x01\x00\x00\x01\x00")},           // a key without its length
        {BYTES("\x00\x01\x00\x00\x01\x00\x09\x02h3")}, // a value that is cut
        {BYTES("\x00\x01\x00\x00\x01\x00\x03\x03h3")}, // an id that is cut
        {BYTES("\x00\x01\x00\x00\x01\x00\x01\x00")},   // an empty id
        {BYTES("\x00\x01\x00\x00\x03\x00\x01\x01")},   // half a port
        {BYTES("\x00\x01\x00\x00\x04\x00\x05\x01\x02\x03\x04\x05")},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (https_record_read(broken[i].data, broken[i].size)) fail_msg("record %zu was taken", i);
}

// An answer with `count` records of `size` bytes each, of the name that was asked for.
static size_t write_answer(uint8_t *message, unsigned count, size_t size) {
    static const uint8_t question[] = "\1x\0\0\x41\0\1", owner[] = "\xc0\x0c\0\x41\0\1\0\0\0\1";
    uint8_t *out = message;
    memcpy(out, "\0\1\x81\x80\0\1", 6);
    out[6] = (uint8_t)(count >> 8), out[7] = (uint8_t)count;
    memset(out + 8, 0, 4);
    memcpy(out + 12, question, sizeof question - 1);
    out += 12 + sizeof question - 1;
    for (unsigned i = 0; i < count; i++) {
        memcpy(out, owner, sizeof owner - 1);
        out += sizeof owner - 1;
        out[0] = (uint8_t)(size >> 8), out[1] = (uint8_t)size;
        memcpy(out + 2, "\0\1\0", 3); // priority 1, "."
        if (size > 3) {               // one parameter that nobody knows
            memcpy(out + 5, "\xff\0", 2);
            out[7] = (uint8_t)((size - 7) >> 8), out[8] = (uint8_t)(size - 7);
            memset(out + 9, 0, size - 7);
        }
        out += 2 + size;
    }
    return (size_t)(out - message);
}

// They stand in each row of a host: a name server does not say how long rows get.
UNIT_TEST(many_records_are_refused) {
    static const struct {
        unsigned count;
        size_t size;
        enum https_state state;
    } answers[] = {{0, 3, HTTPS_ABSENT},    {1, 3, HTTPS_PRESENT},   {32, 3, HTTPS_PRESENT},
                   {33, 3, HTTPS_FAILED},   {1000, 3, HTTPS_FAILED}, {1, 4096, HTTPS_PRESENT},
                   {1, 4097, HTTPS_FAILED}, {2, 2100, HTTPS_FAILED}};
    static uint8_t message[65536];
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct https_answer answer = {.records = json_array()};
        const size_t size = write_answer(message, answers[i].count, answers[i].size);
        https_record_read_all(&answer, message, size);
        if (answer.state != answers[i].state) fail_msg("answer %zu: %s", i, answer.reason);
        const bool present = answer.state == HTTPS_PRESENT;
        assert_int_equal(json_array_size(answer.records), present ? answers[i].count : 0);
        if (answer.state == HTTPS_FAILED)
            assert_string_equal(answer.reason,
                                "the name has more than 32 records, or than 4096 bytes of them");
        json_decref(answer.records);
    }
}
