#include "ledger.h"

#include "datagram.h"
#include "test/native/cmocka_unit.h"

static struct ledger_entry entry_of(const struct packet *packet, uint64_t now_ns) {
    struct ledger_entry entry = {.time_ns = now_ns, .waited_ns = now_ns - packet->queued_ns};
    assert_true(datagram_read(packet, &entry.flow, &entry.number)); // a marked one's checksum included
    entry.size_bytes = packet->size_bytes;
    entry.ecn = packet->bytes[0] >> 4 == 4 ? packet->bytes[1] & 3 : packet->bytes[1] >> 4 & 3;
    return entry;
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct ledger *ledger = (struct ledger *)node;
    assert_true(ledger->outs < LEDGER_MAX);
    assert_true(ledger->outs == 0 || now_ns >= ledger->out[ledger->outs - 1].time_ns);
    ledger->out[ledger->outs++] = entry_of(packet, now_ns);
    ledger->out_bytes += packet->size_bytes;
    assert_int_equal(ledger->sent, ledger->outs);
    packet_return(&ledger->pool, packet);
}

static const struct node_kind ledger_kind = {take, NULL, NULL, NULL};

static struct ledger *of(struct packet_watcher *watcher) {
    return (struct ledger *)((char *)watcher - offsetof(struct ledger, watcher));
}

static void queued(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    assert_int_equal(packet->queued_ns, now_ns);
    of(watcher)->queued++;
    of(watcher)->queued_bytes += packet->size_bytes;
}

static void marked(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    (void)packet, (void)now_ns;
    of(watcher)->marks++;
}

static void sent(struct packet_watcher *watcher, const struct packet *packet, uint64_t end_ns) {
    (void)packet, (void)end_ns;
    of(watcher)->sent++;
}

static void dropped(struct packet_watcher *watcher, const struct packet *packet, enum drop_reason reason,
                    uint64_t now_ns) {
    struct ledger *ledger = of(watcher);
    assert_true(ledger->drops < LEDGER_MAX);
    struct ledger_entry *entry = &ledger->drop[ledger->drops++];
    *entry = entry_of(packet, now_ns);
    entry->reason = reason;
    ledger->dropped_bytes += packet->size_bytes;
}

struct ledger *ledger_open(void) {
    struct ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) abort();
    ledger->node = (struct node){&ledger_kind, NULL};
    ledger->watcher =
        (struct packet_watcher){.queued = queued, .marked = marked, .sent = sent, .dropped = dropped};
    ledger->pool.watcher = &ledger->watcher;
    return ledger;
}

void ledger_close(struct ledger *ledger) {
    packet_pool_close(&ledger->pool);
    free(ledger);
}

int ledger_set_up(void **state) {
    *state = ledger_open();
    return 0;
}

int ledger_tear_down(void **state) {
    ledger_close(*state);
    return 0;
}

void ledger_seeded_link(struct ledger *ledger, const struct rate_settings *rate,
                        const struct queue_settings *queue, uint64_t seed, uint64_t stream) {
    ledger->queued = ledger->sent = ledger->marks = ledger->outs = ledger->drops = 0;
    ledger->queued_bytes = ledger->out_bytes = ledger->dropped_bytes = 0;
    link_open(&ledger->link, &ledger->pool, rate, queue, seed, stream, &ledger->node);
    link_start(&ledger->link, 0);
}

void ledger_link(struct ledger *ledger, const struct rate_settings *rate,
                 const struct queue_settings *queue) {
    ledger_seeded_link(ledger, rate, queue, 1, 1);
}

const struct rate_settings ten_megabit = {.kind = RATE_STEPS,
                                          .steps_bps = {.count = 1, .step = {{.value = 10000000}}}};

struct rate_settings constant_rate(uint64_t rate_bps) {
    return (struct rate_settings){.kind = RATE_STEPS,
                                  .steps_bps = {.count = 1, .step = {{.value = rate_bps}}}};
}

void ledger_send(struct ledger *ledger, uint16_t flow, uint32_t number, uint32_t size_bytes, uint8_t ecn,
                 uint64_t now_ns) {
    struct packet *packet = packet_take(&ledger->pool);
    assert_non_null(packet);
    int version = flow % 2 ? 6 : 4;
    datagram_make(packet, version, flow, number, size_bytes - (version == 4 ? 28 : 48), ecn);
    packet->arrived_ns = now_ns;
    ledger_advance(ledger, now_ns);
    node_take(&ledger->link.node, packet, now_ns);
}

void ledger_advance(struct ledger *ledger, uint64_t now_ns) {
    ledger->link.node.kind->advance(&ledger->link.node, now_ns);
}

void ledger_check(const struct ledger *ledger) {
    const struct link *link = &ledger->link;
    const struct queue *queue = &link->queue;
    uint64_t sending_bytes = link->sending ? link->sending->size_bytes : 0;
    assert_int_equal(ledger->queued, ledger->outs + ledger->drops + link->node.kind->held(&link->node));
    assert_int_equal(ledger->queued_bytes,
                     ledger->out_bytes + ledger->dropped_bytes + queue->size_bytes + sending_bytes);
    assert_int_equal(ledger->drops, queue->drops + queue->aqm_drops);
    assert_int_equal(ledger->marks, queue->marks);
    assert_int_equal(ledger->dropped_bytes, queue->dropped_bytes + queue->aqm_dropped_bytes);
}
