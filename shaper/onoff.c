#include "shaper/onoff.h"

#include <stddef.h>

// At least a nanosecond, so that time goes on.
static uint64_t draw_period_ns(struct onoff *onoff, uint64_t mean_ns) {
    return (uint64_t)((double)mean_ns * random_exponential(&onoff->random)) + 1;
}

static bool is_off(struct onoff *onoff, uint64_t now_ns) {
    const struct onoff_settings *settings = &onoff->settings;
    if (settings->on_ns == 0 || settings->off_ns == 0) return false;
    if (!settings->exponential)
        return (now_ns - onoff->start_ns) % (settings->on_ns + settings->off_ns) >= settings->on_ns;
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

static void begin(struct onoff *onoff, uint64_t now_ns) {
    onoff->off = false;
    onoff->change_ns = now_ns;
    if (onoff->settings.exponential) onoff->change_ns += draw_period_ns(onoff, onoff->settings.on_ns);
}

void onoff_open(struct onoff *onoff, struct packet_pool *pool, const struct onoff_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next) {
    *onoff = (struct onoff){.node = {&onoff_kind, next}, .pool = pool, .settings = *settings};
    random_open(&onoff->random, seed, stream);
}

void onoff_start(struct onoff *onoff, uint64_t now_ns) {
    onoff->start_ns = now_ns;
    begin(onoff, now_ns);
}

void onoff_steer(struct onoff *onoff, const struct onoff_settings *settings, uint64_t now_ns) {
    bool same = onoff->settings.exponential && settings->exponential && onoff->settings.on_ns > 0 &&
                onoff->settings.off_ns > 0;
    if (same) is_off(onoff, now_ns); // the present period was drawn by the old means and ends as it would
    onoff->settings = *settings;
    if (!same) begin(onoff, now_ns);
}
