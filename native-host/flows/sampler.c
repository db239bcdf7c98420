// A tick that is served late is written under its own time as long as the next one is not due: so the ends'
// samples pair up, and a cumulative count is at most one interval off. Ticks that passed meanwhile are left
// out.
#include "flows/sampler.h"

#include "base/clock.h"
#include "base/record_file.h"

#include <errno.h>
#include <stdlib.h>

static const char *const columns[] = {
    "time_ns",    "flow",       "sent_bytes",      "received_bytes", "cwnd_bytes",          "ssthresh_bytes",
    "srtt_ns",    "min_rtt_ns", "in_flight_bytes", "lost_packets",   "retransmitted_bytes", "delivery_bps",
    "pacing_bps",
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const uint64_t flush_ns = NS_PER_S; // a program that is killed loses no more

struct sampler {
    struct sampler_options options;
    struct record_file *file;
    struct loop_timer timer;
    uint64_t flush_due_ns;
};

uint64_t sampler_tick_ns(uint64_t now_ns, uint64_t interval_ns) {
    return now_ns - now_ns % interval_ns;
}

static int add(struct sampler *sampler, const struct flow *flow, uint64_t tick_ns) {
    struct flow_sample sample;
    flow_sample_now(flow, &sample);
    const uint64_t record[COLUMNS] = {
        tick_ns,
        flow->number,
        flow->sent_bytes,
        flow->received_bytes,
        sample.cwnd_bytes,
        sample.ssthresh_bytes,
        sample.srtt_ns,
        sample.min_rtt_ns,
        sample.in_flight_bytes,
        sample.lost_packets,
        sample.retransmitted_bytes,
        sample.delivery_bps,
        sample.pacing_bps,
    };
    return record_file_add(sampler->file, record);
}

static int add_all(struct sampler *sampler, uint64_t tick_ns) {
    for (size_t i = 0; i < sampler->options.count; i++) {
        const struct flow *flow = &sampler->options.flows[i];
        if (flow->state == FLOW_RUNNING && add(sampler, flow, tick_ns) < 0) return -1;
    }
    if (tick_ns < sampler->flush_due_ns) return 0;
    sampler->flush_due_ns = tick_ns + flush_ns;
    return record_file_flush(sampler->file);
}

static void on_tick(void *context, uint64_t now_ns) {
    struct sampler *sampler = context;
    const uint64_t interval_ns = sampler->options.interval_ns;
    const uint64_t tick_ns = sampler_tick_ns(now_ns, interval_ns);
    if (add_all(sampler, tick_ns) < 0 ||
        loop_timer_set(sampler->options.loop, &sampler->timer, tick_ns + interval_ns) < 0)
        sampler->options.failed(sampler->options.context, errno);
}

int sampler_open(struct sampler **out, const struct sampler_options *options) {
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return -1;
    *sampler = (struct sampler){.options = *options, .timer = {.due = on_tick, .context = sampler}};
    if (record_file_open(&sampler->file, options->path, columns, COLUMNS) < 0) {
        const int error = errno;
        free(sampler);
        errno = error;
        return -1;
    }
    *out = sampler;
    return 0;
}

int sampler_begin(struct sampler *sampler) {
    const uint64_t interval_ns = sampler->options.interval_ns;
    return loop_timer_set(sampler->options.loop, &sampler->timer,
                          sampler_tick_ns(clock_now_ns(), interval_ns) + interval_ns);
}

int sampler_close(struct sampler *sampler) {
    if (!sampler) return 0;
    loop_timer_clear(sampler->options.loop, &sampler->timer);
    const int result = record_file_close(sampler->file);
    const int error = errno;
    free(sampler);
    errno = error;
    return result;
}
