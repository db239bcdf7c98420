#include "replay/report.h"

#include "base/json_file.h"
#include "quic_io/path_change.h"
#include "replay/exchange/server_time.h"
#include "replay/report_settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_SIZE = 46, NOT_KEPT = 0 }; // entries are named by their place + 1
enum { UNRECORDED_LISTED_MAX = 1000 };    // of each kind

struct connection {
    const char *lane;
    char local_address[ADDRESS_SIZE];
    uint16_t local_port;
    const char *tls_version;
    const char *alpn;
    bool resumed;
    bool early_data;
    uint64_t opened_ns;
    uint64_t secured_ns; // 0: not
    uint64_t closed_ns;  // 0: not
    char *close_reason;
    char *qlog; // the file's name; NULL: none
    uint64_t qlog_start_ns;
    struct path_change *moves;
    size_t move_count;
    struct usage from;  // of the process, when it was opened
    struct usage spent; // until it was closed
    bool counts_acks;
    uint64_t packets;
    uint64_t acks;
};

struct request {
    size_t connection;
    char *method; // one allocation with the URL; both NULL: it is not to be listed
    char *url;
    struct report_answer given;
    uint64_t request_ns;
    uint64_t whole_ns; // 0: not
    uint64_t think_ns;
    uint64_t first_byte_ns; // 0: none
    unsigned hints;         // 103 responses
    uint64_t hint_ns;       // of the first
    uint64_t end_ns;        // 0: not
    uint64_t body_bytes;
    uint64_t request_body_bytes;
    bool complete;
    bool is_websocket;
};

struct dns_event {
    char *name;
    uint16_t type;
    enum dns_outcome outcome;
    uint64_t time_ns;
};

struct list {
    void *entries;
    size_t count;
    size_t capacity;
};

struct report {
    const struct recording *recording;
    bool keep;
    struct usage_meter meter;
    uint64_t start_ns;
    uint64_t ready_ns;
    struct list connections;
    struct list requests;
    struct list dns;
    struct list visits;  // uint64_t: when each began
    uint64_t matches[3]; // by enum match
    uint64_t unrecorded[UNRECORDED_KINDS];
    uint64_t unlisted;
    struct server_times server_times;
    uint64_t recoded;
    uint64_t aborted;
    uint64_t think_unknown;
    uint64_t failed_handshakes;
    uint64_t lost; // events that found no memory
};

struct report *report_open(const struct recording *recording, bool keep, uint64_t start_ns) {
    struct report *report = calloc(1, sizeof *report);
    if (!report) return NULL;
    report->recording = recording;
    report->keep = keep;
    // Without what it starts: the program in the lab is no part of the server.
    usage_meter_open(&report->meter, false);
    report->start_ns = start_ns;
    return report;
}

void report_close(struct report *report) {
    if (!report) return;
    usage_meter_close(&report->meter);
    for (size_t i = 0; i < report->connections.count; i++) {
        free(((struct connection *)report->connections.entries)[i].close_reason);
        free(((struct connection *)report->connections.entries)[i].qlog);
        free(((struct connection *)report->connections.entries)[i].moves);
    }
    for (size_t i = 0; i < report->requests.count; i++)
        free(((struct request *)report->requests.entries)[i].method);
    for (size_t i = 0; i < report->dns.count; i++)
        free(((struct dns_event *)report->dns.entries)[i].name);
    free(report->connections.entries);
    free(report->requests.entries);
    free(report->dns.entries);
    server_times_free(&report->server_times);
    free(report->visits.entries);
    free(report);
}

// Room for one more entry, zeroed but not counted yet; NULL when nothing is kept or memory is short.
static void *next_entry(struct report *report, struct list *list, size_t entry_size) {
    if (!report->keep) return NULL;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        void *entries = realloc(list->entries, capacity * entry_size);
        if (!entries) {
            report->lost++;
            return NULL;
        }
        list->entries = entries;
        list->capacity = capacity;
    }
    return memset((char *)list->entries + list->count * entry_size, 0, entry_size);
}

size_t report_connection(struct report *report, const char *lane, const char *local_address,
                         uint16_t local_port, uint64_t opened_ns) {
    struct connection *connection = next_entry(report, &report->connections, sizeof *connection);
    if (!connection) return NOT_KEPT;
    connection->lane = lane;
    snprintf(connection->local_address, sizeof connection->local_address, "%s", local_address);
    connection->local_port = local_port;
    connection->opened_ns = opened_ns;
    connection->from = usage_now(&report->meter);
    return ++report->connections.count;
}

static struct connection *connection_of(struct report *report, size_t name) {
    return name == NOT_KEPT ? NULL : (struct connection *)report->connections.entries + name - 1;
}

static struct request *request_of(struct report *report, size_t name) {
    return name == NOT_KEPT ? NULL : (struct request *)report->requests.entries + name - 1;
}

struct usage report_usage(const struct report *report) {
    return usage_now(&report->meter);
}

void report_spends(struct report *report, size_t name, const struct usage *from) {
    struct connection *connection = connection_of(report, name);
    if (connection) connection->from = *from;
}

void report_secured(struct report *report, size_t name, const char *tls_version, const char *alpn,
                    bool resumed, uint64_t now_ns) {
    struct connection *connection = connection_of(report, name);
    if (!connection) return;
    connection->tls_version = tls_version;
    connection->alpn = alpn;
    connection->resumed = resumed;
    connection->secured_ns = now_ns;
}

void report_early_data(struct report *report, size_t name) {
    struct connection *connection = connection_of(report, name);
    if (connection) connection->early_data = true;
}

void report_qlog(struct report *report, size_t name, const char *file, uint64_t start_ns) {
    struct connection *connection = connection_of(report, name);
    if (!connection) return;
    connection->qlog = strdup(file);
    connection->qlog_start_ns = start_ns;
    if (!connection->qlog) report->lost++;
}

void report_moved(struct report *report, size_t name, const struct path_change *changes, size_t count) {
    struct connection *connection = connection_of(report, name);
    if (!connection || connection->moves || count == 0) return;
    connection->moves = malloc(count * sizeof *changes);
    if (!connection->moves) {
        report->lost++;
        return;
    }
    memcpy(connection->moves, changes, count * sizeof *changes);
    connection->move_count = count;
}

void report_acks(struct report *report, size_t name, uint64_t packets, uint64_t acks) {
    struct connection *connection = connection_of(report, name);
    if (!connection) return;
    connection->counts_acks = true;
    connection->packets = packets;
    connection->acks = acks;
}

void report_closed(struct report *report, size_t name, const char *reason, uint64_t now_ns) {
    struct connection *connection = connection_of(report, name);
    if (!connection) return;
    connection->closed_ns = now_ns;
    usage_add(&report->meter, &connection->spent, &connection->from);
    connection->close_reason = strdup(reason);
    if (!connection->close_reason) report->lost++;
}

void report_failed_handshake(struct report *report) {
    report->failed_handshakes++;
}

// What may stand in the report of bytes that a peer chose: printable ASCII, the rest as %XX, so that it is
// UTF-8.
static size_t copy_printable(char *to, const char *bytes, size_t size) {
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c > 0x20 && c < 0x7f)
            to[written++] = (char)c;
        else
            written += (size_t)sprintf(to + written, "%%%02X", c);
    }
    return written;
}

size_t report_request(struct report *report, const struct report_request *seen, uint64_t now_ns) {
    struct request *request = next_entry(report, &report->requests, sizeof *request);
    if (!request) return NOT_KEPT;
    size_t scheme_size = strlen(seen->scheme);
    size_t largest = 3 * (seen->method_size + seen->authority_size + seen->path_size) + scheme_size + 8;
    request->method = malloc(largest);
    if (!request->method) {
        report->lost++;
        return NOT_KEPT;
    }
    size_t at = copy_printable(request->method, seen->method, seen->method_size);
    request->method[at++] = '\0';
    request->url = request->method + at;
    at += (size_t)sprintf(request->url, "%s://", seen->scheme);
    at += copy_printable(request->method + at, seen->authority, seen->authority_size);
    at += copy_printable(request->method + at, seen->path, seen->path_size);
    request->method[at] = '\0';
    request->connection = seen->connection;
    request->is_websocket = seen->is_websocket;
    request->request_ns = now_ns;
    return ++report->requests.count;
}

// A page may report ten thousand times what is told as well by the first thousand.
void report_answered(struct report *report, size_t name, const struct report_answer *given) {
    report->recoded += given->recoded;
    report->matches[given->answer.match]++;
    const uint64_t alike = ++report->unrecorded[given->unrecorded];
    struct request *request = request_of(report, name);
    if (!request) return;
    request->given = *given;
    if (given->unrecorded == UNRECORDED_NOT || alike <= UNRECORDED_LISTED_MAX) return;
    free(request->method);
    request->method = request->url = NULL;
    report->unlisted++;
}

void report_request_whole(struct report *report, size_t name, uint64_t think_ns, bool known,
                          uint64_t now_ns) {
    if (!known) report->think_unknown++;
    struct request *request = request_of(report, name);
    if (!request) return;
    request->whole_ns = now_ns;
    request->think_ns = think_ns;
}

void report_hint(struct report *report, size_t name, uint64_t now_ns) {
    struct request *request = request_of(report, name);
    if (request && request->hints++ == 0) request->hint_ns = now_ns;
}

void report_first_byte(struct report *report, size_t name, uint64_t room_ns, uint64_t now_ns) {
    struct request *request = request_of(report, name);
    if (!request) return;
    request->first_byte_ns = now_ns;
    if (request->end_ns > 0) request->end_ns = now_ns; // it was handed over whole, but had to wait
    const struct connection *connection = connection_of(report, request->connection);
    const uint64_t due_ns = room_ns > 0 ? room_ns : request->whole_ns + request->think_ns;
    if (!connection || request->whole_ns == 0) return;
    if (room_ns > 0) server_times_waited(&report->server_times, connection->lane);
    if (server_times_add(&report->server_times, connection->lane, now_ns > due_ns ? now_ns - due_ns : 0) < 0)
        report->lost++;
}

void report_request_end(struct report *report, size_t name, uint64_t body_bytes, uint64_t request_body_bytes,
                        bool complete, uint64_t now_ns) {
    if (!complete) report->aborted++;
    struct request *request = request_of(report, name);
    if (!request) return;
    request->end_ns = now_ns;
    request->body_bytes = body_bytes;
    request->request_body_bytes = request_body_bytes;
    request->complete = complete;
}

void report_dns(struct report *report, const struct dns_question *question, uint64_t now_ns) {
    struct dns_event *event = next_entry(report, &report->dns, sizeof *event);
    if (!event) return;
    event->name = strdup(question->name);
    if (!event->name) {
        report->lost++;
        return;
    }
    event->type = question->type;
    event->outcome = question->outcome;
    event->time_ns = now_ns;
    report->dns.count++;
}

void report_ready(struct report *report, uint64_t now_ns) {
    report->ready_ns = now_ns;
}

void report_visit(struct report *report, uint64_t now_ns) {
    uint64_t *visit_ns = next_entry(report, &report->visits, sizeof *visit_ns);
    if (!visit_ns) return;
    *visit_ns = now_ns;
    report->visits.count++;
}

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
    json_t *url = printable ? json_stringn(printable, copy_printable(printable, plain, (size_t)size)) : NULL;
    free(printable);
    if (size >= 0) free(plain);
    return url ? url : json_null();
}

// What was given instead of what was asked for; null where nothing else was.
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
        r->connection == NOT_KEPT ? json_null() : json_integer((json_int_t)r->connection - 1);
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

int report_write(struct report *report, const struct report_setting *setting, const char *path, char *error,
                 size_t error_size) {
    const struct recording *recording = report->recording;
    json_t *document = json_pack(
        "{s:s, s:{s:I, s:s, s:s}, s:I, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
        "trilane/replay-report/1", "recording", "id", (json_int_t)recording->id, "name", recording->name,
        "digest", recording->digest, "start_ns", (json_int_t)report->start_ns, "ready_ns",
        time_or_null(report->ready_ns), "scheduling", setting->scheduling, "think", setting->think, "origins",
        report_origins_json(setting), "versions", report_versions_json(setting), "transport",
        report_transport_json(setting), "connections", connections_json(report), "requests",
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
