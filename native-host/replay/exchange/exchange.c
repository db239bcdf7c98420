#include "replay/exchange/exchange.h"

#include "archive/matcher.h"
#include "base/clock.h"
#include "base/debug.h"
#include "replay/exchange/representation.h"
#include "replay/exchange/request_selectors.h"
#include "replay/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct exchange_site {
    const struct recording *recording;
    struct matcher *matcher;
    struct report *report;
    struct recoded_bodies *recoded;
    struct think think;
    struct loop *loop;       // NULL: no request waits
    struct loop *limit_loop; // NULL: requests may take for ever
    uint64_t limit_ns;
    struct server_settings settings;
};

struct sending {
    size_t report_name;
    uint64_t turn_ns; // in which it might be sent
};

struct exchange_connection {
    struct exchange_site *site;
    size_t report_name;
    struct exchange *exchanges; // open ones
    struct sending *sending;    // responses that have begun but are not out yet
    size_t sending_count;
    size_t sending_capacity;
    struct loop_timer limit_timer;
    uint64_t head_since_ns; // 0: no head is awaited
    bool is_from_server;
    void (*overdue)(void *context, uint64_t now_ns);
    void *overdue_context;
};

struct exchange {
    struct exchange_connection *connection;
    struct exchange *previous;
    struct exchange *next;
    size_t report_name;
    struct request_selectors selectors;
    bool is_answered; // the next three are made
    struct match_answer answer;
    enum unrecorded unrecorded;
    struct representation response;
    uint64_t taken_bytes;
    uint64_t moved_ns;    // when the request began, or was last found to have gone on
    uint64_t moved_bytes; // of its body, by then
    struct loop_timer think_timer;
    uint64_t whole_ns; // the request was; what follows counts from it
    uint64_t think_ns;
    uint64_t passed_ns; // as far as timers have come
    const struct recorded_hint *hints;
    size_t hints_left;
    uint64_t turn_ns;           // in which the response might be sent
    void (*due)(void *context); // the lane's, while the timer is set
    void *due_context;
};

struct exchange_site *exchange_site_open(const struct recording *recording, struct report *report) {
    struct exchange_site *site = calloc(1, sizeof *site);
    if (!site) return NULL;
    site->recording = recording;
    site->report = report;
    site->matcher = matcher_open(recording);
    site->recoded = recoded_bodies_open(recording);
    if (site->matcher && site->recoded) return site;
    exchange_site_close(site);
    return NULL;
}

void exchange_site_think(struct exchange_site *site, const struct think *think, struct loop *loop) {
    site->think = *think;
    site->loop = loop;
}

void exchange_site_limit_requests(struct exchange_site *site, struct loop *loop, uint64_t limit_ns) {
    site->limit_loop = loop;
    site->limit_ns = limit_ns;
}

void exchange_site_set(struct exchange_site *site, const struct server_settings *settings) {
    site->settings = *settings;
}

void exchange_site_prepare_clear(struct exchange_site *site) {
    recoded_bodies_prepare(site->recoded);
}

int exchange_site_restart(struct exchange_site *site, uint64_t now_ns) {
    // Open exchanges point into the recording, so the matcher that found them may go.
    struct matcher *matcher = matcher_open(site->recording);
    if (!matcher) return -1;
    matcher_close(site->matcher);
    site->matcher = matcher;
    report_visit(site->report, now_ns);
    return 0;
}

void exchange_site_close(struct exchange_site *site) {
    if (!site) return;
    matcher_close(site->matcher);
    recoded_bodies_close(site->recoded);
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

bool exchange_connection_ignores_priorities(const struct exchange_connection *connection) {
    return connection->site->settings.priorities == SERVER_PRIORITIES_NONE;
}

void exchange_connection_from_server(struct exchange_connection *connection) {
    connection->is_from_server = true;
}

bool exchange_connection_is_from_server(const struct exchange_connection *connection) {
    return connection->is_from_server;
}

void exchange_connection_spends(struct exchange_connection *connection, const struct usage *from) {
    report_spends(connection->site->report, connection->report_name, from);
}

void exchange_connection_secured(struct exchange_connection *connection, const char *tls_version,
                                 const char *alpn, bool resumed, uint64_t now_ns) {
    report_secured(connection->site->report, connection->report_name, tls_version, alpn, resumed, now_ns);
}

void exchange_connection_early_data(struct exchange_connection *connection) {
    report_early_data(connection->site->report, connection->report_name);
}

void exchange_connection_qlog(struct exchange_connection *connection, const char *file, uint64_t start_ns) {
    report_qlog(connection->site->report, connection->report_name, file, start_ns);
}

void exchange_connection_moved(struct exchange_connection *connection, const struct path_change *changes,
                               size_t count) {
    report_moved(connection->site->report, connection->report_name, changes, count);
}

void exchange_connection_acks(struct exchange_connection *connection, uint64_t packets, uint64_t acks) {
    report_acks(connection->site->report, connection->report_name, packets, acks);
}

uint64_t exchange_connection_id(const struct exchange_connection *connection) {
    return connection->report_name > 0 ? connection->report_name - 1 : 0;
}

// The timer runs from the first request on and finds out when it is due whether there is still one to wait
// for: so requests that come whole, as nearly all do, cost no more than this.
static void start_limit(struct exchange_connection *connection, uint64_t since_ns) {
    const struct exchange_site *site = connection->site;
    if (!site->limit_loop || !connection->overdue || connection->limit_timer.place_plus_1 > 0) return;
    // Without memory for the timer the next request's is set.
    loop_timer_set(site->limit_loop, &connection->limit_timer, since_ns + site->limit_ns);
}

// Since when the request that has waited the longest has; 0: none waits.
static uint64_t waits_since(struct exchange_connection *connection, uint64_t now_ns) {
    uint64_t oldest_ns = connection->head_since_ns;
    for (struct exchange *exchange = connection->exchanges; exchange; exchange = exchange->next) {
        if (exchange->is_answered) continue;
        if (exchange->selectors.body_bytes - exchange->moved_bytes >= EXCHANGE_PROGRESS_BYTES) {
            exchange->moved_bytes = exchange->selectors.body_bytes;
            exchange->moved_ns = now_ns;
        }
        if (oldest_ns == 0 || exchange->moved_ns < oldest_ns) oldest_ns = exchange->moved_ns;
    }
    return oldest_ns;
}

static void on_limit(void *context, uint64_t now_ns) {
    struct exchange_connection *connection = context;
    const uint64_t since_ns = waits_since(connection, now_ns);
    if (since_ns == 0) return;
    if (since_ns + connection->site->limit_ns > now_ns)
        start_limit(connection, since_ns);
    else
        connection->overdue(connection->overdue_context, now_ns);
}

void exchange_connection_on_overdue(struct exchange_connection *connection,
                                    void (*overdue)(void *context, uint64_t now_ns), void *context) {
    connection->limit_timer = (struct loop_timer){.due = on_limit, .context = connection};
    connection->overdue = overdue;
    connection->overdue_context = context;
}

void exchange_connection_awaits_head(struct exchange_connection *connection, uint64_t since_ns) {
    connection->head_since_ns = since_ns;
    if (since_ns > 0) start_limit(connection, since_ns);
}

void exchange_connection_close(struct exchange_connection *connection, const char *reason, uint64_t now_ns) {
    if (connection->overdue && connection->site->limit_loop)
        loop_timer_clear(connection->site->limit_loop, &connection->limit_timer);
    while (connection->exchanges)
        exchange_end(connection->exchanges, false, now_ns);
    report_closed(connection->site->report, connection->report_name, reason, now_ns);
    free(connection->sending);
    free(connection);
}

// RFC 6455, 4.1. No lane switches to another protocol: it is answered as any request.
static bool asks_for_websocket(const struct exchange_request *request) {
    static const char name[] = "upgrade", value[] = "websocket";
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *header = &request->headers[i];
        if (header->name_size == sizeof name - 1 && memcmp(header->name, name, sizeof name - 1) == 0 &&
            header->value_size == sizeof value - 1 &&
            strncasecmp(header->value, value, sizeof value - 1) == 0)
            return true;
    }
    return false;
}

struct exchange *exchange_begin(struct exchange_connection *connection,
                                const struct exchange_request *request, uint64_t now_ns) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return NULL;
    if (request_selectors_keep(&exchange->selectors, request) < 0) {
        free(exchange);
        return NULL;
    }
    exchange->connection = connection;
    exchange->moved_ns = now_ns;
    start_limit(connection, now_ns);
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
                                  .is_websocket = asks_for_websocket(request)};
    exchange->report_name = report_request(connection->site->report, &seen, now_ns);
    return exchange;
}

void exchange_request_body(struct exchange *exchange, const void *bytes, size_t size) {
    request_selectors_body(&exchange->selectors, bytes, size);
}

// Without memory for it the answer is a miss: the report says so, and the load is invalid.
static void find_answer(struct exchange *exchange) {
    const struct exchange_site *site = exchange->connection->site;
    // Of what failed another try may have come off; what is sent away needs no answer of another path's.
    static const enum match_effort efforts[UNRECORDED_KINDS] = {[UNRECORDED_OTHER] = MATCH_ANYHOW,
                                                                [UNRECORDED_REPORT] = MATCH_SAME_PATH,
                                                                [UNRECORDED_FAILED] = MATCH_EXACTLY};
    struct request_selectors *selectors = &exchange->selectors;
    request_selectors_finish(selectors);
    const enum unrecorded otherwise = unrecorded_kind(selectors, site->recording);
    selectors->match.effort = efforts[otherwise];
    exchange->answer = matcher_find(site->matcher, &selectors->match);
    if (!exchange->answer.exchange) exchange->unrecorded = otherwise;
    if (representation_make(&exchange->response, &exchange->answer, exchange->unrecorded, selectors,
                            site->recoded) < 0) {
        exchange->answer = (struct match_answer){.match = MATCH_MISSED};
        exchange->unrecorded = UNRECORDED_OTHER;
        representation_make(&exchange->response, &exchange->answer, exchange->unrecorded, selectors,
                            site->recoded);
    }
    exchange->answer.variant = NULL; // the matcher's, which goes when a visit begins anew
    const struct report_answer answered = {.answer = exchange->answer,
                                           .unrecorded = exchange->unrecorded,
                                           .status = exchange_fails(exchange) ? 0 : exchange->response.status,
                                           .recoded = exchange->response.is_recoded};
    debug_line(servers, "%.*s %s://%.*s%.*s: %d", (int)selectors->match.method_size, selectors->match.method,
               selectors->match.scheme, (int)selectors->match.host_size, selectors->match.host,
               (int)selectors->match.path_size, selectors->match.path, answered.status);
    report_answered(site->report, exchange->report_name, &answered);
    exchange->is_answered = true;
}

// When the next hint goes that is not due yet, or the answer.
static uint64_t next_ns(const struct exchange *exchange) {
    for (size_t i = 0; i < exchange->hints_left; i++)
        if (exchange->hints[i].time_ns > exchange->passed_ns)
            return exchange->hints[i].time_ns < exchange->think_ns ? exchange->hints[i].time_ns
                                                                   : exchange->think_ns;
    return exchange->think_ns;
}

// Without memory for the timer an answer that comes too soon is better than none.
static void wait_on(struct exchange *exchange) {
    const uint64_t until_ns = exchange->whole_ns + next_ns(exchange);
    if (loop_timer_set(exchange->connection->site->loop, &exchange->think_timer, until_ns) < 0)
        exchange->passed_ns = exchange->think_ns;
}

static void on_time(void *context, uint64_t now_ns) {
    struct exchange *exchange = context;
    (void)now_ns;
    exchange->passed_ns = next_ns(exchange);
    exchange->turn_ns = loop_turn_ns(exchange->connection->site->loop);
    if (!exchange_is_due(exchange)) wait_on(exchange);
    exchange->due(exchange->due_context);
}

bool exchange_may_answer(struct exchange *exchange, uint64_t now_ns, void (*due)(void *context),
                         void *context) {
    const struct exchange_site *site = exchange->connection->site;
    exchange->turn_ns = exchange->whole_ns = now_ns;
    find_answer(exchange);
    bool known = true;
    const struct recorded_exchange *recorded = exchange->answer.exchange;
    exchange->think_ns = site->loop ? think_time_ns(&site->think, recorded, &known) : 0;
    report_request_whole(site->report, exchange->report_name, exchange->think_ns, known, now_ns);
    if (recorded && site->settings.early_hints == SERVER_EARLY_HINTS_RECORDED) {
        exchange->hints = recorded->hints;
        exchange->hints_left = recorded->hint_count;
    }
    if (exchange_is_due(exchange)) return true;
    exchange->due = due;
    exchange->due_context = context;
    exchange->think_timer = (struct loop_timer){.due = on_time, .context = exchange};
    wait_on(exchange);
    return exchange_is_due(exchange);
}

bool exchange_is_due(const struct exchange *exchange) {
    return exchange->passed_ns >= exchange->think_ns;
}

const struct recorded_hint *exchange_hint(const struct exchange *exchange) {
    if (exchange->hints_left == 0) return NULL;
    return exchange_is_due(exchange) || exchange->hints->time_ns <= exchange->passed_ns ? exchange->hints
                                                                                        : NULL;
}

void exchange_hint_taken(struct exchange *exchange) {
    report_hint(exchange->connection->site->report, exchange->report_name, clock_now_ns());
    exchange->hints++;
    exchange->hints_left--;
}

bool exchange_fails(const struct exchange *exchange) {
    return exchange->unrecorded == UNRECORDED_FAILED;
}

uint16_t exchange_status(const struct exchange *exchange) {
    return exchange->response.status;
}

const struct header *exchange_headers(const struct exchange *exchange, size_t *count) {
    *count = exchange->response.header_count;
    return exchange->response.headers;
}

uint64_t exchange_content_length(const struct exchange *exchange) {
    return exchange->response.length;
}

bool exchange_has_content_length(const struct exchange *exchange) {
    return exchange->response.has_length;
}

const uint8_t *exchange_peek(const struct exchange *exchange, size_t *size) {
    *size = (size_t)(exchange->response.body_size - exchange->taken_bytes);
    return *size > 0 ? exchange->response.body + exchange->taken_bytes : NULL;
}

void exchange_take(struct exchange *exchange, size_t size) {
    exchange->taken_bytes += size;
}

void exchange_sending(struct exchange *exchange) {
    struct exchange_connection *connection = exchange->connection;
    if (connection->sending_count == connection->sending_capacity) {
        size_t capacity = connection->sending_capacity ? 2 * connection->sending_capacity : 16;
        struct sending *grown = realloc(connection->sending, capacity * sizeof *grown);
        if (!grown) return; // the report has no first byte of this one
        connection->sending = grown;
        connection->sending_capacity = capacity;
    }
    connection->sending[connection->sending_count++] =
        (struct sending){exchange->report_name, exchange->turn_ns};
}

void exchange_connection_sent(struct exchange_connection *connection, uint64_t turn_ns) {
    if (connection->sending_count == 0) return;
    const uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < connection->sending_count; i++) {
        const struct sending *sending = &connection->sending[i];
        const uint64_t room_ns = sending->turn_ns != turn_ns ? turn_ns : 0;
        report_first_byte(connection->site->report, sending->report_name, room_ns, now_ns);
    }
    connection->sending_count = 0;
}

void exchange_end(struct exchange *exchange, bool complete, uint64_t now_ns) {
    struct exchange_connection *connection = exchange->connection;
    if (!exchange->is_answered) { // the request was cut off: for the report, what it would have been given
        exchange->selectors.match.look_only = true;
        find_answer(exchange);
    }
    if (exchange->due) loop_timer_clear(connection->site->loop, &exchange->think_timer);
    report_request_end(connection->site->report, exchange->report_name, exchange->taken_bytes,
                       exchange->selectors.body_bytes, complete, now_ns);
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else
        connection->exchanges = exchange->next;
    if (exchange->next) exchange->next->previous = exchange->previous;
    representation_free(&exchange->response);
    request_selectors_free(&exchange->selectors);
    free(exchange);
}
