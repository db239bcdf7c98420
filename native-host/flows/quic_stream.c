// The stream of a QUIC flow: the request, the flow's bytes, and how each end learns that all have arrived.
// What the engine decides (how much is left to send, whether all is there) is the engine's answer.
#include "flows/quic_connection.h"

#include <string.h>

static bool is_near(const struct quic_connection *c) {
    return c->setup->end->is_near;
}

static void write_request(const struct flow_plan *plan, uint8_t request[QUIC_REQUEST_BYTES]) {
    request[0] = plan->direction == FLOW_UP;
    for (unsigned i = 0; i < 8; i++)
        request[1 + i] = (uint8_t)(plan->size_bytes >> (56 - 8 * i));
}

static bool request_is_through(const struct quic_connection *c) {
    return c->request_bytes == QUIC_REQUEST_BYTES;
}

// What quiche took, which it holds from now on; below 0: nothing now.
static ssize_t give(struct quic_connection *c, const uint8_t *bytes, size_t size, bool last) {
    uint64_t code;
    const ssize_t taken = quiche_conn_stream_send(c->quic, QUIC_STREAM, bytes, size, last, &code);
    if (taken > 0) c->sender.held_bytes += (uint64_t)taken;
    return taken;
}

static void send_request(struct quic_connection *c) {
    write_request(flow_plan_of(c->flow), c->request);
    const ssize_t taken =
        give(c, c->request + c->request_bytes, QUIC_REQUEST_BYTES - c->request_bytes, false);
    if (taken > 0) c->request_bytes += (size_t)taken;
}

// quiche takes as much as the window has room for, again and again while the pacer holds packets back: what
// it holds is limited here. With less than the window has room for it would take the application for the
// limit.
static uint64_t most_held(const struct quic_connection *c) {
    enum { LEAST = 64 * 1024, MOST = 16 << 20 };
    const uint64_t bytes = c->room_bytes + LEAST / 2;
    return bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
}

void quic_stream_send(struct quic_connection *c) {
    if (c->phase != QUIC_RUNNING) return;
    if (is_near(c) && !request_is_through(c)) send_request(c);
    if (!c->sends || !request_is_through(c)) return;
    for (const uint64_t most = most_held(c); !c->sent_fin && c->sender.held_bytes < most;) {
        const uint64_t left = flow_bytes_left(c->flow);
        size_t size = FLOW_CONTENT_BYTES;
        if (size > most - c->sender.held_bytes) size = (size_t)(most - c->sender.held_bytes);
        if (size > left) size = (size_t)left;
        const ssize_t taken = give(c, flow_content(c->flow), size, size == left);
        if (taken > 0) flow_sent(c->flow, (uint64_t)taken);
        if (taken < 0 || (size_t)taken < size) return;
        c->sent_fin = size == left;
    }
}

static void take(struct quic_connection *c, const uint8_t *bytes, size_t size) {
    if (!is_near(c) && !request_is_through(c)) {
        size_t of_request = QUIC_REQUEST_BYTES - c->request_bytes;
        if (of_request > size) of_request = size;
        memcpy(c->request + c->request_bytes, bytes, of_request);
        c->request_bytes += of_request;
        bytes += of_request;
        size -= of_request;
    }
    if (size > 0 && !c->sends) flow_received(c->flow, size);
}

static bool is_ours(const struct quic_connection *c) {
    uint8_t expected[QUIC_REQUEST_BYTES];
    write_request(flow_plan_of(c->flow), expected);
    return memcmp(expected, c->request, sizeof expected) == 0;
}

static void end(struct quic_connection *c) {
    c->phase = QUIC_ENDED;
    flow_ended(c->flow);
    if (c->sends)
        quiche_conn_close(c->quic, true, QUIC_FLOW_OVER, NULL, 0);
    else
        give(c, NULL, 0, true);
}

void quic_stream_receive(struct quic_connection *c) {
    bool last = false;
    while (!last && quiche_conn_stream_readable(c->quic, QUIC_STREAM)) {
        uint64_t code;
        const ssize_t size =
            quiche_conn_stream_recv(c->quic, QUIC_STREAM, c->setup->room, QUIC_READ_BYTES, &last, &code);
        if (size < 0) break;
        take(c, c->setup->room, (size_t)size);
    }
    if (c->phase != QUIC_RUNNING) return;
    if (!is_near(c) && request_is_through(c) && !is_ours(c)) {
        c->phase = QUIC_OVER;
        flow_failed(c->flow, "the near end asks for another flow than the plan has");
        quiche_conn_close(c->quic, true, QUIC_FLOW_OTHER, NULL, 0);
    } else if (c->sends ? last : flow_has_all(c->flow)) {
        end(c);
    }
}
