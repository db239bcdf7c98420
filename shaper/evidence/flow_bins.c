#include "shaper/evidence/flow_bins.h"

#include "shaper/evidence/flow_table.h"

#include <stdlib.h>
#include <string.h>

const char *const flow_bin_columns[FLOW_BIN_COLUMNS] = {
    [FLOW_BIN_TIME_NS] = "time_ns",
    [FLOW_BIN_FLOW] = "flow",
    [FLOW_BIN_DIRECTION] = "direction",
    [FLOW_BIN_ARRIVED_BYTES] = "arrived_bytes",
    [FLOW_BIN_LEFT_BYTES] = "left_bytes",
    [FLOW_BIN_QUEUE_PEAK] = "queue_peak_bytes",
    [FLOW_BIN_QUEUE_DELAY_NS] = "queue_delay_sum_ns",
    [FLOW_BIN_LEFT_PACKETS] = "left_packets",
    [FLOW_BIN_DROPPED_PACKETS] = "dropped_packets",
    [FLOW_BIN_MARKED_PACKETS] = "marked_packets",
    [FLOW_BIN_LOST_PACKETS] = "lost_packets",
};

struct flow_bin {
    bool open;
    uint64_t queue_bytes; // now, and since when
    uint64_t queue_since_ns;
    uint64_t sums[FLOW_BIN_COLUMNS];
};

enum { FIRST_FLOWS = 64 };

void flow_bins_open(struct flow_bins *bins, uint64_t bin_ns, flow_bins_write *write, void *context) {
    *bins = (struct flow_bins){.bin_ns = bin_ns, .write = write, .context = context};
}

static void close_direction(struct flow_bins_direction *direction) {
    free(direction->bins);
    free(direction->open);
}

void flow_bins_close(struct flow_bins *bins) {
    close_direction(&bins->down);
    close_direction(&bins->up);
    *bins = (struct flow_bins){0};
}

// A level that is gone at the moment it came is none: a packet that finds no room counts as queued first,
// too.
static void note_queue(struct flow_bin *bin, uint64_t now_ns) {
    if (now_ns > bin->queue_since_ns && bin->queue_bytes > bin->sums[FLOW_BIN_QUEUE_PEAK])
        bin->sums[FLOW_BIN_QUEUE_PEAK] = bin->queue_bytes;
}

static void change_queue(struct flow_bin *bin, uint64_t queue_bytes, uint64_t now_ns) {
    note_queue(bin, now_ns);
    bin->queue_bytes = queue_bytes;
    bin->queue_since_ns = now_ns;
}

// Writes the present bin of all its flows; those of which something still waits have something to say of the
// next one, too.
static void end_bin(struct flow_bins *bins, struct flow_bins_direction *direction) {
    uint64_t begin_ns = direction->bin * bins->bin_ns, end_ns = begin_ns + bins->bin_ns;
    uint32_t still_open = 0;
    for (uint32_t i = 0; i < direction->open_count; i++) {
        uint32_t flow = direction->open[i];
        struct flow_bin *bin = &direction->bins[flow];
        note_queue(bin, end_ns);
        bin->sums[FLOW_BIN_TIME_NS] = begin_ns;
        bin->sums[FLOW_BIN_FLOW] = flow;
        bin->sums[FLOW_BIN_DIRECTION] = direction == &bins->up;
        bins->write(bins->context, bin->sums);
        memset(bin->sums, 0, sizeof bin->sums);
        bin->open = bin->queue_bytes > 0;
        bin->queue_since_ns = end_ns;
        if (bin->open) direction->open[still_open++] = flow;
    }
    direction->open_count = still_open;
}

static void advance(struct flow_bins *bins, struct flow_bins_direction *direction, uint64_t now_ns) {
    uint64_t now = now_ns / bins->bin_ns;
    while (direction->bin < now && direction->open_count > 0) {
        end_bin(bins, direction);
        direction->bin++;
    }
    if (direction->bin < now) direction->bin = now;
}

static bool make_room(struct flow_bins_direction *direction, uint32_t flow) {
    uint32_t capacity = direction->capacity > 0 ? direction->capacity : FIRST_FLOWS;
    while (capacity <= flow)
        capacity *= 2;
    struct flow_bin *bins = realloc(direction->bins, capacity * sizeof *bins);
    if (!bins) return false;
    direction->bins = bins;
    uint32_t *open = realloc(direction->open, capacity * sizeof *open);
    if (!open) return false;
    direction->open = open;
    memset(bins + direction->capacity, 0, (capacity - direction->capacity) * sizeof *bins);
    direction->capacity = capacity;
    return true;
}

// The flow's present bin, once those before it are written. NULL: there is no memory for it.
static struct flow_bin *bin_at(struct flow_bins *bins, uint32_t flow, bool down, uint64_t now_ns) {
    struct flow_bins_direction *direction = down ? &bins->down : &bins->up;
    advance(bins, direction, now_ns);
    if (flow >= direction->capacity && !make_room(direction, flow)) {
        bins->unrecorded++;
        return NULL;
    }
    struct flow_bin *bin = &direction->bins[flow];
    if (!bin->open) {
        bin->open = true;
        direction->open[direction->open_count++] = flow;
    }
    return bin;
}

void flow_bins_arrived(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                       uint64_t now_ns) {
    struct flow_bin *bin = bin_at(bins, flow, down, now_ns);
    if (bin) bin->sums[FLOW_BIN_ARRIVED_BYTES] += packet->size_bytes;
}

void flow_bins_queued(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                      uint64_t now_ns) {
    struct flow_bin *bin = bin_at(bins, flow, down, now_ns);
    if (bin) change_queue(bin, bin->queue_bytes + packet->size_bytes, now_ns);
}

static void leave_queue(struct flow_bin *bin, const struct packet *packet, uint64_t now_ns) {
    bool there = bin->queue_bytes >= packet->size_bytes;
    change_queue(bin, there ? bin->queue_bytes - packet->size_bytes : 0, now_ns);
}

void flow_bins_left(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                    uint64_t end_ns) {
    struct flow_bin *bin = bin_at(bins, flow, down, end_ns);
    if (!bin) return;
    leave_queue(bin, packet, end_ns);
    bin->sums[FLOW_BIN_LEFT_BYTES] += packet->size_bytes;
    bin->sums[FLOW_BIN_LEFT_PACKETS]++;
    bin->sums[FLOW_BIN_QUEUE_DELAY_NS] += flow_queue_delay_ns(packet, end_ns);
}

void flow_bins_dropped(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                       enum drop_reason reason, uint64_t now_ns) {
    struct flow_bin *bin = bin_at(bins, flow, down, now_ns);
    if (!bin) return;
    bool by_queue = reason == DROP_QUEUE || reason == DROP_AQM;
    if (by_queue || reason == DROP_MOVED_QUEUED) leave_queue(bin, packet, now_ns);
    bin->sums[by_queue ? FLOW_BIN_DROPPED_PACKETS : FLOW_BIN_LOST_PACKETS]++;
}

void flow_bins_marked(struct flow_bins *bins, uint32_t flow, bool down, uint64_t now_ns) {
    struct flow_bin *bin = bin_at(bins, flow, down, now_ns);
    if (bin) bin->sums[FLOW_BIN_MARKED_PACKETS]++;
}

void flow_bins_advance(struct flow_bins *bins, uint64_t now_ns) {
    advance(bins, &bins->down, now_ns);
    advance(bins, &bins->up, now_ns);
}

void flow_bins_end(struct flow_bins *bins) {
    end_bin(bins, &bins->down);
    end_bin(bins, &bins->up);
}
