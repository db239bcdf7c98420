#include "quic_meeting.h"
#include "test/native/cmocka_unit.h"

enum { PORT_TRIES = 20 };

void flow_enter(struct flow *flow) {
    assert_non_null(flow);
}

bool meeting_flow_is_over(const struct flow *flow) {
    return flow->closed || flow->cut_by_peer || flow->failure[0];
}

static bool all_are_over(const struct meeting *meeting) {
    for (size_t i = 0; i < meeting->count; i++)
        if (!meeting_flow_is_over(&meeting->flows[0][i]) || !meeting_flow_is_over(&meeting->flows[1][i]))
            return false;
    return true;
}

void flow_leave(struct flow *flow) {
    if (flow->meeting->is_done(flow->meeting)) loop_stop(flow->meeting->loop);
}

const struct flow_plan *flow_plan_of(const struct flow *flow) {
    return &flow->plan;
}

bool flow_is_sender(const struct flow *flow) {
    return flow->is_near == (flow->plan.direction == FLOW_UP);
}

void flow_connected(struct flow *flow, const char *local, const char *peer, const char *congestion) {
    assert_false(flow->connected);
    flow->connected = true;
    assert_memory_equal(local, "127.0.0.1:", 10);
    assert_memory_equal(peer, "127.0.0.1:", 10);
    snprintf(flow->congestion, sizeof flow->congestion, "%s", congestion ? congestion : "");
}

uint64_t flow_bytes_left(const struct flow *flow) {
    return flow->plan.size_bytes == FLOW_UNAVAILABLE ? FLOW_UNAVAILABLE
                                                     : flow->plan.size_bytes - flow->sent_bytes;
}

const uint8_t *flow_content(const struct flow *flow) {
    return flow->meeting->content;
}

void flow_sent(struct flow *flow, uint64_t bytes) {
    assert_true(flow_is_sender(flow) && flow->connected && bytes > 0);
    flow->sent_bytes += bytes;
}

void flow_received(struct flow *flow, uint64_t bytes) {
    assert_true(!flow_is_sender(flow) && bytes > 0);
    flow->received_bytes += bytes;
}

bool flow_has_all(const struct flow *flow) {
    return flow->received_bytes == flow->plan.size_bytes;
}

void flow_ended(struct flow *flow) {
    assert_false(flow->ended || meeting_flow_is_over(flow));
    flow->ended = true;
}

void flow_closed(struct flow *flow) {
    assert_true(flow->ended && !meeting_flow_is_over(flow));
    flow->closed = true;
}

void flow_cut_by_peer(struct flow *flow) {
    assert_false(flow->ended || meeting_flow_is_over(flow));
    flow->cut_by_peer = true;
}

void flow_failed(struct flow *flow, const char *why, ...) {
    assert_false(meeting_flow_is_over(flow));
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(flow->failure, sizeof flow->failure, why, arguments);
    va_end(arguments);
}

// --- a meeting of two ends

static void too_late(void *context, uint64_t now_ns) {
    struct meeting *meeting = context;
    (void)now_ns;
    meeting->late = true;
    loop_stop(meeting->loop);
}

struct meeting *meeting_open(size_t count, enum flow_direction direction, uint64_t size_bytes) {
    struct meeting *meeting = calloc(1, sizeof *meeting);
    char error[256];
    assert_non_null(meeting);
    assert_int_equal(loop_open(&meeting->loop), 0);
    meeting->count = count;
    meeting->is_done = all_are_over;
    meeting->random = 1;
    meeting->limit = (struct loop_timer){.due = too_late, .context = meeting};
    for (int near = 0; near < 2; near++) {
        meeting->ends[near] =
            (struct flow_end){.loop = meeting->loop, .is_near = near, .far_address = "127.0.0.1"};
        assert_int_equal(
            quic_transport.open(&meeting->shared[near], &meeting->ends[near], error, sizeof error), 0);
        for (size_t i = 0; i < count; i++)
            meeting->flows[near][i] = (struct flow){.meeting = meeting,
                                                    .is_near = near,
                                                    .plan = {.transport = &quic_transport,
                                                             .congestion = "cubic",
                                                             .direction = direction,
                                                             .duration_ms = FLOW_UNAVAILABLE,
                                                             .size_bytes = size_bytes}};
    }
    return meeting;
}

// Ports that nobody has: a row of them, tried from several places.
void meeting_listen(struct meeting *meeting) {
    char error[256] = "";
    srand((unsigned)clock_now_ns());
    for (int tried = 0; tried < PORT_TRIES; tried++) {
        meeting->port = (uint16_t)(22000 + rand() % 10000);
        size_t open = 0;
        for (; open < meeting->count; open++) {
            struct flow *flow = &meeting->flows[0][open];
            flow->connection = quic_transport.listen(meeting->shared[0], flow,
                                                     (uint16_t)(meeting->port + open), error, sizeof error);
            if (!flow->connection) break;
        }
        if (open == meeting->count) return;
        while (open-- > 0) {
            quic_transport.release(meeting->flows[0][open].connection);
            meeting->flows[0][open].connection = NULL;
        }
    }
    fail_msg("no free ports: %s", error);
}

void meeting_connect(struct meeting *meeting) {
    char error[256];
    for (size_t i = 0; i < meeting->count; i++) {
        struct flow *flow = &meeting->flows[1][i];
        const uint16_t port = meeting->nat_port ? meeting->nat_port : (uint16_t)(meeting->port + i);
        flow->connection = quic_transport.connect(meeting->shared[1], flow, port, error, sizeof error);
        if (!flow->connection) fail_msg("%s", error);
    }
}

void meeting_run(struct meeting *meeting) {
    meeting->late = false;
    loop_timer_set(meeting->loop, &meeting->limit, clock_now_ns() + LIMIT_NS);
    assert_int_equal(loop_run(meeting->loop), 0);
    loop_timer_clear(meeting->loop, &meeting->limit);
    if (meeting->late)
        fail_msg("not done: sent %llu, received %llu", (unsigned long long)meeting->flows[0][0].sent_bytes,
                 (unsigned long long)meeting->flows[1][0].received_bytes);
}

void meeting_close(struct meeting *meeting) {
    for (int near = 0; near < 2; near++) {
        for (size_t i = 0; i < meeting->count; i++)
            if (meeting->flows[near][i].connection)
                quic_transport.release(meeting->flows[near][i].connection);
        quic_transport.close(meeting->shared[near]);
    }
    loop_close(meeting->loop);
    free(meeting);
}

struct flow_sample meeting_sample(const struct flow *flow) {
    struct flow_sample sample;
    memset(&sample, 0xff, sizeof sample);
    quic_transport.sample(flow->connection, &sample);
    return sample;
}

void meeting_assert_whole(const struct flow *sender, const struct flow *receiver, uint64_t size_bytes) {
    assert_string_equal(sender->failure, "");
    assert_string_equal(receiver->failure, "");
    assert_int_equal(sender->sent_bytes, size_bytes);
    assert_int_equal(receiver->received_bytes, size_bytes);
    assert_true(sender->ended && sender->closed && receiver->ended && receiver->closed);
    assert_string_equal(sender->congestion, sender->plan.congestion);
    assert_string_equal(receiver->congestion, "");
}
