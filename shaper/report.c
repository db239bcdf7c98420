#include "shaper/report.h"

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *queue_asked(const struct link_queue *queue) {
    switch (queue->kind) {
    case LINK_QUEUE_BDP:
        return json_pack("{s:f}", "bdp", queue->size);
    case LINK_QUEUE_PACKETS:
        return json_pack("{s:o}", "packets", number((uint64_t)queue->size));
    case LINK_QUEUE_BYTES:
        return json_pack("{s:o}", "bytes", number((uint64_t)queue->size));
    default:
        return json_pack("{s:b}", "unlimited", 1);
    }
}

static json_t *direction_asked(const struct direction_settings *direction, const struct link_queue *queue) {
    uint64_t rate_bps = link_rate_bps(direction);
    return json_pack("{s:o, s:f, s:o, s:f}", "rate_bps", rate_bps > 0 ? number(rate_bps) : json_null(),
                     "delay_ms", (double)link_delay_ns(direction) / 1e6, "queue", queue_asked(queue), "loss",
                     direction->loss.probability);
}

static json_t *profile_asked(const struct link_profile *profile) {
    uint64_t rtt_ns = link_delay_ns(&profile->down) + link_delay_ns(&profile->up);
    return json_pack("{s:o, s:o, s:f, s:I}", "down", direction_asked(&profile->down, &profile->queue_down),
                     "up", direction_asked(&profile->up, &profile->queue_up), "rtt_ms", (double)rtt_ns / 1e6,
                     "seed", (json_int_t)profile->seed);
}

// A quantile of nothing is null.
static json_t *late(const struct histogram *histogram, double quantile) {
    return histogram->count > 0 ? number(histogram_quantile(histogram, quantile)) : json_null();
}

static json_t *direction_seen(const struct tun_direction *direction, uint64_t unread) {
    const struct path *path = &direction->path;
    const struct drop_tail *queue = &path->link.queue;
    const struct histogram *late_ns = &direction->late_ns;
    json_t *drops =
        json_pack("{s:o, s:o, s:o, s:o}", "queue", number(queue->drops), "loss", number(path->loss.drops),
                  "not_ip", number(direction->not_ip), "refused", number(direction->refused));
    json_t *dropped_bytes =
        json_pack("{s:o, s:o, s:o, s:o}", "queue", number(queue->dropped_bytes), "loss",
                  number(path->loss.dropped_bytes), "not_ip", number(direction->bytes_not_ip), "refused",
                  number(direction->bytes_refused));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}}",
                     "unread_packets", number(unread), "packets_in", number(direction->packets_in),
                     "bytes_in", number(direction->bytes_in), "packets_out", number(direction->packets_out),
                     "bytes_out", number(direction->bytes_out), "drops", drops, "dropped_bytes",
                     dropped_bytes, "left_packets", number(path_held(path)), "queue_peak_packets",
                     number(queue->peak_packets), "queue_peak_bytes", number(queue->peak_bytes), "busy_ns",
                     number(path->link.busy_ns), "late_ns", "p50", late(late_ns, 0.5), "p99",
                     late(late_ns, 0.99), "max", late_ns->count > 0 ? number(late_ns->max) : json_null());
}

json_t *report_of(const struct tun_loop *tun_loop, const struct link_profile *profile,
                  const struct report_run *run) {
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:i, s:o, s:s, s:o, s:o}", "schema",
                     "trilane/shaper-report/1", "version", TRILANE_VERSION, "link", profile_asked(profile),
                     "seed", (json_int_t)profile->seed, "start_ns", number(run->start_ns), "end_ns",
                     number(run->end_ns), "child_status", run->child_status, "cpu_ns", number(run->cpu_ns),
                     "scheduling", run->scheduling, "down", direction_seen(&tun_loop->down, run->down_unread),
                     "up", direction_seen(&tun_loop->up, run->up_unread));
}
