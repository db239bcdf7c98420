// QUIC flows whose near end's address changes: a NAT of the test's own between the two ends, which gives the
// near end another port now and then; or the near end's own moves. The far end follows, on the same
// connection. Nothing is held to a time.
#include "quic_meeting.h"

#include "congestion/quiche_congestion.h"
#include "quic_io/path_change.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { SIZE = 40 * 1000 * 1000, MOVES = 3, MOVE_BYTES = SIZE / 10, PACKET_MOST = 2048, OWN_MOVES = 4 };

struct nat {
    struct loop *loop;
    struct loop_watch inner, outer;
    struct sockaddr_in near, far;
    unsigned rebound;
};
static struct nat nat;

static struct sockaddr_in loopback(uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
}

static void from_near(void *context, uint32_t events) {
    struct nat *n = context;
    uint8_t bytes[PACKET_MOST];
    socklen_t size = sizeof n->near;
    ssize_t got;
    (void)events;
    while ((got = recvfrom(n->inner.fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&n->near,
                           &size)) > 0)
        send(n->outer.fd, bytes, (size_t)got, MSG_DONTWAIT);
}

static void from_far(void *context, uint32_t events) {
    struct nat *n = context;
    uint8_t bytes[PACKET_MOST];
    ssize_t got;
    (void)events;
    while ((got = recv(n->outer.fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        sendto(n->inner.fd, bytes, (size_t)got, MSG_DONTWAIT, (struct sockaddr *)&n->near, sizeof n->near);
}

static int new_socket(void) {
    const struct sockaddr_in any = loopback(0);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), room = 4 << 20;
    assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    return fd;
}

static void bind_outer(void) {
    nat.outer = (struct loop_watch){.fd = new_socket(), .ready = from_far, .context = &nat};
    assert_int_equal(connect(nat.outer.fd, (struct sockaddr *)&nat.far, sizeof nat.far), 0);
    assert_int_equal(loop_add(nat.loop, &nat.outer, EPOLLIN), 0);
}

static void unbind(struct loop_watch *watch) {
    loop_remove(nat.loop, watch);
    close(watch->fd);
}

// What is under way to the old port is lost.
static void rebind(void) {
    unbind(&nat.outer);
    bind_outer();
    nat.rebound++;
}

static void put_nat_between(struct meeting *meeting) {
    nat = (struct nat){.loop = meeting->loop, .far = loopback(meeting->port)};
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    nat.inner = (struct loop_watch){.fd = new_socket(), .ready = from_near, .context = &nat};
    assert_int_equal(getsockname(nat.inner.fd, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(loop_add(nat.loop, &nat.inner, EPOLLIN), 0);
    bind_outer();
    meeting->nat_port = ntohs(address.sin_port);
}

// Asked after all that happens: the place to move, too.
static bool moves_until_it_is_over(const struct meeting *meeting) {
    const struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    const uint64_t received = far->received_bytes + near->received_bytes;
    size_t count;
    const struct path_change *changes = quic_transport.moves(far->connection, &count);
    const bool followed = nat.rebound == 0 || (count == nat.rebound && changes[count - 1].validated_ns > 0);
    if (nat.rebound < MOVES && followed && received >= (nat.rebound + 1) * (uint64_t)MOVE_BYTES) rebind();
    return meeting_flow_is_over(far) && meeting_flow_is_over(near);
}

static void carry_over_a_nat_that_forgets(enum flow_direction direction, const char *congestion) {
    struct meeting *meeting = meeting_open(1, direction, SIZE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    strcpy(far->plan.congestion, congestion);
    strcpy(near->plan.congestion, congestion);
    meeting_listen(meeting);
    put_nat_between(meeting);
    meeting_connect(meeting);
    meeting->is_done = moves_until_it_is_over;
    meeting_run(meeting);

    struct flow *sender = direction == FLOW_DOWN ? far : near;
    meeting_assert_whole(sender, direction == FLOW_DOWN ? near : far, SIZE);
    assert_int_equal(nat.rebound, MOVES);
    size_t count;
    const struct path_change *changes = quic_transport.moves(far->connection, &count);
    assert_int_equal(count, MOVES);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || changes[i].seen_ns > changes[i - 1].seen_ns);
        assert_true(changes[i].answered_ns >= changes[i].seen_ns);
        assert_true(changes[i].validated_ns >= changes[i].answered_ns);
        if (direction == FLOW_DOWN) assert_true(changes[i].resumed_ns >= changes[i].seen_ns);
    }
    assert_null(quic_transport.moves(near->connection, &count));
    assert_int_equal(count, 0);
    // Cumulative numbers are of all paths.
    const struct flow_sample sample = meeting_sample(sender);
    assert_true(sample.packets_sent >= SIZE / 1350);
    assert_true(sample.retransmitted_bytes < SIZE / 2);
    unbind(&nat.inner);
    unbind(&nat.outer);
    meeting_close(meeting);
}

UNIT_TEST(follows_down) {
    carry_over_a_nat_that_forgets(FLOW_DOWN, "cubic");
}

UNIT_TEST(follows_up) {
    carry_over_a_nat_that_forgets(FLOW_UP, "cubic");
}

UNIT_TEST(follows_with_a_controller_for_each_path) {
    if (!quiche_congestion_calls_ours()) skip();
    carry_over_a_nat_that_forgets(FLOW_DOWN, "cubic-n2");
}

UNIT_TEST(follows_with_bbr) {
    carry_over_a_nat_that_forgets(FLOW_DOWN, "bbr2");
}

// --- moves of its own accord

static bool has_moved_enough(const struct meeting *meeting) {
    const struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    if (meeting_flow_is_over(far) || meeting_flow_is_over(near)) return true;
    size_t count;
    quic_transport.moves(far->connection, &count);
    return count >= OWN_MOVES && meeting_sample(near).moves_made >= OWN_MOVES;
}

static void move_of_its_own_accord(enum flow_direction direction, const char *congestion) {
    struct meeting *meeting = meeting_open(1, direction, FLOW_UNAVAILABLE);
    struct flow *far = &meeting->flows[0][0], *near = &meeting->flows[1][0];
    for (int end = 0; end < 2; end++) {
        strcpy(meeting->flows[end][0].plan.congestion, congestion);
        meeting->flows[end][0].plan.migrate_ms = 10;
    }
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting->is_done = has_moved_enough;
    meeting_run(meeting);

    assert_string_equal(near->failure, "");
    assert_string_equal(far->failure, "");
    const struct flow_sample sample = meeting_sample(near);
    assert_true(sample.moves_begun >= sample.moves_made);
    assert_int_equal(meeting_sample(far).moves_begun, FLOW_UNAVAILABLE);
    size_t count;
    const struct path_change *changes = quic_transport.moves(far->connection, &count);
    assert_true(count >= OWN_MOVES);
    for (size_t i = 1; i < count; i++)
        assert_int_not_equal(changes[i].peer.sin6_port, changes[i - 1].peer.sin6_port);
    // Probed before it was used: nothing waited for the far end's challenge, unless its answer was lost.
    size_t at_once = 0;
    for (size_t i = 0; i < count; i++)
        at_once += changes[i].validated_ns == changes[i].seen_ns;
    assert_true(at_once > 0);
    meeting_close(meeting);
}

UNIT_TEST(moves_down) {
    move_of_its_own_accord(FLOW_DOWN, "cubic");
}

UNIT_TEST(moves_up) {
    move_of_its_own_accord(FLOW_UP, "cubic");
}

UNIT_TEST(moves_with_bbr) {
    move_of_its_own_accord(FLOW_DOWN, "bbr2");
}

// Nothing answers at the new ports: the flow goes on where it is.
UNIT_TEST(stays_where_it_is_answered) {
    struct meeting *meeting = meeting_open(1, FLOW_DOWN, SIZE);
    meeting->flows[1][0].plan.migrate_ms = 5; // the far end knows of none, and gives no ids to move with
    meeting_listen(meeting);
    meeting_connect(meeting);
    meeting_run(meeting);
    meeting_assert_whole(&meeting->flows[0][0], &meeting->flows[1][0], SIZE);
    const struct flow_sample sample = meeting_sample(&meeting->flows[1][0]);
    assert_true(sample.moves_begun > 0);
    assert_int_equal(sample.moves_made, 0);
    meeting_close(meeting);
}
