// Priorities are honoured alike on h2 and h3 (RFC 9218): the same requests, asked with the same priorities,
// come back in the same order on both lanes, which is the order that a model of the scheme gives. The first
// response is bulky and most urgent, so that all others are asked for before any of them may send.
#include "h2_client.h"
#include "h3_client.h"
#include "lane_site.h"

#include "replay/send_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 24, ROUNDS = 12, BIG_WINDOW = 16 * 1024 * 1024, UPDATES_MAX = 6 };

static struct lane_site site;

struct asked {
    char path[16];
    char priority[8]; // as asked for
    char updated[8];  // by a PRIORITY_UPDATE; "": not
    size_t size;
    unsigned urgency; // that counts in the end
    bool incremental;
};

static int set_up(void **state) {
    (void)state;
    return lane_site_open(&site);
}

static int tear_down(void **state) {
    (void)state;
    lane_site_close(&site);
    return 0;
}

static unsigned draw(unsigned *random, unsigned below) {
    *random = *random * 1103515245u + 12345u;
    return (*random >> 16) % below;
}

static void draw_priority(unsigned *random, char text[8], struct asked *asked) {
    asked->urgency = 1 + draw(random, 7);
    asked->incremental = draw(random, 2) == 1;
    snprintf(text, 8, "u=%u%s", asked->urgency, asked->incremental ? ",i" : "");
}

// Such bodies that no two of them can end in one packet: their last pieces are longer than that.
static void draw_requests(unsigned *random, struct asked list[ASKED]) {
    static const unsigned numbers[] = {3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                       20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 36, 37};
    for (size_t i = 0; i < ASKED; i++) {
        list[i] = (struct asked){.size = 0};
        snprintf(list[i].path, sizeof list[i].path, "/many/%u", numbers[i]);
        list[i].size = lane_site_exchange(&site, list[i].path)->body_size;
        draw_priority(random, list[i].priority, &list[i]);
    }
    for (size_t i = ASKED - 1; i > 0; i--) {
        size_t other = draw(random, (unsigned)i + 1);
        struct asked swapped = list[i];
        list[i] = list[other];
        list[other] = swapped;
    }
}

// The order in which they end: the most urgent first; among equals as asked, the incremental ones 16 kB at a
// time. A changed priority puts a request behind its new equals.
static void model_order(const struct asked list[ASKED], const size_t *arrival, size_t order[ASKED]) {
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
            const bool again = list[first].incremental && first_left > SEND_ORDER_TURN_BYTES;
            memmove(waiting, waiting + 1, (count - 1) * sizeof *waiting);
            memmove(left, left + 1, (count - 1) * sizeof *left);
            if (again) {
                waiting[count - 1] = first;
                left[count - 1] = first_left - SEND_ORDER_TURN_BYTES;
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
                              const struct asked *list) {
    for (size_t i = 0; i < ASKED; i++)
        if (order[i] != expected[i])
            fail_msg("%s: as number %zu came %s (%s %s), not %s (%s %s)", lane, i + 1, list[order[i]].path,
                     list[order[i]].priority, list[order[i]].updated, list[expected[i]].path,
                     list[expected[i]].priority, list[expected[i]].updated);
}

// --- both lanes, the same three calls

static struct h2_client h2;
static struct h3_client h3;

// What is updated while the bulky response comes.
static const struct asked *to_update;
static struct seen *const *to_update_seen;
static bool updated;

static void update_h2(struct h2_client *client, struct seen *bulky) {
    if (updated || bulky->body_size < 200000) return;
    updated = true;
    for (size_t i = 0; i < ASKED; i++)
        if (to_update[i].updated[0])
            assert_int_equal(nghttp2_submit_priority_update(
                                 client->session, NGHTTP2_FLAG_NONE, (int32_t)to_update_seen[i]->id,
                                 (const uint8_t *)to_update[i].updated, strlen(to_update[i].updated)),
                             0);
}

static void update_h3(struct h3_client *client, struct seen *bulky) {
    if (updated || bulky->body_size < 200000) return;
    updated = true;
    for (size_t i = 0; i < ASKED; i++) {
        quiche_h3_priority priority = {.urgency = (uint8_t)to_update[i].urgency,
                                       .incremental = to_update[i].incremental};
        if (to_update[i].updated[0])
            assert_int_equal(quiche_h3_send_priority_update_for_request(client->http, client->quic,
                                                                        to_update_seen[i]->id, &priority),
                             0);
    }
}

static void ask_h2(const struct asked list[ASKED], size_t order[ASKED]) {
    struct seen *seen[ASKED];
    h2_client_open(&h2, &site, BIG_WINDOW);
    struct seen *bulky = h2_client_request(&h2, "GET", "/large", "u=0", 0);
    for (size_t i = 0; i < ASKED; i++)
        seen[i] = h2_client_request(&h2, "GET", list[i].path, list[i].priority, 0);
    to_update = list;
    to_update_seen = seen;
    updated = false;
    h2.on_body = update_h2;
    h2_client_run(&h2, ASKED + 1);
    assert_int_equal(bulky->place, 1);
    for (size_t i = 0; i < ASKED; i++)
        assert_whole(&site, seen[i], list[i].path);
    order_seen(seen, order);
    h2_client_close(&h2);
}

static void ask_h3(const struct asked list[ASKED], size_t order[ASKED]) {
    static const struct h3_client_options plain = {.window_bytes = BIG_WINDOW, .delay_ns = 1000000};
    struct seen *seen[ASKED];
    h3_client_open(&h3, &site, &plain);
    struct seen *bulky = h3_client_request(&h3, "GET", "/large", "u=0", 0);
    for (size_t i = 0; i < ASKED; i++)
        seen[i] = h3_client_request(&h3, "GET", list[i].path, list[i].priority, 0);
    to_update = list;
    to_update_seen = seen;
    updated = false;
    h3.on_body = update_h3;
    h3_client_run(&h3, ASKED + 1);
    assert_int_equal(bulky->place, 1);
    for (size_t i = 0; i < ASKED; i++)
        assert_whole(&site, seen[i], list[i].path);
    order_seen(seen, order);
    h3_client_close(&h3);
}

static void come_in_one_order(void **state) {
    (void)state;
    unsigned random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct asked list[ASKED];
        size_t arrival[ASKED], expected[ASKED], over_h2[ASKED], over_h3[ASKED];
        draw_requests(&random, list);
        for (size_t i = 0; i < ASKED; i++)
            arrival[i] = i;
        model_order(list, arrival, expected);
        ask_h2(list, over_h2);
        assert_same_order(over_h2, expected, "h2", list);
        ask_h3(list, over_h3);
        assert_same_order(over_h3, expected, "h3", list);
    }
}

// Some priorities change while all wait. Those whose urgency changes stand behind their new equals.
static void come_in_one_order_after_updates(void **state) {
    (void)state;
    unsigned random = 2;
    for (int round = 0; round < ROUNDS; round++) {
        struct asked list[ASKED];
        size_t arrival[ASKED], expected[ASKED], over_h2[ASKED], over_h3[ASKED], count = 0;
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
        model_order(list, arrival, expected);
        ask_h2(list, over_h2);
        assert_same_order(over_h2, expected, "h2", list);
        ask_h3(list, over_h3);
        assert_same_order(over_h3, expected, "h3", list);
    }
}

// A PRIORITY_UPDATE that comes before its request goes before the request's own field, on both lanes.
static void take_an_early_update(void **state) {
    (void)state;
    h2_client_open(&h2, &site, BIG_WINDOW);
    // nghttp2 sends it before the requests' heads; ids are 1, 3, 5.
    assert_int_equal(
        nghttp2_submit_priority_update(h2.session, NGHTTP2_FLAG_NONE, 5, (const uint8_t *)"u=1", 3), 0);
    h2_client_request(&h2, "GET", "/large", "u=0", 0);
    struct seen *other = h2_client_request(&h2, "GET", "/many/20", "u=2", 0);
    struct seen *early = h2_client_request(&h2, "GET", "/many/21", "u=6", 0);
    h2_client_run(&h2, 3);
    assert_int_equal(early->place, 2);
    assert_int_equal(other->place, 3);
    h2_client_close(&h2);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(come_in_one_order),
        TEST(come_in_one_order_after_updates),
        TEST(take_an_early_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
