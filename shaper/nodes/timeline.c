#include "shaper/nodes/timeline.h"

#include "base/clock.h"

#include <string.h>

static const uint64_t first_bin_ns = 10 * NS_PER_MS;

static void merge_pairs(struct timeline_direction *direction) {
    struct timeline_bin *bins = direction->bins;
    for (uint32_t i = 0; i < TIMELINE_BINS / 2; i++) {
        struct timeline_bin a = bins[2 * i], b = bins[2 * i + 1];
        bins[i] = (struct timeline_bin){
            .bytes_out = a.bytes_out + b.bytes_out,
            .dropped = a.dropped + b.dropped,
            .lost = a.lost + b.lost,
            .queue_peak_bytes =
                a.queue_peak_bytes > b.queue_peak_bytes ? a.queue_peak_bytes : b.queue_peak_bytes,
        };
    }
    memset(bins + TIMELINE_BINS / 2, 0, sizeof *bins * (TIMELINE_BINS / 2));
}

// What waited at the last look still waits while the next bins begin.
static void begin_bins(struct timeline *timeline, uint64_t index) {
    while (timeline->count <= index) {
        timeline->down.bins[timeline->count].queue_peak_bytes = timeline->down.last.queue_bytes;
        timeline->up.bins[timeline->count].queue_peak_bytes = timeline->up.last.queue_bytes;
        timeline->count++;
    }
}

static void add(struct timeline_direction *direction, uint32_t index, const struct timeline_counters *now) {
    struct timeline_bin *bin = &direction->bins[index];
    bin->bytes_out += now->bytes_out - direction->last.bytes_out;
    bin->dropped += now->dropped - direction->last.dropped;
    bin->lost += now->lost - direction->last.lost;
    if (now->queue_bytes > bin->queue_peak_bytes) bin->queue_peak_bytes = now->queue_bytes;
    direction->last = *now;
}

void timeline_tell(struct timeline *timeline, const struct timeline_counters *down,
                   const struct timeline_counters *up, uint64_t now_ns) {
    if (timeline->count == 0) {
        timeline->start_ns = now_ns;
        timeline->bin_ns = first_bin_ns;
    }
    uint64_t index = (now_ns - timeline->start_ns) / timeline->bin_ns;
    while (index >= TIMELINE_BINS) {
        begin_bins(timeline, TIMELINE_BINS - 1);
        merge_pairs(&timeline->down);
        merge_pairs(&timeline->up);
        timeline->count = TIMELINE_BINS / 2;
        timeline->bin_ns *= 2;
        index /= 2;
    }
    begin_bins(timeline, index);
    add(&timeline->down, (uint32_t)index, down);
    add(&timeline->up, (uint32_t)index, up);
}
