// The QUIC transport of flows: both ends in one process, over sockets of the loopback, with an engine that
// only counts. Nothing is held to a time.
#include "flows/quic_flow.h"

#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "flows/quic_connection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLOWS_MOST = 100, PORT_TRIES = 20 };
static const uint64_t LIMIT_NS = 60 * NS_PER_S; // of a test that hangs

// --- an engine that counts

struct flow {
    struct meeting *meeting;
    struct flow_plan plan;
    bool is_near;
    void *connection;
    uint64_t sent_bytes, received_bytes;
    bool connected, ended, closed, cut_by_peer;
    char congestion[32];
    char failure[128];
};

struct meeting {
    struct loop *loop;
    struct flow_end ends[2]; // far, near
    void *shared[2];
    struct flow flows[2][FLOWS_MOST];
    size_t count;
    uint16_t port; // of the first flow
    struct loop_timer limit;
    bool late;
    bool (*is_done)(const struct meeting *meeting);
    uint8_t content[FLOW_CONTENT_BYTES];
    // What packets from the far end go through.
    struct udp_link link;
    unsigned lose_of_1000;
    unsigned random;
};

void flow_enter(struct flow *flow) {
    assert_non_null(flow);
}

static bool is_over(const struct flow *flow) {
    return flow->closed || flow->cut_by_peer || flow->failure[0];
}

static bool all_are_over(const struct meeting *meeting) {
    for (size_t i = 0; i < meeting->count; i++)
        if (!is_over(&meeting->flows[0][i]) || !is_over(&meeting->flows[1][i])) return false;
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
    assert_false(flow->ended || is_over(flow));
    flow->ended = true;
}

void flow_closed(struct flow *flow) {
    assert_true(flow->ended && !is_over(flow));
    flow->closed = true;
}

void flow_cut_by_peer(struct flow *flow) {
    assert_false(flow->ended || is_over(flow));
    flow->cut_by_peer = true;
}

void flow_failed(struct flow *flow, const char *why, ...) {
    assert_false(is_over(flow));
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(flow->failure, sizeof flow->failure, why, arguments);
    va_end(arguments);
}

// --- a meeting of two ends

static const struct flow_transport *const quic = &quic_transport;

static void too_late(void *context, uint64_t now_ns) {
    struct meeting *meeting = context;
    (void)now_ns;
    meeting->late = true;
    loop_stop(meeting->loop);
}

static struct meeting *new_meeting(size_t count, enum flow_direction direction, uint64_t size_bytes) {
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
        assert_int_equal(quic->open(&meeting->shared[near], &meeting->ends[near], error, sizeof error), 0);
        for (size_t i = 0; i < count; i++)
            meeting->flows[near][i] = (struct flow){.meeting = meeting,
                                                    .is_near = near,
                                                    .plan = {.transport = quic,
                                                             .congestion = "cubic",
                                                             .direction = direction,
                                                             .duration_ms = FLOW_UNAVAILABLE,
                                                             .size_bytes = size_bytes}};
    }
    return meeting;
}

// Ports that nobody has: a row of them, tried from several places.
static void listen_all(struct meeting *meeting) {
    char error[256] = "";
    srand((unsigned)clock_now_ns());
    for (int tried = 0; tried < PORT_TRIES; tried++) {
        meeting->port = (uint16_t)(22000 + rand() % 10000);
        size_t open = 0;
        for (; open < meeting->count; open++) {
            struct flow *flow = &meeting->flows[0][open];
            flow->connection =
                quic->listen(meeting->shared[0], flow, (uint16_t)(meeting->port + open), error, sizeof error);
            if (!flow->connection) break;
        }
        if (open == meeting->count) return;
        while (open-- > 0) {
            quic->release(meeting->flows[0][open].connection);
            meeting->flows[0][open].connection = NULL;
        }
    }
    fail_msg("no free ports: %s", error);
}

static void connect_all(struct meeting *meeting) {
    char error[256];
    for (size_t i = 0; i < meeting->count; i++) {
        struct flow *flow = &meeting->flows[1][i];
        flow->connection =
            quic->connect(meeting->shared[1], flow, (uint16_t)(meeting->port + i), error, sizeof error);
        if (!flow->connection) fail_msg("%s", error);
    }
}

static void run(struct meeting *meeting) {
    meeting->late = false;
    loop_timer_set(meeting->loop, &meeting->limit, clock_now_ns() + LIMIT_NS);
    assert_int_equal(loop_run(meeting->loop), 0);
    loop_timer_clear(meeting->loop, &meeting->limit);
    if (meeting->late)
        fail_msg("not done: sent %llu, received %llu", (unsigned long long)meeting->flows[0][0].sent_bytes,
                 (unsigned long long)meeting->flows[1][0].received_bytes);
}

static void end_meeting(struct meeting *meeting) {
    for (int near = 0; near < 2; near++) {
        for (size_t i = 0; i < meeting->count; i++)
            if (meeting->flows[near][i].connection) quic->release(meeting->flows[near][i].connection);
        quic->close(meeting->shared[near]);
    }
    loop_close(meeting->loop);
    free(meeting);
}

static struct flow_sample sample_of(const struct flow *flow) {
    struct flow_sample sample;
    memset(&sample, 0xff, sizeof sample);
    quic->sample(flow->connection, &sample);
    return sample;
}

static void assert_whole(const struct flow *sender, const struct flow *receiver, uint64_t size_bytes) {
    assert_string_equal(sender->failure, "");
    assert_string_equal(receiver->failure, "");
    assert_int_equal(sender->sent_bytes, size_bytes);
    assert_int_equal(receiver->received_bytes, size_bytes);
    assert_true(sender->ended && sender->closed && receiver->ended && receiver->closed);
    assert_string_equal(sender->congestion, sender->plan.congestion);
    assert_string_equal(receiver->congestion, "");
}

// --- tests

static void carries_exactly_so_many_bytes(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 1200, 5 * 1000 * 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int direction = FLOW_DOWN; direction <= FLOW_UP; direction++) {
            struct meeting *meeting = new_meeting(1, (enum flow_direction)direction, sizes[i]);
            listen_all(meeting);
            connect_all(meeting);
            run(meeting);
            struct flow *sender = &meeting->flows[direction == FLOW_UP][0];
            struct flow *receiver = &meeting->flows[direction == FLOW_DOWN][0];
            assert_whole(sender, receiver, sizes[i]);
            end_meeting(meeting);
        }
    }
}

static void carries_a_hundred_at_once(void **state) {
    (void)state;
    enum { SIZE = 100 * 1000 };
    struct meeting *meeting = new_meeting(FLOWS_MOST, FLOW_DOWN, SIZE);
    listen_all(meeting);
    connect_all(meeting);
    run(meeting);
    for (size_t i = 0; i < meeting->count; i++)
        assert_whole(&meeting->flows[0][i], &meeting->flows[1][i], SIZE);
    end_meeting(meeting);
}

static void has_each_controller(void **state) {
    (void)state;
    static const char *const names[] = {
        "cubic", "reno", "bbr2", "cubic-n1", "cubic-n2", "gcc", "inter-arrival-2013"};
    enum { ALL = sizeof names / sizeof *names, OF_QUICHE = 3, SIZE = 1000 * 1000 };
    const size_t count = quiche_congestion_calls_ours() ? ALL : OF_QUICHE;
    char error[256];
    struct meeting *meeting = new_meeting(count, FLOW_UP, SIZE);
    for (size_t i = 0; i < count; i++) {
        strcpy(meeting->flows[0][i].plan.congestion, names[i]);
        strcpy(meeting->flows[1][i].plan.congestion, names[i]);
        assert_int_equal(quic->check(meeting->shared[1], names[i], error, sizeof error), 0);
    }
    assert_int_equal(quic->check(meeting->shared[1], "vegas", error, sizeof error), -1);
    assert_memory_equal(error, "QUIC congestion control \"vegas\": must be cubic, reno", 52);
    listen_all(meeting);
    connect_all(meeting);
    run(meeting);
    for (size_t i = 0; i < count; i++)
        assert_whole(&meeting->flows[1][i], &meeting->flows[0][i], SIZE);
    end_meeting(meeting);
}

// A receiver whose sender's controller goes by arrivals answers each packet, in whatever batches they come;
// such a sender is not paced.
static void acknowledges_each_packet_where_the_controller_wants_that(void **state) {
    (void)state;
    if (!quiche_congestion_calls_ours()) skip();
    enum { SIZE = 3 * 1000 * 1000 };
    static const char *const names[] = {"sprout-ewma", "sprout-ewma-acks"};
    for (size_t i = 0; i < 2; i++) {
        struct meeting *meeting = new_meeting(1, FLOW_DOWN, SIZE);
        struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
        strcpy(far->plan.congestion, names[i]);
        strcpy(near->plan.congestion, names[i]);
        listen_all(meeting);
        connect_all(meeting);
        run(meeting);
        assert_whole(far, near, SIZE);
        const struct flow_sample sender = sample_of(far), receiver = sample_of(near);
        print_message("%s: %llu packets, %llu back\n", names[i], (unsigned long long)sender.packets_sent,
                      (unsigned long long)receiver.packets_sent);
        assert_int_equal(sender.pacing_bps, FLOW_UNAVAILABLE);
        // Some of the sender's packets only acknowledge.
        if (i == 0) assert_true(receiver.packets_sent >= sender.packets_sent * 9 / 10);
        if (i == 1) assert_true(receiver.packets_sent < sender.packets_sent * 9 / 10);
        end_meeting(meeting);
    }
}

static bool a_megabyte_is_there(const struct meeting *meeting) {
    return meeting->flows[1][0].received_bytes >= 1000 * 1000;
}

static bool far_is_over(const struct meeting *meeting) {
    return is_over(&meeting->flows[0][0]);
}

static void ends_when_it_is_cut(void **state) {
    (void)state;
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    listen_all(meeting);
    connect_all(meeting);
    meeting->is_done = a_megabyte_is_there;
    run(meeting);

    const struct flow_sample sample = sample_of(far);
    assert_true(sample.cwnd_bytes >= 10 * 1200 && sample.cwnd_bytes < FLOW_UNAVAILABLE);
    assert_true(sample.in_flight_bytes <= sample.cwnd_bytes + QUIC_PAYLOAD_BYTES);
    assert_true(sample.srtt_ns > 0 && sample.srtt_ns < LIMIT_NS);
    assert_true(sample.min_rtt_ns > 0 && sample.min_rtt_ns <= sample.srtt_ns);
    assert_true(sample.packets_sent >= 1000 * 1000 / QUIC_PAYLOAD_BYTES && sample.packets_sent < 1000 * 1000);
    assert_true(sample.pacing_bps > 0 && sample.pacing_bps < FLOW_UNAVAILABLE);
    const struct flow_sample receiver = sample_of(near);
    assert_int_equal(receiver.cwnd_bytes, FLOW_UNAVAILABLE);
    assert_true(receiver.packets_sent > 0 && receiver.packets_sent < sample.packets_sent);

    quic->cut(near->connection);
    const uint64_t received_bytes = near->received_bytes;
    quic->release(near->connection);
    near->connection = NULL;
    meeting->is_done = far_is_over;
    run(meeting);
    assert_true(far->cut_by_peer);
    assert_string_equal(near->failure, "");
    assert_int_equal(near->received_bytes, received_bytes);
    assert_true(far->sent_bytes >= received_bytes);
    end_meeting(meeting);
}

static unsigned draw(struct meeting *meeting, unsigned below) {
    meeting->random = meeting->random * 1103515245u + 12345u;
    return (meeting->random >> 16) % below;
}

static int lossy_send(void *context, const struct udp_burst *burst) {
    struct meeting *meeting = context;
    for (size_t at = 0; at < burst->size; at += burst->segment_size) {
        struct udp_burst one = *burst;
        one.bytes += at;
        one.size = burst->size - at < burst->segment_size ? burst->size - at : burst->segment_size;
        if (draw(meeting, 1000) >= meeting->lose_of_1000)
            meeting->link.send(meeting->link.context, &one); // no room: lost as well
    }
    return 1;
}

static void lose_from_far(struct meeting *meeting, unsigned of_1000) {
    struct quic_connection *far = meeting->flows[0][0].connection;
    meeting->lose_of_1000 = of_1000;
    if (meeting->link.send) return;
    meeting->link = far->link;
    far->link = (struct udp_link){lossy_send, meeting};
}

static void sends_again_what_was_lost(void **state) {
    (void)state;
    enum { SIZE = 2 * 1000 * 1000 };
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, SIZE);
    const bool ours = quiche_congestion_calls_ours();
    if (ours) strcpy(meeting->flows[0][0].plan.congestion, "cubic-n2");
    listen_all(meeting);
    lose_from_far(meeting, 30);
    connect_all(meeting);
    run(meeting);
    assert_whole(&meeting->flows[0][0], &meeting->flows[1][0], SIZE);
    const struct flow_sample sample = sample_of(&meeting->flows[0][0]);
    assert_true(sample.lost_packets >= 10 && sample.lost_packets < 1000);
    assert_true(sample.retransmitted_bytes >= sample.lost_packets * 1000);
    assert_true(sample.retransmitted_bytes < SIZE);
    // quiche does not tell the threshold of its own.
    assert_true(ours ? sample.ssthresh_bytes < SIZE : sample.ssthresh_bytes == FLOW_UNAVAILABLE);
    end_meeting(meeting);
}

static bool far_has_probed(const struct meeting *meeting) {
    const struct quic_connection *far = meeting->flows[0][0].connection;
    quiche_path_stats path;
    return quiche_conn_path_stats(far->quic, 0, &path) == 0 && path.total_pto_count >= 3;
}

// quiche takes all that flow control allows while it probes, which would be counted as sent.
static void takes_little_from_the_application_while_nothing_arrives(void **state) {
    (void)state;
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    listen_all(meeting);
    lose_from_far(meeting, 0);
    connect_all(meeting);
    meeting->is_done = a_megabyte_is_there;
    run(meeting);
    const uint64_t window_bytes = sample_of(far).cwnd_bytes;
    lose_from_far(meeting, 1000);
    meeting->is_done = far_has_probed;
    run(meeting);
    assert_true(far->sent_bytes - near->received_bytes < 2 * window_bytes + 256 * 1024);
    end_meeting(meeting);
}

static bool much_is_there(const struct meeting *meeting) {
    return meeting->flows[1][0].received_bytes >= 20 * 1000 * 1000;
}

// Losses must not let it believe, bit by bit, that quiche holds less than it does: what is lost here would
// add up to 0.6 MB.
static void takes_little_and_sends_whole_packets_through_many_losses(void **state) {
    (void)state;
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    strcpy(meeting->flows[0][0].plan.congestion, "reno");
    strcpy(meeting->flows[1][0].plan.congestion, "reno");
    listen_all(meeting);
    lose_from_far(meeting, 30);
    connect_all(meeting);
    meeting->is_done = much_is_there;
    run(meeting);
    const struct flow_sample sample = sample_of(&meeting->flows[0][0]);
    assert_true(sample.lost_packets > 300);
    // A window is no whole number of packets; what is over makes no small one, again and again.
    const double per_packet = (double)meeting->flows[1][0].received_bytes / (double)sample.packets_sent;
    assert_true(per_packet > 0.9 * QUIC_PAYLOAD_BYTES);
    assert_true(meeting->flows[0][0].sent_bytes - meeting->flows[1][0].received_bytes <
                4 * sample.cwnd_bytes + 256 * 1024);
    end_meeting(meeting);
}

static bool near_is_over(const struct meeting *meeting) {
    return is_over(&meeting->flows[1][0]);
}

static void says_that_nobody_listens(void **state) {
    (void)state;
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, 1000);
    listen_all(meeting);
    quic->release(meeting->flows[0][0].connection);
    meeting->flows[0][0].connection = NULL;
    meeting->is_done = near_is_over;
    connect_all(meeting);
    run(meeting);
    assert_string_equal(meeting->flows[1][0].failure, "Connection refused");
    assert_false(meeting->flows[1][0].connected);
    end_meeting(meeting);
}

static void says_that_the_plans_differ(void **state) {
    (void)state;
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, 1000);
    meeting->flows[1][0].plan.size_bytes = 1001;
    listen_all(meeting);
    connect_all(meeting);
    run(meeting);
    assert_string_equal(meeting->flows[0][0].failure, "the near end asks for another flow than the plan has");
    assert_string_equal(meeting->flows[1][0].failure, "the far end's plan has another flow");
    end_meeting(meeting);
}

static size_t lines_of(const char *folder, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t lines = 0;
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    assert_int_equal(unlink(path), 0);
    return lines;
}

static void writes_qlogs_where_it_can(void **state) {
    (void)state;
    char folder[] = "/tmp/trilane-quic-flow-XXXXXX", near[64], far[64], error[256];
    assert_non_null(mkdtemp(folder));
    struct meeting *meeting = new_meeting(1, FLOW_DOWN, 100 * 1000);
    meeting->ends[0].qlog_folder = meeting->ends[1].qlog_folder = folder;
    listen_all(meeting);
    connect_all(meeting);
    run(meeting);
    snprintf(near, sizeof near, "flow-%d-near.sqlog", meeting->port - FLOW_FIRST_PORT);
    snprintf(far, sizeof far, "flow-%d-far.sqlog", meeting->port - FLOW_FIRST_PORT);
    end_meeting(meeting);
    assert_true(lines_of(folder, near) > 50);
    assert_true(lines_of(folder, far) > 50);
    assert_int_equal(rmdir(folder), 0);

    const struct flow_end end = {.is_near = true, .far_address = "127.0.0.1", .qlog_folder = folder};
    void *shared;
    assert_int_equal(quic->open(&shared, &end, error, sizeof error), -1);
    assert_non_null(strstr(error, "cannot hold qlogs: No such file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_exactly_so_many_bytes),
        cmocka_unit_test(carries_a_hundred_at_once),
        cmocka_unit_test(has_each_controller),
        cmocka_unit_test(acknowledges_each_packet_where_the_controller_wants_that),
        cmocka_unit_test(ends_when_it_is_cut),
        cmocka_unit_test(sends_again_what_was_lost),
        cmocka_unit_test(takes_little_from_the_application_while_nothing_arrives),
        cmocka_unit_test(takes_little_and_sends_whole_packets_through_many_losses),
        cmocka_unit_test(says_that_nobody_listens),
        cmocka_unit_test(says_that_the_plans_differ),
        cmocka_unit_test(writes_qlogs_where_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
