#include "fetch/fetch.h"

#include "base/clock.h"
#include "fetch/https_cache.h"
#include "fetch/names.h"
#include "fetch/record.h"
#include "guard/address_space.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t ticket_patience_ns = 3 * NS_PER_S;

struct fetcher {
    const struct fetch_options *options;
    const struct connection_kind *kind;
    struct loop *loop;
    struct client_tls *tls;
    struct h3_config *h3; // NULL over TCP
    struct https_cache *https;
    struct usage_meter meter;

    // What the loop has reported; each step clears what it waits for.
    struct loop_timer deadline;
    bool timed_out;
    bool woken; // by any of them
    bool is_ready;
    bool has_ended; // the connection, outside of a response
    enum fetch_stage ended_stage;
    char ended_reason[REASON_SIZE];
    struct ticket *ticket; // the last one that came

    struct connection *connection; // NULL: none
    struct sockaddr_in6 server;    // whose
    struct url identity;           // and as whom it was connected to
};

static const char *const alpns[LANES] = {"http/1.1", "h2", "h2", "h3", "h3"};

// --- what the loop reports

static void wake(struct fetcher *f) {
    f->woken = true;
    loop_stop(f->loop);
}

static void on_deadline(void *context, uint64_t now_ns) {
    struct fetcher *f = context;
    (void)now_ns;
    f->timed_out = true;
    wake(f);
}

static void on_ready(void *context) {
    struct fetcher *f = context;
    f->is_ready = true;
    wake(f);
}

static void on_failed(void *context, enum fetch_stage stage, const char *reason) {
    struct fetcher *f = context;
    f->has_ended = true;
    f->ended_stage = stage;
    snprintf(f->ended_reason, sizeof f->ended_reason, "%s", reason);
    wake(f);
}

static void on_ticket(void *context, struct ticket *ticket) {
    struct fetcher *f = context;
    ticket_free(f->ticket);
    f->ticket = ticket;
    wake(f);
}

static void on_event(void *context) {
    wake(context);
}

// Until something has happened. False: it was the deadline.
static bool wait_on(struct fetcher *f) {
    f->woken = false;
    // Who always has something to say (tickets) stops the loop before its timers have their turn.
    if (clock_now_ns() >= f->deadline.due_ns) f->timed_out = true;
    if (f->timed_out) return false;
    loop_run(f->loop);
    return !f->timed_out;
}

static void set_deadline(struct fetcher *f, uint64_t due_ns) {
    f->timed_out = false;
    loop_timer_set(f->loop, &f->deadline, due_ns);
}

// --- set-up

int fetcher_open(struct fetcher **out, const struct fetch_options *options, char *error, size_t error_size) {
    static const struct connection_kind *const kinds[LANES] = {
        &tcp_h1_connection, &tcp_h2_connection, &tcp_h2_connection, &quic_h3_connection, &quic_h3_connection};
    const struct client_tls_options tls = {.version = options->tls_1_2 ? TLS1_2_VERSION : TLS1_3_VERSION,
                                           .is_quic = lane_is_quic(options->lane),
                                           .alpn = alpns[options->lane],
                                           .verify = options->verify,
                                           .authorities = options->authorities,
                                           .early_data = lane_resumes(options->lane),
                                           .key_log = options->key_log};
    struct fetcher *f = calloc(1, sizeof *f);
    if (options->qlog_folder && access(options->qlog_folder, W_OK | X_OK) < 0) {
        snprintf(error, error_size, "qlog: %s: cannot hold qlogs: %s", options->qlog_folder, strerror(errno));
        free(f);
        return -1;
    }
    snprintf(error, error_size, "memory is short");
    if (!f) return -1;
    f->options = options;
    f->kind = kinds[options->lane];
    usage_meter_open(&f->meter, true);
    f->deadline = (struct loop_timer){.due = on_deadline, .context = f};
    if (tls.is_quic) f->h3 = h3_config_open(options->timeout_ns / NS_PER_MS + 1000);
    if ((f->h3 || !tls.is_quic) && loop_open(&f->loop) == 0 && (f->https = https_cache_open()) &&
        client_tls_open(&f->tls, &tls, error, error_size) == 0) {
        *out = f;
        return 0;
    }
    fetcher_close(f);
    return -1;
}

static void drop_connection(struct fetcher *f) {
    if (f->connection) f->kind->close(f->connection);
    url_free(&f->identity);
    f->connection = NULL;
}

void fetcher_close(struct fetcher *f) {
    drop_connection(f);
    ticket_free(f->ticket);
    client_tls_close(f->tls);
    h3_config_close(f->h3);
    https_cache_close(f->https);
    usage_meter_close(&f->meter);
    if (f->loop) loop_close(f->loop);
    free(f);
}

// --- steps of an object. Each returns false with the record's failure.

static bool fail(struct record *record, enum fetch_stage stage, const char *reason) {
    record->has_failed = true;
    record->stage = stage;
    snprintf(record->reason, sizeof record->reason, "%s", reason);
    return false;
}

__attribute__((format(printf, 2, 3))) static bool time_out(struct record *record, const char *how_far, ...) {
    va_list arguments;
    va_start(arguments, how_far);
    vsnprintf(record->reason, sizeof record->reason, how_far, arguments);
    va_end(arguments);
    record->has_failed = true;
    record->stage = STAGE_TIMEOUT;
    return false;
}

static bool resolve(struct fetcher *f, const struct url *url, struct record *record) {
    const char *why = "memory is short";
    record->was_looked_up = true;
    struct names_lookup *lookup = names_address(f->loop, url->host, f->options->ip, on_event, f);
    const bool answered = lookup && wait_on(f);
    const struct in6_addr *found = answered ? names_found(lookup, &why) : NULL;
    if (found) {
        record->server = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = htons(url->port), .sin6_addr = *found};
        record->dns_ns = names_took_ns(lookup);
    }
    names_leave(lookup);
    if (lookup && !answered) return time_out(record, "the name was not resolved in time");
    return found ? true : fail(record, STAGE_DNS, why);
}

static bool literal(const struct url *url, int ip, struct record *record) {
    char mapped[URL_HOST_SIZE + sizeof "::ffff:"];
    const bool is_6 = strchr(url->host, ':') != NULL;
    snprintf(mapped, sizeof mapped, "%s%s", is_6 ? "" : "::ffff:", url->host);
    record->server = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(url->port)};
    inet_pton(AF_INET6, mapped, &record->server.sin6_addr);
    return is_6 == (ip == 6) ? true
                             : fail(record, STAGE_DNS, "the URL's address is of the other version of IP");
}

static bool find_server(struct fetcher *f, const struct url *url, struct record *record) {
    if (f->options->has_server) {
        record->server = f->options->server;
        if (record->server.sin6_port == 0) record->server.sin6_port = htons(url->port);
    } else if (!(url->is_address ? literal(url, f->options->ip, record) : resolve(f, url, record))) {
        return false;
    }
    return record->has_address = true;
}

// A redirect by a server of the internet leads to none of this machine or its networks, nor one of these to
// this machine: whoever gave the URL did not mean that. A server that the command line names is
// meant. An object that is not redirected is not looked at: reading the interfaces would be part of its cost.
static bool may_lead_here(const struct fetcher *f, struct record *record) {
    enum address_space from, to;
    if (record->redirects == 0 || f->options->has_server) return true;
    if (address_space_here((const struct sockaddr *)&f->server, NULL, &from) < 0 ||
        address_space_here((const struct sockaddr *)&record->server, NULL, &to) < 0)
        return fail(record, STAGE_CONNECT, "this machine's networks cannot be read");
    if (to >= from) return true;
    char reason[REASON_SIZE];
    snprintf(reason, sizeof reason, "it redirects from a %s address to a %s one: fetch that URL itself",
             address_space_name(from), address_space_name(to));
    return fail(record, STAGE_CONNECT, reason);
}

// Waits until it is ready; `deadline_ns` is the object's.
static bool open_connection(struct fetcher *f, const struct url *url, struct ticket *ticket,
                            uint64_t deadline_ns, struct record *record) {
    const uint64_t patience_ns = clock_now_ns() + f->options->connect_timeout_ns;
    const char *why;
    char text[URL_AUTHORITY_SIZE + sizeof "https:///"], error[REASON_SIZE];
    snprintf(text, sizeof text, "https://%s/", url->authority);
    drop_connection(f);
    f->is_ready = f->has_ended = false;
    if (url_parse(&f->identity, text, &why) < 0) {
        ticket_free(ticket);
        return fail(record, STAGE_REQUEST, why);
    }
    f->server = record->server;
    const struct connection_settings settings = {
        .loop = f->loop,
        .tls = f->tls,
        .h3 = f->h3,
        .alpn = alpns[f->options->lane],
        .server = record->server,
        .host = f->identity.host,
        .is_address = url->is_address,
        .qlog_folder = f->options->qlog_folder,
        .ticket = ticket,
        .ready = on_ready,
        .failed = on_failed,
        .ticket_came = lane_resumes(f->options->lane) ? on_ticket : NULL,
        .context = f,
    };
    f->connection = f->kind->open(&settings, error, sizeof error);
    if (!f->connection) return fail(record, STAGE_CONNECT, error);
    record->has_connection = true;
    set_deadline(f, patience_ns < deadline_ns ? patience_ns : deadline_ns);
    while (!f->is_ready && !f->has_ended)
        if (!wait_on(f)) break;
    f->kind->facts(f->connection, &record->facts);
    const bool timed_out = f->timed_out;
    set_deadline(f, deadline_ns);
    if (f->has_ended) return fail(record, f->ended_stage, f->ended_reason);
    if (f->is_ready) return true;
    const bool tls = timed_out && record->facts.connected_ns > 0;
    return time_out(record,
                    tls ? "the TLS handshake was not done in time" : "the server did not answer in time%s",
                    lane_is_quic(f->options->lane) ? " over QUIC" : "");
}

// A ticket by a connection that is not timed. Without one, the object is fetched without.
static bool warm(struct fetcher *f, const struct url *url, uint64_t deadline_ns, struct record *record,
                 struct ticket **out) {
    ticket_free(f->ticket);
    f->ticket = NULL;
    if (!open_connection(f, url, NULL, deadline_ns, record)) return false;
    const uint64_t patience_ns = clock_now_ns() + ticket_patience_ns;
    set_deadline(f, patience_ns < deadline_ns ? patience_ns : deadline_ns);
    while (!f->ticket && !f->has_ended)
        if (!wait_on(f)) break;
    set_deadline(f, deadline_ns);
    drop_connection(f);
    *out = f->ticket;
    f->ticket = NULL;
    record->has_connection = false;
    record->facts = (struct connection_facts){0};
    record->ticket_missing = !*out                           ? "the server gave no ticket"
                             : ticket_takes_early_data(*out) ? NULL
                                                             : "the server's ticket is for no early data";
    return true;
}

static bool is_same_server(const struct fetcher *f, const struct url *url,
                           const struct sockaddr_in6 *server) {
    return f->connection && !f->has_ended && strcmp(f->identity.authority, url->authority) == 0 &&
           (!server || memcmp(server, &f->server, sizeof *server) == 0);
}

static bool ask(struct fetcher *f, const struct url *url, struct response *response, struct record *record) {
    const struct request request = {url, f->options->user_agent};
    response_begin(response, f->options->max_body_bytes, on_event, f);
    record->response = response;
    f->has_ended = false;
    record->requested_ns = clock_now_ns();
    f->kind->ask(f->connection, &request, response);
    while (!response->is_over && !f->has_ended)
        if (!wait_on(f)) break;
    f->kind->facts(f->connection, &record->facts);
    if (response->is_over && !response->has_failed) return true;
    if (response->is_over) return fail(record, response->failed_stage, response->reason);
    if (f->has_ended) return fail(record, f->ended_stage, f->ended_reason);
    return response->status == 0
               ? time_out(record, "there was no response in time")
               : time_out(record, "the response did not end in time; %llu bytes of its body came",
                          (unsigned long long)response->body_bytes);
}

// From the name to the response of one URL; redirects come to it one after another.
static bool fetch_url(struct fetcher *f, const struct url *url, uint64_t deadline_ns,
                      struct response *response, struct record *record) {
    struct ticket *ticket = NULL;
    struct usage from = usage_now(&f->meter);
    record->reused = f->options->reuse && is_same_server(f, url, NULL) && f->kind->is_reusable(f->connection);
    bool good = true;
    if (record->reused) {
        f->kind->facts(f->connection, &record->before);
        record->server = f->server;
        record->has_address = record->has_connection = true;
    } else {
        drop_connection(f);
        good = find_server(f, url, record) && may_lead_here(f, record);
        if (good && lane_resumes(f->options->lane)) {
            usage_add(&f->meter, &record->usage, &from);
            good = warm(f, url, deadline_ns, record, &ticket);
            from = usage_now(&f->meter);
        }
        good = good && open_connection(f, url, ticket, deadline_ns, record);
    }
    good = good && ask(f, url, response, record);
    usage_add(&f->meter, &record->usage, &from);
    // What is under way on it is not wanted any more.
    if (!good || !f->options->reuse) drop_connection(f);
    return good;
}

static bool is_redirect(const struct response *response) {
    return response->status >= 300 && response->status < 400 && response->status != 304 && response->location;
}

// Where a redirect leads. NULL: nowhere, there were enough of them, or it is too long (the field may be cut).
static char *next_url(const struct fetcher *f, const struct url *url, const struct response *response,
                      struct record *record) {
    if (f->options->follow == 0 || !is_redirect(response)) return NULL;
    if (record->redirects == f->options->follow) {
        char reason[REASON_SIZE];
        snprintf(reason, sizeof reason, "it redirects for the %uth time: --follow %u allows no more",
                 record->redirects + 1, f->options->follow);
        fail(record, STAGE_RESPONSE, reason);
        return NULL;
    }
    char *next =
        strlen(response->location) < RESPONSE_FIELD_KEPT ? url_resolve(url, response->location) : NULL;
    if (next && strlen(next) < RESPONSE_FIELD_KEPT) return next;
    free(next);
    fail(record, STAGE_RESPONSE, "it redirects to a URL of 8 KB or more");
    return NULL;
}

// What is of one URL only.
static void begin_again(struct record *record) {
    *record = (struct record){.options = record->options,
                              .url = record->url,
                              .final_url = record->final_url,
                              .redirects = record->redirects,
                              .usage = record->usage,
                              .cycles_missing = record->cycles_missing};
}

static void look_up_https(struct fetcher *f, const struct url *url, struct record *record) {
    if (!f->options->https_records || f->options->has_server || url->is_address) return;
    record->https = https_cache_ask(f->https, f->loop, url->host, url->port, &record->https_ns);
}

json_t *fetcher_fetch(struct fetcher *f, const char *text) {
    struct record record = {.options = f->options, .url = text, .cycles_missing = f->meter.cycles.why};
    const uint64_t deadline_ns = clock_now_ns() + f->options->timeout_ns;
    char *current = strdup(text), *next = NULL;
    struct url url = {0};
    struct response response = {0};
    const char *why = "memory is short";
    set_deadline(f, deadline_ns);
    for (;;) {
        record.final_url = current ? current : text;
        if (!current || url_parse(&url, current, &why) < 0) {
            fail(&record, STAGE_REQUEST, why);
            break;
        }
        if (!fetch_url(f, &url, deadline_ns, &response, &record)) break;
        next = next_url(f, &url, &response, &record);
        if (!next) break;
        free(current);
        current = next;
        record.redirects++;
        begin_again(&record);
        response_free(&response);
        url_free(&url);
    }
    loop_timer_clear(f->loop, &f->deadline);
    if (url.target) look_up_https(f, &url, &record);
    json_t *row = record_json(&record);
    response_free(&response);
    url_free(&url);
    free(current);
    return row;
}
