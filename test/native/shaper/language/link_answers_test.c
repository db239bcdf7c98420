// link_answers: one answer to each line, whatever is on it. What links mean is link_profile_test.c's.
#include "shaper/language/link_answers.h"
#include "test/native/cmocka_unit.h"

static json_t *answer_to(const char *line) {
    json_t *answer = link_answer(line, strlen(line));
    if (!answer) fail_msg("no answer to %s", line);
    return answer;
}

static void assert_member(const char *line, const char *key, const char *expected) {
    json_t *answer = answer_to(line);
    const char *seen = json_string_value(json_object_get(answer, key));
    if (!seen || strcmp(seen, expected) != 0) fail_msg("%s: %s is %s", line, key, seen ? seen : "missing");
    json_decref(answer);
}

UNIT_TEST(a_link_has_its_form_label_name_and_profile) {
    assert_member("{\"form\": \" rate=3mbit,rtt=50ms\"}", "form", "3mbit/50ms");
    assert_member("{\"form\": \"down=750kbit,up=250kbit,rtt=100ms\"}", "name", "cse534-lb-hl");
    assert_member("{\"form\": \"trace=/a/b,rtt=5ms,loss=file:/c/d\"}", "form",
                  "trace=/a/b,rtt=5ms,loss=file:/c/d");
    assert_member("{\"form\": \"trace=/a/b,rtt=5ms,loss=file:/c/d\"}", "label",
                  "trace=b,rtt=5ms,loss=file:d");
    json_t *answer = answer_to("{\"form\": \"10mbit,loss=1%\"}");
    json_t *undelayed = json_object_get(answer, "undelayed");
    assert_string_equal(json_string_value(json_array_get(undelayed, 0)), "10mbit/50ms,loss=1%");
    assert_string_equal(json_string_value(json_array_get(undelayed, 1)), "10mbit/0ms,loss=1%");
    json_t *question = json_pack("{s:O}", "profile", json_object_get(answer, "profile"));
    char *line = json_dumps(question, 0);
    assert_member(line, "form", "10mbit/0ms,loss=1%");
    free(line);
    json_decref(question);
    json_decref(answer);
}

UNIT_TEST(files_are_read_where_it_is_asked_for) {
    static const char form[] = "trace=schemas/examples/link-files/12mbit.trace,rtt=50ms";
    for (int files = 0; files < 2; files++) {
        char line[200];
        snprintf(line, sizeof line, "{\"form\": \"%s\", \"files\": %s}", form, files ? "true" : "false");
        json_t *answer = answer_to(line), *profile = json_object_get(answer, "profile");
        json_t *rate_bps = json_object_get(json_object_get(profile, "down"), "rate_bps");
        assert_int_equal(json_integer_value(rate_bps), files ? 12000000 : 0);
        json_decref(answer);
    }
    assert_member("{\"form\": \"3mbit/50ms,loss=file:none\", \"files\": true}", "error",
                  "link: loss: none: No such file or directory: name a file of numbers");
}

UNIT_TEST(anything_has_an_answer) {
    static const char *const lines[] = {
        "",
        "x",
        "[]",
        "{}",
        "1",
        "{\"form\": 3}",
        "{\"form\": \"\\u0000\"}",
        "{\"form\": \"3mbit/50ms,loss=ge:1%\"}",
        "{\"profile\": []}",
        "{\"profile\": {\"down\": 3, \"up\": [1], \"rtt_ms\": \"x\", \"seed\": -1}}",
        "{\"profile\": {\"down\": {\"rate_bps\": 1e300, \"delay_ms\": -1e300, \"queue\": {\"bytes\": 0.1}}}}",
        ("{\"profile\": {\"down\": {\"trace\": {\"file\": \"a,b\"}, \"loss_model\": {}, \"jitter\": [], "
         "\"reorder\": 1, \"onoff\": {}, \"rate_steps\": [], \"delay_steps\": [{}, {}], \"fec\": \"x\"}}}"),
    };
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
        json_t *answer = answer_to(lines[l]);
        const char *error = json_string_value(json_object_get(answer, "error"));
        if (error)
            assert_memory_equal(error, "link: ", 6);
        else
            assert_non_null(json_object_get(answer, "form"));
        json_decref(answer);
    }
}

static int enter_checkout(void **state) {
    return chdir(TRILANE_ROOT);
}

GROUP_FIXTURE(enter_checkout, NULL)
