#include "shaper/nodes/queue.h"

#include "shaper/nodes/drop_tail.h"
#include "shaper/nodes/ecn.h"
#include "shaper/nodes/link.h"

#include <stddef.h>

#define QUEUE_WORD(constant, kind, word, active, state, ...) [constant] = {word, &kind, active},
const struct queue_word queue_words[QUEUE_DISCIPLINES] = {QUEUE_KINDS(QUEUE_WORD)};

static const struct queue_kind *kind_of(enum queue_discipline discipline) {
    return queue_words[discipline].kind;
}

void queue_open(struct queue *queue, struct packet_pool *pool, const struct link *link,
                const struct queue_settings *settings, uint64_t seed, uint64_t stream) {
    *queue = (struct queue){
        .kind = kind_of(settings->discipline), .pool = pool, .link = link, .settings = *settings};
    random_open(&queue->random, seed, stream);
    queue->kind->open(queue, 0);
}

void queue_steer(struct queue *queue, const struct queue_settings *settings, uint64_t now_ns) {
    const struct queue_kind *kind = kind_of(settings->discipline);
    queue->settings = *settings;
    if (kind == queue->kind) return;
    if (queue->kind->close) queue->kind->close(queue);
    queue->kind = kind;
    queue->kind->open(queue, now_ns);
}

void queue_put(struct queue *queue, struct packet *packet, bool at_once, uint64_t now_ns) {
    struct packet_watcher *watcher = queue->pool->watcher;
    packet->queued_ns = now_ns;
    if (watcher) watcher->queued(watcher, packet, now_ns);
    queue->kind->put(queue, packet, at_once || queue_fits(queue, packet, now_ns), now_ns);
    // What the link takes at once has not waited.
    if (at_once) return;
    if (queue->packets > queue->peak_packets) queue->peak_packets = queue->packets;
    if (queue->size_bytes > queue->peak_bytes) queue->peak_bytes = queue->size_bytes;
}

struct packet *queue_get(struct queue *queue, uint64_t now_ns) {
    return queue->kind->get(queue, now_ns);
}

struct packet *queue_take_back(struct queue *queue, uint64_t now_ns) {
    if (queue->packets > 0 && !queue->fifo.first && queue->kind->close) queue->kind->close(queue);
    struct packet *packet = queue_remove(queue, &queue->fifo);
    if (!packet) queue->kind->open(queue, now_ns);
    return packet;
}

bool queue_allows(const struct queue *queue, uint64_t packets, uint64_t size_bytes, uint64_t ahead_bytes,
                  uint64_t now_ns) {
    const struct queue_settings *settings = &queue->settings;
    if (settings->limit_packets > 0 && packets > settings->limit_packets) return false;
    if (settings->limit_bytes > 0 && size_bytes > settings->limit_bytes) return false;
    return settings->limit_ns == 0 || link_wait_ns(queue->link, ahead_bytes, now_ns) <= settings->limit_ns;
}

bool queue_fits(const struct queue *queue, const struct packet *packet, uint64_t now_ns) {
    return queue_allows(queue, queue->packets + 1, queue->size_bytes + packet->size_bytes, queue->size_bytes,
                        now_ns);
}

void queue_add(struct queue *queue, struct packet_list *list, struct packet *packet) {
    packet_list_add(list, packet);
    queue->packets++;
    queue->size_bytes += packet->size_bytes;
}

struct packet *queue_remove(struct queue *queue, struct packet_list *list) {
    struct packet *packet = packet_list_remove(list);
    if (!packet) return NULL;
    queue->packets--;
    queue->size_bytes -= packet->size_bytes;
    return packet;
}

void queue_drop(struct queue *queue, struct packet *packet, enum drop_reason reason, uint64_t now_ns) {
    if (reason == DROP_AQM) {
        queue->aqm_drops++;
        queue->aqm_dropped_bytes += packet->size_bytes;
    } else {
        queue->drops++;
        queue->dropped_bytes += packet->size_bytes;
    }
    packet_drop(queue->pool, packet, reason, now_ns);
}

bool queue_mark(struct queue *queue, struct packet *packet, uint64_t now_ns) {
    struct packet_watcher *watcher = queue->pool->watcher;
    if (!queue->settings.ecn || !ecn_mark(packet)) return false;
    queue->marks++;
    if (watcher) watcher->marked(watcher, packet, now_ns);
    return true;
}
