// An HTTP/3 client on quiche for the tests, and the link between it and the server: packets in memory, with a
// delay, and lost or mutated on request. It runs in the server's loop, in virtual time.
#pragma once

#include "lane_site.h"

#include "replay/h3/h3_server.h"

#include <quiche.h>

enum { H3_CLIENT_RESPONSES = 128, H3_LINK_PACKETS = 8192, H3_CLIENT_BYTES_MAX = 1500 };

struct h3_client;

struct h3_link_packet {
    uint64_t due_ns;
    bool to_server;
    struct sockaddr_in6 local, peer; // the server's view
    size_t size;
    uint8_t bytes[H3_CLIENT_BYTES_MAX];
};

struct h3_client_options {
    uint64_t window_bytes;   // of each stream; four times that of the connection
    uint64_t delay_ns;       // each way
    unsigned lose_of_1000;   // packets, both ways
    unsigned mutate_of_1000; // packets to the server
    const char *congestion;  // the server's; NULL: cubic
    bool without_ids;        // the client's connection ids have no length, as Chromium's
    bool unpaced;            // the server's packets leave as soon as the window has room
    // HTTP/3 is the test's own: called in each turn once the handshake is over, to write and read streams.
    void (*on_turn)(struct h3_client *client);
};

struct h3_client {
    struct lane_site *site;
    struct h3_client_options options;
    struct h3_server *server;
    struct server_parts parts;
    struct transport transport;

    struct h3_link_packet *packets; // a ring
    size_t first, count;
    struct loop_timer link_timer;
    size_t packets_to_client, bytes_to_client, most_to_client_at_once; // at once: within a millisecond
    uint64_t burst_ns;
    size_t burst;
    bool refuse;       // the link has no room
    uint16_t nat_port; // what the client's packets come from; those to another one are lost
    size_t lost_to_old_port, bytes_to_old_port;
    unsigned random;

    quiche_config *config;
    quiche_h3_config *http_config;
    quiche_conn *quic;
    quiche_h3_conn *http;
    struct loop_timer timer;
    bool stopped; // the connection is over

    struct seen seen[H3_CLIENT_RESPONSES];
    size_t seen_count;
    size_t sent_count;
    struct {
        char method[8], path[32], priority[16];
        const char *extra_name, *extra_value;
        bool trailers;
        size_t upload_left;
    } asked[H3_CLIENT_RESPONSES];
    const char *extra_name, *extra_value; // a field of the requests to come, if set
    bool extra_in_trailers;
    size_t wanted;
    unsigned finished;
    bool version_negotiation;
    // Called with each piece of body, if set.
    void (*on_body)(struct h3_client *client, struct seen *seen);
};

void h3_client_open(struct h3_client *client, struct lane_site *site,
                    const struct h3_client_options *options);
void h3_client_close(struct h3_client *client);
// Once a response is there: a new connection to the same server, which is not told that the old one is gone.
void h3_client_reconnect(struct h3_client *client);
struct seen *h3_client_request(struct h3_client *client, const char *method, const char *path,
                               const char *priority, size_t upload_bytes);
// A packet of one's own on the link to the server.
void h3_client_inject(struct h3_client *client, const uint8_t *bytes, size_t size);
// Until so many responses have finished, or the connection is over.
void h3_client_run(struct h3_client *client, size_t wanted);
void h3_client_send(struct h3_client *client);
// The NAT before the client loses its binding: what is under way to the old one does not arrive.
void h3_client_rebind(struct h3_client *client);
