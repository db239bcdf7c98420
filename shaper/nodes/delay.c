#include "shaper/nodes/delay.h"

#include "shaper/nodes/number_file.h"
#include "shaper/nodes/steps.h"

#include <math.h>
#include <stddef.h>

// Jitter is nowhere near; it keeps sums of times far from the end of 64 bits.
static const double max_delay_ns = 1e18;

static uint64_t due_ns(const struct node *node) {
    const struct delay *delay = (const struct delay *)node;
    uint64_t list_ns = delay->list.first ? delay->list.first->due_ns : NODE_NEVER;
    uint64_t heap_ns = packet_heap_due_ns(&delay->heap);
    return list_ns < heap_ns ? list_ns : heap_ns;
}

static void advance(struct node *node, uint64_t now_ns) {
    struct delay *delay = (struct delay *)node;
    uint64_t first_ns;
    while ((first_ns = due_ns(node)) <= now_ns) {
        bool listed = delay->list.first && delay->list.first->due_ns == first_ns;
        node_take(node->next, listed ? packet_list_remove(&delay->list) : packet_heap_remove(&delay->heap),
                  first_ns);
    }
}

// May be below 0. Each kind draws for every packet, so that the n-th packet's jitter is the same whatever the
// delay.
static double draw_jitter_ns(struct delay *delay, uint64_t n) {
    const struct delay_settings *settings = &delay->settings;
    double jitter_ns = (double)settings->jitter_ns;
    switch (settings->jitter) {
    case JITTER_UNIFORM:
        return jitter_ns * (2 * random_unit(&delay->random) - 1);
    case JITTER_NORMAL:
        return jitter_ns * random_normal(&delay->random);
    case JITTER_PARETO:
        return jitter_ns * random_pareto(&delay->random);
    case JITTER_FILE:
        return 1e6 * number_file_at(settings->file, n);
    default:
        return 0;
    }
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct delay *delay = (struct delay *)node;
    advance(node, now_ns); // a link upstream may pass on packets of several times in one go
    uint64_t due = now_ns + steps_value(&delay->settings.delay_ns, now_ns - delay->start_ns);
    uint64_t turn = delay->taken++;
    double jitter_ns = draw_jitter_ns(delay, turn);
    if (jitter_ns < 0) {
        uint64_t earlier_ns = (uint64_t)llround(fmin(-jitter_ns, max_delay_ns));
        due = due - now_ns > earlier_ns ? due - earlier_ns : now_ns;
    } else {
        due += (uint64_t)llround(fmin(jitter_ns, max_delay_ns));
    }
    if (!delay->settings.may_reorder) {
        if (due < delay->latest_ns) due = delay->latest_ns;
        packet->due_ns = due;
        packet_list_add(&delay->list, packet);
    } else if (packet_heap_add(&delay->heap, packet, due) < 0) {
        delay->drops++;
        delay->dropped_bytes += packet->size_bytes;
        packet_drop(delay->pool, packet, DROP_MEMORY, now_ns);
        return;
    }
    if (due > delay->latest_ns) delay->latest_ns = due;
    advance(node, now_ns); // what is not delayed at all
}

static uint64_t held(const struct node *node) {
    const struct delay *delay = (const struct delay *)node;
    return delay->list.packets + delay->heap.count;
}

static const struct node_kind delay_kind = {take, advance, due_ns, held};

void delay_open(struct delay *delay, struct packet_pool *pool, const struct delay_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next) {
    *delay = (struct delay){.node = {&delay_kind, next}, .pool = pool, .settings = *settings};
    random_open(&delay->random, seed, stream);
}

void delay_start(struct delay *delay, uint64_t now_ns) {
    delay->start_ns = now_ns;
}

void delay_steer(struct delay *delay, const struct delay_settings *settings) {
    delay->settings = *settings;
}

struct packet *delay_take_back(struct delay *delay) {
    struct packet *packet = packet_list_remove(&delay->list);
    if (packet) return packet;
    if (delay->heap.count > 0) return packet_heap_remove(&delay->heap);
    delay->latest_ns = 0;
    return NULL;
}

void delay_close(struct delay *delay) {
    packet_heap_close(&delay->heap);
}
