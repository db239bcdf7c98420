// The server's think time (--think): what its option takes, and that every lane holds back each answer so
// long, for requests beside each other and not one after another, whatever becomes of the client meanwhile.
#include "../lane_client.h"

#include "base/clock.h"
#include "replay/exchange/think.h"
#include "replay/h1/h1.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#include <sys/epoll.h>
#include <sys/socket.h>

enum { THINK_MS = 40, REQUESTS = 8 };
static const struct think fixed = {.kind = THINK_FIXED, .fixed_ns = THINK_MS * NS_PER_MS};
static const struct think recorded = {.kind = THINK_RECORDED};

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct lane_client client;

// The requests of the report: each was held back as long as was asked, all of them at the same time.
static void assert_all_thought(size_t count, json_int_t think_ns) {
    json_t *report = lane_site_report(&site);
    const json_t *requests = json_object_get(report, "requests");
    assert_int_equal(json_array_size(requests), count);
    json_int_t last_whole_ns = 0;
    json_int_t first_answer_ns = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const json_t *request = json_array_get(requests, i);
        json_int_t whole_ns = number(request, "whole_ns");
        json_int_t answer_ns = number(request, "first_byte_ns");
        assert_int_equal(number(request, "think_ns"), think_ns);
        assert_true(whole_ns >= number(request, "request_ns"));
        assert_true(answer_ns >= whole_ns + think_ns);
        if (whole_ns > last_whole_ns) last_whole_ns = whole_ns;
        if (answer_ns < first_answer_ns) first_answer_ns = answer_ns;
    }
    if (count > 1) assert_true(last_whole_ns < first_answer_ns);
    json_decref(report);
}

UNIT_TEST(takes_its_words) {
    struct think think = {.kind = THINK_NONE};
    assert_int_equal(think_parse(&think, "recorded"), 0);
    assert_int_equal(think.kind, THINK_RECORDED);
    assert_int_equal(think_parse(&think, "2.5"), 0);
    assert_int_equal(think.kind, THINK_FIXED);
    assert_int_equal(think.fixed_ns, 2500000);
    assert_int_equal(think_parse(&think, "none"), 0);
    assert_int_equal(think.kind, THINK_NONE);
    static const char *const wrong[] = {
        "",    "fast", "-1",    "1e3",     "0x10",      "nan", "inf",
        "5ms", " 5",   "1.2.3", "3600001", "recorded ", ".",   "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (think_parse(&think, wrong[i]) == 0) fail_msg("\"%s\" was taken", wrong[i]);
    assert_int_equal(think.kind, THINK_NONE);
}

UNIT_TEST(knows_how_long) {
    const struct recorded_exchange known = {.server_time_ns = 7}, unknown = {.server_time_ns = -1};
    const struct think none = {.kind = THINK_NONE};
    bool told;
    assert_int_equal(think_time_ns(&recorded, &known, &told), 7);
    assert_true(told);
    assert_int_equal(think_time_ns(&recorded, &unknown, &told), 0);
    assert_false(told);
    assert_int_equal(think_time_ns(&recorded, NULL, &told), 0);
    assert_true(told);
    assert_int_equal(think_time_ns(&fixed, NULL, &told), fixed.fixed_ns);
    assert_int_equal(think_time_ns(&fixed, &unknown, &told), fixed.fixed_ns);
    assert_true(told);
    assert_int_equal(think_time_ns(&none, &known, &told), 0);
    assert_true(told);
}

OVER_BOTH(thinks_of_all_at_once, set_up_site, tear_down_site) {
    struct seen *seen[REQUESTS];
    exchange_site_think(site.site, &fixed, site.loop);
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
    char path[32];
    for (int i = 0; i < REQUESTS; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        seen[i] = lane_client_request(&client, "GET", path, NULL, 0);
    }
    lane_client_run(&client, REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        assert_whole(&site, seen[i], path);
    }
    lane_client_close(&client);
    assert_all_thought(REQUESTS, (json_int_t)fixed.fixed_ns);
}

LANE_SITE_TEST(takes_the_recorded_time_where_it_is_known) {
    for (size_t i = 0; i < site.recording.exchange_count; i++)
        site.recording.exchanges[i].server_time_ns = -1;
    ((struct recorded_exchange *)(uintptr_t)lane_site_exchange(&site, "/many/1"))->server_time_ns =
        THINK_MS * NS_PER_MS;
    exchange_site_think(site.site, &recorded, site.loop);
    lane_client_open(&client, LANE_CLIENT_H2, &site, LANE_CLIENT_WINDOW_BYTES);
    const struct seen *thought_of = lane_client_request(&client, "GET", "/many/1", NULL, 0);
    lane_client_request(&client, "GET", "/many/2", NULL, 0);
    lane_client_run(&client, 2);
    assert_int_equal(thought_of->place, 2); // it comes last
    lane_client_close(&client);
    json_t *report = lane_site_report(&site);
    const json_t *requests = json_object_get(report, "requests");
    assert_int_equal(number(json_array_get(requests, 0), "think_ns"), THINK_MS * NS_PER_MS);
    assert_int_equal(number(json_array_get(requests, 1), "think_ns"), 0);
    assert_int_equal(number(json_object_get(report, "counts"), "think_unknown"), 1);
    json_decref(report);
}

// A client over a socket pair that reads until as many bytes have come, or the other side is done.
struct raw {
    struct loop_watch watch;
    size_t wanted, got;
};

static void raw_ready(void *context, uint32_t events) {
    struct raw *raw = context;
    (void)events;
    char bytes[16384];
    ssize_t n = recv(raw->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) raw->got += (size_t)n;
    if (n <= 0 || raw->got >= raw->wanted) loop_stop(site.loop);
}

static void open_raw(struct raw *raw, struct stream_set *streams, const char *input) {
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(stream_set_open(streams, site.loop), 0);
    struct stream *stream = stream_open(streams, fds[0], NULL, "192.0.2.1", 80);
    struct exchange_connection *connection =
        exchange_connection_open(site.site, LANE_H1, "192.0.2.1", 80, clock_now_ns());
    assert_int_equal(h1_open(stream, connection), 0);
    assert_int_equal(send(fds[1], input, strlen(input), 0), strlen(input));
    *raw = (struct raw){.watch = {.fd = fds[1], .ready = raw_ready, .context = raw}};
    loop_add(site.loop, &raw->watch, EPOLLIN);
}

LANE_SITE_TEST(h1_thinks_of_each) {
    exchange_site_think(site.site, &fixed, site.loop);
    struct stream_set streams;
    struct raw raw;
    // Two at once (pipelined): the second is read when the first is answered.
    open_raw(&raw, &streams,
             "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\nGET /small HTTP/1.1\r\nHost: a.test\r\n\r\n");
    raw.wanted = 2 * SMALL_BYTES + 60;
    lane_site_run(&site);
    loop_remove(site.loop, &raw.watch);
    close(raw.watch.fd);
    stream_set_close(&streams);
    json_t *report = lane_site_report(&site);
    const json_t *requests = json_object_get(report, "requests");
    assert_int_equal(json_array_size(requests), 2);
    json_int_t earliest_ns = 0;
    for (size_t i = 0; i < 2; i++) {
        const json_t *request = json_array_get(requests, i);
        assert_true(number(request, "whole_ns") >= earliest_ns);
        earliest_ns = number(request, "whole_ns") + (json_int_t)fixed.fixed_ns;
        assert_true(number(request, "first_byte_ns") >= earliest_ns);
        assert_true(json_is_true(json_object_get(request, "complete")));
    }
    json_decref(report);
}

// Stops the loop once so many requests are there, or so many have been cut off.
struct look {
    struct loop_timer timer;
    size_t requests;
    json_int_t aborted;
};

static void look_again(void *context, uint64_t now_ns) {
    struct look *look = context;
    json_t *report = lane_site_report(&site);
    if (json_array_size(json_object_get(report, "requests")) >= look->requests &&
        number(json_object_get(report, "counts"), "aborted") >= look->aborted)
        loop_stop(site.loop);
    else
        loop_timer_set(site.loop, &look->timer, now_ns + 10 * NS_PER_MS);
    json_decref(report);
}

static void run_until(size_t requests, json_int_t aborted) {
    struct look look = {.requests = requests, .aborted = aborted};
    look.timer = (struct loop_timer){.due = look_again, .context = &look};
    loop_timer_set(site.loop, &look.timer, clock_now_ns());
    lane_site_run(&site);
}

// Whoever goes while the server thinks leaves nothing behind: no timer, no exchange (the sanitizer looks).
LANE_SITE_TEST(clients_may_vanish_meanwhile) {
    const struct think long_one = {.kind = THINK_FIXED, .fixed_ns = 3600 * NS_PER_S};
    exchange_site_think(site.site, &long_one, site.loop);
    struct stream_set streams;
    struct raw raw;
    open_raw(&raw, &streams, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n");
    static struct h2_client h2;
    static struct h3_client h3;
    const struct h3_client_options plain = {.window_bytes = LANE_CLIENT_WINDOW_BYTES, .delay_ns = NS_PER_MS};
    h2_client_open(&h2, &site, LANE_CLIENT_WINDOW_BYTES);
    h2_client_request(&h2, "GET", "/small", NULL, 0);
    h2_client_send(&h2);
    h3_client_open(&h3, &site, &plain);
    h3_client_request(&h3, "GET", "/small", NULL, 0);
    h3_client_send(&h3);
    run_until(3, 0);
    loop_remove(site.loop, &raw.watch);
    close(raw.watch.fd);
    run_until(3, 1); // h1 sees that its client is gone
    h2_client_close(&h2);
    h3_client_close(&h3);
    stream_set_close(&streams);
    json_t *report = lane_site_report(&site);
    assert_int_equal(number(json_object_get(report, "counts"), "aborted"), 3);
    json_decref(report);
}
