// timeline: sums stay whole however long a run is, bins stand at their time, and a queue that nobody touches
// stays full.
#include "base/clock.h"
#include "shaper/nodes/timeline.h"
#include "test/native/cmocka_unit.h"

static const uint64_t start_ns = 5 * NS_PER_S;

UNIT_TEST(bins_stand_at_their_time) {
    struct timeline timeline = {0};
    const struct timeline_counters quiet = {0};
    timeline_tell(&timeline, &quiet, &quiet, start_ns);
    struct timeline_counters down = {.bytes_out = 1500, .dropped = 1, .queue_bytes = 9000};
    timeline_tell(&timeline, &down, &quiet, start_ns + 12 * NS_PER_MS);
    down = (struct timeline_counters){.bytes_out = 4500, .dropped = 1, .lost = 2, .queue_bytes = 3000};
    struct timeline_counters up = {.bytes_out = 80};
    timeline_tell(&timeline, &down, &up, start_ns + 49 * NS_PER_MS);
    assert_int_equal(timeline.start_ns, start_ns);
    assert_int_equal(timeline.bin_ns, 10 * NS_PER_MS);
    assert_int_equal(timeline.count, 5);
    const struct timeline_bin *bins = timeline.down.bins;
    assert_int_equal(bins[0].bytes_out, 0);
    assert_int_equal(bins[1].bytes_out, 1500);
    assert_int_equal(bins[1].dropped, 1);
    assert_int_equal(bins[4].bytes_out, 3000);
    assert_int_equal(bins[4].dropped, 0);
    assert_int_equal(bins[4].lost, 2);
    assert_int_equal(timeline.up.bins[4].bytes_out, 80);
    // Nobody told of 20 to 40 ms: what waited at 12 ms did still.
    assert_int_equal(bins[0].queue_peak_bytes, 0);
    for (int i = 1; i < 5; i++)
        assert_int_equal(bins[i].queue_peak_bytes, 9000);
    timeline_tell(&timeline, &down, &up, start_ns + 51 * NS_PER_MS);
    assert_int_equal(bins[5].queue_peak_bytes, 3000);
}

UNIT_TEST(sums_stay_whole) {
    struct timeline timeline = {0};
    struct timeline_counters down = {0}, up = {0};
    // 1 MB a second for 100 s; one drop in the 77th.
    for (uint64_t ms = 0; ms <= 100000; ms += 5) {
        down.bytes_out = ms * 1000;
        down.dropped = ms >= 77000;
        down.queue_bytes = ms == 50000 ? 60000 : 0;
        timeline_tell(&timeline, &down, &up, start_ns + ms * NS_PER_MS);
    }
    assert_int_equal(timeline.bin_ns, 640 * NS_PER_MS);
    assert_int_equal(timeline.count, 100000 / 640 + 1);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < timeline.count; i++) {
        const struct timeline_bin *bin = &timeline.down.bins[i];
        sum += bin->bytes_out;
        if (i > 0 && i + 1 < timeline.count) assert_int_equal(bin->bytes_out, 640000);
        assert_int_equal(bin->dropped, i == 77000 / 640);
        assert_int_equal(bin->queue_peak_bytes, i == 50000 / 640 ? 60000 : 0);
    }
    assert_int_equal(sum, 100000000);
}

UNIT_TEST(a_long_silence_is_bins_without_bytes) {
    struct timeline timeline = {0};
    struct timeline_counters down = {.bytes_out = 1000}, up = {0};
    timeline_tell(&timeline, &down, &up, start_ns);
    down.bytes_out = 3000;
    timeline_tell(&timeline, &down, &up, start_ns + 3600 * NS_PER_S);
    assert_true(timeline.count <= TIMELINE_BINS);
    assert_int_equal(timeline.down.bins[0].bytes_out, 1000);
    assert_int_equal(timeline.down.bins[timeline.count - 1].bytes_out, 2000);
}
