// The protocol-neutral exchange in which h1, h2 and h3 all end: a request goes in, a recorded response comes
// out, and its body is pulled by the lane as fast as the lane can send. It never knows the lane's protocol
// beyond a label for the report, so a lane's cost is the lane's own. Does not do I/O and never copies a body.
#pragma once

#include "archive/recording.h"
#include "base/loop.h"
#include "replay/exchange/think.h"
#include "schemas/generated/server_settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane { LANE_H1, LANE_H2, LANE_H3 };

// All that a server needs to answer: the recording's index (archive/matcher.h), the report. One per program.
// What is not in the recording is answered as unrecorded.h says.
struct exchange_site;
struct path_change;
struct report;
// Both must outlive the site. NULL when memory is short.
struct exchange_site *exchange_site_open(const struct recording *recording, struct report *report);
void exchange_site_close(struct exchange_site *site);
// From now on each request waits for the server's think time, by the loop's timers; without this none does.
void exchange_site_think(struct exchange_site *site, const struct think *think, struct loop *loop);

// From now on a client that does not go on with a request for `limit_ns` loses its connection: with its head,
// counted from its first byte; with its body, of which EXCHANGE_PROGRESS_BYTES renew the limit. Without this
// none does. A connection between requests is idle and stays.
enum { EXCHANGE_PROGRESS_BYTES = 64 * 1024 };
void exchange_site_limit_requests(struct exchange_site *site, struct loop *loop, uint64_t limit_ns);

// From now on responses are sent as these say: recorded 103 responses (Early Hints) or none, and on new
// connections by the client's priorities or in turns (lanes ask exchange_connection_ignores_priorities).
void exchange_site_set(struct exchange_site *site, const struct server_settings *settings);

// All will be requested in clear, by a browser: what it refuses there is made ready in another coding.
void exchange_site_prepare_clear(struct exchange_site *site);

// A new visit begins: what was answered before does not count for the order of repeated answers. 0, or -1
// when memory is short, and nothing changed.
int exchange_site_restart(struct exchange_site *site, uint64_t now_ns);

struct usage;

// One accepted connection, as it is reported.
struct exchange_connection;
struct exchange_connection *exchange_connection_open(struct exchange_site *site, enum lane lane,
                                                     const char *local_address, uint16_t local_port,
                                                     uint64_t now_ns);
bool exchange_connection_ignores_priorities(const struct exchange_connection *connection);
// In clear, from a server that ended TLS before this one: its requests are for https://.
void exchange_connection_from_server(struct exchange_connection *connection);
bool exchange_connection_is_from_server(const struct exchange_connection *connection);
// What the program spent since `from` counts as the connection's, too; else from here on.
void exchange_connection_spends(struct exchange_connection *connection, const struct usage *from);
// After the handshake. tls_version and alpn are literals or live as long as the site; NULL in clear.
void exchange_connection_secured(struct exchange_connection *connection, const char *tls_version,
                                 const char *alpn, bool resumed, uint64_t now_ns);
// With it: requests came in the first flight of the handshake, and were taken.
void exchange_connection_early_data(struct exchange_connection *connection);
// A qlog of it is being written: a file in the folder of qlogs, whose times count from `start_ns`.
void exchange_connection_qlog(struct exchange_connection *connection, const char *file, uint64_t start_ns);
// Its client's address changed so often and so; copied.
void exchange_connection_moved(struct exchange_connection *connection, const struct path_change *changes,
                               size_t count);
// How often the client acknowledged: packets sent after the handshake that were not lost, and those that came
// in and acknowledged something new.
void exchange_connection_acks(struct exchange_connection *connection, uint64_t packets, uint64_t acks);
// Called when a request has not gone on within the site's limit: close the connection with this reason.
#define EXCHANGE_OVERDUE "a request was not finished in time"
void exchange_connection_on_overdue(struct exchange_connection *connection,
                                    void (*overdue)(void *context, uint64_t now_ns), void *context);
// The oldest of the heads that are not whole began at `since_ns`; 0: there is none.
void exchange_connection_awaits_head(struct exchange_connection *connection, uint64_t since_ns);
// As the report numbers it; 0 where no report is kept.
uint64_t exchange_connection_id(const struct exchange_connection *connection);
// Frees the connection. Exchanges still open are recorded as aborted and freed too: do not end them after
// this. `reason` is for the report and copied: "" when the peer closed in order.
void exchange_connection_close(struct exchange_connection *connection, const char *reason, uint64_t now_ns);

// One request and its response. Sizes are in bytes; strings need not be NUL-terminated and are not kept.
struct exchange;
struct exchange_request {
    const char *method;
    size_t method_size;
    const char *scheme;    // "http" or "https"
    const char *authority; // Host or :authority, port included where sent
    size_t authority_size;
    const char *path; // with query
    size_t path_size;
    const struct header *headers; // all the others, names in lower case
    size_t header_count;
};

// The request's head is whole. NULL only when memory is short.
struct exchange *exchange_begin(struct exchange_connection *connection,
                                const struct exchange_request *request, uint64_t now_ns);
// Some of its body, which is hashed and counted, not kept.
void exchange_request_body(struct exchange *exchange, const void *bytes, size_t size);

// The request is whole, its body too: finds the answer, which never fails. Called once by the lane, before
// anything of the response is read below. True: the response may go at once, after the hints that are
// due. False: not before its time (the server's think time). `due` is then called, by timers, each time that
// a hint is due, and last when exchange_is_due; not any more once the exchange has ended.
bool exchange_may_answer(struct exchange *exchange, uint64_t now_ns, void (*due)(void *context),
                         void *context);
bool exchange_is_due(const struct exchange *exchange);

// The next 103 whose time has come, or NULL. When the answer is due all of them are.
const struct recorded_hint *exchange_hint(const struct exchange *exchange);
// The lane has handed it to its own part of the transport.
void exchange_hint_taken(struct exchange *exchange);

// The request failed when it was recorded: instead of a response the lane is to break its stream off, or
// where it has no streams its connection, and to end the exchange as not complete.
bool exchange_fails(const struct exchange *exchange);

uint16_t exchange_status(const struct exchange *exchange);
// Response headers without framing (no content-length, connection, transfer-encoding); names in lower case;
// values that no lane may send (CR, LF, NUL) are already left out.
const struct header *exchange_headers(const struct exchange *exchange, size_t *count);
// For content-length: the body's size, also of the one that HEAD leaves out.
uint64_t exchange_content_length(const struct exchange *exchange);
// False where a content-length is not to be sent at all (204, 304, HEAD where the size is not known).
bool exchange_has_content_length(const struct exchange *exchange);

// The next stretch of body not yet taken: a pointer into the recording and its size, 0 at the end. Stays
// valid until the site is closed, so a lane may hand it to writev, nghttp2 or quiche without copying.
const uint8_t *exchange_peek(const struct exchange *exchange, size_t *size);
// The lane has handed `size` of those bytes to the transport.
void exchange_take(struct exchange *exchange, size_t size);

// The lane has handed the response's head to its own part of the transport (a queue of frames, QUIC): once.
void exchange_sending(struct exchange *exchange);
// What the lane has handed over so far the kernel has been given, in the loop's turn of that time: the first
// bytes of all those responses are out, also of such as have ended by now.
void exchange_connection_sent(struct exchange_connection *connection, uint64_t turn_ns);

// The response is wholly handed over (`complete`) or was cut off. Frees the exchange.
void exchange_end(struct exchange *exchange, bool complete, uint64_t now_ns);
