#include "random_path.h"

#include "test/native/cmocka_unit.h"

#include "shaper/nodes/number_file.h"
#include "shaper/nodes/trace.h"

#include <math.h>

#define MS UINT64_C(1000000)

static struct number_file *open_numbers(const char *text) {
    char error[256];
    struct number_file *file = number_file_open(unit_file("numbers", text), 1000, error, sizeof error);
    if (!file) abort();
    return file;
}

static struct trace *open_trace(const char *text) {
    char error[256];
    struct trace *trace = trace_open(unit_file("trace", text), error, sizeof error);
    if (!trace) abort();
    return trace;
}

void random_path_open(struct random_path_files *files) {
    files->losses = open_numbers("0 0 1 0 0 0 1 1 0 0 0");
    files->jitters = open_numbers("0 1.5 0.25 12 3 0.000001 7");
    files->trace = open_trace("0\n1\n1\n3\n3\n3\n20\n21\n21\n22\n50\n");
}

void random_path_close(struct random_path_files *files) {
    number_file_close(files->losses);
    number_file_close(files->jitters);
    trace_close(files->trace);
}

static uint64_t below(struct random *random, uint64_t limit) {
    return random_next(random) % limit;
}

// A step every few 10 ms; `draw` gives the values.
static struct steps draw_steps(struct random *random, uint64_t (*draw)(struct random *)) {
    struct steps steps = {.count = 1 + (uint32_t)(below(random, 2) * below(random, 10))};
    for (uint32_t i = 0; i < steps.count; i++) {
        steps.step[i].at_ns = i == 0 ? 0 : steps.step[i - 1].at_ns + 1 + below(random, 40 * MS);
        steps.step[i].value = draw(random);
    }
    return steps;
}

static uint64_t draw_rate(struct random *random) {
    return (uint64_t)(1e5 * pow(1e4, random_unit(random)));
}

static uint64_t draw_delay(struct random *random) {
    return below(random, 4) ? below(random, 50 * MS) : 0;
}

static struct queue_settings draw_queue(struct random *random) {
    struct queue_settings queue = {.discipline = (enum queue_discipline)below(random, 5),
                                   .ecn = below(random, 2)};
    if (below(random, 4)) { // quicker than the RFCs', for short traffic
        queue.target_ns = MS / 2 + below(random, 5 * MS);
        queue.interval_ns = MS + below(random, 10 * MS);
    }
    switch (below(random, 4)) {
    case 0:
        queue.limit_packets = 1 + below(random, 40);
        break;
    case 1:
        queue.limit_bytes = 1500 + below(random, 60000);
        break;
    case 2:
        queue.limit_ns = 1 + below(random, 60 * MS);
        break;
    default:
        break;
    }
    return queue;
}

static struct loss_settings draw_loss(const struct random_path_files *files, struct random *random) {
    struct loss_settings loss = {.kind = (enum loss_kind)below(random, 4),
                                 .probability = random_unit(random) * 0.3,
                                 .good_to_bad = random_unit(random) * 0.1,
                                 .bad_to_good = random_unit(random),
                                 .loss_in_good = random_unit(random) * 0.05,
                                 .loss_in_bad = random_unit(random),
                                 .every = 1 + below(random, 30),
                                 .file = files->losses};
    if (below(random, 2)) loss.slot_ns = 1000 + below(random, 20 * MS);
    return loss;
}

struct udp_settings random_path_udp(struct random *random) {
    if (below(random, 2)) return (struct udp_settings){0};
    return (struct udp_settings){.kind = (enum udp_kind)below(random, 5),
                                 .rate_bps = draw_rate(random),
                                 .mtu_bytes = (uint32_t)(100 + below(random, 1400)),
                                 .late_ns = below(random, 40 * MS)};
}

struct direction_settings random_path_settings(const struct random_path_files *files, struct random *random) {
    struct direction_settings settings = {0};
    if (below(random, 4)) {
        settings.rate =
            (struct rate_settings){.kind = RATE_STEPS, .steps_bps = draw_steps(random, draw_rate)};
        settings.queue = draw_queue(random);
    }
    if (below(random, 4) == 0)
        settings.rate = (struct rate_settings){
            .kind = RATE_TRACE, .trace = files->trace, .trace_once = below(random, 4) == 0};
    if (below(random, 2)) settings.loss = draw_loss(files, random);
    if (below(random, 2)) settings.duplicate = random_unit(random) * 0.2;
    if (below(random, 2))
        settings.reorder = (struct reorder_settings){random_unit(random) * 0.2, (uint32_t)below(random, 20)};
    if (below(random, 2))
        settings.onoff =
            (struct onoff_settings){1 + below(random, 60 * MS), below(random, 20 * MS), below(random, 2)};
    if (below(random, 2)) settings.fec_group = (uint32_t)below(random, 12);
    settings.delay.delay_ns = draw_steps(random, draw_delay);
    if (below(random, 2)) {
        settings.delay.jitter = (enum jitter_kind)below(random, 5);
        settings.delay.jitter_ns = below(random, 10 * MS);
        settings.delay.file = files->jitters;
    }
    settings.delay.may_reorder = below(random, 2);
    return settings;
}
