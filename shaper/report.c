#include "shaper/report.h"

#include "shaper/language/link_json.h"

#include <stddef.h>

// A quantile of nothing is null.
static json_t *late(const struct histogram *histogram, double quantile) {
    return histogram->count > 0 ? json_number(histogram_quantile(histogram, quantile)) : json_null();
}

struct drops {
    uint64_t queue, aqm, loss, off, udp, moved, unbound, not_ip, refused;
};

static json_t *drops_seen(const struct drops *drops) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "queue", json_number(drops->queue),
                     "aqm", json_number(drops->aqm), "loss", json_number(drops->loss), "off",
                     json_number(drops->off), "udp", json_number(drops->udp), "moved",
                     json_number(drops->moved), "unbound", json_number(drops->unbound), "not_ip",
                     json_number(drops->not_ip), "refused", json_number(drops->refused));
}

static json_t *fec_seen(const struct path *path) {
    const struct fec_encoder *encoder = &path->fec_encoder;
    const struct fec_decoder *decoder = &path->fec_decoder;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "datagrams", json_number(encoder->turn),
                     "parity_packets", json_number(encoder->parity_packets), "parity_bytes",
                     json_number(encoder->parity_bytes), "parity_arrived_packets",
                     json_number(decoder->parity_packets), "repaired_packets", json_number(decoder->repairs),
                     "repaired_bytes", json_number(decoder->repaired_bytes), "failed_groups",
                     json_number(decoder->failures), "late_packets", json_number(decoder->late));
}

static json_t *late_seen(const struct histogram *late_ns) {
    return json_pack("{s:o, s:o, s:o}", "p50", late(late_ns, 0.5), "p99", late(late_ns, 0.99), "max",
                     late_ns->count > 0 ? json_number(late_ns->max) : json_null());
}

static json_t *direction_seen(const struct tun_direction *direction, uint64_t unread) {
    const struct path *path = &direction->path;
    const struct queue *queue = &path->link.queue;
    const struct nat *nat = direction->nat_down;
    struct drops packets = {queue->drops,
                            queue->aqm_drops,
                            path->loss.drops,
                            path->onoff.drops,
                            path->udp_policy.drops,
                            path->moved,
                            nat ? nat->unbound : 0,
                            direction->not_ip,
                            direction->refused + path->delay.drops + path->origin_delay.drops};
    struct drops bytes = {queue->dropped_bytes,
                          queue->aqm_dropped_bytes,
                          path->loss.dropped_bytes,
                          path->onoff.dropped_bytes,
                          path->udp_policy.dropped_bytes,
                          path->moved_bytes,
                          nat ? nat->unbound_bytes : 0,
                          direction->bytes_not_ip,
                          direction->bytes_refused + path->delay.dropped_bytes +
                              path->origin_delay.dropped_bytes};
    json_t *drops = drops_seen(&packets), *dropped_bytes = drops_seen(&bytes);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "unread_packets",
        json_number(unread), "packets_in", json_number(direction->packets_in), "bytes_in",
        json_number(direction->bytes_in), "packets_out", json_number(direction->packets_out), "bytes_out",
        json_number(direction->bytes_out), "drops", drops, "dropped_bytes", dropped_bytes, "left_packets",
        json_number(path_held(path)), "queue_peak_packets", json_number(queue->peak_packets),
        "queue_peak_bytes", json_number(queue->peak_bytes), "busy_ns", json_number(path->link.busy_ns),
        "late_ns", late_seen(&direction->late_ns), "marked_packets", json_number(queue->marks),
        "copied_packets", json_number(path->duplicate.copies), "reordered_packets",
        json_number(path->reorder.reordered), "fec", fec_seen(path));
}

static json_t *column(const struct timeline_direction *direction, uint32_t count, size_t member) {
    json_t *array = json_array();
    for (uint32_t i = 0; array && i < count; i++) {
        const char *bin = (const char *)&direction->bins[i];
        json_array_append_new(array, json_number(*(const uint64_t *)(bin + member)));
    }
    return array;
}

static json_t *bins_seen(const struct timeline_direction *direction, uint32_t count) {
    return json_pack("{s:o, s:o, s:o, s:o}", "bytes_out",
                     column(direction, count, offsetof(struct timeline_bin, bytes_out)), "queue_peak_bytes",
                     column(direction, count, offsetof(struct timeline_bin, queue_peak_bytes)),
                     "dropped_packets", column(direction, count, offsetof(struct timeline_bin, dropped)),
                     "lost_packets", column(direction, count, offsetof(struct timeline_bin, lost)));
}

// NULL where no packet ever came.
static json_t *timeline_seen(const struct timeline *timeline) {
    if (timeline->count == 0) return NULL;
    return json_pack("{s:o, s:o, s:o, s:o}", "start_ns", json_number(timeline->start_ns), "bin_ns",
                     json_number(timeline->bin_ns), "down", bins_seen(&timeline->down, timeline->count), "up",
                     bins_seen(&timeline->up, timeline->count));
}

// As [start, end] in ns.
static json_t *overdue_seen(const struct overdue *overdue) {
    json_t *intervals = json_array();
    for (uint32_t i = 0; intervals && i < overdue->count; i++)
        json_array_append_new(intervals, json_pack("[o, o]", json_number(overdue->list[i].start_ns),
                                                   json_number(overdue->list[i].end_ns)));
    return json_pack("{s:o, s:o, s:o}", "total_ns", json_number(overdue_total_ns(overdue)), "resolution_ns",
                     json_number(overdue->resolution_ns), "intervals", intervals);
}

// NULL where the network treats UDP as anything else. Times are null of what never came.
static json_t *udp_seen(const struct path *up, const struct link_profile *profile) {
    const struct udp_policy *policy = &up->udp_policy;
    if (profile->udp.kind == UDP_OPEN) return NULL;
    return json_pack("{s:o, s:o}", "quic_ns",
                     policy->quic_ns > 0 ? json_number(policy->quic_ns) : json_null(), "tcp_ns",
                     policy->tcp_ns > 0 ? json_number(policy->tcp_ns) : json_null());
}

// One address of each version, where it changed.
static json_t *addresses_of(const struct nat_address *address) {
    char v4[16], v6[46];
    nat_address_text(address, v4, v6);
    return json_pack("{s:s, s:s}", "address", v4, "address_6", v6);
}

// NULL where the path never moved.
static json_t *moves_seen(const struct moves *moves) {
    if (moves->count == 0) return NULL;
    json_t *list = json_array();
    for (uint64_t i = 0; i < moves->count && i < MOVES_LISTED; i++) {
        const struct move *move = &moves->list[i];
        json_t *object =
            json_pack("{s:o, s:s}", "at_ns", json_number(move->at_ns), "kind", move_kind_names[move->kind]);
        if (move->kind != MOVE_PORT) {
            json_object_set_new(object, "before", addresses_of(&move->before));
            json_object_set_new(object, "after", addresses_of(&move->after));
        }
        json_array_append_new(list, object);
    }
    json_t *bindings = json_array();
    for (uint64_t i = 0; i < moves->nat->renewed && i < NAT_BINDINGS_LISTED; i++) {
        const struct nat_binding *binding = &moves->nat->bindings[i];
        json_array_append_new(bindings, json_pack("{s:o, s:s, s:i, s:i, s:i, s:i}", "at_ns",
                                                  json_number(binding->at_ns), "protocol",
                                                  binding->protocol == 6 ? "tcp" : "udp", "ip_version",
                                                  binding->version, "near_port", binding->near_port, "before",
                                                  binding->before, "after", binding->after));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "count", json_number(moves->count), "list", list,
                     "renewed_bindings", json_number(moves->nat->renewed), "bindings", bindings);
}

json_t *report_of(const struct tun_loop *tun_loop, const struct link_profile *profile,
                  const struct report_run *run) {
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:o, s:o, s:i, s:o, s:s, s:s, s:s, s:o, s:O*, s:o*, s:o*, s:o*, s:o, s:o, s:o}",
        "schema", "trilane/shaper-report/1", "version", TRILANE_VERSION, "link", link_profile_json(profile),
        "seed", (json_int_t)profile->seed, "start_ns", json_number(run->start_ns), "end_ns",
        json_number(run->end_ns), "child_status", run->child_status, "cpu_ns", json_number(run->cpu_ns),
        "scheduling", run->scheduling, "cpu_idle", run->cpu_idle, "device", run->device, "wake_ns",
        json_number(tun_loop->wakeup_compensation.wake_ns), "changes", run->changes, "moves",
        moves_seen(&tun_loop->moves), "timeline", timeline_seen(&tun_loop->timeline), "udp",
        udp_seen(&tun_loop->up.path, profile), "overdue", overdue_seen(&tun_loop->overdue), "down",
        direction_seen(&tun_loop->down, run->down_unread), "up",
        direction_seen(&tun_loop->up, run->up_unread));
}
