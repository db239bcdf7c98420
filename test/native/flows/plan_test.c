// What trilane-flows takes for a run, and what it says of one that it does not take.
#include "flows/plan.h"

#include "flows/sampler.h"
#include "flows/transports.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

#define FLOW                                                                                                 \
    "{\"transport\":\"tcp\",\"congestion\":\"cubic\",\"direction\":\"up\",\"start_ms\":5000,"                \
    "\"duration_ms\":30000,\"size_bytes\":null}"
#define RUN(flows)                                                                                           \
    "{\"schema\":\"trilane/flow-run/1\",\"for_ms\":60000,\"sample_ms\":5,\"ping_ms\":null,"                  \
    "\"flows\":[" flows "]}"

static int read_text(struct plan *plan, const char *text, char *error) {
    FILE *file = fopen(unit_path("run.json"), "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return plan_read(plan, unit_path("run.json"), error);
}

UNIT_TEST(a_run_is_read) {
    char error[PLAN_ERROR_SIZE] = "";
    struct plan plan;
    assert_int_equal(
        read_text(&plan,
                  "{\"schema\":\"trilane/flow-run/1\",\"for_ms\":60000,\"sample_ms\":5,\"ping_ms\":100,"
                  "\"flows\":[" FLOW ",{\"transport\":\"tcp\",\"congestion\":\"bbr\",\"paced\":true,"
                  "\"direction\":\"down\","
                  "\"start_ms\":0,\"duration_ms\":null,\"size_bytes\":9000000000}]}",
                  error),
        0);
    assert_string_equal(error, "");
    assert_int_equal(plan.for_ms, 60000);
    assert_int_equal(plan.sample_ms, 5);
    assert_int_equal(plan.ping_ms, 100);
    assert_int_equal(plan.count, 2);
    const struct flow_plan *flow = plan.flows;
    assert_ptr_equal(flow[0].transport, transport_named("tcp"));
    assert_string_equal(flow[0].congestion, "cubic");
    assert_int_equal(flow[0].direction, FLOW_UP);
    assert_int_equal(flow[0].start_ms, 5000);
    assert_int_equal(flow[0].duration_ms, 30000);
    assert_int_equal(flow[0].size_bytes, FLOW_UNAVAILABLE);
    assert_string_equal(flow[1].congestion, "bbr");
    assert_false(flow[0].paced);
    assert_true(flow[1].paced);
    assert_int_equal(flow[1].direction, FLOW_DOWN);
    assert_int_equal(flow[1].duration_ms, FLOW_UNAVAILABLE);
    assert_int_equal(flow[1].size_bytes, UINT64_C(9000000000));
    plan_close(&plan);
    assert_int_equal(read_text(&plan, RUN(FLOW), error), 0);
    assert_int_equal(plan.ping_ms, FLOW_UNAVAILABLE);
    plan_close(&plan);
}

// Each is the run above with one member of it or of its flow replaced.
UNIT_TEST(what_is_wrong_is_said_in_one_line) {
    static const struct {
        const char *key;
        const char *value; // JSON; NULL: left out
        const char *place;
        const char *message;
    } wrong[] = {
        {"schema", "\"trilane/flow-run/2\"", "schema", "must be \"trilane/flow-run/1\""},
        {"for_ms", "0", "for_ms", "must be a whole number from 1 to 86400000"},
        {"for_ms", "1.5", "for_ms", "must be a whole number from 1 to 86400000"},
        {"sample_ms", "-5", "sample_ms", "must be a whole number from 1 to 10000"},
        {"ping_ms", NULL, "ping_ms", "missing: give a whole number or null"},
        {"ping_ms", "0", "ping_ms", "must be a whole number from 1 to 10000 or null"},
        {"flows", "[]", "flows", "must be a list of 1 to 1000 flows (got 0)"},
        {"flows", "{}", "flows", "must be a list of 1 to 1000 flows (got 0)"},
        {"flows", "[3]", "flows/0/", "must be an object"},
        {"flow.transport", "\"sctp\"", "flows/0/transport", NULL},
        {"flow.congestion", "\"\"", "flows/0/congestion",
         "must be the name of a congestion controller, as cubic"},
        {"flow.congestion", "\"a b\"", "flows/0/congestion",
         "must be the name of a congestion controller, as cubic"},
        {"flow.congestion", "\"aaaaaaaaaabbbbbbbbbbccccccccccdd\"", "flows/0/congestion",
         "must be the name of a congestion controller, as cubic"},
        {"flow.paced", "1", "flows/0/paced", "must be true, or left out"},
        {"flow.migrate_ms", "5000", "flows/0/migrate_ms",
         "a tcp connection ends with its address: leave it out"},
        {"flow.direction", "\"left\"", "flows/0/direction", "must be down or up"},
        {"flow.start_ms", "null", "flows/0/start_ms", "must be a whole number from 0 to 86400000"},
        {"flow.start_ms", "60000", "flows/0/start_ms",
         "the flow would start at 60000 ms, when the run of 60000 ms has ended: start it earlier or make the "
         "run longer"},
        {"flow.duration_ms", "0", "flows/0/duration_ms", "must be a whole number from 1 to 86400000 or null"},
        {"flow.size_bytes", "0", "flows/0/size_bytes", "must be a whole number of at least 1 or null"},
        {"flow.size_bytes", NULL, "flows/0/size_bytes", "missing: give a whole number or null"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *run = json_loads(RUN(FLOW), 0, NULL);
        assert_non_null(run);
        const bool of_flow = strncmp(wrong[i].key, "flow.", 5) == 0;
        json_t *object = of_flow ? json_array_get(json_object_get(run, "flows"), 0) : run;
        const char *key = wrong[i].key + (of_flow ? 5 : 0);
        if (wrong[i].value)
            json_object_set_new(object, key, json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
        else
            json_object_del(object, key);
        char *text = json_dumps(run, 0);
        char error[PLAN_ERROR_SIZE] = "", expected[PLAN_ERROR_SIZE];
        struct plan plan;
        assert_int_equal(read_text(&plan, text, error), -1);
        snprintf(expected, sizeof expected, "%s: %s: %s", unit_path("run.json"), wrong[i].place,
                 wrong[i].message ? wrong[i].message : "");
        if (wrong[i].message)
            assert_string_equal(error, expected);
        else // the list is the transports'
            assert_memory_equal(error, expected, strlen(expected));
        assert_null(strchr(error, '\n'));
        free(text);
        json_decref(run);
    }
}

UNIT_TEST(too_many_flows_and_no_json_are_said_in_one_line) {
    char error[PLAN_ERROR_SIZE], expected[PLAN_ERROR_SIZE];
    struct plan plan;
    json_t *run = json_loads(RUN(FLOW), 0, NULL);
    json_t *flows = json_object_get(run, "flows");
    while (json_array_size(flows) < 1000)
        json_array_append(flows, json_array_get(flows, 0));
    char *text = json_dumps(run, 0);
    assert_int_equal(read_text(&plan, text, error), 0);
    assert_int_equal(plan.count, 1000);
    plan_close(&plan);
    free(text);
    json_array_append(flows, json_array_get(flows, 0));
    text = json_dumps(run, 0);
    assert_int_equal(read_text(&plan, text, error), -1);
    snprintf(expected, sizeof expected, "%s: flows: must be a list of 1 to 1000 flows (got 1001)",
             unit_path("run.json"));
    assert_string_equal(error, expected);
    free(text);
    json_decref(run);
    assert_int_equal(read_text(&plan, "{\"schema\":", error), -1);
    assert_null(strchr(error, '\n'));
    snprintf(expected, sizeof expected, "%s: line 1: ", unit_path("run.json"));
    assert_memory_equal(error, expected, strlen(expected));
    assert_int_equal(plan_read(&plan, "/nonexistent/run.json", error), -1);
    assert_non_null(strstr(error, "/nonexistent/run.json"));
    assert_null(strchr(error, '\n'));
}

UNIT_TEST(ticks_are_multiples_of_the_interval) {
    assert_int_equal(sampler_tick_ns(0, 5000000), 0);
    assert_int_equal(sampler_tick_ns(4999999, 5000000), 0);
    assert_int_equal(sampler_tick_ns(5000000, 5000000), 5000000);
    assert_int_equal(sampler_tick_ns(26245878932895, 5000000), 26245875000000);
}
