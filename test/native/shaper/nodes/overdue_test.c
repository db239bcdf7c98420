// overdue: the union of intervals is exact while there is room, and never too small after that.
#include "shaper/nodes/overdue.h"
#include "test/native/cmocka_unit.h"

UNIT_TEST(overlapping_times_count_once) {
    struct overdue overdue = {0};
    overdue_add(&overdue, 100, 200);
    overdue_add(&overdue, 150, 250);
    overdue_add(&overdue, 300, 310);
    assert_int_equal(overdue.count, 2);
    assert_int_equal(overdue_total_ns(&overdue), 160);
    overdue_add(&overdue, 90, 320); // covers them all
    assert_int_equal(overdue.count, 1);
    assert_int_equal(overdue.list[0].start_ns, 90);
    assert_int_equal(overdue_total_ns(&overdue), 230);
    overdue_add(&overdue, 400, 400);
    overdue_add(&overdue, 500, 400);
    assert_int_equal(overdue.count, 1);
    assert_int_equal(overdue.resolution_ns, 0);
}

UNIT_TEST(one_that_is_told_late_is_joined) {
    struct overdue overdue = {0};
    overdue_add(&overdue, 100, 200);
    overdue_add(&overdue, 400, 500);
    overdue_add(&overdue, 250, 300);
    assert_int_equal(overdue.count, 2);
    assert_int_equal(overdue.list[1].start_ns, 250);
    assert_int_equal(overdue.list[1].end_ns, 500);
}

UNIT_TEST(a_full_list_becomes_coarser_and_loses_nothing) {
    static struct overdue overdue;
    const uint64_t apart_ns = 1500000, long_ns = 1000000;
    uint64_t count = 10 * OVERDUE_MAX;
    for (uint64_t i = 0; i < count; i++)
        overdue_add(&overdue, i * apart_ns, i * apart_ns + long_ns);
    assert_true(overdue.count <= OVERDUE_MAX);
    assert_true(overdue.resolution_ns >= apart_ns - long_ns);
    assert_true(overdue_total_ns(&overdue) >= count * long_ns);
    assert_true(overdue_total_ns(&overdue) <= count * apart_ns);
    assert_int_equal(overdue.list[0].start_ns, 0);
    assert_int_equal(overdue.list[overdue.count - 1].end_ns, (count - 1) * apart_ns + long_ns);
    for (uint32_t i = 1; i < overdue.count; i++)
        assert_true(overdue.list[i].start_ns > overdue.list[i - 1].end_ns);
}
