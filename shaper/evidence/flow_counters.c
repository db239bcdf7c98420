#include "shaper/evidence/flow_counters.h"

#include <arpa/inet.h>
#include <netinet/in.h>

// As in the comments of captures, and in the shaper's report.
static const char *const reason_names[DROP_REASONS] = {"queue", "aqm",   "loss",    "off",   "udp",
                                                       "moved", "moved", "unbound", "memory"};

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

// Of nothing there is no ratio: null, and never 0.
static json_t *ratio(double of, double in) {
    return in > 0 ? json_real(of / in) : json_null();
}

static json_t *number_if(bool known, uint64_t value) {
    return known ? number(value) : json_null();
}

static json_t *lost_of(const struct flow_counts *counts) {
    json_t *lost = json_object();
    for (int i = 0; i < DROP_REASONS; i++) {
        json_int_t before = json_integer_value(json_object_get(lost, reason_names[i]));
        json_object_set_new(lost, reason_names[i],
                            json_integer(before + (json_int_t)counts->lost_packets[i]));
    }
    return lost;
}

static double seconds_of(const struct flow_counts *counts) {
    bool whole = counts->sent_packets > 0 && counts->received_packets > 0;
    return whole && counts->last_ns > counts->first_ns ? (double)(counts->last_ns - counts->first_ns) / 1e9
                                                       : 0;
}

static json_t *counts_of(const struct flow_counts *counts) {
    bool left = counts->queued_packets > 0;
    double seconds = seconds_of(counts);
    json_t *delay = json_pack("{s:o, s:o}", "mean",
                              number_if(left, left ? counts->queue_delay_sum_ns / counts->queued_packets : 0),
                              "max", number_if(left, counts->queue_delay_max_ns));
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"sent_packets", number(counts->sent_packets)},
        {"sent_bytes", number(counts->sent_bytes)},
        {"link_packets", number(counts->queued_packets)},
        {"link_bytes", number(counts->queued_bytes)},
        {"marked_packets", number(counts->marked_packets)},
        {"received_packets", number(counts->received_packets)},
        {"received_bytes", number(counts->received_bytes)},
        {"lost_packets", lost_of(counts)},
        {"lost_bytes", number(counts->lost_bytes)},
        {"goodput_bytes", number(counts->goodput_bytes)},
        {"goodput_bps", ratio((double)counts->goodput_bytes * 8, seconds)},
        {"loss_ratio", ratio((double)counts->lost_bytes, (double)counts->sent_bytes)},
        {"first_sent_ns", number_if(counts->sent_packets > 0, counts->first_ns)},
        {"last_received_ns", number_if(counts->received_packets > 0, counts->last_ns)},
        {"queue_delay_ns", delay},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        json_object_set_new(object, members[i].name, members[i].value);
    return object;
}

static json_t *flow_metrics_of(const struct flow_counts *counts, const struct histogram *queue_delay_ns,
                               const uint64_t *capacity_bytes) {
    json_t *metrics = counts_of(counts);
    json_t *delay = json_object_get(metrics, "queue_delay_ns");
    static const struct {
        const char *name;
        double quantile;
    } quantiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        json_object_set_new(
            delay, quantiles[i].name,
            number_if(queue_delay_ns->count > 0, histogram_quantile(queue_delay_ns, quantiles[i].quantile)));
    json_object_set_new(metrics, "capacity_bytes", capacity_bytes ? number(*capacity_bytes) : json_null());
    json_object_set_new(metrics, "utilization",
                        capacity_bytes ? ratio((double)counts->queued_bytes, (double)*capacity_bytes)
                                       : json_null());
    return metrics;
}

static json_t *end_of(const struct flow_key *key, const uint8_t *address, uint16_t port) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(key->version == 6 ? AF_INET6 : AF_INET, address, text, sizeof text);
    bool ports = key->protocol == IPPROTO_TCP || key->protocol == IPPROTO_UDP;
    return json_pack("{s:s, s:o}", "address", text, "port", number_if(ports && port > 0, port));
}

static json_t *protocol_of(const struct flow_key *key) {
    switch (key->protocol) {
    case IPPROTO_TCP:
        return json_string("tcp");
    case IPPROTO_UDP:
        return json_string("udp");
    case IPPROTO_ICMP:
        return json_string("icmp");
    case IPPROTO_ICMPV6:
        return json_string("icmpv6");
    default:
        return json_sprintf("%d", key->protocol);
    }
}

static json_t *flow_of(const struct flow *flow) {
    const struct flow_key *key = &flow->key;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "protocol", protocol_of(key), "near",
                     end_of(key, key->near_address, key->near_port), "far",
                     end_of(key, key->far_address, key->far_port), "down", counts_of(&flow->down), "up",
                     counts_of(&flow->up));
}

json_t *flow_counters_of(const struct flow_table *table, const struct flow_counters_run *run) {
    json_t *flows = json_array();
    for (uint32_t i = 0; i < table->count; i++)
        json_array_append_new(flows, flow_of(&table->flows[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "trilane/flow-counters/1",
                     "version", TRILANE_VERSION, "link", run->link, "start_ns", number(run->start_ns),
                     "end_ns", number(run->end_ns), "down",
                     flow_metrics_of(&table->down, &table->queue_delay_down_ns, run->down_capacity_bytes),
                     "up", flow_metrics_of(&table->up, &table->queue_delay_up_ns, run->up_capacity_bytes),
                     "untracked_packets", number(table->untracked_packets), "flows", flows);
}
