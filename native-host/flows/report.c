#include "flows/report.h"

#include "flows/flow_state.h"
#include "quic_io/path_change.h"

#include <time.h>

static const double ns_per_ms = 1e6;

static json_t *number_or_null(uint64_t number) {
    return number == FLOW_UNAVAILABLE ? json_null() : json_integer((json_int_t)number);
}

static json_t *text_or_null(const char *text) {
    return text[0] ? json_string(text) : json_null();
}

// A listener without a connection has not started either.
static const char *state_name(const struct flow *flow) {
    switch (flow->state) {
    case FLOW_ENDED:
        return "ended";
    case FLOW_RUNNING:
    case FLOW_CUT:
        return "cut";
    case FLOW_FAILED:
        return "failed";
    case FLOW_WAITING:
    case FLOW_OPENING:
        break;
    }
    return "not-started";
}

static json_t *moves_of(const struct flow_sample *last) {
    if (last->moves_begun == FLOW_UNAVAILABLE) return NULL;
    return json_pack("{s:I,s:I}", "begun", (json_int_t)last->moves_begun, "made",
                     (json_int_t)last->moves_made);
}

static json_t *report_of_flow(const struct flow *flow) {
    struct flow_sample last = flow->last;
    size_t move_count;
    const struct path_change *moves = flow_moves(flow, &move_count);
    if (flow->connection) flow_sample_now(flow, &last);
    return json_pack(
        "{s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o,s:o,s:o,s:f,s:o*,s:o*}", // in order
        "flow", (int)flow->number, "state", state_name(flow), "error", text_or_null(flow->error), "local",
        text_or_null(flow->local), "peer", text_or_null(flow->peer), "congestion",
        text_or_null(flow->congestion), "paced", flow->paced < 0 ? json_null() : json_boolean(flow->paced),
        "connect_begin_ns", number_or_null(flow->connect_begin_ns), "connected_ns",
        number_or_null(flow->connected_ns), "first_byte_ns", number_or_null(flow->first_byte_ns),
        "started_ns", number_or_null(flow->connected_ns), "ended_ns", number_or_null(flow->ended_ns),
        "sent_bytes", (json_int_t)flow->sent_bytes, "received_bytes", (json_int_t)flow->received_bytes,
        "packets_sent", number_or_null(last.packets_sent), "packets_lost", number_or_null(last.lost_packets),
        "retransmitted_bytes", number_or_null(last.retransmitted_bytes), "cpu_ms",
        (double)flow->cpu_ns / ns_per_ms, "path_changes",
        move_count > 0 ? path_changes_json(moves, move_count) : NULL, "migrations", moves_of(&last));
}

static json_t *report_of_ping(const struct ping *ping) {
    if (!ping) return json_null();
    size_t count;
    const struct ping_reply *replies = ping_replies(ping, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:I,s:I}", "sent_ns", (json_int_t)replies[i].sent_ns,
                                              "rtt_ns", (json_int_t)replies[i].rtt_ns));
    return json_pack("{s:I,s:I,s:o}", "sent", (json_int_t)ping_sent(ping), "received", (json_int_t)count,
                     "replies", list);
}

static double cpu_ms(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / ns_per_ms;
}

json_t *report_of(const struct engine *engine, const struct plan *plan, bool is_near, const struct ping *ping,
                  uint64_t end_ns) {
    json_t *flows = json_array();
    for (size_t i = 0; i < plan->count; i++)
        if (json_array_append_new(flows, report_of_flow(&engine_flows(engine)[i])) < 0) {
            json_decref(flows);
            return NULL;
        }
    return json_pack("{s:s,s:s,s:s,s:I,s:I,s:f,s:o,s:o}", "schema", "trilane/flow-report/1", "version",
                     TRILANE_VERSION, "end", is_near ? "near" : "far", "start_ns",
                     (json_int_t)engine_start_ns(engine), "end_ns", (json_int_t)end_ns, "cpu_ms", cpu_ms(),
                     "flows", flows, "ping", report_of_ping(ping));
}
