// link_profile and link_write: every form of schemas/examples/link-forms.json, its canonical form, and the
// lines that people see.
#include "shaper/language/link_json.h"
#include "shaper/language/link_names.h"
#include "shaper/language/link_write.h"
#include "shaper/nodes/number_file.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

static int read_form(const char *form, struct link_profile *profile, struct link_error *error) {
    struct link_settings settings;
    memset(error, 0, sizeof *error);
    if (link_settings_read(&settings, form, error) < 0) return -1;
    return link_profile_read(profile, &settings, error);
}

// The examples are of links whose files were not read.
static void forget_means(json_t *direction) {
    if (json_object_get(direction, "trace")) json_object_del(direction, "rate_bps");
    if (json_object_get(json_object_get(direction, "loss_model"), "file")) json_object_del(direction, "loss");
}

// Numbers are equal by value: 25 is 25.0.
static bool is_same(const json_t *a, const json_t *b) {
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_number(a)) return json_is_number(b) && json_number_value(a) == json_number_value(b);
    if (json_is_array(a)) {
        if (!json_is_array(b) || json_array_size(a) != json_array_size(b)) return false;
        json_array_foreach((json_t *)a, index,
                           value) if (!is_same(value, json_array_get(b, index))) return false;
        return true;
    }
    if (!json_is_object(a)) return json_equal(a, b);
    if (!json_is_object(b) || json_object_size(a) != json_object_size(b)) return false;
    json_object_foreach((json_t *)a, key, value) if (!is_same(value, json_object_get(b, key))) return false;
    return true;
}

static void assert_reads_as(const char *form, const json_t *expected) {
    struct link_profile profile;
    struct link_error error;
    if (read_form(form, &profile, &error) < 0) fail_msg("%s: %s", form, error.line);
    json_t *seen = link_profile_json(&profile), *wanted = json_deep_copy(expected);
    static const char *const sides[] = {"down", "up"};
    for (int side = 0; side < 2; side++) {
        forget_means(json_object_get(seen, sides[side]));
        forget_means(json_object_get(wanted, sides[side]));
    }
    if (!is_same(seen, wanted)) {
        char *text = json_dumps(seen, JSON_SORT_KEYS);
        print_error("%s\n", text);
        free(text);
        fail_msg("\"%s\" was read as something else", form);
    }
    json_decref(seen);
    json_decref(wanted);
    link_profile_close(&profile);
}

static json_t *load_forms(void) {
    json_error_t bad;
    json_t *forms = json_load_file("schemas/examples/link-forms.json", 0, &bad);
    if (!forms) fail_msg("%s: %s", bad.source, bad.text);
    return forms;
}

UNIT_TEST(forms_read_as_the_examples_say) {
    size_t index;
    json_t *example, *forms = load_forms(), *valid = json_object_get(forms, "valid");
    assert_true(json_array_size(valid) >= 100);
    json_array_foreach(valid, index, example) {
        static const char *const spellings[] = {"form", "canonical"};
        for (int i = 0; i < 2; i++)
            assert_reads_as(json_string_value(json_object_get(example, spellings[i])),
                            json_object_get(example, "profile"));
        struct link_text text;
        struct link_error error;
        assert_int_equal(link_write(&text, json_object_get(example, "profile"), false, &error), 0);
        assert_string_equal(text.text, json_string_value(json_object_get(example, "canonical")));
    }
    json_decref(forms);
}

UNIT_TEST(errors_are_those_of_the_examples) {
    size_t index;
    json_t *example, *forms = load_forms(), *invalid = json_object_get(forms, "invalid");
    assert_true(json_array_size(invalid) >= 80);
    json_array_foreach(invalid, index, example) {
        struct link_profile profile;
        struct link_error error;
        const char *form = json_string_value(json_object_get(example, "form"));
        if (read_form(form, &profile, &error) == 0) fail_msg("\"%s\" was taken", form);
        assert_string_equal(error.line, json_string_value(json_object_get(example, "error")));
    }
    json_decref(forms);
}

UNIT_TEST(every_known_link_is_among_the_examples) {
    json_t *forms = load_forms(), *valid = json_object_get(forms, "valid");
    size_t names = 0;
    for (; link_named_at(names); names++) {
        const char *name = link_named_at(names)->name;
        size_t index;
        json_t *example;
        bool found = false;
        json_array_foreach(valid, index, example) found =
            found || strcmp(json_string_value(json_object_get(example, "form")), name) == 0;
        if (!found) fail_msg("%s is not among the examples", name);
    }
    assert_true(names >= 20);
    json_decref(forms);
}

UNIT_TEST(overlong_input_is_refused) {
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

UNIT_TEST(option_replaces_what_the_form_says) {
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
    link_profile_close(&profile);
}

UNIT_TEST(queues_hold_what_was_asked) {
    assert_limits("3mbit/50ms", 0, 18750);
    assert_limits("10mbit/100ms,queue=2bdp", 0, 250000);
    assert_limits("200kbit/30ms", 0, 15000); // a product of 750 bytes, but ten packets at least
    assert_limits("down=30mbit,up=1mbit,delay_down=10ms,delay_up=90ms", 0, 375000);
    assert_limits("3mbit/50ms,queue=13kB", 0, 13000); // as asked, however small
    assert_limits("3mbit/50ms,queue=1p", 1, 0);
    assert_limits("unlimited/50ms", 1000, 0);
    assert_limits("3mbit/50ms,queue=unlimited", 0, 0);
    assert_limits("3mbit:1mbit@1s/50ms:100ms@2s", 0, 18750); // as at the start
    assert_limits("3mbit/50ms,aqm=codel", 1000, 0);
    assert_limits("trace=schemas/examples/link-files/12mbit.trace,rtt=50ms", 0, 75000); // 1500 bytes a ms
}

static void read_as(const char *form, struct link_profile *profile) {
    struct link_error error;
    if (read_form(form, profile, &error) < 0) fail_msg("%s: %s", form, error.line);
}

UNIT_TEST(settings_reach_the_nodes) {
    struct link_profile profile;
    read_as(
        "8mbit:1mbit@10s/60ms,jitter=normal:5ms,jitter_order_up=free,loss=ge:1%:25%:80%:0.5%,loss_slot=10ms,"
        "duplicate=2%,reorder=1%:3,onoff=exp:10s:1s,queue=50ms,aqm=pie,ecn_down=on,fec=2,seed=9",
        &profile);
    const struct direction_settings *down = &profile.down, *up = &profile.up;
    assert_int_equal(down->rate.kind, RATE_STEPS);
    assert_int_equal(down->rate.steps_bps.count, 2);
    assert_true(down->rate.steps_bps.step[1].at_ns == 10000000000 &&
                down->rate.steps_bps.step[1].value == 1000000);
    assert_int_equal(up->delay.delay_ns.step[0].value, 30000000);
    assert_true(down->delay.jitter == JITTER_NORMAL && down->delay.jitter_ns == 5000000);
    assert_true(!down->delay.may_reorder && up->delay.may_reorder);
    assert_int_equal(down->loss.kind, LOSS_GILBERT_ELLIOTT);
    assert_true(down->loss.good_to_bad == 0.01 && down->loss.bad_to_good == 0.25);
    assert_true(down->loss.loss_in_bad == 0.8 && down->loss.loss_in_good == 0.005);
    assert_int_equal(up->loss.slot_ns, 10000000);
    assert_true(up->duplicate == 0.02 && up->reorder.probability == 0.01 && up->reorder.distance == 3);
    assert_true(up->onoff.exponential && up->onoff.on_ns == 10000000000 && up->onoff.off_ns == 1000000000);
    assert_int_equal(down->queue.discipline, QUEUE_PIE);
    assert_true(down->queue.limit_ns == 50000000 && down->queue.limit_bytes == 0);
    assert_true(down->queue.ecn && !up->queue.ecn);
    assert_true(down->fec_group == 2 && up->fec_group == 2 && profile.seed == 9);
    link_profile_close(&profile);
}

UNIT_TEST(files_are_opened) {
    struct link_profile profile;
    read_as("trace=schemas/examples/link-files/12mbit.trace,rtt=50ms,trace_end_up=once,"
            "jitter_down=file:schemas/examples/link-files/jitter.numbers,"
            "loss_up=file:schemas/examples/link-files/loss.numbers",
            &profile);
    assert_true(profile.down.rate.kind == RATE_TRACE && !profile.down.rate.trace_once);
    assert_true(profile.up.rate.trace_once && profile.up.rate.trace == profile.down.rate.trace);
    assert_int_equal(link_rate_bps(&profile.down), 12000000);
    assert_int_equal(profile.down.delay.jitter, JITTER_FILE);
    assert_true(number_file_at(profile.down.delay.file, 2) == 2.25);
    assert_true(link_loss(&profile.up) == 0.25 && link_loss(&profile.down) == 0);
    link_profile_close(&profile);
}

UNIT_TEST(bad_files_are_named) {
    static const char *const forms[] = {
        "trace=schemas/none,rtt=50ms",
        "3mbit/50ms,loss_up=file:schemas/none",
        "3mbit/50ms,jitter=file:schemas",
        "trace_down=schemas,rtt=50ms",
        "trace=schemas/examples/link-forms.json,rtt=50ms",
        "3mbit/50ms,loss=file:schemas/examples/link-files/jitter.numbers", // more than 1
    };
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct link_profile profile;
        struct link_error error;
        if (read_form(forms[f], &profile, &error) == 0) fail_msg("\"%s\" was taken", forms[f]);
        assert_memory_equal(error.line, "link: ", 6);
        assert_non_null(strstr(error.line, "schemas"));
        assert_null(strchr(error.line, '\n'));
    }
}

UNIT_TEST(a_change_replaces_what_it_names) {
    struct link_profile start, next;
    struct link_error error;
    read_as("down=8mbit,up=1mbit,rtt=60ms,loss=1%", &start);
    assert_int_equal(link_profile_change(&next, &start, "rate=5mbit,loss_up=0%", &error), 0);
    assert_int_equal(link_rate_bps(&next.down), 5000000);
    assert_int_equal(link_rate_bps(&next.up), 5000000);
    assert_true(link_loss(&next.down) == 0.01 && link_loss(&next.up) == 0);
    assert_int_equal(next.down.queue.given.kind, LINK_QUEUE_BDP);
    assert_int_equal(next.down.queue.limit_bytes, 37500); // in the new product
    link_profile_close(&next);
    assert_int_equal(
        link_profile_change(&next, &start, "trace_down=schemas/examples/link-files/12mbit.trace", &error), 0);
    assert_true(next.down.rate.kind == RATE_TRACE && link_rate_bps(&next.up) == 1000000);
    struct link_profile after;
    assert_int_equal(link_profile_change(&after, &next, "3g,seed=3", &error), 0);
    assert_true(link_rate_bps(&after.down) == 1600000 && after.seed == 3 && link_loss(&after.down) == 0);
    link_profile_close(&after);
    assert_int_equal(link_profile_change(&after, &next, "rate=0mbit", &error), -1);
    assert_string_equal(error.line, "link: rate must be above 0 (got \"0mbit\")");
    link_profile_close(&next);
    link_profile_close(&start);
}

static void assert_change(const char *before, const char *change, const char *after) {
    struct link_profile start, next;
    struct link_error error;
    read_as(before, &start);
    if (link_profile_change(&next, &start, change, &error) < 0) fail_msg("%s: %s", change, error.line);
    json_t *seen = link_profile_json(&next);
    assert_reads_as(after, seen);
    json_decref(seen);
    link_profile_close(&next);
    link_profile_close(&start);
}

#define TRACE "schemas/examples/link-files/12mbit.trace"

// What a form begins with is a whole link; but the fates of a running one go on by the same numbers.
UNIT_TEST(a_link_replaces_all_but_the_seed) {
    static const char before[] = "down=8mbit,up=1mbit,rtt=60ms,loss=1%,aqm=codel,seed=7";
    assert_change(before, "3g", "3g,seed=7");
    assert_change(before, "3g,loss=2%", "3g,loss=2%,seed=7");
    assert_change(before, " 3g,seed=7\t", "3g,seed=7");
    assert_change(before, "5mbit/40ms", "5mbit/40ms,seed=7");
    assert_change(before, "unlimited/40ms,fec=2", "unlimited/40ms,fec=2,seed=7");
    assert_change(before, "unlimited", "unlimited,seed=7");
    assert_change(before, "unlimited,down=2mbit,up=3mbit,rtt=9ms", "down=2mbit,up=3mbit,rtt=9ms,seed=7");
    assert_change(before, "unlimited,trace=" TRACE ",rtt=9ms", "trace=" TRACE ",rtt=9ms,seed=7");
    assert_change(before, "rate=5mbit", "5mbit/60ms,loss=1%,aqm=codel,seed=7");
}

UNIT_TEST(a_traces_end_goes_with_it) {
    static const char both[] = "trace=" TRACE ",trace_end=once,rtt=50ms";
    assert_change(both, "rate=3mbit", "3mbit/50ms");
    assert_change(both, "down=3mbit,up=2mbit", "down=3mbit,up=2mbit,rtt=50ms");
    assert_change(both, "up=3mbit", "trace_down=" TRACE ",up=3mbit,rtt=50ms,trace_end_down=once");
    assert_change(both, "rtt=60ms", "trace=" TRACE ",trace_end=once,rtt=60ms");
    assert_change(both, "trace_end=wrap", "trace=" TRACE ",rtt=50ms");
    assert_change(both, "3mbit/10ms", "3mbit/10ms");
    static const char one[] = "trace_down=" TRACE ",up=1mbit,trace_end_down=once,rtt=50ms";
    assert_change(one, "down=3mbit", "down=3mbit,up=1mbit,rtt=50ms");
    assert_change(one, "rate=3mbit", "3mbit/50ms");
    assert_change(one, "up=3mbit", "trace_down=" TRACE ",up=3mbit,trace_end_down=once,rtt=50ms");
    assert_change(one, "trace_down=schemas/examples/link-files/1mbit.trace",
                  "trace_down=schemas/examples/link-files/1mbit.trace,up=1mbit,trace_end_down=once,rtt=50ms");
    struct link_profile start, next;
    struct link_error error;
    read_as("3mbit/50ms", &start);
    assert_int_equal(link_profile_change(&next, &start, "trace_end=once", &error), -1);
    assert_int_equal(link_profile_change(&next, &start, "rate=1mbit,trace_end_up=once", &error), -1);
    assert_string_equal(error.line,
                        "link: trace_end is for a trace, and there is none: give one, or leave it out");
    link_profile_close(&start);
}

// A change need not find, nor read again, what the link has in memory; it does where it names the file.
UNIT_TEST(files_that_a_change_does_not_name_stay) {
    char form[300];
    const char *trace_path = unit_file("trace", "1\n2\n"), *numbers_path = unit_file("numbers", "0 1 0 0");
    snprintf(form, sizeof form, "trace=%s,rtt=50ms,jitter=file:%s,loss_up=file:%s", trace_path, numbers_path,
             numbers_path);
    struct link_profile start, next, after;
    struct link_error error;
    read_as(form, &start);
    assert_int_equal(unlink(trace_path), 0);
    assert_int_equal(unlink(numbers_path), 0);
    if (link_profile_change(&next, &start, "rtt=80ms,loss_down=2%", &error) < 0) fail_msg("%s", error.line);
    assert_ptr_equal(next.down.rate.trace, start.down.rate.trace);
    assert_ptr_equal(next.up.rate.trace, start.up.rate.trace);
    assert_ptr_equal(next.up.delay.file, start.up.delay.file);
    assert_ptr_equal(next.up.loss.file, start.up.loss.file);
    link_profile_close(&start);
    assert_int_equal(link_rate_bps(&next.up), 12000000);
    assert_true(link_loss(&next.up) == 0.25 && link_loss(&next.down) == 0.02);
    assert_true(number_file_at(next.down.delay.file, 1) == 1);
    assert_int_equal(link_profile_change(&after, &next, "up=1mbit", &error), 0);
    assert_ptr_equal(after.down.rate.trace, next.down.rate.trace);
    link_profile_close(&after);
    // A change that fails gives back what it has taken over.
    assert_int_equal(link_profile_change(&after, &next, "loss_up=1,rtt=90ms", &error), -1);
    snprintf(form, sizeof form, "trace=%s", trace_path);
    assert_int_equal(link_profile_change(&after, &next, form, &error), -1);
    assert_non_null(strstr(error.line, trace_path));
    unit_file("trace", "1\n2\n2\n2\n");
    assert_int_equal(link_profile_change(&after, &next, form, &error), 0);
    assert_int_equal(link_rate_bps(&after.down), 24000000);
    link_profile_close(&next);
    link_profile_close(&after);
}

// Where the examples' files are named relative to.
static int enter_checkout(void **state) {
    return chdir(TRILANE_ROOT);
}

GROUP_FIXTURE(enter_checkout, NULL)
