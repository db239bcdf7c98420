#include "fetch/record.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stage_words[STAGES] = {"dns", "connect", "tls", "request", "response", "timeout"};
static const char *const https_words[] = {"not-asked", "present", "absent", "failed"};

struct writer {
    json_t *row;
    json_t *unavailable;
};

// --- values, or why there are none

static void put(const struct writer *w, const char *name, json_t *value) {
    json_object_set_new(w->row, name, value);
}

static void lack(const struct writer *w, const char *name, const char *why) {
    json_object_set_new(w->row, name, json_null());
    if (why && *why) json_object_set_new(w->unavailable, name, json_string(why));
}

static double ms(uint64_t ns) {
    return round((double)ns / 1000) / 1000;
}

// `why` of a null one.
static void put_span(const struct writer *w, const char *name, uint64_t from_ns, uint64_t to_ns,
                     const char *why) {
    if (from_ns > 0 && to_ns >= from_ns)
        put(w, name, json_real(ms(to_ns - from_ns)));
    else
        lack(w, name, why);
}

static void put_count(const struct writer *w, const char *name, uint64_t count, const char *why) {
    if (count != CONNECTION_UNAVAILABLE)
        put(w, name, json_integer((json_int_t)count));
    else
        lack(w, name, why);
}

static void put_rtt(const struct writer *w, const char *name, uint64_t ns, const char *why) {
    if (ns != CONNECTION_UNAVAILABLE)
        put(w, name, json_real(ms(ns)));
    else
        lack(w, name, why);
}

// It may be no UTF-8.
static json_t *text_json(const char *text) {
    if (!text || !*text) return json_null();
    json_t *json = json_string(text);
    if (json) return json;
    char *ascii = strdup(text);
    for (char *c = ascii; c && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    json = ascii ? json_string(ascii) : json_null();
    free(ascii);
    return json;
}

// What a server said stands in each row for ever: no more of it than is of use, and nothing that a terminal
// obeys.
static json_t *said_json(const char *text) {
    enum { SAID_MAX = 4096 };
    char *said = text ? strndup(text, SAID_MAX) : NULL;
    if (said && strlen(said) < strlen(text)) {
        char *end = said + SAID_MAX;
        while (end > said && ((unsigned char)text[end - said] & 0xc0) == 0x80) // not within a character
            end--;
        *end = 0;
    }
    for (char *c = said; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = *c == '\t' ? ' ' : '?';
    json_t *json = text_json(said);
    free(said);
    return json;
}

// --- its parts

static void put_request(const struct writer *w, const struct record *r) {
    put(w, "schema", json_string("trilane/fetch-record/1"));
    put(w, "url", text_json(r->url));
    put(w, "final_url", text_json(r->final_url));
    put(w, "lane", json_string(fetch_lane_words[r->options->lane]));
    put(w, "tls", json_string(r->options->tls_1_2 ? "1.2" : "1.3"));
    put(w, "ip", json_integer(r->options->ip));
}

static void put_address(const struct writer *w, const struct record *r) {
    char text[INET6_ADDRSTRLEN];
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&r->server.sin6_addr);
    if (!r->has_address) {
        lack(w, "address", NULL);
        lack(w, "port", NULL);
        return;
    }
    inet_ntop(mapped ? AF_INET : AF_INET6, &r->server.sin6_addr.s6_addr[mapped ? 12 : 0], text, sizeof text);
    put(w, "address", json_string(text));
    put(w, "port", json_integer(ntohs(r->server.sin6_port)));
}

static void put_times(const struct writer *w, const struct record *r, const char *why) {
    const struct connection_facts *facts = &r->facts;
    const struct response *response = r->response;
    const bool quic = lane_is_quic(r->options->lane);
    const char *kept = r->reused ? "the connection was there" : why;
    const uint64_t start_ns = !r->has_connection ? 0 : r->reused ? r->requested_ns : facts->begin_ns;
    const uint64_t opened_ns = r->reused ? 0 : start_ns;
    if (start_ns > 0)
        put(w, "start_ns", json_integer((json_int_t)start_ns));
    else
        lack(w, "start_ns", why);
    if (r->dns_ns > 0)
        put(w, "dns_ms", json_real(ms(r->dns_ns)));
    else
        lack(w, "dns_ms", r->was_looked_up ? why : r->reused ? kept : "the address was given");
    put_span(w, "connect_ms", opened_ns, facts->connected_ns, kept);
    put_span(w, "tls_ms", quic || r->reused ? 0 : facts->connected_ns, facts->secured_ns,
             quic ? "QUIC's handshake has it" : kept);
    put_span(w, "established_ms", opened_ns, facts->ready_ns, kept);
    put_span(w, "first_byte_ms", start_ns, response ? response->first_byte_ns : 0, why);
    put_span(w, "download_ms", start_ns, response ? response->last_byte_ns : 0, why);
}

static uint64_t since(uint64_t count, uint64_t before) {
    return count == CONNECTION_UNAVAILABLE || count < before ? CONNECTION_UNAVAILABLE : count - before;
}

static void put_wire(const struct writer *w, const struct record *r, const char *why) {
    const struct connection_facts *facts = &r->facts;
    const char *no_rtt = why ? why : "it was not measured";
    const char *kernel = why ? why : "this kernel does not count it";
    const uint64_t none = CONNECTION_UNAVAILABLE;
    const bool quic = lane_is_quic(r->options->lane), has = r->has_connection;
    put_count(w, "bytes_received", has ? since(facts->bytes_received, r->before.bytes_received) : none,
              kernel);
    put_count(w, "bytes_sent", has ? since(facts->bytes_sent, r->before.bytes_sent) : none, kernel);
    put_rtt(w, "rtt_smoothed_ms", has ? facts->rtt_smoothed_ns : none, no_rtt);
    put_rtt(w, "rtt_min_ms", has ? facts->rtt_min_ns : none, no_rtt);
    put_count(w, "segments_retransmitted",
              has ? since(facts->segments_retransmitted, r->before.segments_retransmitted) : none,
              quic ? "QUIC counts packets (packets_lost)" : kernel);
    put_count(w, "packets_lost", has ? since(facts->packets_lost, r->before.packets_lost) : none,
              quic ? kernel : "TCP counts segments (segments_retransmitted)");
}

static void put_tls(const struct writer *w, const struct record *r, const char *why) {
    static const char *const fates[] = {NULL, "unused", "accepted", "rejected"};
    const struct connection_facts *facts = &r->facts;
    const bool secured = r->has_connection && facts->tls_version;
    put(w, "alpn", text_json(secured ? facts->alpn : NULL));
    put(w, "tls_version", text_json(secured ? facts->tls_version : NULL));
    if (!secured && why) json_object_set_new(w->unavailable, "tls_version", json_string(why));
    if (secured && facts->certificate_bytes > 0)
        put(w, "certificate_bytes", json_integer((json_int_t)facts->certificate_bytes));
    else
        lack(w, "certificate_bytes", secured && facts->resumed ? "a ticket stood for it" : why);
    put(w, "early_data", text_json(!secured ? NULL : r->reused ? "unused" : fates[facts->early_data]));
    if (r->ticket_missing) json_object_set_new(w->unavailable, "early_data", json_string(r->ticket_missing));
    put(w, "resumed", secured ? json_boolean(facts->resumed) : json_null());
    put(w, "reused", json_boolean(r->reused));
}

static json_t *sha256_json(const struct response *response) {
    char text[2 * SHA256_DIGEST_LENGTH + 1];
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
        sprintf(text + 2 * i, "%02x", response->sha256[i]);
    return json_string(text);
}

static void put_response(const struct writer *w, const struct record *r, const char *why) {
    const struct response *response = r->response;
    const bool answered = response && response->status > 0;
    put(w, "http_version", text_json(answered ? response->version : NULL));
    if (answered)
        put(w, "status", json_integer(response->status));
    else
        lack(w, "status", why);
    put_count(w, "body_bytes", answered ? response->body_bytes : CONNECTION_UNAVAILABLE, why);
    if (answered && response->is_over && !response->has_failed)
        put(w, "body_sha256", sha256_json(response));
    else
        lack(w, "body_sha256", why);
    put(w, "redirects", json_integer(r->redirects));
    put(w, "location", said_json(answered ? response->location : NULL));
    put(w, "alt_svc", said_json(answered ? response->alt_svc : NULL));
}

static void put_https_record(const struct writer *w, const struct record *r) {
    const struct https_answer *https = r->https;
    json_t *records = https && https->records ? json_deep_copy(https->records) : json_array();
    put(w, "https_record",
        json_pack("{s:s,s:o,s:o,s:o}", "state", https_words[https ? https->state : HTTPS_NOT_LOOKED_UP],
                  "reason", https ? text_json(https->reason) : json_string("it was not asked for"),
                  "lookup_ms", r->https_ns > 0 ? json_real(ms(r->https_ns)) : json_null(), "records",
                  records));
}

json_t *record_json(const struct record *r) {
    const struct writer w = {json_object(), json_object()};
    const char *why = r->has_failed ? r->reason : NULL;
    if (!w.row || !w.unavailable) {
        json_decref(w.row);
        json_decref(w.unavailable);
        return NULL;
    }
    put_request(&w, r);
    put_address(&w, r);
    put_times(&w, r, why);
    put_tls(&w, r, why);
    put_response(&w, r, why);
    put_wire(&w, r, why);
    put_https_record(&w, r);
    put(&w, "cpu_user_us", json_integer((json_int_t)r->usage.user_us));
    put(&w, "cpu_system_us", json_integer((json_int_t)r->usage.system_us));
    put(&w, "context_switches_voluntary", json_integer((json_int_t)r->usage.voluntary));
    put(&w, "context_switches_involuntary", json_integer((json_int_t)r->usage.involuntary));
    put_count(&w, "cycles", r->cycles_missing ? CONNECTION_UNAVAILABLE : r->usage.cycles, r->cycles_missing);
    put(&w, "error",
        r->has_failed ? json_pack("{s:s,s:o}", "stage", stage_words[r->stage], "reason", said_json(r->reason))
                      : json_null());
    put(&w, "unavailable", w.unavailable);
    return w.row;
}
