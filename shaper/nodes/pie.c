// The controller's timer is no timer here: what it would have done since is done before anything else
// happens to the queue, which in between stays as it is.
//
// The RFC lets PIE rest until the queue is a third full. Here it rests only while the queue is empty: a third
// of what a profile allows may be much longer than the delay that PIE is there to keep.
#include "shaper/nodes/pie.h"

#include "shaper/nodes/queue.h"

#include <stddef.h>

static const uint64_t rfc_target_ns = 15000000;
static const uint64_t rfc_update_ns = 15000000;
static const uint64_t max_burst_ns = 150000000;
static const double alpha = 0.125, beta = 1.25; // of the probability, per second of delay
static const double mark_max = 0.1; // above, packets are dropped whether they could be marked or not
static const uint32_t mean_packet_bytes = 1024;

enum { THRESHOLD_BYTES = 1 << 14 }; // DQ_THRESHOLD
static const double weight = (double)THRESHOLD_BYTES / (1 << 16);

static uint64_t target_ns(const struct queue *queue) {
    return queue->settings.target_ns > 0 ? queue->settings.target_ns : rfc_target_ns;
}

static void open(struct queue *queue, uint64_t now_ns) {
    (void)now_ns;
    queue->pie = (struct pie){0};
}

// The RFC's table: small steps while the probability is small.
static double scale_of(double probability) {
    static const struct {
        double below;
        double scale;
    } rows[] = {{0.000001, 2048}, {0.00001, 512}, {0.0001, 128}, {0.001, 32}, {0.01, 8}, {0.1, 2}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (probability < rows[i].below) return rows[i].scale;
    return 1;
}

static void adapt(struct queue *queue) {
    struct pie *pie = &queue->pie;
    uint64_t target = target_ns(queue);
    uint64_t delay_ns = (uint64_t)((double)queue->size_bytes * pie->departure_ns / THRESHOLD_BYTES);
    double step = alpha * ((double)delay_ns - (double)target) / 1e9 +
                  beta * ((double)delay_ns - (double)pie->delay_old_ns) / 1e9;
    step /= scale_of(pie->drop_probability);
    if (pie->drop_probability >= 0.1 && step > 0.02) step = 0.02;
    double probability = pie->drop_probability + step;
    bool calm = delay_ns < target / 2 && pie->delay_old_ns < target / 2;
    if (calm) probability *= 0.98;
    if (probability < 0) probability = 0;
    if (probability > 1) probability = 1;
    pie->drop_probability = probability;
    uint64_t update_ns = queue->settings.interval_ns > 0 ? queue->settings.interval_ns : rfc_update_ns;
    pie->burst_allowance_ns = pie->burst_allowance_ns > update_ns ? pie->burst_allowance_ns - update_ns : 0;
    if (calm && probability == 0) pie->burst_allowance_ns = max_burst_ns;
    pie->delay_old_ns = delay_ns;
}

// Idle and over its last congestion, it rests.
static bool over(const struct queue *queue) {
    const struct pie *pie = &queue->pie;
    return queue->packets == 0 && pie->drop_probability == 0 && pie->delay_old_ns == 0;
}

static void catch_up(struct queue *queue, uint64_t now_ns) {
    struct pie *pie = &queue->pie;
    uint64_t update_ns = queue->settings.interval_ns > 0 ? queue->settings.interval_ns : rfc_update_ns;
    while (pie->active && now_ns - pie->updated_ns >= update_ns) {
        pie->updated_ns += update_ns;
        adapt(queue);
        if (over(queue)) *pie = (struct pie){0};
    }
}

static bool drops_early(struct queue *queue) {
    struct pie *pie = &queue->pie;
    if (!pie->active || pie->burst_allowance_ns > 0) return false;
    if (pie->delay_old_ns < target_ns(queue) / 2 && pie->drop_probability < 0.2) return false;
    if (queue->size_bytes <= 2 * mean_packet_bytes) return false;
    if (pie->drop_probability == 0) pie->accumulated = 0;
    // Chance may neither drop two packets close together nor let too many pass between two drops.
    pie->accumulated += pie->drop_probability;
    if (pie->accumulated < 0.85) return false;
    if (pie->accumulated < 8.5 && !random_chance(&queue->random, pie->drop_probability)) return false;
    pie->accumulated = 0;
    return true;
}

static void put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns) {
    struct pie *pie = &queue->pie;
    catch_up(queue, now_ns);
    if (!fits) {
        pie->accumulated = 0;
        queue_drop(queue, packet, DROP_QUEUE, now_ns);
    } else if (drops_early(queue) &&
               !(pie->drop_probability <= mark_max && queue_mark(queue, packet, now_ns))) {
        queue_drop(queue, packet, DROP_AQM, now_ns);
    } else {
        queue_add(queue, &queue->fifo, packet);
    }
    if (!pie->active && queue->packets > 0)
        *pie = (struct pie){.active = true, .updated_ns = now_ns, .burst_allowance_ns = max_burst_ns};
}

// Measured only while the queue is long enough not to run empty meanwhile.
static void measure(struct queue *queue, uint32_t size_bytes, uint64_t now_ns) {
    struct pie *pie = &queue->pie;
    if (pie->measuring) {
        pie->departed_bytes += size_bytes;
        if (pie->departed_bytes >= THRESHOLD_BYTES) {
            // Whole packets are more than the threshold: as long as the threshold itself would have taken.
            double took_ns =
                (double)(now_ns - pie->measurement_start_ns) * THRESHOLD_BYTES / (double)pie->departed_bytes;
            pie->departure_ns =
                pie->departure_ns > 0 ? took_ns * weight + pie->departure_ns * (1 - weight) : took_ns;
            pie->measuring = false;
        }
    }
    if (!pie->measuring && queue->size_bytes >= THRESHOLD_BYTES) {
        pie->measuring = true;
        pie->measurement_start_ns = now_ns;
        pie->departed_bytes = 0;
    }
}

static struct packet *get(struct queue *queue, uint64_t now_ns) {
    catch_up(queue, now_ns);
    struct packet *packet = queue_remove(queue, &queue->fifo);
    if (packet && queue->pie.active) measure(queue, packet->size_bytes, now_ns);
    return packet;
}

const struct queue_kind pie_kind = {open, NULL, put, get};
