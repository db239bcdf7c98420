// link_profile: every form of schemas/examples/link-forms.json, which the TypeScript reader is tested with
// too, and the lines that people see.
#include "shaper/link_profile.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_form(const char *form, struct link_profile *profile, struct link_error *error) {
    struct link_settings settings;
    memset(error, 0, sizeof *error);
    if (link_settings_read(&settings, form, error) < 0) return -1;
    return link_profile_read(profile, &settings, error);
}

static void assert_direction(const struct direction_settings *direction, const struct link_queue *queue,
                             const json_t *expected) {
    json_t *rate = json_object_get(expected, "rate_bps");
    assert_int_equal(link_rate_bps(direction), json_is_null(rate) ? 0 : json_integer_value(rate));
    assert_true((double)link_delay_ns(direction) / 1e6 ==
                json_number_value(json_object_get(expected, "delay_ms")));
    assert_true(direction->loss.probability == json_number_value(json_object_get(expected, "loss")));
    static const char *const kinds[] = {"bdp", "packets", "bytes", "unlimited"};
    json_t *size = json_object_get(json_object_get(expected, "queue"), kinds[queue->kind]);
    assert_non_null(size);
    if (queue->kind != LINK_QUEUE_UNLIMITED) assert_true(queue->size == json_number_value(size));
}

static void forms_read_as_the_examples_say(void **state) {
    (void)state;
    json_error_t bad;
    json_t *forms = json_load_file(TRILANE_ROOT "/schemas/examples/link-forms.json", 0, &bad);
    if (!forms) fail_msg("%s: %s", bad.source, bad.text);
    size_t index;
    json_t *example, *valid = json_object_get(forms, "valid"), *invalid = json_object_get(forms, "invalid");
    assert_true(json_array_size(valid) >= 20 && json_array_size(invalid) >= 20);
    struct link_profile profile;
    struct link_error error;
    json_array_foreach(valid, index, example) {
        static const char *const spellings[] = {"form", "canonical"};
        for (int i = 0; i < 2; i++) {
            const char *form = json_string_value(json_object_get(example, spellings[i]));
            if (read_form(form, &profile, &error) < 0) fail_msg("%s: %s", form, error.line);
            json_t *expected = json_object_get(example, "profile");
            assert_direction(&profile.down, &profile.queue_down, json_object_get(expected, "down"));
            assert_direction(&profile.up, &profile.queue_up, json_object_get(expected, "up"));
            assert_int_equal(profile.seed, json_integer_value(json_object_get(expected, "seed")));
        }
    }
    json_array_foreach(invalid, index, example) {
        const char *form = json_is_string(example) ? json_string_value(example)
                                                   : json_string_value(json_object_get(example, "form"));
        if (read_form(form, &profile, &error) == 0) fail_msg("\"%s\" was taken", form);
        assert_memory_equal(error.line, "link: ", 6);
    }
    json_decref(forms);
}

static void errors_name_the_thing_and_the_remedy(void **state) {
    (void)state;
    static const struct {
        const char *form;
        const char *line;
    } cases[] = {
        {"0mbit/50ms", "link: rate must be above 0 (got \"0mbit\")"},
        {"3mb/50ms", "link: rate \"3mb\" has no unit of rate: use bit, kbit, mbit or gbit"},
        {"3mbit/-5ms", "link: rtt \"-5ms\" is not a number with a unit: write it as 50ms"},
        {"3mbit/50ms,loss=101%", "link: loss must be at most 100% (got \"101%\")"},
        {"3mbit/50ms,queue=0p", "link: queue must be above 0 (got \"0p\")"},
        {"3mbit/50ms,down=3mbit,down=4mbit",
         "link: down is given twice (in \"3mbit/50ms,down=3mbit,down=4mbit\"): give it once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct link_profile profile;
        struct link_error error;
        assert_int_equal(read_form(cases[i].form, &profile, &error), -1);
        assert_string_equal(error.line, cases[i].line);
    }
}

static void overlong_input_is_refused(void **state) {
    (void)state;
    char form[5000];
    struct link_profile profile;
    struct link_error error;
    memset(form, '3', sizeof form - 1);
    form[sizeof form - 1] = 0;
    assert_int_equal(read_form(form, &profile, &error), -1);
    memcpy(form, "loss=", 5);
    assert_int_equal(read_form(form, &profile, &error), -1);
    memset(form, ',', sizeof form - 1);
    assert_int_equal(read_form(form, &profile, &error), -1);
}

// Forms with a few characters changed: taken or refused, and what is taken lies within the limits.
static void mutilated_forms_do_no_harm(void **state) {
    (void)state;
    static const char seed_form[] =
        "down=1.5mbit,up=0.3mbit,delay_down=20ms,delay_up=30ms,queue=2bdp,loss_up=0.1%,seed=42";
    static const char alphabet[] = "0123456789.,=/%-+eEx kmgbitspdBunlimited\n\xff";
    srand(23);
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        char form[sizeof seed_form];
        memcpy(form, seed_form, sizeof form);
        for (int changes = rand() % 4; changes >= 0; changes--)
            form[(size_t)rand() % (sizeof form - 1)] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        if (rand() % 4 == 0) form[(size_t)rand() % sizeof form] = 0;
        struct link_profile profile;
        struct link_error error;
        if (read_form(form, &profile, &error) < 0) {
            assert_memory_equal(error.line, "link: ", 6);
            continue;
        }
        taken++;
        const struct direction_settings *directions[] = {&profile.down, &profile.up};
        const struct link_queue *queues[] = {&profile.queue_down, &profile.queue_up};
        for (int d = 0; d < 2; d++) {
            assert_true(link_rate_bps(directions[d]) <= 100000000000 &&
                        link_delay_ns(directions[d]) <= 60000000000);
            assert_true(directions[d]->loss.probability >= 0 && directions[d]->loss.probability <= 1);
            const struct queue_settings *queue = &directions[d]->queue;
            assert_true(queues[d]->kind == LINK_QUEUE_UNLIMITED || queue->limit_packets > 0 ||
                        queue->limit_bytes > 0);
        }
    }
    assert_true(taken > 1000);
}

static void option_replaces_what_the_form_says(void **state) {
    (void)state;
    struct link_settings settings;
    struct link_profile profile;
    struct link_error error;
    assert_int_equal(link_settings_read(&settings, "3mbit/50ms", &error), 0);
    assert_int_equal(link_settings_set(&settings, LINK_RTT, "80ms", &error), 0);
    assert_int_equal(link_settings_set(&settings, LINK_UP, "1mbit", &error), 0);
    assert_int_equal(link_profile_read(&profile, &settings, &error), 0);
    assert_int_equal(link_delay_ns(&profile.down), 40000000);
    assert_int_equal(link_rate_bps(&profile.down), 3000000);
    assert_int_equal(link_rate_bps(&profile.up), 1000000);
}

static void assert_limits(const char *form, uint64_t packets, uint64_t bytes) {
    struct link_profile profile;
    struct link_error error;
    assert_int_equal(read_form(form, &profile, &error), 0);
    const struct queue_settings *queue = &profile.down.queue;
    assert_true(queue->limit_packets == packets && queue->limit_bytes == bytes);
}

static void queues_hold_what_was_asked(void **state) {
    (void)state;
    assert_limits("3mbit/50ms", 0, 18750);
    assert_limits("10mbit/100ms,queue=2bdp", 0, 250000);
    assert_limits("200kbit/30ms", 0, 15000); // a product of 750 bytes, but ten packets at least
    assert_limits("down=30mbit,up=1mbit,delay_down=10ms,delay_up=90ms", 0, 375000);
    assert_limits("3mbit/50ms,queue=13kB", 0, 13000); // as asked, however small
    assert_limits("3mbit/50ms,queue=1p", 1, 0);
    assert_limits("unlimited/50ms", 1000, 0);
    assert_limits("3mbit/50ms,queue=unlimited", 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_read_as_the_examples_say),
        cmocka_unit_test(errors_name_the_thing_and_the_remedy),
        cmocka_unit_test(overlong_input_is_refused),
        cmocka_unit_test(mutilated_forms_do_no_harm),
        cmocka_unit_test(option_replaces_what_the_form_says),
        cmocka_unit_test(queues_hold_what_was_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
