// Transports call in here from the depths of their own work, so nothing is freed there: a connection that is
// over is released at the end of the loop's turn.
#include "flows/engine.h"

#include "base/clock.h"
#include "flows/flow_state.h"
#include "flows/sampler.h"
#include "flows/transports.h"
#include "quic_io/path_change.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How long the near end waits for its ended flows' connections to close: more than the longest link's round
// trips, and than a few retransmissions of a FIN.
static const uint64_t linger_ns = 5 * NS_PER_S;

struct engine {
    struct engine_options options;
    struct flow *flows;
    size_t count;
    void **shared; // of each transport, as transports.h lists them; NULL: not open
    struct sampler *sampler;
    uint8_t *content;
    uint64_t start_ns;
    size_t open_count;     // flows that are not over
    size_t unclosed_count; // flows that are over, but whose connection is still there
    size_t failures;
    const struct flow *first_failure;
    struct loop_timer expiry; // of the run
    struct loop_timer linger;
    bool stopped;
};

static size_t place_of(const struct flow_transport *transport) {
    size_t place = 0;
    while (transports[place] != transport)
        place++;
    return place;
}

static void *shared_of(const struct flow *flow) {
    return flow->engine->shared[place_of(flow->plan->transport)];
}

// --- the ends of flows

static void finish_if_done(struct engine *engine) {
    if (engine->stopped || !engine->options.end.is_near || engine->open_count > 0) return;
    if (engine->unclosed_count > 0) {
        if (engine->linger.place_plus_1 == 0 &&
            loop_timer_set(engine->options.end.loop, &engine->linger, clock_now_ns() + linger_ns) == 0)
            return;
        if (engine->linger.place_plus_1 > 0) return;
    }
    if (engine->options.finished) engine->options.finished(engine->options.context);
}

const struct path_change *flow_moves(const struct flow *flow, size_t *count) {
    const struct flow_transport *transport = flow->plan->transport;
    *count = flow->move_count;
    if (!flow->connection || !transport->moves) return flow->moves;
    return transport->moves(flow->connection, count);
}

// Without memory for them the report has none.
static void keep_moves(struct flow *flow) {
    size_t count;
    const struct path_change *moves = flow_moves(flow, &count);
    struct path_change *kept = count > 0 ? malloc(count * sizeof *kept) : NULL;
    if (!kept) return;
    memcpy(kept, moves, count * sizeof *kept);
    flow->moves = kept;
    flow->move_count = count;
}

static void release(struct flow *flow) {
    struct engine *engine = flow->engine;
    flow_sample_now(flow, &flow->last);
    keep_moves(flow);
    flow->plan->transport->release(flow->connection);
    flow->connection = NULL;
    engine->unclosed_count--;
}

static void on_turn_end(void *context) {
    struct engine *engine = context;
    for (size_t i = 0; i < transport_count; i++)
        if (engine->shared[i] && transports[i]->turn_end) transports[i]->turn_end(engine->shared[i]);
    if (engine->unclosed_count == 0) return;
    for (size_t i = 0; i < engine->count; i++)
        if (engine->flows[i].connection && engine->flows[i].is_closed) release(&engine->flows[i]);
    finish_if_done(engine);
}

static void end(struct flow *flow, enum flow_state state) {
    struct engine *engine = flow->engine;
    if (flow_is_over(flow)) return;
    flow->state = state;
    flow->ended_ns = clock_now_ns();
    loop_timer_clear(engine->options.end.loop, &flow->begin);
    loop_timer_clear(engine->options.end.loop, &flow->expiry);
    engine->open_count--;
    if (flow->connection) engine->unclosed_count++;
    if (state == FLOW_FAILED && engine->failures++ == 0) engine->first_failure = flow;
    if (!flow->connection) finish_if_done(engine);
}

__attribute__((format(printf, 2, 3))) static void fail(struct flow *flow, const char *why, ...) {
    if (flow_is_over(flow)) return;
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(flow->error, sizeof flow->error, why, arguments);
    va_end(arguments);
    end(flow, FLOW_FAILED);
}

// What never began needs no end: a listener without a connection is closed with the engine.
static void cut(struct flow *flow) {
    if (flow->state == FLOW_WAITING || (flow->state == FLOW_OPENING && !flow->engine->options.end.is_near))
        return;
    if (flow->connection && !flow->is_closed) {
        flow_enter(flow);
        flow->plan->transport->cut(flow->connection);
        flow_leave(flow);
        flow->is_closed = true;
    }
    if (flow->state == FLOW_RUNNING)
        end(flow, flow_has_all(flow) ? FLOW_ENDED : FLOW_CUT);
    else
        fail(flow, "not connected before its time was over");
}

static void on_expiry(void *context, uint64_t now_ns) {
    struct flow *flow = context;
    (void)now_ns;
    cut(flow);
}

void engine_stop(struct engine *engine) {
    struct loop *loop = engine->options.end.loop;
    engine->stopped = true;
    loop_timer_clear(loop, &engine->expiry);
    loop_timer_clear(loop, &engine->linger);
    for (size_t i = 0; i < engine->count; i++) {
        loop_timer_clear(loop, &engine->flows[i].begin);
        loop_timer_clear(loop, &engine->flows[i].expiry);
        cut(&engine->flows[i]);
    }
}

static void on_run_over(void *context, uint64_t now_ns) {
    struct engine *engine = context;
    (void)now_ns;
    engine_stop(engine);
    if (engine->options.finished) engine->options.finished(engine->options.context);
}

// --- the beginnings of flows

static void on_begin(void *context, uint64_t now_ns) {
    struct flow *flow = context;
    const struct flow_plan *plan = flow->plan;
    struct engine *engine = flow->engine;
    char error[sizeof flow->error];
    (void)now_ns;
    flow->state = FLOW_OPENING;
    flow->connect_begin_ns = clock_now_ns();
    flow_enter(flow);
    flow->connection = plan->transport->connect(
        shared_of(flow), flow, (uint16_t)(FLOW_FIRST_PORT + flow->number), error, sizeof error);
    flow_leave(flow);
    if (!flow->connection) {
        fail(flow, "%s", error);
        return;
    }
    const uint64_t over_ns = engine->start_ns + (plan->start_ms + plan->duration_ms) * NS_PER_MS;
    if (plan->duration_ms != FLOW_UNAVAILABLE &&
        loop_timer_set(engine->options.end.loop, &flow->expiry, over_ns) < 0)
        cut(flow);
}

static int begin_samples(struct engine *engine, char *error) {
    if (!engine->sampler || sampler_begin(engine->sampler) == 0) return 0;
    snprintf(error, PLAN_ERROR_SIZE, "not enough memory");
    return -1;
}

int engine_listen(struct engine *engine, char *error) {
    engine->start_ns = clock_now_ns();
    for (size_t i = 0; i < engine->count; i++) {
        struct flow *flow = &engine->flows[i];
        char why[PLAN_ERROR_SIZE];
        flow->connection = flow->plan->transport->listen(shared_of(flow), flow,
                                                         (uint16_t)(FLOW_FIRST_PORT + i), why, sizeof why);
        if (!flow->connection) {
            snprintf(error, PLAN_ERROR_SIZE, "flow %zu: %.400s", i, why);
            return -1;
        }
        flow->state = FLOW_OPENING;
    }
    return begin_samples(engine, error);
}

int engine_begin(struct engine *engine, char *error) {
    struct loop *loop = engine->options.end.loop;
    engine->start_ns = clock_now_ns();
    int result =
        loop_timer_set(loop, &engine->expiry, engine->start_ns + engine->options.plan->for_ms * NS_PER_MS);
    for (size_t i = 0; i < engine->count && result == 0; i++) {
        struct flow *flow = &engine->flows[i];
        result = loop_timer_set(loop, &flow->begin, engine->start_ns + flow->plan->start_ms * NS_PER_MS);
    }
    if (result == 0) return begin_samples(engine, error);
    snprintf(error, PLAN_ERROR_SIZE, "not enough memory");
    return -1;
}

// --- what transports tell

void flow_enter(struct flow *flow) {
    if (flow->entered_ns == FLOW_UNAVAILABLE) flow->entered_ns = clock_spent_ns();
}

void flow_leave(struct flow *flow) {
    if (flow->entered_ns == FLOW_UNAVAILABLE) return;
    flow->cpu_ns += clock_spent_ns() - flow->entered_ns;
    flow->entered_ns = FLOW_UNAVAILABLE;
}

const struct flow_plan *flow_plan_of(const struct flow *flow) {
    return flow->plan;
}

bool flow_is_sender(const struct flow *flow) {
    return flow->is_sender;
}

void flow_connected(struct flow *flow, const char *local, const char *peer, const char *congestion) {
    if (flow->state != FLOW_OPENING) return;
    flow->state = FLOW_RUNNING;
    flow->connected_ns = clock_now_ns();
    snprintf(flow->local, sizeof flow->local, "%s", local);
    snprintf(flow->peer, sizeof flow->peer, "%s", peer);
    snprintf(flow->congestion, sizeof flow->congestion, "%s", congestion ? congestion : "");
}

void flow_is_paced(struct flow *flow, bool paced) {
    flow->paced = paced;
}

uint64_t flow_bytes_left(const struct flow *flow) {
    if (flow->plan->size_bytes == FLOW_UNAVAILABLE) return FLOW_UNAVAILABLE;
    return flow->plan->size_bytes - flow->sent_bytes;
}

const uint8_t *flow_content(const struct flow *flow) {
    return flow->engine->content;
}

void flow_sent(struct flow *flow, uint64_t bytes) {
    flow->sent_bytes += bytes;
}

void flow_received(struct flow *flow, uint64_t bytes) {
    if (flow->first_byte_ns == FLOW_UNAVAILABLE && bytes > 0) flow->first_byte_ns = clock_now_ns();
    flow->received_bytes += bytes;
}

bool flow_has_all(const struct flow *flow) {
    return !flow->is_sender && flow->received_bytes == flow->plan->size_bytes;
}

void flow_ended(struct flow *flow) {
    end(flow, FLOW_ENDED);
}

void flow_closed(struct flow *flow) {
    flow->is_closed = true;
}

void flow_cut_by_peer(struct flow *flow) {
    flow->is_closed = true;
    if (flow->engine->options.end.is_near)
        fail(flow, "the far end closed the connection before the flow's end");
    else
        end(flow, FLOW_CUT);
}

void flow_failed(struct flow *flow, const char *why, ...) {
    char line[sizeof flow->error];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(line, sizeof line, why, arguments);
    va_end(arguments);
    flow->is_closed = true;
    fail(flow, "%s", line);
}

void flow_sample_now(const struct flow *flow, struct flow_sample *sample) {
    memset(sample, 0xff, sizeof *sample); // FLOW_UNAVAILABLE, each of them
    if (flow->connection) flow->plan->transport->sample(flow->connection, sample);
}

// --- opening and closing

static int open_transports(struct engine *engine, char *error) {
    char why[PLAN_ERROR_SIZE];
    for (size_t i = 0; i < engine->count; i++) {
        const struct flow_plan *plan = &engine->options.plan->flows[i];
        void **shared = &engine->shared[place_of(plan->transport)];
        if (!*shared && plan->transport->open(shared, &engine->options.end, why, sizeof why) < 0) {
            *shared = NULL;
            snprintf(error, PLAN_ERROR_SIZE, "%s: %.400s", plan->transport->name, why);
            return -1;
        }
        if (plan->transport->check(*shared, plan->congestion, why, sizeof why) < 0) {
            snprintf(error, PLAN_ERROR_SIZE, "flow %zu: %.400s", i, why);
            return -1;
        }
    }
    return 0;
}

// Xorshift: neither TLS nor a link could make it shorter.
static void fill_content(uint8_t *content) {
    uint64_t state = UINT64_C(88172645463325252);
    for (size_t at = 0; at < FLOW_CONTENT_BYTES; at += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(content + at, &state, sizeof state);
    }
}

static void open_flows(struct engine *engine) {
    for (size_t i = 0; i < engine->count; i++) {
        struct flow *flow = &engine->flows[i];
        const struct flow_plan *plan = &engine->options.plan->flows[i];
        *flow = (struct flow){.engine = engine,
                              .plan = plan,
                              .number = (unsigned)i,
                              .is_sender = (plan->direction == FLOW_UP) == engine->options.end.is_near,
                              .begin = {.due = on_begin, .context = flow},
                              .expiry = {.due = on_expiry, .context = flow},
                              .paced = -1,
                              .connect_begin_ns = FLOW_UNAVAILABLE,
                              .connected_ns = FLOW_UNAVAILABLE,
                              .first_byte_ns = FLOW_UNAVAILABLE,
                              .ended_ns = FLOW_UNAVAILABLE,
                              .entered_ns = FLOW_UNAVAILABLE};
        memset(&flow->last, 0xff, sizeof flow->last);
    }
}

static int open_sampler(struct engine *engine, char *error) {
    if (!engine->options.samples) return 0;
    const struct sampler_options options = {.loop = engine->options.end.loop,
                                            .path = engine->options.samples,
                                            .interval_ns = engine->options.plan->sample_ms * NS_PER_MS,
                                            .flows = engine->flows,
                                            .count = engine->count,
                                            .failed = engine->options.samples_failed,
                                            .context = engine->options.context};
    if (sampler_open(&engine->sampler, &options) == 0) return 0;
    snprintf(error, PLAN_ERROR_SIZE, "samples %s: %s", engine->options.samples, strerror(errno));
    return -1;
}

int engine_open(struct engine **out, const struct engine_options *options, char *error) {
    const size_t count = options->plan->count;
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        snprintf(error, PLAN_ERROR_SIZE, "not enough memory");
        return -1;
    }
    *engine = (struct engine){.options = *options,
                              .flows = calloc(count, sizeof *engine->flows),
                              .shared = calloc(transport_count, sizeof *engine->shared),
                              .content = malloc(FLOW_CONTENT_BYTES),
                              .count = count,
                              .open_count = count};
    engine->expiry = (struct loop_timer){.due = on_run_over, .context = engine};
    engine->linger = (struct loop_timer){.due = on_run_over, .context = engine};
    if (!engine->flows || !engine->shared || !engine->content) {
        snprintf(error, PLAN_ERROR_SIZE, "not enough memory");
        engine_close(engine);
        return -1;
    }
    fill_content(engine->content);
    open_flows(engine);
    if (open_transports(engine, error) < 0 || open_sampler(engine, error) < 0) {
        engine_close(engine);
        return -1;
    }
    loop_on_turn_end(options->end.loop, on_turn_end, engine);
    *out = engine;
    return 0;
}

int engine_close_samples(struct engine *engine) {
    struct sampler *sampler = engine->sampler;
    engine->sampler = NULL;
    return sampler_close(sampler);
}

void engine_close(struct engine *engine) {
    if (!engine) return;
    if (engine->flows && engine->shared) {
        engine_stop(engine);
        for (size_t i = 0; i < engine->count; i++)
            if (engine->flows[i].connection)
                engine->flows[i].plan->transport->release(engine->flows[i].connection);
    }
    for (size_t i = 0; engine->shared && i < transport_count; i++)
        transports[i]->close(engine->shared[i]);
    loop_on_turn_end(engine->options.end.loop, NULL, NULL);
    engine_close_samples(engine);
    for (size_t i = 0; engine->flows && i < engine->count; i++)
        free(engine->flows[i].moves);
    free(engine->content);
    free(engine->shared);
    free(engine->flows);
    free(engine);
}

size_t engine_failures(const struct engine *engine, char *first) {
    const struct flow *flow = engine->first_failure;
    first[0] = 0;
    if (flow)
        snprintf(first, PLAN_ERROR_SIZE, "flow %u (%s, far port %u): %s", flow->number,
                 flow->plan->transport->name, FLOW_FIRST_PORT + flow->number, flow->error);
    return engine->failures;
}

uint64_t engine_start_ns(const struct engine *engine) {
    return engine->start_ns;
}

const struct flow *engine_flows(const struct engine *engine) {
    return engine->flows;
}
