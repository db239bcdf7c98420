// An HTTP/2 client on nghttp2 for the tests: it runs in the server's loop at the other end of a socket pair.
#pragma once

#include "lane_site.h"

#include "replay/tcp/stream.h"

#include <nghttp2/nghttp2.h>

enum { H2_CLIENT_RESPONSES = 64 };

struct h2_client {
    struct lane_site *site;
    struct stream_set streams;
    struct loop_watch watch;
    nghttp2_session *session;
    struct seen seen[H2_CLIENT_RESPONSES];
    size_t seen_count;
    size_t wanted; // the loop is stopped once so many have finished
    unsigned finished;
    bool goaway;
    bool closed;                          // by the server
    const char *extra_name, *extra_value; // a field of the requests to come, if set
    // Called with each piece of body, if set.
    void (*on_body)(struct h2_client *client, struct seen *seen);
};

// window_bytes: of each stream and of the connection; at least 65535 for the connection by the protocol.
void h2_client_open(struct h2_client *client, struct lane_site *site, uint32_t window_bytes);
// A client without nghttp2, for bytes of one's own.
void h2_client_open_raw(struct h2_client *client, struct lane_site *site);
void h2_client_close(struct h2_client *client);
struct seen *h2_client_request(struct h2_client *client, const char *method, const char *path,
                               const char *priority, size_t upload_bytes);
void h2_client_send(struct h2_client *client);
void h2_client_run(struct h2_client *client, size_t wanted);
