// Priorities are honoured alike on h2 and h3 (RFC 9218): the same requests, asked with the same priorities,
// come back in the same order on both lanes, which is the order that a model of the scheme gives. The first
// response is bulky and most urgent, so that all others are asked for before any of them may send.
#include "lane_client.h"

#include "base/clock.h"
#include "replay/exchange/priority_scheduler.h"
#include "test/native/cmocka_unit.h"
#include "test/native/virtual_time.h"

enum { ASKED = 24, ROUNDS = 20, UPDATES_MAX = 6 };

static struct lane_site site;
LANE_SITE_FIXTURE(site)

struct request_selectors {
    char path[16];
    char priority[8]; // as asked for
    char updated[8];  // by a PRIORITY_UPDATE; "": not
    size_t size;
    unsigned urgency; // that counts in the end
    bool incremental;
};

static unsigned draw(unsigned *random, unsigned below) {
    *random = *random * 1103515245u + 12345u;
    return (*random >> 16) % below;
}

static void draw_priority(unsigned *random, char text[8], struct request_selectors *selectors) {
    selectors->urgency = 1 + draw(random, 7);
    selectors->incremental = draw(random, 2) == 1;
    snprintf(text, 8, "u=%u%s", selectors->urgency, selectors->incremental ? ",i" : "");
}

// Such bodies that no two of them can end in one packet: their last pieces are longer than that.
static void draw_requests(unsigned *random, struct request_selectors list[ASKED]) {
    static const unsigned numbers[] = {3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                       20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 36, 37};
    for (size_t i = 0; i < ASKED; i++) {
        list[i] = (struct request_selectors){.size = 0};
        snprintf(list[i].path, sizeof list[i].path, "/many/%u", numbers[i]);
        list[i].size = lane_site_exchange(&site, list[i].path)->body_size;
        draw_priority(random, list[i].priority, &list[i]);
    }
    for (size_t i = ASKED - 1; i > 0; i--) {
        size_t other = draw(random, (unsigned)i + 1);
        struct request_selectors swapped = list[i];
        list[i] = list[other];
        list[other] = swapped;
    }
}

// The order in which they end: the most urgent first; among equals as asked, the incremental ones 16 kB at a
// time. A changed priority puts a request behind its new equals.
static void model_order(const struct request_selectors list[ASKED], const size_t *arrival,
                        size_t order[ASKED]) {
    size_t waiting[ASKED], left[ASKED], ended = 0;
    for (unsigned urgency = 0; urgency < 8; urgency++) {
        size_t count = 0;
        for (size_t i = 0; i < ASKED; i++)
            if (list[arrival[i]].urgency == urgency) {
                left[count] = list[arrival[i]].size;
                waiting[count++] = arrival[i];
            }
        while (count > 0) {
            const size_t first = waiting[0], first_left = left[0];
            const bool again = list[first].incremental && first_left > PRIORITY_SCHEDULER_TURN_BYTES;
            memmove(waiting, waiting + 1, (count - 1) * sizeof *waiting);
            memmove(left, left + 1, (count - 1) * sizeof *left);
            if (again) {
                waiting[count - 1] = first;
                left[count - 1] = first_left - PRIORITY_SCHEDULER_TURN_BYTES;
            } else {
                order[ended++] = first;
                count--;
            }
        }
    }
    assert_int_equal(ended, ASKED);
}

static void order_seen(struct seen *const seen[ASKED], size_t order[ASKED]) {
    for (size_t i = 0; i < ASKED; i++)
        order[seen[i]->place - 2] = i; // the bulky one was the first
}

static void assert_same_order(const size_t *order, const size_t *expected, const char *lane,
                              const struct request_selectors *list) {
    for (size_t i = 0; i < ASKED; i++)
        if (order[i] != expected[i])
            fail_msg("%s: as number %zu came %s (%s %s), not %s (%s %s)", lane, i + 1, list[order[i]].path,
                     list[order[i]].priority, list[order[i]].updated, list[expected[i]].path,
                     list[expected[i]].priority, list[expected[i]].updated);
}

static struct lane_client client;

// What is updated while the bulky response comes.
static const struct request_selectors *to_update;
static struct seen *const *to_update_seen;
static bool updated;

static void update(struct lane_client *c, struct seen *bulky) {
    if (updated || bulky->body_size < 200000) return;
    updated = true;
    for (size_t i = 0; i < ASKED; i++)
        if (to_update[i].updated[0])
            lane_client_update(c, to_update_seen[i], to_update[i].urgency, to_update[i].incremental);
}

static void ask(enum lane_client_kind kind, const struct request_selectors list[ASKED], size_t order[ASKED]) {
    struct seen *seen[ASKED];
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
    struct seen *bulky = lane_client_request(&client, "GET", "/large", "u=0", 0);
    for (size_t i = 0; i < ASKED; i++)
        seen[i] = lane_client_request(&client, "GET", list[i].path, list[i].priority, 0);
    to_update = list;
    to_update_seen = seen;
    updated = false;
    client.on_body = update;
    lane_client_run(&client, ASKED + 1);
    assert_int_equal(bulky->place, 1);
    for (size_t i = 0; i < ASKED; i++)
        assert_whole(&site, seen[i], list[i].path);
    order_seen(seen, order);
    lane_client_close(&client);
}

static void assert_order_over_both(const struct request_selectors list[ASKED], const size_t arrival[ASKED]) {
    size_t expected[ASKED], seen[ASKED];
    model_order(list, arrival, expected);
    for (enum lane_client_kind kind = 0; kind < LANE_CLIENT_KINDS; kind++) {
        ask(kind, list, seen);
        assert_same_order(seen, expected, lane_client_name(kind), list);
    }
}

LANE_SITE_TEST(come_in_one_order) {
    unsigned random = 1;
    for (unsigned round = 0; round < unit_times(ROUNDS); round++) {
        struct request_selectors list[ASKED];
        size_t arrival[ASKED];
        draw_requests(&random, list);
        for (size_t i = 0; i < ASKED; i++)
            arrival[i] = i;
        assert_order_over_both(list, arrival);
    }
}

// Some priorities change while all wait. Those whose urgency changes stand behind their new equals.
LANE_SITE_TEST(come_in_one_order_after_updates) {
    unsigned random = 2;
    for (unsigned round = 0; round < unit_times(ROUNDS); round++) {
        struct request_selectors list[ASKED];
        size_t arrival[ASKED], count = 0;
        draw_requests(&random, list);
        bool moved[ASKED] = {false};
        for (size_t n = 0; n < UPDATES_MAX; n++) {
            const size_t i = draw(&random, ASKED);
            const unsigned before = list[i].urgency;
            if (list[i].updated[0]) continue;
            draw_priority(&random, list[i].updated, &list[i]);
            moved[i] = list[i].urgency != before;
        }
        for (size_t i = 0; i < ASKED; i++)
            if (!moved[i]) arrival[count++] = i;
        for (size_t i = 0; i < ASKED; i++)
            if (moved[i]) arrival[count++] = i;
        assert_order_over_both(list, arrival);
    }
}

// A PRIORITY_UPDATE that comes before its request goes before the request's own field, on both lanes.
LANE_SITE_TEST(take_an_early_update) {
    lane_client_open(&client, LANE_CLIENT_H2, &site, LANE_CLIENT_WINDOW_BYTES);
    // nghttp2 sends it before the requests' heads; ids are 1, 3, 5.
    const struct seen third = {.id = 5};
    lane_client_update(&client, &third, 1, false);
    lane_client_request(&client, "GET", "/large", "u=0", 0);
    struct seen *other = lane_client_request(&client, "GET", "/many/20", "u=2", 0);
    struct seen *early = lane_client_request(&client, "GET", "/many/21", "u=6", 0);
    lane_client_run(&client, 3);
    assert_int_equal(early->place, 2);
    assert_int_equal(other->place, 3);
    lane_client_close(&client);
}

static struct seen *of_first_flight;

static void update_in_first_flight(struct lane_client *c, struct seen *seen) {
    if (updated) return;
    updated = true;
    lane_client_update(c, of_first_flight, 1, false);
}

// The requests come in one piece with the end of the handshake, as they do if the server is held up, and all
// that is sent fills the window. A changed priority counts there as later: the request stands behind its new
// equal, although it was made before that.
LANE_SITE_TEST(take_an_update_in_the_first_flight) {
    virtual_time_set_late(20 * NS_PER_MS);
    lane_client_open(&client, LANE_CLIENT_H3, &site, LANE_CLIENT_WINDOW_BYTES);
    lane_client_request(&client, "GET", "/many/30", "u=0", 0);
    of_first_flight = lane_client_request(&client, "GET", "/many/2", "u=6", 0);
    struct seen *equal = lane_client_request(&client, "GET", "/many/5", "u=1", 0);
    updated = false;
    client.on_body = update_in_first_flight;
    lane_client_run(&client, 3);
    virtual_time_set_late(0);
    assert_int_equal(equal->place, 2);
    assert_int_equal(of_first_flight->place, 3);
    lane_client_close(&client);
}

static void ask_for_urgency(struct lane_client *c, struct seen *seen) {
    if (updated) return;
    updated = true;
    lane_client_update(c, seen, 0, false);
}

// Where none counts, all take turns on both lanes: the most urgent and bulky one, which else comes first,
// ends after the small one, and with the other bulky one.
LANE_SITE_TEST(come_in_turns_where_none_counts) {
    exchange_site_set(site.site, &(struct server_settings){.priorities = SERVER_PRIORITIES_NONE});
    for (enum lane_client_kind kind = 0; kind < LANE_CLIENT_KINDS; kind++) {
        lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
        struct seen *urgent = lane_client_request(&client, "GET", "/large", "u=0", 0);
        struct seen *other = lane_client_request(&client, "GET", "/large2", "u=6", 0);
        struct seen *small = lane_client_request(&client, "GET", "/many/20", "u=7", 0);
        updated = false;
        client.on_body = ask_for_urgency;
        lane_client_run(&client, 2);
        assert_int_equal(small->place, 1);
        assert_int_equal(urgent->place, 2);
        assert_true(other->body_size > LARGE_BYTES / 10 * 9);
        lane_client_run(&client, 3);
        assert_whole(&site, other, "/large2");
        lane_client_close(&client);
    }
}
