// A whole direction in virtual time: no packet is lost unseen, the rate is never exceeded, and nothing
// depends on when the loop happens to wake up.
#include "collect.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/profile_of.h"

enum { PACKETS = 50000 };

static const char *const forms[] = {
    "3mbit/50ms,loss=1%",      "10mbit/20ms,queue=10p",        "1gbit/0ms,queue=13kB",
    "unlimited/300ms,loss=5%", "200kbit/30ms,queue=unlimited", "100mbit/1ms,loss=100%",
    "2.92mbit/7ms,seed=9",
};

// Bursts and pauses around the link's rate.
static uint64_t next_arrival(uint64_t now_ns, uint64_t rate_bps) {
    uint64_t packet_ns = rate_bps > 0 ? UINT64_C(12000000000000) / rate_bps : 10000;
    switch (rand() % 8) {
    case 0:
        return now_ns + packet_ns * (uint64_t)(rand() % 8);
    case 1:
    case 2:
        return now_ns + packet_ns * (uint64_t)(rand() % 1000) / 500;
    default:
        return now_ns + packet_ns * (uint64_t)(rand() % 1000) / 1000;
    }
}

// How the loop under test wakes up between arrivals.
enum wake { WAKE_EXACTLY, WAKE_LATE, WAKE_NEVER };

static void run(const struct link_profile *profile, enum path_stream stream, enum wake wake,
                struct collect *out, struct path *path) {
    const struct direction_settings *direction = stream == PATH_DOWN ? &profile->down : &profile->up;
    path_open(path, profile, stream, &out->pool, &out->node);
    srand(11);
    unsigned lateness = 1;
    uint64_t now_ns = 1000000000;
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint32_t size_bytes = rand() % 3 == 0 ? 40 + (uint32_t)rand() % 100 : 1500;
        uint64_t arrival_ns = next_arrival(now_ns, link_rate_bps(direction));
        while (wake != WAKE_NEVER && path_due_ns(path) <= arrival_ns) {
            uint64_t wake_ns = path_due_ns(path);
            lateness = lateness * 1103515245 + 12345; // apart from rand(), so that arrivals stay the same
            if (wake == WAKE_LATE) wake_ns += (lateness >> 8) % 5000000;
            path_advance(path, wake_ns < arrival_ns ? wake_ns : arrival_ns);
        }
        path_take(path, test_packet(&out->pool, i, size_bytes), arrival_ns);
        now_ns = arrival_ns;
        assert_int_equal(i + 1, out->count + path->link.queue.drops + path->loss.drops + path_held(path));
    }
    path_advance(path, now_ns + UINT64_C(1000000000000));
}

UNIT_TEST(every_packet_is_accounted_for) {
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct link_profile profile = profile_of(forms[f]);
        struct collect *out = collect_open();
        struct path path;
        run(&profile, PATH_DOWN, WAKE_EXACTLY, out, &path);
        assert_int_equal(path_held(&path), 0);
        assert_true(path_due_ns(&path) == NODE_NEVER);
        assert_int_equal(PACKETS, out->count + path.link.queue.drops + path.loss.drops);
        if (strstr(forms[f], "queue=10p"))
            assert_true(path.link.queue.drops > 0); // the traffic does fill queues
        for (uint32_t i = 1; i < out->count; i++)
            assert_true(out->departures[i].number > out->departures[i - 1].number);
        collect_close(out);
    }
}

// Over every window between two departures: bits sent after the first, up to the last, take at least their
// time. The largest excess ends at the current departure and began at the smallest value of bits - rate *
// time before it.
UNIT_TEST(rate_is_not_exceeded_in_any_window) {
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct link_profile profile = profile_of(forms[f]);
        uint64_t rate_bps = link_rate_bps(&profile.down);
        if (rate_bps == 0) continue;
        struct collect *out = collect_open();
        struct path path;
        run(&profile, PATH_DOWN, WAKE_LATE, out, &path);
        __int128 least = 0, sent = 0;
        for (uint32_t i = 0; i < out->count; i++) {
            if (i > 0) sent += (__int128)out->departures[i].size_bytes * 8 * 1000000000;
            __int128 ahead = sent - (__int128)out->departures[i].time_ns * rate_bps;
            if (i > 0) assert_true(ahead - least <= (__int128)rate_bps); // whole nanoseconds: one at most
            if (i == 0 || ahead < least) least = ahead;
        }
        collect_close(out);
    }
}

UNIT_TEST(lateness_changes_nothing) {
    static const enum wake others[] = {WAKE_LATE, WAKE_NEVER};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct link_profile profile = profile_of(forms[f]);
        struct collect *exact = collect_open(), *late = collect_open();
        struct path path;
        run(&profile, PATH_UP, WAKE_EXACTLY, exact, &path);
        for (int i = 0; i < 2; i++) {
            late->count = 0;
            run(&profile, PATH_UP, others[i], late, &path);
            assert_int_equal(late->count, exact->count);
            for (uint32_t k = 0; k < late->count; k++) {
                assert_int_equal(late->departures[k].number, exact->departures[k].number);
                assert_true(late->departures[k].time_ns == exact->departures[k].time_ns);
            }
        }
        collect_close(exact);
        collect_close(late);
    }
}

UNIT_TEST(idle_link_adds_transmission_and_delay) {
    struct link_profile profile = profile_of("down=8mbit,up=1mbit,delay_down=10ms,delay_up=15ms");
    struct collect *out = collect_open();
    struct path path;
    path_open(&path, &profile, PATH_DOWN, &out->pool, &out->node);
    path_take(&path, test_packet(&out->pool, 0, 1000), 7);
    path_advance(&path, UINT64_MAX - 1);
    assert_int_equal(out->departures[0].time_ns, 7 + 1000000 + 10000000);
    path_open(&path, &profile, PATH_UP, &out->pool, &out->node);
    path_take(&path, test_packet(&out->pool, 0, 1000), 7);
    path_advance(&path, UINT64_MAX - 1);
    assert_int_equal(out->departures[1].time_ns, 7 + 8000000 + 15000000);
    collect_close(out);
}

// A lost packet has used the link: those behind it leave when they would have left anyway.
UNIT_TEST(lost_packets_use_their_time) {
    struct link_profile lossless = profile_of("1mbit/0ms,queue=unlimited");
    struct link_profile lossy = profile_of("1mbit/0ms,queue=unlimited,loss=30%");
    struct collect *all = collect_open(), *some = collect_open();
    struct path path;
    run(&lossless, PATH_DOWN, WAKE_NEVER, all, &path);
    run(&lossy, PATH_DOWN, WAKE_NEVER, some, &path);
    assert_int_equal(all->count, PACKETS);
    assert_true(path.loss.drops > PACKETS / 4);
    for (uint32_t i = 0; i < some->count; i++)
        assert_true(some->departures[i].time_ns == all->departures[some->departures[i].number].time_ns);
    collect_close(all);
    collect_close(some);
}
