// path_switch in virtual time: what is under way is lost and counted, and from then on the path is as if it
// had begun with the other link.
#include "collect.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/profile_of.h"

static const uint64_t ms = 1000000;

struct fixture {
    struct link_profile before;
    struct link_profile after;
    struct collect *out;
    struct path path;
};

static struct fixture *begin(const char *before, const char *after) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->before = profile_of(before);
    f->after = profile_of(after);
    f->out = collect_open();
    path_open(&f->path, &f->before, PATH_DOWN, &f->out->pool, &f->out->node);
    path_start(&f->path, 0);
    return f;
}

static void end(struct fixture *f) {
    path_close(&f->path);
    collect_close(f->out);
    link_profile_close(&f->before);
    link_profile_close(&f->after);
    free(f);
}

static void send(struct fixture *f, uint32_t number, uint64_t at_ns) {
    path_take(&f->path, test_packet(&f->out->pool, number, 1500), at_ns);
}

UNIT_TEST(what_is_under_way_is_lost) {
    static const char *const befores[] = {"12mbit/40ms",
                                          "12mbit/40ms,aqm=fq_codel",
                                          "12mbit/40ms,aqm=codel",
                                          "12mbit/40ms,aqm=pie",
                                          "12mbit/40ms,jitter=3ms,jitter_order=free",
                                          "12mbit/40ms,reorder=50%:3"};
    for (size_t b = 0; b < sizeof befores / sizeof befores[0]; b++) {
        struct fixture *f = begin(befores[b], "6mbit/20ms");
        for (uint32_t i = 0; i < 30; i++) // a millisecond each on the link
            send(f, i, 100 * ms);
        // At 125 ms 25 have left the link, of which about 5 have arrived.
        path_switch(&f->path, &f->after, 125 * ms);
        uint32_t arrived = f->out->count;
        assert_true(arrived > 0 && arrived < 12);
        assert_int_equal(path_held(&f->path), 0);
        assert_int_equal(f->path.moved, 30 - arrived);
        assert_int_equal(f->path.moved_bytes, (30 - arrived) * 1500);
        assert_true(path_due_ns(&f->path) == NODE_NEVER);
        // The other link: 2 ms on it, then 10 ms.
        send(f, 100, 126 * ms);
        send(f, 101, 126 * ms);
        path_advance(&f->path, 1000 * ms);
        assert_int_equal(f->out->count, arrived + 2);
        assert_int_equal(f->out->departures[arrived].number, 100);
        assert_int_equal(f->out->departures[arrived].time_ns, 138 * ms);
        assert_int_equal(f->out->departures[arrived + 1].time_ns, 140 * ms);
        end(f);
    }
}

UNIT_TEST(schedules_of_the_other_link_count_from_the_switch) {
    struct fixture *f = begin("12mbit:6mbit@1s/0ms", "rate=12mbit:1.2mbit@500ms,rtt=20ms:40ms@500ms");
    path_switch(&f->path, &f->after, 2000 * ms);
    send(f, 0, 2400 * ms); // 1 ms and 10 ms
    send(f, 1, 2600 * ms); // 10 ms and 20 ms
    path_advance(&f->path, 9000 * ms);
    assert_int_equal(f->out->count, 2);
    assert_int_equal(f->out->departures[0].time_ns, 2411 * ms);
    assert_int_equal(f->out->departures[1].time_ns, 2630 * ms);
    end(f);
}

UNIT_TEST(on_and_off_periods_begin_on) {
    struct fixture *f = begin("12mbit/0ms,onoff=1s:1s", "12mbit/0ms,onoff=2s:1s");
    path_switch(&f->path, &f->after, 1500 * ms);
    send(f, 0, 3400 * ms);
    send(f, 1, 3600 * ms);
    path_advance(&f->path, 9000 * ms);
    assert_int_equal(f->out->count, 1);
    assert_int_equal(f->path.onoff.drops, 1);
    end(f);
}

// What a watcher is told agrees with the counters, by where the packets were.
struct watch {
    struct packet_watcher watcher;
    uint32_t queued;
    uint32_t sent;
};

static void nothing(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    (void)watcher;
    (void)packet;
    (void)now_ns;
}

static void note_drop(struct packet_watcher *watcher, const struct packet *packet, enum drop_reason reason,
                      uint64_t now_ns) {
    struct watch *watch = (struct watch *)watcher;
    (void)packet;
    assert_int_equal(now_ns, 125 * ms);
    assert_true(reason == DROP_MOVED_QUEUED || reason == DROP_MOVED_SENT);
    if (reason == DROP_MOVED_QUEUED) watch->queued++;
    if (reason == DROP_MOVED_SENT) watch->sent++;
}

UNIT_TEST(drops_say_where_packets_were) {
    struct fixture *f = begin("12mbit/40ms", "6mbit/20ms");
    struct watch watch = {.watcher = {nothing, nothing, nothing, nothing, nothing, note_drop}};
    f->out->pool.watcher = &watch.watcher;
    for (uint32_t i = 0; i < 30; i++)
        send(f, i, 100 * ms);
    path_switch(&f->path, &f->after, 125 * ms);
    assert_int_equal(watch.queued, 5);
    assert_int_equal(watch.sent, 20);
    assert_int_equal(f->out->count, 5);
    end(f);
}
