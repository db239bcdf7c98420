#include "flows/plan.h"

#include "flows/transports.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t day_ms = 86400000;
static const uint64_t interval_most_ms = 10000;
static const uint64_t number_most = INT64_MAX;

// Where in the file we are, and what is wrong there.
struct reading {
    const char *path;
    char place[32]; // "flows/3/"
    char *error;
};

__attribute__((format(printf, 3, 4))) static bool refuse(struct reading *reading, const char *key,
                                                         const char *format, ...) {
    int n = snprintf(reading->error, PLAN_ERROR_SIZE, "%s: %s%s: ", reading->path, reading->place, key);
    if (n < 0 || n >= PLAN_ERROR_SIZE) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->error + n, PLAN_ERROR_SIZE - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}

// A whole number, or null where that is allowed: FLOW_UNAVAILABLE.
static bool read_number(struct reading *reading, const json_t *object, const char *key, uint64_t least,
                        uint64_t most, bool may_be_null, uint64_t *number) {
    const json_t *value = json_object_get(object, key);
    const char *or_null = may_be_null ? " or null" : "";
    if (!value) return refuse(reading, key, "missing: give a whole number%s", or_null);
    if (may_be_null && json_is_null(value)) {
        *number = FLOW_UNAVAILABLE;
        return true;
    }
    const json_int_t given = json_integer_value(value);
    if (json_is_integer(value) && given >= 0 && (uint64_t)given >= least && (uint64_t)given <= most) {
        *number = (uint64_t)given;
        return true;
    }
    if (most == number_most)
        return refuse(reading, key, "must be a whole number of at least %" PRIu64 "%s", least, or_null);
    return refuse(reading, key, "must be a whole number from %" PRIu64 " to %" PRIu64 "%s", least, most,
                  or_null);
}

static bool read_transport(struct reading *reading, const json_t *object, struct flow_plan *flow) {
    const char *name = json_string_value(json_object_get(object, "transport"));
    flow->transport = name ? transport_named(name) : NULL;
    if (flow->transport) return true;
    char known[128];
    transports_list(known, sizeof known);
    return refuse(reading, "transport", "must be one of %s (got \"%.40s\")", known, name ? name : "no text");
}

static bool read_congestion(struct reading *reading, const json_t *object, struct flow_plan *flow) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *name = json_string_value(json_object_get(object, "congestion"));
    const size_t size = name ? strlen(name) : 0;
    if (size == 0 || size >= sizeof flow->congestion || strspn(name, allowed) != size)
        return refuse(reading, "congestion", "must be the name of a congestion controller, as cubic");
    memcpy(flow->congestion, name, size + 1);
    return true;
}

static bool read_paced(struct reading *reading, const json_t *object, struct flow_plan *flow) {
    const json_t *paced = json_object_get(object, "paced");
    flow->paced = json_is_true(paced);
    if (paced && !flow->paced) return refuse(reading, "paced", "must be true, or left out");
    if (flow->paced && !flow->transport->can_pace)
        return refuse(reading, "paced", "%s flows are paced as their controller wants: leave it out",
                      flow->transport->name);
    return true;
}

// A shorter time than this is shorter than most links' round trip, in which a move is made.
static const uint64_t migrate_least_ms = 100;

static bool read_migrate(struct reading *reading, const json_t *object, struct flow_plan *flow) {
    if (!json_object_get(object, "migrate_ms")) return true;
    if (!flow->transport->can_move)
        return refuse(reading, "migrate_ms", "a %s connection ends with its address: leave it out",
                      flow->transport->name);
    return read_number(reading, object, "migrate_ms", migrate_least_ms, day_ms, false, &flow->migrate_ms);
}

static bool read_direction(struct reading *reading, const json_t *object, struct flow_plan *flow) {
    const char *name = json_string_value(json_object_get(object, "direction"));
    const bool up = name && strcmp(name, "up") == 0;
    if (!up && (!name || strcmp(name, "down") != 0))
        return refuse(reading, "direction", "must be down or up");
    flow->direction = up ? FLOW_UP : FLOW_DOWN;
    return true;
}

static bool read_flow(struct reading *reading, const struct plan *plan, const json_t *object,
                      struct flow_plan *flow) {
    if (!json_is_object(object)) return refuse(reading, "", "must be an object");
    if (!read_transport(reading, object, flow) || !read_congestion(reading, object, flow) ||
        !read_paced(reading, object, flow) || !read_migrate(reading, object, flow) ||
        !read_direction(reading, object, flow) ||
        !read_number(reading, object, "start_ms", 0, day_ms, false, &flow->start_ms) ||
        !read_number(reading, object, "duration_ms", 1, day_ms, true, &flow->duration_ms) ||
        !read_number(reading, object, "size_bytes", 1, number_most, true, &flow->size_bytes))
        return false;
    if (flow->start_ms < plan->for_ms) return true;
    return refuse(reading, "start_ms",
                  "the flow would start at %" PRIu64 " ms, when the run of %" PRIu64
                  " ms has ended: start it earlier or make the run longer",
                  flow->start_ms, plan->for_ms);
}

static bool read_flows(struct reading *reading, struct plan *plan, const json_t *flows) {
    const size_t count = json_array_size(flows);
    if (count < 1 || count > FLOWS_MAX)
        return refuse(reading, "flows", "must be a list of 1 to %d flows (got %zu)", FLOWS_MAX, count);
    plan->flows = calloc(count, sizeof *plan->flows);
    if (!plan->flows) return refuse(reading, "flows", "not enough memory");
    plan->count = count;
    for (size_t i = 0; i < count; i++) {
        snprintf(reading->place, sizeof reading->place, "flows/%zu/", i);
        if (!read_flow(reading, plan, json_array_get(flows, i), &plan->flows[i])) return false;
    }
    return true;
}

static bool read_document(struct reading *reading, struct plan *plan, const json_t *document) {
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (!schema || strcmp(schema, "trilane/flow-run/1") != 0)
        return refuse(reading, "schema", "must be \"trilane/flow-run/1\"");
    return read_number(reading, document, "for_ms", 1, day_ms, false, &plan->for_ms) &&
           read_number(reading, document, "sample_ms", 1, interval_most_ms, false, &plan->sample_ms) &&
           read_number(reading, document, "ping_ms", 1, interval_most_ms, true, &plan->ping_ms) &&
           read_flows(reading, plan, json_object_get(document, "flows"));
}

int plan_read(struct plan *plan, const char *path, char *error) {
    *plan = (struct plan){0};
    json_error_t why;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!document) {
        if (why.line > 0)
            snprintf(error, PLAN_ERROR_SIZE, "%s: line %d: %s", path, why.line, why.text);
        else
            snprintf(error, PLAN_ERROR_SIZE, "%s", why.text);
        return -1;
    }
    struct reading reading = {.path = path, .error = error};
    const bool taken = read_document(&reading, plan, document);
    json_decref(document);
    if (!taken) plan_close(plan);
    return taken ? 0 : -1;
}

void plan_close(struct plan *plan) {
    free(plan->flows);
    *plan = (struct plan){0};
}
