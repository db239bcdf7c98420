#include "replay/h3/h3_server.h"

#include "base/clock.h"
#include "replay/h3/cid_table.h"
#include "replay/h3/h3.h"
#include "replay/h3/quic.h"

#include <openssl/rand.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PACKET_BYTES = 1200,  // at least (RFC 9000, 14.1)
    FIRST_DCID_BYTES = 8,       // at least (RFC 9000, 7.2)
    HALF_OPEN_MAX = 512,        // a page of more servers at once than any known one has
    BUFFER_BYTES = 1024 * 1024, // of a socket, each way, unless configured: as far as the kernel grants it
};

struct h3_server {
    const struct server_parts *parts;
    struct quic_settings *settings;
    struct udp *udp; // NULL: no socket
    struct udp_link link;
    uint32_t send_buffer_bytes; // granted
    uint32_t receive_buffer_bytes;
    struct cid_table cids;
    struct client *clients;
    size_t half_open;
    struct client *touched; // by the packets at hand
};

struct client {
    struct h3_server *server;
    struct client *previous;
    struct client *next;
    struct client *touched_next;
    bool touched;
    struct cid scid;                    // ours
    struct cid first_dcid;              // the client's choice, for its packets before it knows ours
    struct cid further[H3_FURTHER_IDS]; // ours too, given to a client that moves; of size 0: free
    struct h3_owner owner;
    struct h3_connection *connection;
};

static void forget(struct client *client, const char *reason, uint64_t now_ns) {
    struct h3_server *server = client->server;
    if (client->connection) h3_connection_close(client->connection, reason, now_ns);
    cid_table_remove(&server->cids, &client->scid);
    cid_table_remove(&server->cids, &client->first_dcid);
    for (size_t i = 0; i < H3_FURTHER_IDS; i++)
        if (client->further[i].size > 0) cid_table_remove(&server->cids, &client->further[i]);
    if (client->previous)
        client->previous->next = client->next;
    else
        server->clients = client->next;
    if (client->next) client->next->previous = client->previous;
    free(client);
}

static void on_over(void *context) {
    forget(context, "", clock_now_ns());
}

static int on_route(void *context, const struct cid *cid) {
    struct client *client = context;
    for (size_t i = 0; i < H3_FURTHER_IDS; i++) {
        if (client->further[i].size > 0) continue;
        if (cid_table_add(&client->server->cids, cid, client) < 0) return -1;
        client->further[i] = *cid;
        return 0;
    }
    return -1;
}

static void on_unroute(void *context, const struct cid *cid) {
    struct client *client = context;
    for (size_t i = 0; i < H3_FURTHER_IDS; i++) {
        if (client->further[i].size != cid->size ||
            memcmp(client->further[i].bytes, cid->bytes, cid->size) != 0)
            continue;
        cid_table_remove(&client->server->cids, cid);
        client->further[i].size = 0;
    }
}

// Each first packet costs memory for as long as a connection may be idle, and anybody can send such packets.
// So the oldest handshake gives way to the newest: a real one is over after two round trips. False where each
// has a packet at hand.
static bool make_room(struct h3_server *server, uint64_t now_ns) {
    if (server->half_open < HALF_OPEN_MAX) return true;
    struct client *oldest = NULL;
    for (struct client *client = server->clients; client; client = client->next) // the newest first
        if (!client->touched && h3_connection_is_half_open(client->connection)) oldest = client;
    if (oldest) forget(oldest, "too many handshakes at once", now_ns);
    return oldest != NULL;
}

static struct client *accept_client(struct h3_server *server, const struct udp_packet *packet,
                                    const struct cid *dcid, uint64_t now_ns) {
    struct client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->server = server;
    client->owner = (struct h3_owner){.settings = server->settings,
                                      .link = &server->link,
                                      .over = on_over,
                                      .route = on_route,
                                      .unroute = on_unroute,
                                      .context = client,
                                      .half_open = &server->half_open};
    client->scid.size = CID_BYTES;
    RAND_bytes(client->scid.bytes, CID_BYTES);
    client->first_dcid = *dcid;
    client->next = server->clients;
    if (client->next) client->next->previous = client;
    server->clients = client;
    if (cid_table_add(&server->cids, &client->scid, client) == 0 &&
        cid_table_add(&server->cids, &client->first_dcid, client) == 0)
        client->connection = h3_connection_open(&client->owner, &client->scid, packet, now_ns);
    if (client->connection) return client;
    forget(client, "memory is short", now_ns); // as if the packet had been lost
    return NULL;
}

// The client a packet is from, a new one if it is its first. NULL: the packet is dropped.
static struct client *route(struct h3_server *server, const struct udp_packet *packet, uint64_t now_ns) {
    struct cid dcid, scid;
    enum quic_packet kind = quic_packet_head(packet, CID_BYTES, &dcid, &scid);
    if (kind == QUIC_PACKET_BAD) return NULL;
    struct client *client = cid_table_find(&server->cids, &dcid);
    if (client || packet->size < FIRST_PACKET_BYTES) return client;
    if (kind == QUIC_PACKET_FIRST && dcid.size >= FIRST_DCID_BYTES)
        return make_room(server, now_ns) ? accept_client(server, packet, &dcid, now_ns) : NULL;
    if (kind == QUIC_PACKET_UNKNOWN_VERSION) {
        uint8_t bytes[256];
        ssize_t size = quic_negotiate_version(&dcid, &scid, bytes, sizeof bytes);
        if (size <= 0) return NULL;
        struct udp_burst burst = {packet->local, packet->peer, bytes, (size_t)size, (size_t)size};
        server->link.send(server->link.context, &burst); // no room: the client asks again
    }
    return NULL;
}

void h3_server_receive(struct h3_server *server, struct udp_packet *packets, size_t count) {
    uint64_t now_ns = loop_turn_ns(server->parts->loop);
    for (size_t i = 0; i < count; i++) {
        struct client *client = route(server, &packets[i], now_ns);
        if (!client) continue;
        h3_connection_receive(client->connection, &packets[i]);
        if (client->touched) continue;
        client->touched = true;
        client->touched_next = server->touched;
        server->touched = client;
    }
    while (server->touched) {
        struct client *client = server->touched;
        server->touched = client->touched_next;
        client->touched = false;
        h3_connection_turn(client->connection, now_ns);
    }
}

void h3_server_writable(struct h3_server *server) {
    uint64_t now_ns = clock_now_ns();
    for (struct client *client = server->clients, *next; client; client = next) {
        next = client->next;
        h3_connection_go_on(client->connection, now_ns);
    }
}

static void received(void *context, struct udp_packet *packets, size_t count) {
    h3_server_receive(context, packets, count);
}

static void writable(void *context) {
    h3_server_writable(context);
}

static struct h3_server *new_server(const struct server_parts *parts, char *error, size_t error_size) {
    struct h3_server *server = calloc(1, sizeof *server);
    if (!server) {
        snprintf(error, error_size, "h3: memory is short");
        return NULL;
    }
    server->parts = parts;
    if (quic_settings_open(&server->settings, parts, error, error_size) == 0) return server;
    free(server);
    return NULL;
}

int h3_server_open_on(struct h3_server **server, const struct server_parts *parts,
                      const struct udp_link *link, char *error, size_t error_size) {
    *server = new_server(parts, error, error_size);
    if (!*server) return -1;
    (*server)->link = *link;
    return 0;
}

// 0, or -1 with a line in `error` where the kernel does not grant so much. 0 bytes ask for what it grants.
static int set_buffer(struct udp *udp, const char *option, uint32_t wanted_bytes,
                      uint32_t (*set)(struct udp *, uint32_t), uint32_t *granted_bytes, char *error,
                      size_t error_size) {
    *granted_bytes = set(udp, wanted_bytes > 0 ? wanted_bytes : BUFFER_BYTES);
    if (*granted_bytes >= wanted_bytes) return 0;
    snprintf(error, error_size,
             "--%s: this machine grants a UDP socket at most %u bytes (net.core.%s): ask for less", option,
             *granted_bytes, set == udp_set_send_buffer ? "wmem_max" : "rmem_max");
    return -1;
}

static int set_up_socket(struct h3_server *server, char *error, size_t error_size) {
    const struct quic_transport *quic = &server->parts->transport->quic;
    udp_set_batching(server->udp, quic->batching);
    if (set_buffer(server->udp, "quic-send-buffer", quic->send_buffer_bytes, udp_set_send_buffer,
                   &server->send_buffer_bytes, error, error_size) < 0)
        return -1;
    return set_buffer(server->udp, "quic-receive-buffer", quic->receive_buffer_bytes, udp_set_receive_buffer,
                      &server->receive_buffer_bytes, error, error_size);
}

int h3_server_open(struct h3_server **out, const struct server_parts *parts, uint16_t port, char *error,
                   size_t error_size) {
    struct h3_server *server = new_server(parts, error, error_size);
    if (!server) return -1;
    struct udp_handler handler = {.received = received, .writable = writable, .context = server};
    if (udp_open(&server->udp, parts->loop, port, &handler, error, error_size) < 0 ||
        set_up_socket(server, error, error_size) < 0) {
        h3_server_close(server);
        return -1;
    }
    server->link = udp_link(server->udp);
    *out = server;
    return 0;
}

void h3_server_granted(const struct h3_server *server, struct transport_granted *granted) {
    granted->udp_batching = udp_batching_of(server->udp);
    granted->udp_send_buffer_bytes = server->send_buffer_bytes;
    granted->udp_receive_buffer_bytes = server->receive_buffer_bytes;
}

void h3_server_close(struct h3_server *server) {
    if (!server) return;
    uint64_t now_ns = clock_now_ns();
    while (server->clients)
        forget(server->clients, "the server stopped", now_ns);
    cid_table_free(&server->cids);
    udp_close(server->udp);
    quic_settings_close(server->settings);
    free(server);
}
