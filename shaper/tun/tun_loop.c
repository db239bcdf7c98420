// Late wake-ups do not add up: the paths work in virtual time, so that a packet's departure follows from the
// arrivals, the rate and the delay alone. A late wake-up writes all that is due, late by as much as it is
// late.
//
// A write delivers the packet to the receiver within the system call, and what it answers at once is there to
// read when the call returns. So a turn continues to read and write until there is nothing left to do now,
// and a busy link needs few wake-ups.
//
// Packets of a TCP connection are written together where a network card's receive offload would hand them
// over so (fewer acknowledgements come back): on a link of unlimited rate those that leave at the same
// nanosecond, on one of half a Gbit/s or more those that are due within the time for which such cards hold
// back interrupts, if we find several due at once. On every slower link each packet is a write of its own:
// there the receiver sees what a wire of that rate would show it.
#include "shaper/tun/tun_loop.h"

#include "base/clock.h"

#include <sys/epoll.h>

enum {
    PACKETS_PER_READING = 64, // from one device, before what is due is written and the other device is read
    PACKETS_PER_TURN = 1024,  // before the loop's other descriptors get theirs
    GAUGINGS_AT_START = 32,
};

static const uint64_t fast_bps = 500000000, offload_ns = 50 * NS_PER_US;
static const uint64_t gauge_at_start_ns = 1 * NS_PER_MS, gauge_ns = 50 * NS_PER_MS;
// While packets come and go. Only our own wake-ups show that we were stopped or had no CPU, and for how long
// packets may have waited to be read: one that comes meanwhile does not say when it came.
static const uint64_t gauge_in_traffic_ns = 4 * NS_PER_MS, traffic_ns = 200 * NS_PER_MS;
// What a wake-up usually takes is part of the link; beyond it a packet is overdue.
static const uint64_t usual_wake_ns = 250 * NS_PER_US;

static bool is_ip(const struct packet *packet) {
    const uint8_t *b = packet->bytes;
    uint32_t size = packet->size_bytes;
    if (size >= 20 && b[0] >> 4 == 4) return ((uint32_t)b[2] << 8 | b[3]) == size;
    if (size >= 40 && b[0] >> 4 == 6) return ((uint32_t)b[4] << 8 | b[5]) + 40 == size;
    return false;
}

static void refuse(struct tun_direction *direction, const struct packet *packet, uint64_t now_ns) {
    struct packet_watcher *watcher = direction->pool.watcher;
    direction->refused++;
    direction->bytes_refused += packet->size_bytes;
    if (watcher) watcher->dropped(watcher, packet, DROP_MEMORY, now_ns);
}

// Whether it was late by more than wake-ups are, or than we chose to be on a busy link.
static bool is_overdue(const struct tun_loop *tun_loop, uint64_t due_ns, uint64_t now_ns) {
    return now_ns > due_ns + usual_wake_ns +
                        (tun_loop->wakeup_compensation.paced_ns > 0 ? WAKEUP_COMPENSATION_GAP_NS : 0);
}

// What leaves the link upward goes through the NAT. Those who watch see all packets as the command does.
static bool write_batch(struct tun_direction *direction) {
    struct gro_batch *batch = &direction->batch;
    struct nat *nat = direction->nat_up;
    for (uint32_t i = 0; nat && i < batch->count; i++)
        nat_up(nat, batch->packets[i], batch->due_ns[i]);
    bool written = tun_device_write_batch(direction->to, batch);
    for (uint32_t i = 0; nat && direction->pool.watcher && i < batch->count; i++)
        nat_up_back(nat, batch->packets[i]);
    return written;
}

static void write_train(struct tun_direction *direction) {
    struct gro_batch *batch = &direction->batch;
    struct packet_watcher *watcher = direction->pool.watcher;
    if (batch->count == 0) return;
    uint64_t now_ns = clock_now_ns();
    bool written = write_batch(direction);
    if (written) direction->back->readable = true;
    if (is_overdue(direction->tun_loop, batch->due_ns[0], now_ns))
        overdue_add(&direction->tun_loop->overdue, batch->due_ns[0], now_ns);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct packet *packet = batch->packets[i];
        uint64_t due_ns = batch->due_ns[i];
        histogram_add(&direction->late_ns, now_ns > due_ns ? now_ns - due_ns : 0);
        if (written) {
            direction->packets_out++;
            direction->bytes_out += packet->size_bytes;
            udp_policy_left(&direction->path.udp_policy, packet, due_ns);
            if (watcher) watcher->delivered(watcher, packet, due_ns);
        } else {
            refuse(direction, packet, due_ns);
        }
        packet_return(&direction->pool, packet);
    }
    batch->count = 0;
}

static void write_packet(struct node *node, struct packet *packet, uint64_t due_ns) {
    struct tun_direction *direction = (struct tun_direction *)node;
    if (!gro_batch_add(&direction->batch, packet, due_ns, direction->batch_span_ns)) {
        write_train(direction);
        gro_batch_add(&direction->batch, packet, due_ns, direction->batch_span_ns);
    }
    if (!direction->in_trains) write_train(direction);
}

static const struct node_kind out_kind = {write_packet, NULL, NULL, NULL};

// Why we look for packets.
enum reason {
    WOKEN,   // by a packet
    POLLING, // after some time in which packets did not wake us
    AWAKE,   // anyway
};

static uint64_t arrived_ns_of(const struct tun_loop *tun_loop, enum reason reason, uint64_t now_ns) {
    if (reason == WOKEN)
        return wakeup_compensation_arrived_ns(&tun_loop->wakeup_compensation, tun_loop->idle_ns, now_ns);
    return reason == POLLING ? wakeup_compensation_found_ns(tun_loop->idle_ns, now_ns) : now_ns;
}

static void set_trains(struct tun_direction *direction, const struct rate_settings *rate) {
    bool fast = rate->kind == RATE_STEPS;
    for (uint32_t i = 0; fast && i < rate->steps_bps.count; i++)
        fast = rate->steps_bps.step[i].value >= fast_bps;
    direction->in_trains = fast || rate->kind == RATE_UNLIMITED;
    direction->batch_span_ns = fast ? offload_ns : 0;
}

// All that leaves the paths before a move is as it was before.
static void move_until(struct tun_loop *tun_loop, uint64_t now_ns) {
    struct tun_direction *down = &tun_loop->down, *up = &tun_loop->up;
    while (moves_due_ns(&tun_loop->moves) <= now_ns) {
        uint64_t at_ns = moves_due_ns(&tun_loop->moves);
        path_advance(&down->path, at_ns);
        path_advance(&up->path, at_ns);
        write_train(down);
        write_train(up);
        struct move move = moves_next(&tun_loop->moves);
        if (move.kind == MOVE_SWITCH) {
            const struct link_profile *to = tun_loop->profile->switch_to;
            path_switch(&down->path, to, at_ns);
            path_switch(&up->path, to, at_ns);
            set_trains(down, &to->down.rate);
            set_trains(up, &to->up.rate);
        }
        if (tun_loop->moved) tun_loop->moved(tun_loop->moved_context, &move);
    }
}

// The packet is the direction's now: it goes into the path, or is dropped at once.
static void take(struct tun_direction *direction, struct packet *packet, uint64_t arrived_ns) {
    struct packet_watcher *watcher = direction->pool.watcher;
    bool bound = !direction->nat_down || nat_down(direction->nat_down, packet);
    if (watcher) {
        path_advance(&direction->path, arrived_ns); // report earlier departures first
        watcher->arrived(watcher, packet, arrived_ns);
    }
    if (bound)
        path_take(&direction->path, packet, arrived_ns);
    else
        packet_drop(&direction->pool, packet, DROP_UNBOUND, arrived_ns);
}

// Takes over what is there to read now. Returns how many packets that was.
static int read_packets(struct tun_direction *direction, enum reason reason) {
    struct tun_loop *tun_loop = direction->tun_loop;
    int count = 0;
    uint64_t arrived_ns = 0;
    while (count < PACKETS_PER_READING || direction->device.within) {
        bool together = direction->device.within; // with the packet before it
        struct packet *packet = packet_take(&direction->pool);
        struct packet *into = packet ? packet : &direction->spare;
        if (!tun_device_read(&direction->device, into)) {
            if (packet) packet_return(&direction->pool, packet);
            direction->readable = false;
            break;
        }
        if (count == 0 || (!together && reason == AWAKE))
            arrived_ns = arrived_ns_of(tun_loop, reason, clock_now_ns());
        count++;
        direction->packets_in++;
        direction->bytes_in += into->size_bytes;
        if (!packet) {
            refuse(direction, into, arrived_ns);
        } else if (is_ip(packet)) {
            move_until(tun_loop, arrived_ns);
            take(direction, packet, arrived_ns);
        } else {
            direction->not_ip++;
            direction->bytes_not_ip += packet->size_bytes;
            packet_return(&direction->pool, packet);
        }
    }
    write_train(direction);
    return count;
}

static uint64_t due_ns(const struct tun_loop *tun_loop) {
    uint64_t down_ns = path_due_ns(&tun_loop->down.path), up_ns = path_due_ns(&tun_loop->up.path);
    uint64_t move_ns = moves_due_ns(&tun_loop->moves), packet_ns = down_ns < up_ns ? down_ns : up_ns;
    return move_ns < packet_ns ? move_ns : packet_ns;
}

static void set_timer(struct tun_loop *tun_loop) {
    uint64_t next_ns = due_ns(tun_loop);
    if (next_ns == NODE_NEVER)
        loop_timer_clear(tun_loop->loop, &tun_loop->timer);
    else if (loop_timer_set(tun_loop->loop, &tun_loop->timer,
                            wakeup_compensation_timer_ns(&tun_loop->wakeup_compensation, next_ns)) < 0)
        loop_stop(tun_loop->loop); // the loop's timers have their place from the start: not reached
}

// On a link so busy that its packets leave several at a wake-up, arrivals do not wake us either.
static void watch(struct tun_direction *direction, bool wanted) {
    if (direction->watched == wanted) return;
    if (loop_modify(direction->tun_loop->loop, &direction->read_watch, wanted ? EPOLLIN : 0) == 0)
        direction->watched = wanted;
}

static struct timeline_counters counters_of(const struct tun_direction *direction) {
    const struct path *path = &direction->path;
    const struct queue *queue = &path->link.queue;
    return (struct timeline_counters){
        .bytes_out = direction->bytes_out,
        .dropped = queue->drops + queue->aqm_drops,
        .lost = path->loss.drops + path->onoff.drops + path->udp_policy.drops + path->moved,
        .queue_bytes = queue->size_bytes,
    };
}

// When we began to be held up, if we were: a timer that ran out while we slept woke us late. What held us up
// may have begun before the timer ran out, at most by as much as it lasted. 0: we were not.
static uint64_t held_up_since_ns(const struct tun_loop *tun_loop, uint64_t timer_ns, uint64_t now_ns) {
    uint64_t idle_ns = tun_loop->idle_ns;
    if (tun_loop->gauge.place_plus_1 > 0 && tun_loop->gauge.due_ns < timer_ns)
        timer_ns = tun_loop->gauge.due_ns;
    if (idle_ns > timer_ns || !is_overdue(tun_loop, timer_ns, now_ns)) return 0;
    uint64_t late_ns = now_ns - timer_ns;
    return timer_ns - idle_ns > late_ns ? timer_ns - late_ns : idle_ns;
}

static void gauge_traffic(struct tun_loop *tun_loop) {
    tun_loop->packet_ns = tun_loop->idle_ns;
    uint64_t soon_ns = tun_loop->idle_ns + gauge_in_traffic_ns;
    if (tun_loop->gauge.place_plus_1 > 0 && tun_loop->gauge.due_ns > soon_ns)
        loop_timer_set(tun_loop->loop, &tun_loop->gauge, soon_ns);
}

// Reads and writes all that can be read and written now. A device is read only where there may be something:
// epoll said so, or we wrote to it, or it was not looked at.
static void turn(struct tun_loop *tun_loop, enum reason reason, uint64_t timer_ns) {
    struct tun_direction *down = &tun_loop->down, *up = &tun_loop->up;
    int packets = 0;
    uint64_t began_ns = clock_now_ns(), held_up_ns = held_up_since_ns(tun_loop, timer_ns, began_ns);
    for (int pass = 0; pass == 0 || down->readable || up->readable; pass++) {
        if (down->readable) packets += read_packets(down, reason);
        if (up->readable) packets += read_packets(up, reason);
        if (pass == 0 && packets > 0 && held_up_ns > 0)
            overdue_add(&tun_loop->overdue, held_up_ns, began_ns); // they may have waited all the time
        reason = AWAKE;
        uint64_t now_ns = clock_now_ns();
        move_until(tun_loop, now_ns);
        path_advance(&down->path, now_ns);
        path_advance(&up->path, now_ns);
        write_train(down);
        write_train(up);
        // A busy link always has more to do a moment later: several packets at a time cost less.
        if (packets >= PACKETS_PER_TURN ||
            (pass > 0 && wakeup_compensation_busy(&tun_loop->wakeup_compensation, now_ns)))
            break;
    }
    tun_loop->idle_ns = clock_now_ns();
    if (packets > 0) gauge_traffic(tun_loop);
    struct timeline_counters down_now = counters_of(down), up_now = counters_of(up);
    timeline_tell(&tun_loop->timeline, &down_now, &up_now, tun_loop->idle_ns);
    bool queued = down->path.link.queue.packets > 0 || up->path.link.queue.packets > 0;
    wakeup_compensation_spent(&tun_loop->wakeup_compensation, clock_spent_ns(), queued, tun_loop->idle_ns);
    set_timer(tun_loop);
    bool polling = tun_loop->timer.place_plus_1 > 0 &&
                   wakeup_compensation_busy(&tun_loop->wakeup_compensation, tun_loop->idle_ns) &&
                   tun_loop->timer.due_ns < tun_loop->idle_ns + WAKEUP_COMPENSATION_GAP_NS;
    watch(down, !polling);
    watch(up, !polling);
}

static void readable(void *context, uint32_t events) {
    struct tun_direction *direction = context;
    (void)events;
    direction->readable = true;
    struct tun_loop *tun_loop = direction->tun_loop;
    turn(tun_loop, WOKEN, tun_loop->timer.place_plus_1 > 0 ? tun_loop->timer.due_ns : NODE_NEVER);
}

static void timer_due(void *context, uint64_t now_ns) {
    struct tun_loop *tun_loop = context;
    struct tun_direction *down = &tun_loop->down, *up = &tun_loop->up;
    struct wakeup_compensation *wakeup_compensation = &tun_loop->wakeup_compensation;
    if (tun_loop->idle_ns < tun_loop->timer.due_ns)
        wakeup_compensation_slept(wakeup_compensation, tun_loop->timer.due_ns, now_ns);
    enum reason reason = down->watched ? AWAKE : POLLING;
    if (reason == POLLING) down->readable = up->readable = true;
    uint64_t next_ns = due_ns(tun_loop);
    if (wakeup_compensation_woke(wakeup_compensation, next_ns, now_ns) > 0)
        while (clock_now_ns() < next_ns) {
            int count = read_packets(down, reason) + read_packets(up, reason);
            reason = AWAKE;
            if (count > 0) break; // something may be due earlier now
        }
    turn(tun_loop, reason, tun_loop->timer.due_ns);
}

static void gauge_due(void *context, uint64_t now_ns) {
    struct tun_loop *tun_loop = context;
    uint64_t timer_ns = tun_loop->gauge.due_ns;
    if (tun_loop->idle_ns < timer_ns)
        wakeup_compensation_slept(&tun_loop->wakeup_compensation, timer_ns, now_ns);
    bool traffic = now_ns - tun_loop->packet_ns < traffic_ns;
    uint64_t pause_ns = traffic ? gauge_in_traffic_ns : gauge_ns;
    if (tun_loop->gauged++ < GAUGINGS_AT_START) pause_ns = gauge_at_start_ns;
    loop_timer_set(tun_loop->loop, &tun_loop->gauge, now_ns + pause_ns);
}

static int direction_open(struct tun_loop *tun_loop, struct tun_direction *direction,
                          const struct link_profile *profile, enum path_stream stream,
                          const struct wire *from, const struct wire *to) {
    direction->out = (struct node){&out_kind, NULL};
    direction->tun_loop = tun_loop;
    direction->device.wire = from;
    direction->to = to;
    set_trains(direction, stream == PATH_DOWN ? &profile->down.rate : &profile->up.rate);
    direction->back = stream == PATH_DOWN ? &tun_loop->up : &tun_loop->down;
    direction->read_watch = (struct loop_watch){.fd = from->fd, .ready = readable, .context = direction};
    path_open(&direction->path, profile, stream, &direction->pool, &direction->out);
    path_start(&direction->path, tun_loop->idle_ns);
    direction->watched = true;
    return loop_add(tun_loop->loop, &direction->read_watch, EPOLLIN);
}

int tun_loop_open(struct tun_loop *tun_loop, struct loop *loop, const struct link_profile *profile,
                  const struct wire *far, const struct wire *near) {
    *tun_loop = (struct tun_loop){.loop = loop, .profile = profile, .idle_ns = clock_now_ns()};
    tun_loop->timer = (struct loop_timer){.due = timer_due, .context = tun_loop};
    tun_loop->gauge = (struct loop_timer){.due = gauge_due, .context = tun_loop};
    wakeup_compensation_open(&tun_loop->wakeup_compensation, tun_loop->idle_ns);
    if (moves_open(&tun_loop->moves, profile, tun_loop->idle_ns) < 0) return -1;
    tun_loop->down.nat_down = tun_loop->up.nat_up = tun_loop->moves.nat;
    if (direction_open(tun_loop, &tun_loop->down, profile, PATH_DOWN, far, near) < 0 ||
        direction_open(tun_loop, &tun_loop->up, profile, PATH_UP, near, far) < 0)
        return -1;
    set_timer(tun_loop); // the path may move before any packet comes
    return loop_timer_set(loop, &tun_loop->gauge, tun_loop->idle_ns + gauge_at_start_ns);
}

void tun_loop_catch_up(struct tun_loop *tun_loop) {
    turn(tun_loop, AWAKE, NODE_NEVER);
}

void tun_loop_steer(struct tun_loop *tun_loop, const struct link_profile *profile) {
    turn(tun_loop, AWAKE, NODE_NEVER);
    path_steer(&tun_loop->down.path, profile, tun_loop->idle_ns);
    path_steer(&tun_loop->up.path, profile, tun_loop->idle_ns);
    moves_steer(&tun_loop->moves, profile, tun_loop->idle_ns);
    tun_loop->profile = profile;
    set_trains(&tun_loop->down, &profile->down.rate);
    set_trains(&tun_loop->up, &profile->up.rate);
    set_timer(tun_loop);
    watch(&tun_loop->down, true); // there may be no timer any more
    watch(&tun_loop->up, true);
}

void tun_loop_close(struct tun_loop *tun_loop) {
    struct tun_direction *directions[] = {&tun_loop->down, &tun_loop->up};
    loop_timer_clear(tun_loop->loop, &tun_loop->timer);
    loop_timer_clear(tun_loop->loop, &tun_loop->gauge);
    for (int i = 0; i < 2; i++) {
        loop_remove(tun_loop->loop, &directions[i]->read_watch);
        path_close(&directions[i]->path);
        packet_pool_close(&directions[i]->pool);
    }
    moves_close(&tun_loop->moves);
}
