// Late wake-ups do not add up: the paths work in virtual time, so that a packet's departure follows from the
// arrivals, the rate and the delay alone. A late wake-up writes all that is due, late by as much as it is
// late.
#include "shaper/tun_loop.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

// Packets read in one turn of the loop from one device, before timers and the other device get theirs.
enum { READS_PER_TURN = 64 };

static bool is_ip(const struct packet *packet) {
    const uint8_t *b = packet->bytes;
    uint32_t size = packet->size_bytes;
    if (size >= 20 && b[0] >> 4 == 4) return ((uint32_t)b[2] << 8 | b[3]) == size;
    if (size >= 40 && b[0] >> 4 == 6) return ((uint32_t)b[4] << 8 | b[5]) + 40 == size;
    return false;
}

static void write_packet(struct node *node, struct packet *packet, uint64_t due_ns) {
    struct tun_direction *direction = (struct tun_direction *)node;
    uint64_t now_ns = clock_now_ns();
    histogram_add(&direction->late_ns, now_ns > due_ns ? now_ns - due_ns : 0);
    if (write(direction->write_fd, packet->bytes, packet->size_bytes) == (ssize_t)packet->size_bytes) {
        direction->packets_out++;
        direction->bytes_out += packet->size_bytes;
    } else {
        direction->refused++;
        direction->bytes_refused += packet->size_bytes;
    }
    packet_return(&direction->tun_loop->pool, packet);
}

static const struct node_kind out_kind = {write_packet, NULL, NULL, NULL};

static void set_timer(struct tun_direction *direction) {
    struct loop *loop = direction->tun_loop->loop;
    uint64_t due_ns = path_due_ns(&direction->path);
    uint64_t timer_ns = punctual_timer_ns(&direction->tun_loop->punctual, due_ns);
    if (due_ns == NODE_NEVER)
        loop_timer_clear(loop, &direction->timer);
    else if (loop_timer_set(loop, &direction->timer, timer_ns) < 0)
        loop_stop(loop); // the loop's two timers have their place from the start: not reached
}

static void timer_due(void *context, uint64_t now_ns) {
    struct tun_direction *direction = context;
    uint64_t due_ns = path_due_ns(&direction->path);
    uint64_t wait_ns = punctual_woke(&direction->tun_loop->punctual, direction->timer.due_ns, due_ns, now_ns);
    if (wait_ns > 0)
        while (clock_now_ns() < due_ns) {
        }
    path_advance(&direction->path, clock_now_ns());
    set_timer(direction);
}

static void readable(void *context, uint32_t events) {
    struct tun_direction *direction = context;
    struct packet_pool *pool = &direction->tun_loop->pool;
    (void)events;
    for (int i = 0; i < READS_PER_TURN; i++) {
        struct packet *packet = packet_take(pool);
        uint8_t lost[PACKET_CAPACITY]; // without memory for a packet it is still read and counted
        ssize_t size = read(direction->read_watch.fd, packet ? packet->bytes : lost, PACKET_CAPACITY);
        if (size <= 0) {
            if (packet) packet_return(pool, packet);
            break;
        }
        direction->packets_in++;
        direction->bytes_in += (uint64_t)size;
        if (!packet) {
            direction->refused++;
            direction->bytes_refused += (uint64_t)size;
            continue;
        }
        packet->size_bytes = (uint32_t)size;
        if (is_ip(packet)) {
            path_take(&direction->path, packet, clock_now_ns());
            continue;
        }
        direction->not_ip++;
        direction->bytes_not_ip += (uint64_t)size;
        packet_return(pool, packet);
    }
    path_advance(&direction->path, clock_now_ns());
    set_timer(direction);
}

static int direction_open(struct tun_loop *tun_loop, struct tun_direction *direction,
                          const struct link_profile *profile, enum path_stream stream, int read_fd,
                          int write_fd) {
    direction->out = (struct node){&out_kind, NULL};
    direction->tun_loop = tun_loop;
    direction->write_fd = write_fd;
    direction->timer = (struct loop_timer){.due = timer_due, .context = direction};
    direction->read_watch = (struct loop_watch){.fd = read_fd, .ready = readable, .context = direction};
    path_open(&direction->path, profile, stream, &tun_loop->pool, &direction->out);
    return loop_add(tun_loop->loop, &direction->read_watch, EPOLLIN);
}

int tun_loop_open(struct tun_loop *tun_loop, struct loop *loop, const struct link_profile *profile,
                  int far_fd, int near_fd) {
    *tun_loop = (struct tun_loop){.loop = loop};
    punctual_open(&tun_loop->punctual, clock_now_ns());
    if (direction_open(tun_loop, &tun_loop->down, profile, PATH_DOWN, far_fd, near_fd) < 0) return -1;
    return direction_open(tun_loop, &tun_loop->up, profile, PATH_UP, near_fd, far_fd);
}

void tun_loop_close(struct tun_loop *tun_loop) {
    struct tun_direction *directions[] = {&tun_loop->down, &tun_loop->up};
    for (int i = 0; i < 2; i++) {
        loop_timer_clear(tun_loop->loop, &directions[i]->timer);
        loop_remove(tun_loop->loop, &directions[i]->read_watch);
    }
    packet_pool_close(&tun_loop->pool);
}
