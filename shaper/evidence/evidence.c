#include "shaper/evidence/evidence.h"

#include "base/clock.h"
#include "base/json_file.h"
#include "base/log.h"
#include "shaper/evidence/flow_counters.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// A second of text and a fifth of a second of packets at 1 Gbit/s both ways: disks pause that long.
enum { LOG_BUFFER_BYTES = 8 << 20, PCAPNG_BUFFER_BYTES = 64 << 20, BINS_BUFFER_BYTES = 8 << 20 };

static const uint64_t default_bin_ns = 50 * NS_PER_MS;
// How often what does not depend on packets is written.
static const uint64_t round_ns = 100 * NS_PER_MS;

static int fail(struct evidence_error *error, const char *name, const char *path, const char *why) {
    snprintf(error->line, sizeof error->line, "%s: %s: %s", name, path, why);
    return -1;
}

static int open_writer(struct file_writer **writer, const struct file_writer_options *options,
                       struct evidence_error *error) {
    if (file_writer_open(writer, options) == 0) return 0;
    return fail(error, options->name, options->path, strerror(errno));
}

static int open_log(struct evidence_direction *direction, const char *name, const char *suffix,
                    struct evidence_error *error) {
    int n = snprintf(direction->log_path, sizeof direction->log_path, "%s.%s", name, suffix);
    if (n < 0 || n >= (int)sizeof direction->log_path)
        return fail(error, "log", "the path", strerror(ENAMETOOLONG));
    struct file_writer_options options = {
        .name = "log", .path = direction->log_path, .capacity_bytes = LOG_BUFFER_BYTES};
    return open_writer(&direction->log_writer, &options, error);
}

static int open_capture(struct evidence *evidence, struct evidence_error *error) {
    struct file_writer_options options = {
        .name = "pcapng", .path = evidence->options.pcapng, .capacity_bytes = PCAPNG_BUFFER_BYTES};
    if (evidence->options.tls_keys) {
        options.between = pcapng_keys_between;
        options.context = &evidence->keys;
    }
    return open_writer(&evidence->pcapng_writer, &options, error);
}

static int open_bins(struct evidence *evidence, struct evidence_error *error) {
    const struct evidence_options *options = &evidence->options;
    if (!options->flow_counters)
        return fail(error, "flow-bins", options->flow_bins,
                    "bins name flows by their place in the counters: give --flow-counters too");
    struct file_writer_options writer = {
        .name = "flow-bins", .path = options->flow_bins, .capacity_bytes = BINS_BUFFER_BYTES};
    return open_writer(&evidence->bins_writer, &writer, error);
}

int evidence_open(struct evidence *evidence, const struct evidence_options *options,
                  struct evidence_error *error) {
    *evidence = (struct evidence){.options = *options};
    if (options->tls_keys && !options->pcapng)
        return fail(error, "tls-keys", options->tls_keys, "keys go into a capture: give --pcapng too");
    if (options->log && (open_log(&evidence->down, options->log, "down", error) < 0 ||
                         open_log(&evidence->up, options->log, "up", error) < 0))
        return -1;
    if (options->flow_counters && json_file_try(options->flow_counters) < 0)
        return fail(error, "flow-counters", options->flow_counters, strerror(errno));
    if (options->flow_bins && open_bins(evidence, error) < 0) return -1;
    return options->pcapng ? open_capture(evidence, error) : 0;
}

static bool watches(const struct evidence *evidence) {
    return evidence->options.log || evidence->options.pcapng || evidence->options.flow_counters;
}

static enum pcapng_interface interface_of(const struct evidence_direction *direction) {
    return direction->down ? PCAPNG_DOWN : PCAPNG_UP;
}

static void arrived(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    if (!direction->used) {
        direction->used = true;
        direction->capacity_at_first_bytes = capacity_bytes(&direction->capacity, now_ns);
    }
    if (direction->log_writer) packet_log_arrival(&direction->log, packet, now_ns);
    if (!evidence->options.flow_counters) return;
    uint32_t flow = flow_table_sent(&evidence->flows, packet, direction->down, now_ns);
    if (evidence->bins_writer && flow != FLOW_NONE)
        flow_bins_arrived(&evidence->bins, flow, packet, direction->down, now_ns);
}

static void queued(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    if (!evidence->bins_writer) return;
    uint32_t flow = flow_table_find(&evidence->flows, packet, direction->down);
    if (flow != FLOW_NONE) flow_bins_queued(&evidence->bins, flow, packet, direction->down, now_ns);
}

static void marked(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    if (!evidence->options.flow_counters) return;
    uint32_t flow = flow_table_marked(&evidence->flows, packet, direction->down);
    if (evidence->bins_writer && flow != FLOW_NONE)
        flow_bins_marked(&evidence->bins, flow, direction->down, now_ns);
}

static void sent(struct packet_watcher *watcher, const struct packet *packet, uint64_t end_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    direction->last_left_ns = end_ns;
    if (direction->log_writer) packet_log_departure(&direction->log, packet, end_ns);
    if (!evidence->options.flow_counters) return;
    uint32_t flow = flow_table_left_link(&evidence->flows, packet, direction->down, end_ns);
    if (evidence->bins_writer && flow != FLOW_NONE)
        flow_bins_left(&evidence->bins, flow, packet, direction->down, end_ns);
}

static void dropped(struct packet_watcher *watcher, const struct packet *packet, enum drop_reason reason,
                    uint64_t now_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    direction->statistics.dropped++;
    if (direction->log_writer) packet_log_drop(&direction->log, packet, reason, now_ns);
    if (evidence->pcapng_writer)
        pcapng_dropped(&evidence->pcapng, interface_of(direction), packet, reason, now_ns);
    if (!evidence->options.flow_counters) return;
    uint32_t flow = flow_table_lost(&evidence->flows, packet, direction->down, reason);
    if (evidence->bins_writer && flow != FLOW_NONE)
        flow_bins_dropped(&evidence->bins, flow, packet, direction->down, reason, now_ns);
}

static void delivered(struct packet_watcher *watcher, const struct packet *packet, uint64_t due_ns) {
    struct evidence_direction *direction = (struct evidence_direction *)watcher;
    struct evidence *evidence = direction->evidence;
    direction->statistics.received++;
    if (evidence->pcapng_writer) pcapng_delivered(&evidence->pcapng, interface_of(direction), packet, due_ns);
    if (evidence->options.flow_counters)
        flow_table_received(&evidence->flows, packet, direction->down, due_ns);
}

struct packet_watcher *evidence_watcher(struct evidence *evidence, bool down) {
    if (!watches(evidence)) return NULL;
    return down ? &evidence->down.watcher : &evidence->up.watcher;
}

static void write_opportunities(struct evidence *evidence, uint64_t now_ns) {
    packet_log_opportunities(&evidence->down.log, now_ns);
    packet_log_opportunities(&evidence->up.log, now_ns);
}

static void round_due(void *context, uint64_t now_ns) {
    struct evidence *evidence = context;
    if (evidence->options.log) write_opportunities(evidence, now_ns);
    // A round late: what became of the last moments' packets is not known yet.
    if (evidence->bins_writer && now_ns > round_ns) flow_bins_advance(&evidence->bins, now_ns - round_ns);
    if (loop_timer_set(evidence->loop, &evidence->round, now_ns + round_ns) < 0)
        return; // its place is there: not reached
}

static void write_bin(void *context, const uint64_t record[FLOW_BIN_COLUMNS]) {
    struct evidence *evidence = context;
    uint64_t bytes[FLOW_BIN_COLUMNS];
    for (int i = 0; i < FLOW_BIN_COLUMNS; i++)
        bytes[i] = htole64(record[i]);
    file_writer_add(evidence->bins_writer, &(struct iovec){bytes, sizeof bytes}, 1);
}

static void begin_bins(struct evidence *evidence) {
    uint64_t wanted_ns = evidence->options.flow_bin_ns;
    flow_bins_open(&evidence->bins, wanted_ns > 0 ? wanted_ns : default_bin_ns, write_bin, evidence);
    char line[1024];
    size_t at = (size_t)snprintf(line, sizeof line, "{\"schema\":\"trilane/records/1\",\"columns\":[");
    for (int i = 0; i < FLOW_BIN_COLUMNS; i++)
        at +=
            (size_t)snprintf(line + at, sizeof line - at, "%s\"%s\"", i > 0 ? "," : "", flow_bin_columns[i]);
    at += (size_t)snprintf(line + at, sizeof line - at, "],\"bin_ns\":%" PRIu64 "}\n", evidence->bins.bin_ns);
    file_writer_add(evidence->bins_writer, &(struct iovec){line, at}, 1);
}

static uint64_t wall_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void begin_direction(struct evidence *evidence, struct evidence_direction *direction, bool down,
                            const struct evidence_run *run, uint64_t start_wall_ns) {
    direction->watcher = (struct packet_watcher){.arrived = arrived,
                                                 .delivered = delivered,
                                                 .queued = queued,
                                                 .marked = marked,
                                                 .sent = sent,
                                                 .dropped = dropped};
    direction->evidence = evidence;
    direction->down = down;
    capacity_open(&direction->capacity, down ? run->down_rate : run->up_rate, run->start_ns);
    if (!direction->log_writer) return;
    struct packet_log_head head = {.direction = down ? "Downlink" : "Uplink",
                                   .link = run->link,
                                   .command_line = run->command_line,
                                   .path = direction->log_path,
                                   .start_ns = run->start_ns,
                                   .start_wall_ns = start_wall_ns};
    packet_log_open(&direction->log, direction->log_writer, &direction->capacity, &head);
}

int evidence_begin(struct evidence *evidence, struct loop *loop, const struct evidence_run *run) {
    evidence->loop = loop;
    uint64_t start_wall_ns = wall_now_ns() - (clock_now_ns() - run->start_ns);
    begin_direction(evidence, &evidence->down, true, run, start_wall_ns);
    begin_direction(evidence, &evidence->up, false, run, start_wall_ns);
    if (evidence->pcapng_writer) {
        struct pcapng_head head = {.link = run->link,
                                   .command_line = run->command_line,
                                   .start_ns = run->start_ns,
                                   .start_wall_ns = start_wall_ns,
                                   .place_for_keys = evidence->options.tls_keys != NULL};
        uint64_t place = pcapng_open(&evidence->pcapng, evidence->pcapng_writer, &head);
        pcapng_keys_open(&evidence->keys, evidence->options.tls_keys, place);
    }
    if (evidence->bins_writer) begin_bins(evidence);
    evidence->round = (struct loop_timer){.due = round_due, .context = evidence};
    if (!evidence->options.log && !evidence->bins_writer) return 0;
    return loop_timer_set(loop, &evidence->round, run->start_ns + round_ns);
}

int evidence_start_writing(struct evidence *evidence) {
    struct file_writer *writers[] = {evidence->down.log_writer, evidence->up.log_writer,
                                     evidence->pcapng_writer, evidence->bins_writer};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (writers[i] && file_writer_start(writers[i]) < 0) return -1;
    return 0;
}

static void change_direction(struct evidence_direction *direction, const char *what, const char *form,
                             const struct rate_settings *rate, uint64_t now_ns) {
    direction->capacity_at_last_bytes = capacity_bytes(&direction->capacity, direction->last_left_ns);
    if (direction->log_writer) packet_log_change(&direction->log, what, form, now_ns);
    capacity_steer(&direction->capacity, rate, now_ns);
}

void evidence_change(struct evidence *evidence, const char *form, const struct rate_settings *down_rate,
                     const struct rate_settings *up_rate, uint64_t now_ns) {
    if (!watches(evidence)) return;
    change_direction(&evidence->down, "steer", form, down_rate, now_ns);
    change_direction(&evidence->up, "steer", form, up_rate, now_ns);
    if (evidence->pcapng_writer) pcapng_change(&evidence->pcapng, "link changed", form, now_ns);
}

void evidence_switch(struct evidence *evidence, const char *form, const struct rate_settings *down_rate,
                     const struct rate_settings *up_rate, uint64_t now_ns) {
    if (!watches(evidence)) return;
    change_direction(&evidence->down, "switch", form, down_rate, now_ns);
    change_direction(&evidence->up, "switch", form, up_rate, now_ns);
    capacity_begin_again(&evidence->down.capacity, now_ns);
    capacity_begin_again(&evidence->up.capacity, now_ns);
    if (evidence->pcapng_writer) pcapng_change(&evidence->pcapng, "link switched", form, now_ns);
}

void evidence_rebinding(struct evidence *evidence, const char *kind, uint64_t now_ns) {
    if (!watches(evidence)) return;
    if (evidence->down.log_writer) packet_log_change(&evidence->down.log, "rebind", kind, now_ns);
    if (evidence->up.log_writer) packet_log_change(&evidence->up.log, "rebind", kind, now_ns);
    if (evidence->pcapng_writer) pcapng_change(&evidence->pcapng, "NAT rebinding", kind, now_ns);
}

// From the direction's first packet to the end of its last.
static uint64_t capacity_used_bytes(const struct evidence_direction *direction) {
    uint64_t last_bytes = direction->last_left_ns > direction->capacity.changed_ns
                              ? capacity_bytes(&direction->capacity, direction->last_left_ns)
                              : direction->capacity_at_last_bytes;
    bool any = direction->used && last_bytes > direction->capacity_at_first_bytes;
    return any ? last_bytes - direction->capacity_at_first_bytes : 0;
}

static int write_flow_counters(struct evidence *evidence, const struct evidence_run *run, uint64_t end_ns) {
    const struct evidence_direction *down = &evidence->down, *up = &evidence->up;
    uint64_t down_bytes = capacity_used_bytes(down), up_bytes = capacity_used_bytes(up);
    struct flow_counters_run counters_run = {.link = run->link,
                                             .start_ns = run->start_ns,
                                             .end_ns = end_ns,
                                             .down_capacity_bytes = down->capacity.known ? &down_bytes : NULL,
                                             .up_capacity_bytes = up->capacity.known ? &up_bytes : NULL};
    json_t *report = flow_counters_of(&evidence->flows, &counters_run);
    errno = ENOMEM;
    int result = report ? json_file_write(evidence->options.flow_counters, report) : -1;
    if (result < 0) log_line("flow-counters %s: %s", evidence->options.flow_counters, strerror(errno));
    json_decref(report);
    return result;
}

static int close_bins(struct evidence *evidence) {
    if (!evidence->bins_writer) return 0;
    if (evidence->loop) flow_bins_end(&evidence->bins);
    uint64_t unrecorded = evidence->bins.unrecorded;
    flow_bins_close(&evidence->bins);
    if (unrecorded > 0)
        log_line("flow-bins: %s: memory was short: %" PRIu64 " events of packets are missing",
                 evidence->options.flow_bins, unrecorded);
    return file_writer_close(evidence->bins_writer) < 0 || unrecorded > 0 ? -1 : 0;
}

int evidence_close(struct evidence *evidence, const struct evidence_run *run, uint64_t end_ns) {
    int result = 0;
    if (evidence->loop) loop_timer_clear(evidence->loop, &evidence->round);
    if (evidence->options.log) write_opportunities(evidence, end_ns);
    if (evidence->pcapng_writer) {
        pcapng_end(&evidence->pcapng, PCAPNG_DOWN, &evidence->down.statistics, end_ns);
        pcapng_end(&evidence->pcapng, PCAPNG_UP, &evidence->up.statistics, end_ns);
    }
    if (evidence->options.flow_counters && write_flow_counters(evidence, run, end_ns) < 0) result = -1;
    if (close_bins(evidence) < 0) result = -1;
    if (file_writer_close(evidence->down.log_writer) < 0) result = -1;
    if (file_writer_close(evidence->up.log_writer) < 0) result = -1;
    if (file_writer_close(evidence->pcapng_writer) < 0)
        result = -1; // and perhaps its thread still hangs on the disk, with the keys
    else
        pcapng_keys_close(&evidence->keys);
    flow_table_close(&evidence->flows);
    return result;
}
