// Which links name a file: at any depth, however the text is written. And numbers of a profile that no link
// can have end in one line.
#include "shaper/language/link_answers.h"
#include "shaper/language/link_files.h"
#include "test/native/cmocka_unit.h"

UNIT_TEST(test_links_that_name_no_file) {
    struct link_error error;
    static const char *const forms[] = {
        "3g",
        "3mbit/50ms",
        " 3mbit/50ms,loss=1% ",
        "loss=1%",
        "down=3mbit,jitter=normal:5ms,loss=every:100",
        "3mbit/50ms,switch=8s:wpt-lte",
        "3mbit/50ms,switch=8s:3mbit/50ms+loss=1%,seed=2",
        "switch=off",
        "trace_end=once",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (link_form_names_file(forms[i], &error) != 0) fail_msg("\"%s\" names no file", forms[i]);
}

UNIT_TEST(test_links_that_do) {
    struct link_error error;
    static const char *const forms[] = {
        "x.json",
        "/home/u/x.json",
        "3mbit/x.json",
        "trace=x",
        "3mbit/50ms,trace_down=x",
        "3mbit/50ms,loss=file:x",
        "jitter_up=file:x",
        // The way round that a pattern over the text's end left.
        "3mbit/50ms,switch=8s:/home/u/x.json,seed=2",
        "switch=8s:x.json",
        "switch=8s:3mbit/50ms+loss=file:x,seed=2",
        "switch=8s:trace=x+rtt=50ms",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (link_form_names_file(forms[i], &error) != 1) fail_msg("\"%s\" names a file", forms[i]);
}

// Nor does anything follow for what no one can read.
UNIT_TEST(test_what_is_no_link) {
    struct link_error error;
    static const char *const forms[] = {"",
                                        "3mbit/50ms,loss=1%,loss=2%",
                                        "nothing=1",
                                        " x.json ",
                                        "switch=8s:",
                                        "switch=0s:x.json",
                                        "switch=8s:3mbit/50ms+switch=9s:x.json"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (link_form_names_file(forms[i], &error) != -1) fail_msg("\"%s\" is no link", forms[i]);
        assert_int_equal(strncmp(error.line, "link: ", 6), 0);
    }
}

// Written as a form, some of these have no digits, others 300 of them.
UNIT_TEST(test_numbers_beyond_any_link_are_refused) {
    static const char *const numbers[] = {"1e308", "-1e308", "1.7e308", "1e101", "1e20"};
    static const char *const places[] = {
        "{\"profile\":{\"down\":{\"rate_bps\":%s,\"delay_ms\":25,\"queue\":{\"packets\":100},\"loss\":0},"
        "\"up\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"packets\":100},\"loss\":0},\"rtt_ms\":50,"
        "\"seed\":1}}",
        "{\"profile\":{\"down\":{\"rate_bps\":1e6,\"delay_ms\":%s,\"queue\":{\"packets\":100},\"loss\":0},"
        "\"up\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"packets\":100},\"loss\":0},\"rtt_ms\":50,"
        "\"seed\":1}}",
        "{\"profile\":{\"down\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"bytes\":%s},\"loss\":0},"
        "\"up\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"packets\":100},\"loss\":0},\"rtt_ms\":50,"
        "\"seed\":1}}",
        "{\"profile\":{\"down\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"ms\":%s},\"loss\":%s},"
        "\"up\":{\"rate_bps\":1e6,\"delay_ms\":25,\"queue\":{\"packets\":100},\"loss\":0},\"rtt_ms\":50,"
        "\"seed\":1}}",
    };
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
            char line[1024];
            snprintf(line, sizeof line, places[p], numbers[n], numbers[n]);
            json_t *answer = link_answer(line, strlen(line));
            const char *error = json_string_value(json_object_get(answer, "error"));
            if (!error || strncmp(error, "link: ", 6) != 0)
                fail_msg("%s: %s", line, error ? error : "no error");
            json_decref(answer);
        }
}
