#include "replay/exchange.h"

#include "archive/matcher.h"
#include "base/clock.h"
#include "replay/report.h"

#include <stdlib.h>
#include <string.h>

struct exchange_site {
    struct matcher *matcher;
    struct report *report;
    struct think think;
    struct loop *loop; // NULL: no request waits
};

struct exchange_connection {
    struct exchange_site *site;
    size_t report_name;
    struct exchange *exchanges; // open ones
    size_t *sending;            // report names of responses that have begun but are not out yet
    size_t sending_count;
    size_t sending_capacity;
};

struct exchange {
    struct exchange_connection *connection;
    struct exchange *previous;
    struct exchange *next;
    size_t report_name;
    const struct recorded_exchange *recorded; // NULL: missed
    bool no_body;                             // by the request's method or the status
    uint64_t taken_bytes;
    uint64_t request_body_bytes;
    struct loop_timer think_timer;
    void (*ready)(void *context); // the lane's, while the timer is set
    void *ready_context;
};

static const char missed_body[] = "trilane: this request is not in the recording\n";
static const struct header missed_headers[] = {
    {.name = "x-trilane", .value = "missed", .name_size = 9, .value_size = 6},
    {.name = "content-type", .value = "text/plain", .name_size = 12, .value_size = 10},
    {.name = "cache-control", .value = "no-store", .name_size = 13, .value_size = 8},
};

struct exchange_site *exchange_site_open(const struct recording *recording, struct report *report) {
    struct exchange_site *site = calloc(1, sizeof *site);
    if (!site) return NULL;
    site->report = report;
    site->matcher = matcher_open(recording);
    if (site->matcher) return site;
    free(site);
    return NULL;
}

void exchange_site_think(struct exchange_site *site, const struct think *think, struct loop *loop) {
    site->think = *think;
    site->loop = loop;
}

void exchange_site_close(struct exchange_site *site) {
    if (!site) return;
    matcher_close(site->matcher);
    free(site);
}

struct exchange_connection *exchange_connection_open(struct exchange_site *site, enum lane lane,
                                                     const char *local_address, uint16_t local_port,
                                                     uint64_t now_ns) {
    static const char *const labels[] = {[LANE_H1] = "h1", [LANE_H2] = "h2", [LANE_H3] = "h3"};
    struct exchange_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->site = site;
    connection->report_name =
        report_connection(site->report, labels[lane], local_address, local_port, now_ns);
    return connection;
}

void exchange_connection_secured(struct exchange_connection *connection, const char *tls_version,
                                 const char *alpn, bool resumed, uint64_t now_ns) {
    report_secured(connection->site->report, connection->report_name, tls_version, alpn, resumed, now_ns);
}

void exchange_connection_qlog(struct exchange_connection *connection, const char *file, uint64_t start_ns) {
    report_qlog(connection->site->report, connection->report_name, file, start_ns);
}

uint64_t exchange_connection_id(const struct exchange_connection *connection) {
    return connection->report_name > 0 ? connection->report_name - 1 : 0;
}

void exchange_connection_close(struct exchange_connection *connection, const char *reason, uint64_t now_ns) {
    while (connection->exchanges)
        exchange_end(connection->exchanges, false, now_ns);
    report_closed(connection->site->report, connection->report_name, reason, now_ns);
    free(connection->sending);
    free(connection);
}

// Responses that never have a body (RFC 9110, 6.4.1), whatever was recorded.
static bool never_has_body(const struct exchange_request *request, uint16_t status) {
    return (request->method_size == 4 && memcmp(request->method, "HEAD", 4) == 0) || status == 204 ||
           status == 304;
}

struct exchange *exchange_begin(struct exchange_connection *connection,
                                const struct exchange_request *request, uint64_t now_ns) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return NULL;
    struct match_request wanted = {.method = request->method,
                                   .method_size = request->method_size,
                                   .scheme = request->scheme,
                                   .host = request->authority,
                                   .host_size = request->authority_size,
                                   .path = request->path,
                                   .path_size = request->path_size};
    enum match match;
    exchange->recorded = matcher_find(connection->site->matcher, &wanted, &match);
    exchange->no_body = never_has_body(request, exchange_status(exchange));
    exchange->connection = connection;
    exchange->next = connection->exchanges;
    if (exchange->next) exchange->next->previous = exchange;
    connection->exchanges = exchange;

    struct report_request seen = {.connection = connection->report_name,
                                  .method = request->method,
                                  .method_size = request->method_size,
                                  .scheme = request->scheme,
                                  .authority = request->authority,
                                  .authority_size = request->authority_size,
                                  .path = request->path,
                                  .path_size = request->path_size,
                                  .match = match,
                                  .seq = exchange->recorded ? exchange->recorded->seq : -1,
                                  .status = exchange_status(exchange)};
    exchange->report_name = report_request(connection->site->report, &seen, now_ns);
    return exchange;
}

void exchange_request_body(struct exchange *exchange, size_t size) {
    exchange->request_body_bytes += size;
}

static void on_thought(void *context, uint64_t now_ns) {
    const struct exchange *exchange = context;
    (void)now_ns;
    exchange->ready(exchange->ready_context);
}

bool exchange_may_answer(struct exchange *exchange, uint64_t now_ns, void (*ready)(void *context),
                         void *context) {
    const struct exchange_site *site = exchange->connection->site;
    bool known = true;
    uint64_t think_ns = site->loop ? think_time_ns(&site->think, exchange->recorded, &known) : 0;
    report_request_whole(site->report, exchange->report_name, think_ns, known, now_ns);
    if (think_ns == 0) return true;
    exchange->ready = ready;
    exchange->ready_context = context;
    exchange->think_timer = (struct loop_timer){.due = on_thought, .context = exchange};
    // Without memory for the timer an answer that comes too soon is better than none.
    return loop_timer_set(site->loop, &exchange->think_timer, now_ns + think_ns) < 0;
}

uint16_t exchange_status(const struct exchange *exchange) {
    return exchange->recorded ? exchange->recorded->status : 404;
}

const struct header *exchange_headers(const struct exchange *exchange, size_t *count) {
    if (exchange->recorded) {
        *count = exchange->recorded->header_count;
        return exchange->recorded->headers;
    }
    *count = sizeof missed_headers / sizeof *missed_headers;
    return missed_headers;
}

uint64_t exchange_body_size(const struct exchange *exchange) {
    if (exchange->no_body) return 0;
    return exchange->recorded ? exchange->recorded->body_size : sizeof missed_body - 1;
}

bool exchange_has_content_length(const struct exchange *exchange) {
    return !exchange->no_body;
}

const uint8_t *exchange_peek(const struct exchange *exchange, size_t *size) {
    *size = (size_t)(exchange_body_size(exchange) - exchange->taken_bytes);
    if (*size == 0) return NULL;
    const uint8_t *body = exchange->recorded ? exchange->recorded->body : (const uint8_t *)missed_body;
    return body + exchange->taken_bytes;
}

void exchange_take(struct exchange *exchange, size_t size) {
    exchange->taken_bytes += size;
}

void exchange_sending(struct exchange *exchange) {
    struct exchange_connection *connection = exchange->connection;
    if (connection->sending_count == connection->sending_capacity) {
        size_t capacity = connection->sending_capacity ? 2 * connection->sending_capacity : 16;
        size_t *grown = realloc(connection->sending, capacity * sizeof *grown);
        if (!grown) return; // the report has no first byte of this one
        connection->sending = grown;
        connection->sending_capacity = capacity;
    }
    connection->sending[connection->sending_count++] = exchange->report_name;
}

void exchange_connection_sent(struct exchange_connection *connection) {
    if (connection->sending_count == 0) return;
    const uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < connection->sending_count; i++)
        report_first_byte(connection->site->report, connection->sending[i], now_ns);
    connection->sending_count = 0;
}

void exchange_end(struct exchange *exchange, bool complete, uint64_t now_ns) {
    struct exchange_connection *connection = exchange->connection;
    if (exchange->ready) loop_timer_clear(connection->site->loop, &exchange->think_timer);
    report_request_end(connection->site->report, exchange->report_name, exchange->taken_bytes,
                       exchange->request_body_bytes, complete, now_ns);
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else
        connection->exchanges = exchange->next;
    if (exchange->next) exchange->next->previous = exchange->previous;
    free(exchange);
}
