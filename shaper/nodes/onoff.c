#include "shaper/nodes/onoff.h"

#include <stddef.h>

// At least a nanosecond, so that time advances.
static uint64_t draw_period_ns(struct onoff *onoff, uint64_t mean_ns) {
    return (uint64_t)((double)mean_ns * random_exponential(&onoff->random)) + 1;
}

static void begin_block(struct onoff *onoff, uint64_t block, uint64_t block_ns) {
    const struct onoff_settings *settings = &onoff->settings;
    onoff->block = block;
    onoff->random = onoff->first;
    random_skip(&onoff->random, block << 32);
    double share = (double)settings->off_ns / (double)(settings->on_ns + settings->off_ns);
    onoff->off = random_chance(&onoff->random, share) && block > 0;
    onoff->change_ns = onoff->start_ns + block * block_ns;
    onoff->change_ns += draw_period_ns(onoff, onoff->off ? settings->off_ns : settings->on_ns);
}

static bool is_off(struct onoff *onoff, uint64_t now_ns) {
    const struct onoff_settings *settings = &onoff->settings;
    if (settings->on_ns == 0 || settings->off_ns == 0) return false;
    uint64_t cycle_ns = settings->on_ns + settings->off_ns, elapsed_ns = now_ns - onoff->start_ns;
    if (!settings->exponential) return elapsed_ns % cycle_ns >= settings->on_ns;
    uint64_t block_ns = cycle_ns * ONOFF_BLOCK_CYCLES, block = elapsed_ns / block_ns;
    if (block != onoff->block) begin_block(onoff, block, block_ns);
    while (onoff->change_ns <= now_ns) {
        onoff->off = !onoff->off;
        onoff->change_ns += draw_period_ns(onoff, onoff->off ? settings->off_ns : settings->on_ns);
    }
    return onoff->off;
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct onoff *onoff = (struct onoff *)node;
    if (is_off(onoff, now_ns)) {
        onoff->drops++;
        onoff->dropped_bytes += packet->size_bytes;
        packet_drop(onoff->pool, packet, DROP_OFF, now_ns);
        return;
    }
    node_take(node->next, packet, now_ns);
}

static const struct node_kind onoff_kind = {take, NULL, NULL, NULL};

static const uint64_t no_block = UINT64_MAX;

void onoff_open(struct onoff *onoff, struct packet_pool *pool, const struct onoff_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next) {
    *onoff =
        (struct onoff){.node = {&onoff_kind, next}, .pool = pool, .settings = *settings, .block = no_block};
    random_open(&onoff->first, seed, stream);
}

void onoff_start(struct onoff *onoff, uint64_t now_ns) {
    onoff->start_ns = now_ns;
}

void onoff_steer(struct onoff *onoff, const struct onoff_settings *settings) {
    onoff->settings = *settings;
    onoff->block = no_block;
}
