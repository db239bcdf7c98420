// The QUIC transport of flows: both ends in one process, over sockets of the loopback, with an engine that
// only counts. Nothing is held to a time.
#include "quic_meeting.h"

#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "flows/quic_connection.h"
#include "test/native/cmocka_unit.h"

// --- tests

UNIT_TEST(carries_exactly_so_many_bytes) {
    static const uint64_t sizes[] = {1, 1200, 5 * 1000 * 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int direction = FLOW_DOWN; direction <= FLOW_UP; direction++) {
            struct meeting *meeting = meeting_open(1, (enum flow_direction)direction, sizes[i]);
            meeting_listen(meeting);
            meeting_connect(meeting);
            meeting_run(meeting);
            struct flow *sender = &meeting->flows[direction == FLOW_UP][0];
            struct flow *receiver = &meeting->flows[direction == FLOW_DOWN][0];
            meeting_assert_whole(sender, receiver, sizes[i]);
            meeting_close(meeting);
        }
    }
}

UNIT_TEST(carries_a_hundred_at_once) {
    enum { SIZE = 100 * 1000 };
    struct meeting *meeting = meeting_open(FLOWS_MOST, FLOW_DOWN, SIZE);
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting_run(meeting);
    for (size_t i = 0; i < meeting->count; i++)
        meeting_assert_whole(&meeting->flows[0][i], &meeting->flows[1][i], SIZE);
    meeting_close(meeting);
}

UNIT_TEST(has_each_controller) {
    static const char *const names[] = {
        "cubic", "reno", "bbr2", "cubic-n1", "cubic-n2", "gcc", "inter-arrival-2013"};
    enum { ALL = sizeof names / sizeof *names, OF_QUICHE = 3, SIZE = 1000 * 1000 };
    const size_t count = quiche_congestion_calls_ours() ? ALL : OF_QUICHE;
    char error[256];
    struct meeting *meeting = meeting_open(count, FLOW_UP, SIZE);
    for (size_t i = 0; i < count; i++) {
        strcpy(meeting->flows[0][i].plan.congestion, names[i]);
        strcpy(meeting->flows[1][i].plan.congestion, names[i]);
        assert_int_equal(quic_transport.check(meeting->shared[1], names[i], error, sizeof error), 0);
    }
    assert_int_equal(quic_transport.check(meeting->shared[1], "vegas", error, sizeof error), -1);
    assert_memory_equal(error, "QUIC congestion control \"vegas\": must be cubic, reno", 52);
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting_run(meeting);
    for (size_t i = 0; i < count; i++)
        meeting_assert_whole(&meeting->flows[1][i], &meeting->flows[0][i], SIZE);
    meeting_close(meeting);
}

// A receiver whose sender's controller goes by arrivals answers each packet, in whatever batches they come;
// such a sender is not paced.
UNIT_TEST(acknowledges_each_packet_where_the_controller_wants_that) {
    if (!quiche_congestion_calls_ours()) skip();
    enum { SIZE = 3 * 1000 * 1000 };
    static const char *const names[] = {"sprout-ewma", "sprout-ewma-acks"};
    for (size_t i = 0; i < 2; i++) {
        struct meeting *meeting = meeting_open(1, FLOW_DOWN, SIZE);
        struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
        strcpy(far->plan.congestion, names[i]);
        strcpy(near->plan.congestion, names[i]);
        meeting_listen(meeting);
        meeting_connect(meeting);
        meeting_run(meeting);
        meeting_assert_whole(far, near, SIZE);
        const struct flow_sample sender = meeting_sample(far), receiver = meeting_sample(near);
        print_message("%s: %llu packets, %llu back\n", names[i], (unsigned long long)sender.packets_sent,
                      (unsigned long long)receiver.packets_sent);
        assert_int_equal(sender.pacing_bps, FLOW_UNAVAILABLE);
        // Some of the sender's packets only acknowledge.
        if (i == 0) assert_true(receiver.packets_sent >= sender.packets_sent * 9 / 10);
        if (i == 1) assert_true(receiver.packets_sent < sender.packets_sent * 9 / 10);
        meeting_close(meeting);
    }
}

static bool a_megabyte_is_there(const struct meeting *meeting) {
    return meeting->flows[1][0].received_bytes >= 1000 * 1000;
}

static bool far_is_over(const struct meeting *meeting) {
    return meeting_flow_is_over(&meeting->flows[0][0]);
}

UNIT_TEST(ends_when_it_is_cut) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting->is_done = a_megabyte_is_there;
    meeting_run(meeting);

    const struct flow_sample sample = meeting_sample(far);
    assert_true(sample.cwnd_bytes >= 10 * 1200 && sample.cwnd_bytes < FLOW_UNAVAILABLE);
    assert_true(sample.in_flight_bytes <= sample.cwnd_bytes + QUIC_PAYLOAD_BYTES);
    assert_true(sample.srtt_ns > 0 && sample.srtt_ns < LIMIT_NS);
    assert_true(sample.min_rtt_ns > 0 && sample.min_rtt_ns <= sample.srtt_ns);
    assert_true(sample.packets_sent >= 1000 * 1000 / QUIC_PAYLOAD_BYTES && sample.packets_sent < 1000 * 1000);
    assert_true(sample.pacing_bps > 0 && sample.pacing_bps < FLOW_UNAVAILABLE);
    const struct flow_sample receiver = meeting_sample(near);
    assert_int_equal(receiver.cwnd_bytes, FLOW_UNAVAILABLE);
    assert_true(receiver.packets_sent > 0 && receiver.packets_sent < sample.packets_sent);

    quic_transport.cut(near->connection);
    const uint64_t received_bytes = near->received_bytes;
    quic_transport.release(near->connection);
    near->connection = NULL;
    meeting->is_done = far_is_over;
    meeting_run(meeting);
    assert_true(far->cut_by_peer);
    assert_string_equal(near->failure, "");
    assert_int_equal(near->received_bytes, received_bytes);
    assert_true(far->sent_bytes >= received_bytes);
    meeting_close(meeting);
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

UNIT_TEST(sends_again_what_was_lost) {
    enum { SIZE = 2 * 1000 * 1000 };
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, SIZE);
    const bool ours = quiche_congestion_calls_ours();
    if (ours) strcpy(meeting->flows[0][0].plan.congestion, "cubic-n2");
    meeting_listen(meeting);
    lose_from_far(meeting, 30);
    meeting_connect(meeting);
    meeting_run(meeting);
    meeting_assert_whole(&meeting->flows[0][0], &meeting->flows[1][0], SIZE);
    const struct flow_sample sample = meeting_sample(&meeting->flows[0][0]);
    assert_true(sample.lost_packets >= 10 && sample.lost_packets < 1000);
    assert_true(sample.retransmitted_bytes >= sample.lost_packets * 1000);
    assert_true(sample.retransmitted_bytes < SIZE);
    // quiche does not tell the threshold of its own.
    assert_true(ours ? sample.ssthresh_bytes < SIZE : sample.ssthresh_bytes == FLOW_UNAVAILABLE);
    meeting_close(meeting);
}

static bool far_has_probed(const struct meeting *meeting) {
    const struct quic_connection *far = meeting->flows[0][0].connection;
    quiche_path_stats path;
    return quiche_conn_path_stats(far->quic, 0, &path) == 0 && path.total_pto_count >= 3;
}

// quiche takes all that flow control allows while it probes, which would be counted as sent.
UNIT_TEST(takes_little_from_the_application_while_nothing_arrives) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    meeting_listen(meeting);
    lose_from_far(meeting, 0);
    meeting_connect(meeting);
    meeting->is_done = a_megabyte_is_there;
    meeting_run(meeting);
    const uint64_t window_bytes = meeting_sample(far).cwnd_bytes;
    lose_from_far(meeting, 1000);
    meeting->is_done = far_has_probed;
    meeting_run(meeting);
    assert_true(far->sent_bytes - near->received_bytes < 2 * window_bytes + 256 * 1024);
    meeting_close(meeting);
}

static bool much_is_there(const struct meeting *meeting) {
    return meeting->flows[1][0].received_bytes >= 20 * 1000 * 1000;
}

// Losses must not let it believe, bit by bit, that quiche holds less than it does: what is lost here would
// add up to 0.6 MB.
UNIT_TEST(takes_little_and_sends_whole_packets_through_many_losses) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, FLOW_UNAVAILABLE);
    strcpy(meeting->flows[0][0].plan.congestion, "reno");
    strcpy(meeting->flows[1][0].plan.congestion, "reno");
    meeting_listen(meeting);
    lose_from_far(meeting, 30);
    meeting_connect(meeting);
    meeting->is_done = much_is_there;
    meeting_run(meeting);
    const struct flow_sample sample = meeting_sample(&meeting->flows[0][0]);
    assert_true(sample.lost_packets > 300);
    // A window is no whole number of packets; what is over makes no small one, again and again.
    const double per_packet = (double)meeting->flows[1][0].received_bytes / (double)sample.packets_sent;
    assert_true(per_packet > 0.9 * QUIC_PAYLOAD_BYTES);
    assert_true(meeting->flows[0][0].sent_bytes - meeting->flows[1][0].received_bytes <
                4 * sample.cwnd_bytes + 256 * 1024);
    meeting_close(meeting);
}

static bool near_is_over(const struct meeting *meeting) {
    return meeting_flow_is_over(&meeting->flows[1][0]);
}

UNIT_TEST(says_that_nobody_listens) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, 1000);
    meeting_listen(meeting);
    quic_transport.release(meeting->flows[0][0].connection);
    meeting->flows[0][0].connection = NULL;
    meeting->is_done = near_is_over;
    meeting_connect(meeting);
    meeting_run(meeting);
    assert_string_equal(meeting->flows[1][0].failure, "Connection refused");
    assert_false(meeting->flows[1][0].connected);
    meeting_close(meeting);
}

UNIT_TEST(says_that_the_plans_differ) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, 1000);
    meeting->flows[1][0].plan.size_bytes = 1001;
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting_run(meeting);
    assert_string_equal(meeting->flows[0][0].failure, "the near end asks for another flow than the plan has");
    assert_string_equal(meeting->flows[1][0].failure, "the far end's plan has another flow");
    meeting_close(meeting);
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

UNIT_TEST(writes_qlogs_where_it_can) {
    char folder[64], near[64], far[64], error[256];
    unit_new_folder(folder);
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, 100 * 1000);
    meeting->ends[0].qlog_folder = meeting->ends[1].qlog_folder = folder;
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting_run(meeting);
    snprintf(near, sizeof near, "flow-%d-near.sqlog", meeting->port - FLOW_FIRST_PORT);
    snprintf(far, sizeof far, "flow-%d-far.sqlog", meeting->port - FLOW_FIRST_PORT);
    meeting_close(meeting);
    assert_true(lines_of(folder, near) > 50);
    assert_true(lines_of(folder, far) > 50);
    assert_int_equal(rmdir(folder), 0);

    const struct flow_end end = {.is_near = true, .far_address = "127.0.0.1", .qlog_folder = folder};
    void *shared;
    assert_int_equal(quic_transport.open(&shared, &end, error, sizeof error), -1);
    assert_non_null(strstr(error, "cannot hold qlogs: No such file"));
}
