// A later urgent response overtakes an earlier bulky one, on h2 as on h3, through a real link: asked for
// anew, or raised by a PRIORITY_UPDATE. What still comes of the bulky one is what was on its way when the
// server heard of it: a bandwidth-delay product at most (the link's queue is kept short), and what the server
// holds ahead.
#include "../shaper/run.h"
#include "page_archive.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

enum {
    RATE_BPS = 10 * 1000 * 1000,
    RTT_MS = 50,
    BDP_BYTES = RATE_BPS / 8 * RTT_MS / 1000,
    QUEUE_BYTES = 10 * 1500, // as LINK says
    AHEAD_BYTES = 32 * 1024, // TCP's unsent 16 kB and a TLS record
    AFTER_BYTES = 2 * 1024 * 1024,
    ATTEMPTS = 8,
};
#define LINK "10mbit/50ms,queue=10p"

static char home[64];

static int make_archive(void **state) {
    return page_archive_make(home);
}

GROUP_FIXTURE(make_archive, NULL)

static json_int_t bulky_bytes(const char *lane, const char *how, const char *bounds_unsent) {
    char after[16];
    snprintf(after, sizeof after, "%d", AFTER_BYTES);
    static struct run run;
    run_words(&run, PROGRAM_TRILANE_REPLAY, "--home", home, "--recording", "page", "--tcp-bounds-unsent",
              bounds_unsent, "--", PROGRAM_TRILANE_SHAPER, "--link", LINK, "--", PROGRAM_OVERTAKE_PROBE, lane,
              how, PAGE_ADDRESS, "a.test", "/large", "/", after, NULL);
    if (run.status != 0) fail_msg("%s, %s: ended with %d: %s", lane, how, run.status, run.err);
    json_t *line = json_loads(run.out, 0, NULL);
    json_t *bytes = json_object_get(line, "bulky_bytes");
    assert_true(json_is_integer(bytes));
    json_int_t value = json_integer_value(bytes);
    json_decref(line);
    return value;
}

UNIT_TEST(overtakes) {
    static const char *const lanes[] = {"h2", "h3"};
    static const char *const hows[] = {"new", "updated"};
    for (size_t i = 0; i < 4; i++) {
        const char *lane = lanes[i % 2], *how = hows[i / 2];
        // Less than the way there and back means that the bulky one did not fill the link at that moment, as
        // after a loss: that shows nothing, and is asked again; so is it where this machine asked late, and
        // more came meanwhile.
        json_int_t bytes = 0;
        const json_int_t most = BDP_BYTES + QUEUE_BYTES + AHEAD_BYTES;
        for (int attempt = 0; attempt < ATTEMPTS && (bytes <= BDP_BYTES / 4 || bytes > most); attempt++) {
            bytes = bulky_bytes(lane, how, "on");
            print_message(
                "%s, %s: %lld bytes of the bulky one still came; %d are on the way of a full link\n", lane,
                how, (long long)bytes, BDP_BYTES);
        }
        assert_in_range(bytes, BDP_BYTES / 4 + 1, most);
    }
}

UNIT_TEST(waits_behind_what_is_in_the_socket_where_that_is_not_bounded) {
    const json_int_t bytes = bulky_bytes("h2", "new", "off");
    print_message("h2, not bounded: %lld bytes of the bulky one still came\n", (long long)bytes);
    assert_true(bytes > BDP_BYTES + QUEUE_BYTES + AHEAD_BYTES);
}
