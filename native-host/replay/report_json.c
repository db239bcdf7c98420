// A report as the document of schemas/replay-report.schema.json.
#include "replay/report_entries.h"

#include "base/json_file.h"
#include "congestion/congestion.h"

#include <errno.h>
#include <jansson.h>
#include <llhttp.h>
#include <openssl/base.h>
#include <stdio.h>
#include <string.h>

// Monotonic nanoseconds fit a signed 64-bit integer for 292 years.
static json_t *time_or_null(uint64_t time_ns) {
    return time_ns ? json_integer((json_int_t)time_ns) : json_null();
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *visits_json(const struct report *report) {
    json_t *list = json_array();
    const uint64_t *visits_ns = report->visits.entries;
    for (size_t i = 0; i < report->visits.count; i++)
        json_array_append_new(list, json_integer((json_int_t)visits_ns[i]));
    return list;
}

static json_t *qlog_json(const struct connection *connection) {
    if (!connection->qlog) return json_null();
    return json_pack("{s:s, s:I}", "file", connection->qlog, "start_ns",
                     (json_int_t)connection->qlog_start_ns);
}

static json_t *acks_json(const struct connection *c) {
    if (!c->counts_acks) return NULL;
    return json_pack("{s:I, s:I}", "packets", (json_int_t)c->packets, "acks", (json_int_t)c->acks);
}

// Of a connection that is open yet: so far.
static json_t *cost_json(const struct report *report, const struct connection *c) {
    const char *why = report->meter.cycles.why;
    struct usage spent = c->spent;
    if (c->closed_ns == 0) usage_add(&report->meter, &spent, &c->from);
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "cpu_user_us", (json_int_t)spent.user_us,
                     "cpu_system_us", (json_int_t)spent.system_us, "context_switches_voluntary",
                     (json_int_t)spent.voluntary, "context_switches_involuntary",
                     (json_int_t)spent.involuntary, "cycles",
                     why ? json_null() : json_integer((json_int_t)spent.cycles), "cycles_missing",
                     why ? json_string(why) : json_null());
}

static json_t *connections_json(const struct report *report) {
    json_t *list = json_array();
    const struct connection *connections = report->connections.entries;
    for (size_t i = 0; i < report->connections.count; i++) {
        const struct connection *c = &connections[i];
        json_array_append_new(
            list,
            json_pack("{s:I, s:s, s:s, s:i, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*}",
                      "id", (json_int_t)i, "lane", c->lane, "local_address", c->local_address, "local_port",
                      c->local_port, "tls_version", text_or_null(c->tls_version), "alpn",
                      text_or_null(c->alpn), "resumed", c->resumed, "early_data", c->early_data, "opened_ns",
                      time_or_null(c->opened_ns), "secured_ns", time_or_null(c->secured_ns), "closed_ns",
                      time_or_null(c->closed_ns), "close_reason", text_or_null(c->close_reason), "qlog",
                      qlog_json(c), "cost", cost_json(report, c), "path_changes",
                      c->moves ? path_changes_json(c->moves, c->move_count) : NULL, "acks", acks_json(c)));
    }
    return list;
}

static bool has_own_port(const struct recorded_exchange *exchange) {
    return exchange->port == (strcmp(exchange->scheme, "https") == 0 ? 443 : 80);
}

static json_t *recorded_url(const struct recorded_exchange *exchange) {
    const bool v6 = strchr(exchange->host, ':') != NULL;
    char *plain = NULL, port[8] = "";
    if (!has_own_port(exchange)) snprintf(port, sizeof port, ":%u", exchange->port);
    int size = asprintf(&plain, "%s://%s%s%s%s%s", exchange->scheme, v6 ? "[" : "", exchange->host,
                        v6 ? "]" : "", port, exchange->path);
    char *printable = size < 0 ? NULL : malloc(3 * (size_t)size + 1);
    json_t *url =
        printable ? json_stringn(printable, report_printable(printable, plain, (size_t)size)) : NULL;
    free(printable);
    if (size >= 0) free(plain);
    return url ? url : json_null();
}

// What was given instead of what was requested; null if nothing else was.
static json_t *fuzzy_json(const struct match_answer *answer) {
    static const char *const differences[] = {[DIFFERENCE_NONE] = "",
                                              [DIFFERENCE_BODY] = "body",
                                              [DIFFERENCE_PORT] = "port",
                                              [DIFFERENCE_QUERY] = "query",
                                              [DIFFERENCE_PATH] = "path"};
    if (answer->match != MATCH_FUZZY) return json_null();
    return json_pack("{s:o, s:s, s:f}", "url", recorded_url(answer->exchange), "difference",
                     differences[answer->difference], "likeness", answer->similarity);
}

static json_t *request_json(const struct request *r) {
    const struct match_answer *answer = &r->given.answer;
    static const char *const outcomes[] = {
        [MATCH_EXACT] = "exact", [MATCH_FUZZY] = "fuzzy", [MATCH_MISSED] = "missed"};
    json_t *connection =
        r->connection == REPORT_NOT_KEPT ? json_null() : json_integer((json_int_t)r->connection - 1);
    json_t *seq = answer->exchange ? json_integer(answer->exchange->seq) : json_null();
    json_t *json =
        json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:I, s:I, s:b}", "connection",
                  connection, "method", r->method, "url", r->url, "outcome", outcomes[answer->match], "seq",
                  seq, "instead", fuzzy_json(answer), "status",
                  r->given.status ? json_integer(r->given.status) : json_null(), "request_ns",
                  (json_int_t)r->request_ns, "whole_ns", time_or_null(r->whole_ns), "think_ns",
                  (json_int_t)r->think_ns, "first_byte_ns", time_or_null(r->first_byte_ns), "end_ns",
                  time_or_null(r->end_ns), "body_bytes", (json_int_t)r->body_bytes, "request_body_bytes",
                  (json_int_t)r->request_body_bytes, "complete", r->complete);
    if (json && r->given.unrecorded != UNRECORDED_NOT)
        json_object_set_new(json, "unrecorded", json_string(unrecorded_name(r->given.unrecorded)));
    if (json && r->hints > 0)
        json_object_set_new(
            json, "early_hints",
            json_pack("{s:I, s:I}", "count", (json_int_t)r->hints, "first_ns", (json_int_t)r->hint_ns));
    if (json && r->is_websocket) json_object_set_new(json, "websocket", json_true());
    return json;
}

static json_t *requests_json(const struct report *report) {
    json_t *list = json_array();
    const struct request *requests = report->requests.entries;
    for (size_t i = 0; i < report->requests.count; i++)
        if (requests[i].url) json_array_append_new(list, request_json(&requests[i]));
    return list;
}

static json_t *dns_json(const struct report *report) {
    json_t *list = json_array();
    const struct dns_event *events = report->dns.entries;
    for (size_t i = 0; i < report->dns.count; i++) {
        char type[16];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "name", events[i].name, "type",
                                              dns_type_name(events[i].type, type), "answer",
                                              dns_outcome_name(events[i].outcome), "time_ns",
                                              (json_int_t)events[i].time_ns));
    }
    return list;
}

static json_t *counts_json(const struct report *report) {
    json_t *unrecorded = json_object();
    for (enum unrecorded kind = UNRECORDED_REPORT; kind < UNRECORDED_KINDS; kind++)
        json_object_set_new(unrecorded, unrecorded_name(kind),
                            json_integer((json_int_t)report->unrecorded[kind]));
    return json_pack(
        "{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "exact",
        (json_int_t)report->matches[MATCH_EXACT], "fuzzy", (json_int_t)report->matches[MATCH_FUZZY], "missed",
        (json_int_t)report->matches[MATCH_MISSED], "unrecorded", unrecorded, "unlisted",
        (json_int_t)report->unlisted, "recoded", (json_int_t)report->recoded, "aborted",
        (json_int_t)report->aborted, "think_unknown", (json_int_t)report->think_unknown, "failed_handshakes",
        (json_int_t)report->failed_handshakes, "lost_events", (json_int_t)report->lost);
}

// ---- what the program ran with

#define TEXT_OF(value) #value
#define VALUE_TEXT(macro) TEXT_OF(macro)

static json_t *versions_json(const struct report_setting *setting) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "trilane", TRILANE_VERSION, "quiche",
                     setting->quiche_version, "boringssl", "API " VALUE_TEXT(BORINGSSL_API_VERSION),
                     "nghttp2", setting->nghttp2_version, "llhttp",
                     VALUE_TEXT(LLHTTP_VERSION_MAJOR) "." VALUE_TEXT(LLHTTP_VERSION_MINOR) "." VALUE_TEXT(
                         LLHTTP_VERSION_PATCH));
}

static json_t *origins_json(const struct report_setting *setting) {
    return json_pack("{s:s, s:I, s:s, s:I, s:I}", "kind", setting->origins, "addresses",
                     (json_int_t)setting->addresses, "http", setting->upgrades_clear ? "upgraded" : "clear",
                     "http_exchanges", (json_int_t)setting->clear_exchanges, "redirects_left_out",
                     (json_int_t)setting->redirects_left_out);
}

// 0: the kernel chooses.
static json_t *size_or_null(uint32_t size_bytes) {
    return size_bytes ? json_integer(size_bytes) : json_null();
}

static json_t *value_json(const struct transport_setting *setting, const struct transport *transport) {
    const void *place = (const char *)transport + setting->offset;
    switch (setting->kind) {
    case TRANSPORT_TEXT:
        return json_string(*(const char *const *)place);
    case TRANSPORT_SWITCH:
        return json_boolean(*(const bool *)place);
    case TRANSPORT_CHOICE:
        return json_string(setting->words[*(const uint32_t *)place]);
    default:
        break;
    }
    uint32_t number = *(const uint32_t *)place;
    return setting->zero_is_null ? size_or_null(number) : json_integer(number);
}

// Those whose option begins so.
static void add_settings(json_t *object, const struct transport *transport, const char *prefix) {
    for (const struct transport_setting *each = transport_settings; each->option; each++)
        if (each->reported && strncmp(each->option, prefix, strlen(prefix)) == 0)
            json_object_set_new(object, each->reported, value_json(each, transport));
}

static json_t *tcp_json(const struct report_setting *setting) {
    json_t *tcp =
        json_pack("{s:o, s:I, s:b}", "notsent_lowat_bytes", size_or_null(setting->tcp_notsent_lowat_bytes),
                  "tls_record_bytes", (json_int_t)setting->tls_record_bytes, "metrics_saved",
                  setting->tcp_metrics_saved);
    add_settings(tcp, setting->transport, "tcp-");
    return tcp;
}

static json_t *quic_json(const struct report_setting *setting) {
    // quiche 0.30, recovery/congestion/cubic.rs: not to be switched off
    json_t *quic = json_pack("{s:b}", "reductions_taken_back",
                             strcmp(setting->transport->quic.congestion_control, "cubic") == 0);
    add_settings(quic, setting->transport, "quic-");
    const struct congestion_controller *ours = congestion_find(setting->transport->quic.congestion_control);
    if (ours && ours->is_unpaced)
        json_object_set_new(quic, "pacing", json_false()); // whatever was configured
    return quic;
}

static json_t *transport_json(const struct report_setting *setting) {
    return json_pack("{s:o, s:o}", "tcp", tcp_json(setting), "quic", quic_json(setting));
}

int report_write(struct report *report, const struct report_setting *setting, const char *path, char *error,
                 size_t error_size) {
    const struct recording *recording = report->recording;
    json_t *document =
        json_pack("{s:s, s:{s:I, s:s, s:s}, s:I, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                  "trilane/replay-report/1", "recording", "id", (json_int_t)recording->id, "name",
                  recording->name, "digest", recording->digest, "start_ns", (json_int_t)report->start_ns,
                  "ready_ns", time_or_null(report->ready_ns), "scheduling", setting->scheduling, "think",
                  setting->think, "origins", origins_json(setting), "versions", versions_json(setting),
                  "transport", transport_json(setting), "connections", connections_json(report), "requests",
                  requests_json(report), "dns", dns_json(report), "counts", counts_json(report));
    if (document) json_object_set_new(document, "server_time", server_times_json(&report->server_times));
    if (!document) {
        snprintf(error, error_size, "%s: not enough memory for the report", path);
        return -1;
    }
    json_object_set_new(document, "visits_ns", visits_json(report));
    int result = json_file_write(path, document);
    if (result < 0) snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(errno));
    json_decref(document);
    return result;
}
