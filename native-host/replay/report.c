// What a replay notes of its connections, requests and DNS questions, while it serves them.
#include "replay/report_entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNRECORDED_LISTED_MAX = 1000 }; // of each kind

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
    if (!connection) return REPORT_NOT_KEPT;
    connection->lane = lane;
    snprintf(connection->local_address, sizeof connection->local_address, "%s", local_address);
    connection->local_port = local_port;
    connection->opened_ns = opened_ns;
    connection->from = usage_now(&report->meter);
    return ++report->connections.count;
}

static struct connection *connection_of(struct report *report, size_t name) {
    return name == REPORT_NOT_KEPT ? NULL : (struct connection *)report->connections.entries + name - 1;
}

static struct request *request_of(struct report *report, size_t name) {
    return name == REPORT_NOT_KEPT ? NULL : (struct request *)report->requests.entries + name - 1;
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
size_t report_printable(char *to, const char *bytes, size_t size) {
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
    if (!request) return REPORT_NOT_KEPT;
    size_t scheme_size = strlen(seen->scheme);
    size_t largest = 3 * (seen->method_size + seen->authority_size + seen->path_size) + scheme_size + 8;
    request->method = malloc(largest);
    if (!request->method) {
        report->lost++;
        return REPORT_NOT_KEPT;
    }
    size_t at = report_printable(request->method, seen->method, seen->method_size);
    request->method[at++] = '\0';
    request->url = request->method + at;
    at += (size_t)sprintf(request->url, "%s://", seen->scheme);
    at += report_printable(request->method + at, seen->authority, seen->authority_size);
    at += report_printable(request->method + at, seen->path, seen->path_size);
    request->method[at] = '\0';
    request->connection = seen->connection;
    request->is_websocket = seen->is_websocket;
    request->request_ns = now_ns;
    return ++report->requests.count;
}

// A page may report ten thousand times what the first thousand show as well.
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
