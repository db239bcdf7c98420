#include "shaper/report.h"

#include "shaper/link_json.h"

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
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
                     "trilane/shaper-report/1", "version", TRILANE_VERSION, "link",
                     link_profile_json(profile), "seed", (json_int_t)profile->seed, "start_ns",
                     number(run->start_ns), "end_ns", number(run->end_ns), "child_status", run->child_status,
                     "cpu_ns", number(run->cpu_ns), "scheduling", run->scheduling, "down",
                     direction_seen(&tun_loop->down, run->down_unread), "up",
                     direction_seen(&tun_loop->up, run->up_unread));
}
