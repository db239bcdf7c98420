#include "flows/quic_move.h"

#include "base/clock.h"
#include "flows/quic_connection.h"

#include <string.h>

enum { ERROR_SIZE = 160, ROUND_TRIPS = 3 };
static const uint64_t least_patience_ns = 100 * NS_PER_MS;

// What quiche still sends from an address that was given up is lost.
static int send_by_address(void *context, const struct udp_burst *burst) {
    const struct quic_connection *c = context;
    struct udp *const udps[] = {c->udp, c->move.next, c->move.left};
    for (size_t i = 0; i < sizeof udps / sizeof *udps; i++)
        if (udps[i] && udp_port(udps[i]) == ntohs(burst->local.sin6_port)) {
            const struct udp_link link = udp_link(udps[i]);
            return link.send(link.context, burst);
        }
    return 1;
}

struct udp_link quic_move_link(struct quic_connection *c) {
    return (struct udp_link){send_by_address, c};
}

static void give_up_next(struct quic_connection *c) {
    udp_close(c->move.next);
    c->move.next = NULL;
}

// Of the path from `local`; false: quiche has none.
static bool path_from(const quiche_conn *quic, const struct sockaddr_in6 *local, quiche_path_stats *out) {
    quiche_stats all;
    quiche_conn_stats(quic, &all);
    for (size_t i = all.paths_count; i-- > 0;) { // it is among the last
        struct sockaddr_in6 own;
        if (quiche_conn_path_stats(quic, i, out) < 0) continue;
        memcpy(&own, &out->local_addr, sizeof own); // all of ours are IPv6
        if (own.sin6_port == local->sin6_port &&
            memcmp(&own.sin6_addr, &local->sin6_addr, sizeof own.sin6_addr) == 0)
            return true;
    }
    return false;
}

// The far end may still answer there. It is not probed a second time from there: quiche keeps a challenge
// without an answer even on a path that another answer validated, and ends that path for it after three
// time-outs.
static bool may_be_answered(const struct quic_connection *c, uint64_t now_ns) {
    quiche_path_stats path, active;
    if (!c->move.next || !path_from(c->quic, &c->move.next_local, &path) || quiche_paths_has_failed(&path))
        return false;
    if (quiche_conn_path_stats(c->quic, c->sender.paths.active, &active) < 0) return false;
    const uint64_t patience_ns = ROUND_TRIPS * active.rtt;
    return now_ns < c->move.probed_ns + (patience_ns > least_patience_ns ? patience_ns : least_patience_ns);
}

// Without a socket, or an id of the far end's for it, there is no move this time.
static void begin(struct quic_connection *c, uint64_t now_ns) {
    struct quic_move *move = &c->move;
    char error[ERROR_SIZE];
    uint64_t sequence;
    // Each move puts off when what was sent from the address before is taken for lost: of one that is closed
    // now it would never be, where moves follow one another faster.
    if (move->leave_ns > 0) {
        move->leave_ns = 0;
        quiche_paths_leave(c->quic);
    }
    // Here, as no socket is being read.
    give_up_next(c);
    udp_close(move->left);
    move->left = NULL;
    move->begun++;
    move->next = quic_connection_socket(c, 0, error, sizeof error);
    if (!move->next) return;
    const struct sockaddr_in6 *from = &move->next_local, *to = &c->peer;
    move->probed_ns = now_ns;
    if (udp_connect(move->next, &c->peer, &move->next_local, error, sizeof error) < 0 ||
        quiche_conn_probe_path(c->quic, (const struct sockaddr *)from, sizeof *from,
                               (const struct sockaddr *)to, sizeof *to, &sequence) < 0)
        give_up_next(c);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct quic_connection *c = context;
    if (loop_timer_set(c->setup->end->loop, &c->move.timer, now_ns + c->move.every_ns) < 0) return;
    flow_enter(c->flow);
    if (!may_be_answered(c, now_ns)) begin(c, now_ns);
    quic_connection_turn(c);
    flow_leave(c->flow);
}

void quic_move_start(struct quic_connection *c) {
    if (c->move.every_ns == 0) return;
    c->move.timer = (struct loop_timer){.due = on_timer, .context = c};
    loop_timer_set(c->setup->end->loop, &c->move.timer, clock_now_ns() + c->move.every_ns);
}

static bool go_over(struct quic_connection *c, uint64_t now_ns) {
    struct quic_move *move = &c->move;
    quiche_path_stats path, old;
    uint64_t sequence;
    if (!path_from(c->quic, &move->next_local, &path) || !quiche_paths_is_validated(&path)) return false;
    const bool had_old = quiche_paths_active(&c->sender.paths, c->quic, &old);
    if (quiche_conn_migrate_source(c->quic, (struct sockaddr *)&move->next_local, sizeof move->next_local,
                                   &sequence) < 0)
        return false;
    move->left = c->udp; // the one before it was closed when this move began
    c->udp = move->next;
    c->local = move->next_local;
    move->next = NULL;
    move->made++;
    if (had_old) move->leave_ns = now_ns + ROUND_TRIPS * old.rtt;
    return true;
}

bool quic_move_turn(struct quic_connection *c, uint64_t now_ns) {
    struct quic_move *move = &c->move;
    if (move->leave_ns > 0 && now_ns >= move->leave_ns) {
        move->leave_ns = 0;
        quiche_paths_leave(c->quic);
    }
    return move->next && go_over(c, now_ns);
}

void quic_move_stop(struct quic_connection *c) {
    loop_timer_clear(c->setup->end->loop, &c->move.timer);
    c->move.every_ns = 0;
}

void quic_move_free(struct quic_connection *c) {
    quic_move_stop(c);
    udp_close(c->move.next);
    udp_close(c->move.left);
}
