// Sizes of recorded servers' TLS records, by the address that each is replayed from.
#include "replay/tls/record_sizes.h"
#include "test/native/cmocka_unit.h"

static struct recorded_exchange exchanges[] = {
    {.address = "192.0.2.7", .record_bytes = 1369},  {.address = "192.0.2.10"},
    {.address = "192.0.2.7", .record_bytes = 16384}, {.address = "2001:db8::1", .record_bytes = 4096},
    {.address = "192.0.2.7", .record_bytes = 2000},
};

UNIT_TEST(test_the_largest_of_an_address_counts) {
    const struct recording recording = {.exchanges = exchanges,
                                        .exchange_count = sizeof exchanges / sizeof *exchanges};
    struct record_sizes *sizes = record_sizes_open(&recording);
    assert_non_null(sizes);
    assert_int_equal(record_sizes_of(sizes, "192.0.2.7"), 16384);
    assert_int_equal(record_sizes_of(sizes, "2001:db8::1"), 4096);
    assert_int_equal(record_sizes_of(sizes, "192.0.2.10"), 0);
    assert_int_equal(record_sizes_of(sizes, "192.0.2.1"), 0);
    record_sizes_close(sizes);
}

UNIT_TEST(test_none_is_known_of_an_empty_recording) {
    const struct recording recording = {0};
    struct record_sizes *sizes = record_sizes_open(&recording);
    assert_non_null(sizes);
    assert_int_equal(record_sizes_of(sizes, "192.0.2.7"), 0);
    record_sizes_close(sizes);
    record_sizes_close(NULL);
}
