// The life of a QUIC flow's connection at either end: its socket, its handshake, its turns after packets came
// in or its timer ran out, its end.
#include "flows/transports.h"

#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "flows/quic_connection.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_BYTES = 4 << 20, // of a socket, each way: as far as the kernel grants it
    FIRST_PACKET_BYTES = 1200,
    QUICHE_INITIAL_PACKET = 1, // what quiche_header_info calls the type
    QUIC_APPLICATION_ERROR =
        0x0c, // what an application's code becomes within the handshake (RFC 9000, 10.2.3)
    ADDRESS_SIZE = INET6_ADDRSTRLEN + sizeof "[]:65535",
};

static void address_text(const struct sockaddr_in6 *address, char text[ADDRESS_SIZE]) {
    char host[INET6_ADDRSTRLEN];
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&address->sin6_addr);
    inet_ntop(mapped ? AF_INET : AF_INET6, &address->sin6_addr.s6_addr[mapped ? 12 : 0], host, sizeof host);
    snprintf(text, ADDRESS_SIZE, mapped ? "%s:%u" : "[%s]:%u", host, ntohs(address->sin6_port));
}

static void start_qlog(struct quic_connection *c) {
    const struct flow_end *end = c->setup->end;
    char path[4096], times[96];
    if (!end->qlog_folder) return;
    snprintf(path, sizeof path, "%s/flow-%d-%s.sqlog", end->qlog_folder, c->port - FLOW_FIRST_PORT,
             end->is_near ? "near" : "far");
    snprintf(times, sizeof times, "times are milliseconds since CLOCK_MONOTONIC %llu ns",
             (unsigned long long)clock_now_ns());
    quiche_conn_set_qlog_path(c->quic, path, "trilane-flows", times);
}

// --- its turns

static void tell_why(struct quic_connection *c) {
    bool application = false;
    uint64_t code = 0;
    const uint8_t *text;
    size_t size;
    if (c->refused)
        flow_failed(c->flow, "Connection refused");
    else if (quiche_conn_peer_error(c->quic, &application, &code, &text, &size)) {
        if (application ? code == QUIC_FLOW_OVER : code == QUIC_APPLICATION_ERROR)
            flow_cut_by_peer(c->flow);
        else if (application && code == QUIC_FLOW_OTHER)
            flow_failed(c->flow, "the far end's plan has another flow");
        else
            flow_failed(c->flow, "the peer closed with QUIC error 0x%llx", (unsigned long long)code);
    } else if (quiche_conn_local_error(c->quic, &application, &code, &text, &size))
        flow_failed(c->flow, "closed with QUIC error 0x%llx", (unsigned long long)code);
    else
        flow_failed(c->flow, "no answer for %d s", QUIC_IDLE_TIMEOUT_S);
}

static void over(struct quic_connection *c) {
    const bool ended = c->phase == QUIC_ENDED;
    c->phase = QUIC_OVER;
    loop_timer_clear(c->setup->end->loop, &c->timer);
    quic_move_stop(c);
    if (ended)
        flow_closed(c->flow);
    else
        tell_why(c);
}

static void connected(struct quic_connection *c) {
    char local[ADDRESS_SIZE], peer[ADDRESS_SIZE];
    address_text(&c->local, local);
    address_text(&c->peer, peer);
    const struct congestion_controller *ours = quiche_congestion_of(c->quic);
    if (!ours && congestion_find(c->controller->name)) {
        c->phase = QUIC_OVER;
        flow_failed(c->flow, "memory is short");
        return;
    }
    c->phase = QUIC_RUNNING;
    quic_packets_start(c);
    quic_move_start(c);
    // quiche does not tell which of its own it uses: the one it took the name of.
    flow_connected(c->flow, local, peer, !c->sends ? NULL : ours ? ours->name : c->controller->name);
}

// At the far end a client that moved; the client's own moves are its own doing (quic_move.c).
static void follow_paths(struct quic_connection *c) {
    const uint64_t now_ns = clock_now_ns();
    const bool followed = quiche_paths_turn(&c->sender.paths, c->quic, now_ns);
    // On a path without a round trip measured yet the first packets leave at once, as at the start.
    if (quic_move_turn(c, now_ns) || followed)
        pacer_init(&c->sender.pacer, QUIC_PAYLOAD_BYTES, QUIC_INITIAL_PACKETS);
    const bool moves = c->phase != QUIC_OPENING && flow_plan_of(c->flow)->migrate_ms > 0;
    uint8_t id[QUIC_CID_BYTES];
    while ((moves || c->sender.paths.count > 0) && quiche_paths_spare_id(c->quic, moves, id, sizeof id))
        ; // all that comes to the socket is this connection's
}

void quic_connection_turn(struct quic_connection *c) {
    follow_paths(c);
    if (c->phase == QUIC_OPENING && quiche_conn_is_established(c->quic)) connected(c);
    quic_stream_receive(c);
    quic_packets_turn(c);
    if (c->phase == QUIC_OVER)
        loop_timer_clear(c->setup->end->loop, &c->timer);
    else if (c->refused || quiche_conn_is_closed(c->quic) || quiche_conn_is_draining(c->quic))
        over(c);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct quic_connection *c = context;
    flow_enter(c->flow);
    if (quiche_conn_timeout_as_nanos(c->quic) == 0) {
        quiche_conn_on_timeout(c->quic);
        c->timed_out = true;
    }
    if (c->silence_ns > 0 && now_ns >= c->silence_ns) {
        c->silence_ns = 0; // quiche asks again by itself
        quiche_conn_send_ack_eliciting(c->quic);
    }
    quic_connection_turn(c);
    flow_leave(c->flow);
}

static bool is_first(const struct udp_packet *packet) {
    uint32_t version;
    uint8_t type, scid[QUICHE_MAX_CONN_ID_LEN], dcid[QUICHE_MAX_CONN_ID_LEN], token[256];
    size_t scid_size = sizeof scid, dcid_size = sizeof dcid, token_size = sizeof token;
    return packet->size >= FIRST_PACKET_BYTES &&
           quiche_header_info(packet->bytes, packet->size, QUIC_CID_BYTES, &version, &type, scid, &scid_size,
                              dcid, &dcid_size, token, &token_size) == 0 &&
           packet->bytes[0] & 0x80 && quiche_version_is_supported(version) && type == QUICHE_INITIAL_PACKET;
}

static void accept_client(struct quic_connection *c, const struct udp_packet *packet) {
    uint8_t scid[QUIC_CID_BYTES];
    RAND_bytes(scid, sizeof scid);
    SSL *ssl = quic_setup_server_tls(c->setup);
    c->local = packet->local;
    c->peer = packet->peer;
    if (ssl) // quiche owns it from here, also when this fails
        c->quic = quiche_conn_new_with_tls(scid, sizeof scid, NULL, 0, (struct sockaddr *)&c->local,
                                           sizeof c->local, (struct sockaddr *)&c->peer, sizeof c->peer,
                                           c->controller->config, ssl, true);
    if (c->quic) start_qlog(c);
}

static void on_packets(void *context, struct udp_packet *packets, size_t count) {
    struct quic_connection *c = context;
    flow_enter(c->flow);
    for (size_t i = 0; i < count; i++) {
        if (!c->quic && c->phase == QUIC_OPENING && is_first(&packets[i])) accept_client(c, &packets[i]);
        if (!c->quic) continue;
        quiche_recv_info info = {(struct sockaddr *)&packets[i].peer, sizeof packets[i].peer,
                                 (struct sockaddr *)&packets[i].local, sizeof packets[i].local};
        quiche_conn_recv(c->quic, packets[i].bytes, packets[i].size, &info); // its errors show in the turn
        // quiche acknowledges what has come in since it last made a packet.
        if (c->acks_singly && c->phase == QUIC_RUNNING && i + 1 < count) quic_connection_turn(c);
    }
    if (c->quic) quic_packets_heard(c, clock_now_ns());
    if (c->quic && c->phase == QUIC_OVER)
        quic_stream_receive(c);
    else if (c->quic)
        quic_connection_turn(c);
    flow_leave(c->flow);
}

static void on_room(void *context) {
    struct quic_connection *c = context;
    if (!c->quic || c->phase == QUIC_OVER) return;
    flow_enter(c->flow);
    c->sender.burst.no_room = false;
    quic_connection_turn(c);
    flow_leave(c->flow);
}

// There is no listener there (any more).
static void on_refused(void *context) {
    struct quic_connection *c = context;
    if (!c->quic || c->phase == QUIC_OVER) return;
    flow_enter(c->flow);
    c->refused = true;
    over(c);
    flow_leave(c->flow);
}

// --- what the engine asks for

static int quic_open(void **shared, const struct flow_end *end, char *error, size_t error_size) {
    struct quic_setup *setup;
    if (quic_setup_open(&setup, end, error, error_size) < 0) return -1;
    *shared = setup;
    return 0;
}

static void quic_close(void *shared) {
    quic_setup_close(shared);
}

static int quic_check(void *shared, const char *congestion, char *error, size_t error_size) {
    return quic_setup_controller(shared, congestion, error, error_size) ? 0 : -1;
}

static void quic_release(void *connection) {
    struct quic_connection *c = connection;
    loop_timer_clear(c->setup->end->loop, &c->timer);
    if (c->quic) quiche_conn_free(c->quic);
    quiche_paths_free(&c->sender.paths);
    quic_move_free(c);
    udp_close(c->udp);
    free(c);
}

struct udp *quic_connection_socket(struct quic_connection *c, uint16_t port, char *error, size_t error_size) {
    const struct udp_handler handler = {on_packets, on_room, c, on_refused};
    struct udp *udp;
    if (udp_open(&udp, c->setup->end->loop, port, &handler, error, error_size) < 0) return NULL;
    udp_set_send_buffer(udp, BUFFER_BYTES);
    udp_set_receive_buffer(udp, BUFFER_BYTES);
    return udp;
}

// With a socket, the far end's bound to `port`.
static struct quic_connection *new_connection(struct quic_setup *setup, struct flow *flow, uint16_t port,
                                              char *error, size_t error_size) {
    const struct quic_controller *controller =
        quic_setup_controller(setup, flow_plan_of(flow)->congestion, error, error_size);
    if (!controller) return NULL;
    struct quic_connection *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(error, error_size, "memory is short");
        return NULL;
    }
    c->flow = flow;
    c->setup = setup;
    c->controller = controller;
    c->port = port;
    c->sends = flow_is_sender(flow);
    const struct congestion_controller *ours = congestion_find(controller->name);
    c->acks_singly = !c->sends && ours && ours->wants_single_acks;
    c->timer = (struct loop_timer){.due = on_timer, .context = c};
    c->sender.payload_bytes = QUIC_PAYLOAD_BYTES;
    c->sender.head_bytes = QUIC_PACKET_HEAD_BYTES;
    c->sender.paced = controller->paced;
    pacer_init(&c->sender.pacer, QUIC_PAYLOAD_BYTES, QUIC_INITIAL_PACKETS);
    if (setup->end->is_near) c->move.every_ns = flow_plan_of(flow)->migrate_ms * NS_PER_MS;
    c->udp = quic_connection_socket(c, setup->end->is_near ? 0 : port, error, error_size);
    if (!c->udp) {
        free(c);
        return NULL;
    }
    c->link = c->move.every_ns > 0 ? quic_move_link(c) : udp_link(c->udp);
    return c;
}

static void *quic_listen(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    return new_connection(shared, flow, port, error, error_size);
}

static int far_address(struct sockaddr_in6 *out, const char *text, uint16_t port) {
    char mapped[INET6_ADDRSTRLEN + sizeof "::ffff:"];
    snprintf(mapped, sizeof mapped, "%s%s", strchr(text, ':') ? "" : "::ffff:", text);
    *out = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
    return inet_pton(AF_INET6, mapped, &out->sin6_addr) == 1 ? 0 : -1;
}

static int start_client(struct quic_connection *c, char *error, size_t error_size) {
    const char *address = c->setup->end->far_address;
    if (far_address(&c->peer, address, c->port) < 0) {
        snprintf(error, error_size, "\"%s\": must be an address", address);
        return -1;
    }
    if (udp_connect(c->udp, &c->peer, &c->local, error, error_size) < 0) return -1;
    uint8_t scid[QUIC_CID_BYTES];
    RAND_bytes(scid, sizeof scid);
    c->quic = quiche_connect("far.trilane", scid, sizeof scid, (struct sockaddr *)&c->local, sizeof c->local,
                             (struct sockaddr *)&c->peer, sizeof c->peer, c->controller->config);
    if (c->quic) return 0;
    snprintf(error, error_size, "memory is short");
    return -1;
}

static void *quic_connect(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    struct quic_connection *c = new_connection(shared, flow, port, error, error_size);
    if (!c) return NULL;
    if (start_client(c, error, error_size) < 0) {
        quic_release(c);
        return NULL;
    }
    start_qlog(c);
    quic_packets_turn(c);
    return c;
}

static void quic_sample(void *connection, struct flow_sample *sample) {
    quic_packets_sample(connection, sample);
}

static const struct path_change *quic_moves(const void *connection, size_t *count) {
    const struct quic_connection *c = connection;
    *count = c->sender.paths.count;
    return c->sender.paths.changes;
}

static void quic_cut(void *connection) {
    struct quic_connection *c = connection;
    c->phase = QUIC_OVER;
    quic_move_stop(c);
    udp_receive_now(c->udp);
    if (c->move.left) udp_receive_now(c->move.left);
    if (!c->quic) return;
    loop_timer_clear(c->setup->end->loop, &c->timer);
    if (quiche_conn_is_closed(c->quic)) return;
    quiche_conn_close(c->quic, true, QUIC_FLOW_OVER, NULL, 0);
    quic_packets_last(c);
}

const struct flow_transport quic_transport = {
    .name = "quic",
    .can_move = true,
    .open = quic_open,
    .close = quic_close,
    .check = quic_check,
    .listen = quic_listen,
    .connect = quic_connect,
    .sample = quic_sample,
    .moves = quic_moves,
    .cut = quic_cut,
    .release = quic_release,
};
