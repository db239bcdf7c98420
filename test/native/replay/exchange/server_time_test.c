// The server's own time by lane: quantiles of what could be sent at once, a count of what had to wait.
#include "replay/exchange/server_time.h"
#include "test/native/cmocka_unit.h"

static json_int_t number(const json_t *lanes, const char *lane, const char *key) {
    const json_t *value = json_object_get(json_object_get(lanes, lane), key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

UNIT_TEST(tells_quantiles_by_lane) {
    struct server_times times = {0};
    // 0 to 1000 microseconds, in an order of their own: 701 and 1001 have no common divisor.
    for (uint64_t i = 0; i <= 1000; i++)
        assert_int_equal(server_times_add(&times, "h2", i * 701 % 1001 * 1000), 0);
    assert_int_equal(server_times_add(&times, "h3", 10), 0);
    assert_int_equal(server_times_add(&times, "h3", 20), 0);
    server_times_waited(&times, "h3");
    server_times_waited(&times, "h1");
    json_t *lanes = server_times_json(&times);
    assert_int_equal(number(lanes, "h2", "requests"), 1001);
    assert_int_equal(number(lanes, "h2", "waited"), 0);
    assert_int_equal(number(lanes, "h2", "median_ns"), 500000);
    assert_int_equal(number(lanes, "h2", "p90_ns"), 900000);
    assert_int_equal(number(lanes, "h2", "max_ns"), 1000000);
    assert_int_equal(number(lanes, "h3", "median_ns"), 15); // between the two
    assert_int_equal(number(lanes, "h3", "waited"), 1);
    assert_null(json_object_get(lanes, "h1")); // it has no time to tell
    json_decref(lanes);
    server_times_free(&times);
}

UNIT_TEST(keeps_no_more_lanes_than_there_are) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct server_times times = {0};
    for (size_t i = 0; i < SERVER_TIME_LANES_MAX; i++)
        assert_int_equal(server_times_add(&times, names[i], 1), 0);
    assert_int_equal(server_times_add(&times, names[SERVER_TIME_LANES_MAX], 1), -1);
    server_times_waited(&times, names[SERVER_TIME_LANES_MAX]);
    server_times_free(&times);
}
