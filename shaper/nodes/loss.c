#include "shaper/nodes/loss.h"

#include "shaper/nodes/number_file.h"

#include <stddef.h>

// Each fate has two of the stream's numbers: whether the chain changes its state after it, and whether the
// packet is lost.
static bool is_lost(const struct loss *loss, uint64_t n, double probability) {
    return random_chance_at(&loss->random, 2 * n + 1, probability);
}

static bool next_fate(struct loss *loss) {
    const struct loss_settings *settings = &loss->settings;
    uint64_t n = loss->next++;
    bool lost;
    switch (settings->kind) {
    case LOSS_GILBERT_ELLIOTT:
        lost = is_lost(loss, n, loss->bad ? settings->loss_in_bad : settings->loss_in_good);
        if (random_chance_at(&loss->random, 2 * n, loss->bad ? settings->bad_to_good : settings->good_to_bad))
            loss->bad = !loss->bad;
        return lost;
    case LOSS_PERIODIC:
        return settings->every > 0 && (n + 1) % settings->every == 0;
    case LOSS_FILE:
        return number_file_at(settings->file, n) != 0;
    default:
        return is_lost(loss, n, settings->probability);
    }
}

// In either state as often as the chain is in it.
static void begin_chain(struct loss *loss) {
    const struct loss_settings *settings = &loss->settings;
    double changes = settings->good_to_bad + settings->bad_to_good;
    double share = changes > 0 ? settings->good_to_bad / changes : 0;
    loss->bad = random_chance_at(&loss->random, (UINT64_C(1) << 63) + loss->next, share);
}

// The fate of the slot that now_ns lies in.
static bool slot_fate(struct loss *loss, uint64_t now_ns) {
    uint64_t slot = (now_ns - loss->start_ns) / loss->settings.slot_ns;
    if (slot < loss->next) return loss->lost;
    uint64_t begin = slot;
    if (loss->settings.kind == LOSS_GILBERT_ELLIOTT) begin -= slot % LOSS_CHAIN_SLOTS;
    if (loss->next <= begin) {
        loss->next = begin;
        begin_chain(loss);
    }
    while (loss->next <= slot)
        loss->lost = next_fate(loss);
    return loss->lost;
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct loss *loss = (struct loss *)node;
    if (loss->settings.slot_ns > 0 ? slot_fate(loss, now_ns) : next_fate(loss)) {
        loss->drops++;
        loss->dropped_bytes += packet->size_bytes;
        packet_drop(loss->pool, packet, DROP_LOSS, now_ns);
        return;
    }
    node_take(node->next, packet, now_ns);
}

static const struct node_kind loss_kind = {take, NULL, NULL, NULL};

void loss_open(struct loss *loss, struct packet_pool *pool, const struct loss_settings *settings,
               uint64_t seed, uint64_t stream, struct node *next) {
    *loss = (struct loss){.node = {&loss_kind, next}, .pool = pool, .settings = *settings};
    random_open(&loss->random, seed, stream);
    begin_chain(loss);
}

void loss_start(struct loss *loss, uint64_t now_ns) {
    loss->start_ns = now_ns;
    if (loss->settings.slot_ns > 0) loss->next = 0; // slots count from here
}

void loss_steer(struct loss *loss, const struct loss_settings *settings, uint64_t now_ns) {
    const struct loss_settings old = loss->settings;
    if (old.slot_ns > 0) slot_fate(loss, now_ns);
    loss->settings = *settings;
    if (settings->slot_ns > 0 && settings->slot_ns != old.slot_ns) loss->next = 0;
    if (settings->kind == LOSS_GILBERT_ELLIOTT && old.kind != LOSS_GILBERT_ELLIOTT) begin_chain(loss);
}
