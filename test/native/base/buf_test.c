// buf: bytes come out as they went in, whatever the order of adding and draining.
#include "base/buf.h"
#include "test/native/cmocka_unit.h"

UNIT_TEST(empty_buffer_has_nothing) {
    struct buf b = {0};
    assert_int_equal(buf_size(&b), 0);
    assert_int_equal(buf_add(&b, NULL, 0), 0);
    assert_int_equal(buf_size(&b), 0);
    buf_free(&b);
}

UNIT_TEST(bytes_come_out_in_order) {
    struct buf b = {0};
    uint8_t put = 0, got = 0;
    size_t held = 0;
    srand(7);
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[64];
        size_t more = (size_t)(rand() % 64);
        for (size_t k = 0; k < more; k++)
            bytes[k] = put++;
        assert_int_equal(buf_add(&b, bytes, more), 0);
        held += more;
        size_t less = (size_t)rand() % (held + 1);
        for (size_t k = 0; k < less; k++)
            assert_int_equal(buf_bytes(&b)[k], got++);
        buf_drain(&b, less);
        held -= less;
        assert_int_equal(buf_size(&b), held);
    }
    buf_free(&b);
}

UNIT_TEST(drained_space_is_used_again) {
    struct buf b = {0};
    char block[200] = "";
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(buf_add(&b, block, sizeof block), 0);
        buf_drain(&b, sizeof block);
    }
    assert_true(b.capacity <= 512);
    buf_free(&b);
}

UNIT_TEST(printf_appends_text) {
    struct buf b = {0};
    assert_int_equal(buf_add(&b, "a", 1), 0);
    char long_text[1000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    assert_int_equal(buf_printf(&b, "%d-%s", 42, long_text), 0);
    assert_int_equal(buf_size(&b), 1 + 3 + strlen(long_text));
    assert_memory_equal(buf_bytes(&b), "a42-xxx", 7);
    buf_free(&b);
}

UNIT_TEST(absurd_size_is_refused_and_leaves_the_buffer) {
    struct buf b = {0};
    assert_int_equal(buf_add(&b, "abc", 3), 0);
    assert_int_equal(buf_reserve(&b, SIZE_MAX - 1), -1);
    assert_int_equal(buf_size(&b), 3);
    assert_memory_equal(buf_bytes(&b), "abc", 3);
    buf_free(&b);
}
