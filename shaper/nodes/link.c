#include "shaper/nodes/link.h"

#include "shaper/nodes/settings.h"
#include "shaper/nodes/steps.h"
#include "shaper/nodes/trace.h"

#include <stddef.h>

// How long sending takes at a rate that changes at given times, exactly. What is to be sent is counted in
// billionths of a bit: at r bit/s, a nanosecond does r of them, so that no time of a whole nanosecond has a
// remainder. Knows nothing of packets.

#define WORK_PER_BYTE UINT64_C(8000000000)

struct stepped_end {
    uint64_t elapsed_ns; // the whole nanosecond in which it is done; UINT64_MAX: never
    uint64_t rest;       // what is left to do then, in less than a nanosecond: to be added to what comes next
};

// The step in force at a time, and when it ends (UINT64_MAX: it is the last).
static uint64_t rate_at(const struct steps *steps, uint64_t elapsed_ns, uint64_t *end_ns) {
    uint64_t rate_bps = steps->count > 0 ? steps->step[0].value : 0;
    for (uint32_t i = 1; i < steps->count; i++) {
        if (steps->step[i].at_ns > elapsed_ns) {
            *end_ns = steps->step[i].at_ns;
            return rate_bps;
        }
        rate_bps = steps->step[i].value;
    }
    *end_ns = UINT64_MAX;
    return rate_bps;
}

// When `work`, begun elapsed_ns after the steps' time 0, is done. A step of 0 does nothing.
static struct stepped_end stepped_rate_end(const struct steps *steps, uint64_t elapsed_ns, uint64_t work) {
    while (work > 0) {
        uint64_t step_end_ns, rate_bps = rate_at(steps, elapsed_ns, &step_end_ns);
        uint64_t left_ns = step_end_ns - elapsed_ns;
        // Whole nanoseconds at this rate; if they end within the step, so does the fraction after them.
        if (rate_bps > 0 && work / rate_bps < left_ns)
            return (struct stepped_end){elapsed_ns + work / rate_bps, work % rate_bps};
        if (step_end_ns == UINT64_MAX) return (struct stepped_end){UINT64_MAX, 0};
        work -= rate_bps * left_ns; // not more than there is: it takes at least the step's rest
        elapsed_ns = step_end_ns;
    }
    return (struct stepped_end){elapsed_ns, 0};
}

// How much is done between the two times.
static uint64_t stepped_rate_done(const struct steps *steps, uint64_t from_ns, uint64_t to_ns) {
    uint64_t work = 0;
    while (from_ns < to_ns) {
        uint64_t step_end_ns, rate_bps = rate_at(steps, from_ns, &step_end_ns);
        uint64_t end_ns = step_end_ns < to_ns ? step_end_ns : to_ns;
        work += rate_bps * (end_ns - from_ns);
        from_ns = end_ns;
    }
    return work;
}

static uint64_t elapsed_ns(const struct link *link, uint64_t now_ns) {
    return now_ns > link->zero_ns ? now_ns - link->zero_ns : 0;
}

static void send_rest(struct link *link, uint64_t work, uint64_t start_ns) {
    struct stepped_end end = stepped_rate_end(&link->rate.steps_bps, elapsed_ns(link, start_ns), work);
    link->begun_ns = start_ns;
    link->work = work;
    link->end_ns = end.elapsed_ns < UINT64_MAX - link->zero_ns ? link->zero_ns + end.elapsed_ns : NODE_NEVER;
    link->rest = end.rest;
}

// Departures follow one another exactly: the next begins when the last ended, fractions of nanoseconds
// included.
static void send_next(struct link *link, uint64_t start_ns, uint64_t rest) {
    link->sending = queue_get(&link->queue, start_ns);
    if (link->sending) send_rest(link, link->sending->size_bytes * WORK_PER_BYTE + rest, start_ns);
}

static void pass_on(struct link *link, struct packet *packet, uint64_t end_ns) {
    struct packet_watcher *watcher = link->pool->watcher;
    if (watcher) watcher->sent(watcher, packet, end_ns);
    node_take(link->node.next, packet, end_ns);
}

static void count_busy(struct link *link, uint64_t end_ns) {
    link->busy_ns += end_ns - link->start_ns;
    link->start_ns = end_ns;
}

static void advance_steps(struct link *link, uint64_t now_ns) {
    while (link->sending && link->end_ns <= now_ns) {
        struct packet *sent = link->sending;
        uint64_t end_ns = link->end_ns;
        count_busy(link, end_ns);
        send_next(link, end_ns, link->rest);
        pass_on(link, sent, end_ns);
    }
}

static bool holds(const struct link *link) {
    return link->sending || link->queue.packets > 0;
}

static uint64_t opportunity_ns(const struct link *link, uint64_t n) {
    uint64_t at_ns = trace_at_ns(link->rate.trace, link->rate.trace_once, n);
    return at_ns == TRACE_NEVER ? NODE_NEVER : link->zero_ns + at_ns;
}

static void use_opportunity(struct link *link, uint64_t at_ns) {
    uint64_t room_bytes = TRACE_OPPORTUNITY_BYTES;
    while (room_bytes > 0) {
        if (!link->sending) {
            link->sending = queue_get(&link->queue, at_ns);
            if (!link->sending) return;
            link->left_bytes = link->sending->size_bytes;
        }
        uint64_t bytes = link->left_bytes < room_bytes ? link->left_bytes : room_bytes;
        link->left_bytes -= bytes;
        room_bytes -= bytes;
        if (link->left_bytes > 0) return;
        struct packet *sent = link->sending;
        link->sending = NULL;
        count_busy(link, at_ns);
        pass_on(link, sent, at_ns);
    }
}

static void advance_trace(struct link *link, uint64_t now_ns) {
    while (holds(link)) {
        uint64_t at_ns = opportunity_ns(link, link->opportunity);
        if (at_ns > now_ns) return;
        link->opportunity++;
        use_opportunity(link, at_ns);
    }
}

static void advance(struct node *node, uint64_t now_ns) {
    struct link *link = (struct link *)node;
    if (link->rate.kind == RATE_STEPS) advance_steps(link, now_ns);
    if (link->rate.kind == RATE_TRACE) advance_trace(link, now_ns);
}

// The first opportunity after now.
static void find_opportunity(struct link *link, uint64_t now_ns) {
    link->opportunity = now_ns < link->zero_ns
                            ? 0
                            : trace_passed(link->rate.trace, link->rate.trace_once, now_ns - link->zero_ns);
}

static void take_unlimited(struct link *link, struct packet *packet, uint64_t now_ns) {
    struct packet_watcher *watcher = link->pool->watcher;
    packet->queued_ns = now_ns;
    if (watcher) watcher->queued(watcher, packet, now_ns);
    pass_on(link, packet, now_ns);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct link *link = (struct link *)node;
    advance(node, now_ns); // what makes UDP late may pass on packets of several times in one go
    bool idle = !holds(link);
    if (idle) link->start_ns = now_ns;
    switch (link->rate.kind) {
    case RATE_STEPS:
        queue_put(&link->queue, packet, !link->sending, now_ns);
        if (!link->sending) send_next(link, now_ns, 0);
        break;
    case RATE_TRACE: // between opportunities packets wait, also on an idle link
        if (idle) find_opportunity(link, now_ns);
        queue_put(&link->queue, packet, false, now_ns);
        break;
    default:
        take_unlimited(link, packet, now_ns);
    }
}

static uint64_t due_ns(const struct node *node) {
    const struct link *link = (const struct link *)node;
    if (link->rate.kind == RATE_STEPS) return link->sending ? link->end_ns : NODE_NEVER;
    if (link->rate.kind == RATE_UNLIMITED || !holds(link)) return NODE_NEVER;
    uint64_t further = link->sending ? (link->left_bytes - 1) / TRACE_OPPORTUNITY_BYTES : 0;
    return opportunity_ns(link, link->opportunity + further);
}

static uint64_t held(const struct node *node) {
    const struct link *link = (const struct link *)node;
    return link->queue.packets + (link->sending ? 1 : 0);
}

static const struct node_kind link_kind = {take, advance, due_ns, held};

void link_open(struct link *link, struct packet_pool *pool, const struct rate_settings *rate,
               const struct queue_settings *queue, uint64_t seed, uint64_t stream, struct node *next) {
    *link = (struct link){.node = {&link_kind, next}, .pool = pool, .rate = *rate};
    queue_open(&link->queue, pool, link, queue, seed, stream);
}

struct packet *link_take_back(struct link *link, uint64_t now_ns) {
    struct packet *packet = link->sending;
    link->sending = NULL;
    return packet ? packet : queue_take_back(&link->queue, now_ns);
}

void link_close(struct link *link) {
    struct packet *packet;
    while ((packet = link_take_back(link, 0)))
        packet_return(link->pool, packet);
}

void link_start(struct link *link, uint64_t now_ns) {
    link->zero_ns = now_ns;
}

static void become_unlimited(struct link *link, uint64_t now_ns) {
    struct packet *packet = link->sending ? link->sending : queue_get(&link->queue, now_ns);
    link->sending = NULL;
    for (; packet; packet = queue_get(&link->queue, now_ns)) {
        count_busy(link, now_ns);
        pass_on(link, packet, now_ns);
    }
}

void link_steer(struct link *link, const struct rate_settings *rate, const struct queue_settings *queue,
                uint64_t now_ns) {
    advance(&link->node, now_ns);
    uint64_t work = link->left_bytes * WORK_PER_BYTE;
    if (link->rate.kind == RATE_STEPS)
        work = link->work - stepped_rate_done(&link->rate.steps_bps, elapsed_ns(link, link->begun_ns),
                                              elapsed_ns(link, now_ns));
    link->rate = *rate;
    queue_steer(&link->queue, queue, now_ns);
    switch (rate->kind) {
    case RATE_STEPS:
        if (link->sending)
            send_rest(link, work, now_ns);
        else
            send_next(link, now_ns, 0);
        break;
    case RATE_TRACE:
        if (link->sending) link->left_bytes = (work + WORK_PER_BYTE - 1) / WORK_PER_BYTE;
        find_opportunity(link, now_ns);
        break;
    default:
        become_unlimited(link, now_ns);
    }
}

uint64_t link_wait_ns(const struct link *link, uint64_t ahead_bytes, uint64_t now_ns) {
    if (link->rate.kind == RATE_TRACE) {
        if (link->sending) ahead_bytes += link->left_bytes;
        uint64_t at_ns = opportunity_ns(link, link->opportunity + ahead_bytes / TRACE_OPPORTUNITY_BYTES);
        return at_ns == NODE_NEVER ? NODE_NEVER : at_ns - now_ns;
    }
    if (link->rate.kind == RATE_UNLIMITED) return 0;
    uint64_t rate_bps = steps_value(&link->rate.steps_bps, elapsed_ns(link, now_ns));
    uint64_t begins_ns = link->sending ? link->end_ns : now_ns;
    if (rate_bps == 0 || begins_ns == NODE_NEVER) return NODE_NEVER;
    __uint128_t wait_ns = (__uint128_t)ahead_bytes * WORK_PER_BYTE / rate_bps + (begins_ns - now_ns);
    return wait_ns < NODE_NEVER ? (uint64_t)wait_ns : NODE_NEVER;
}
