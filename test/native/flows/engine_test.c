// The engine over a transport that does what the test says: when it opens, samples, cuts and releases a flow,
// and what it makes of what a transport tells. Nothing here depends on how long anything takes.
#include "flows/engine.h"

#include "base/clock.h"
#include "flows/flow_state.h"
#include "flows/report.h"
#include "flows/transports.h"
#include "test/native/cmocka_unit.h"

// --- a transport whose connections are places in a list

enum { MOST = 4 };

static struct {
    struct flow *flows[MOST];
    uint16_t ports[MOST];
    int opened, closed, listened, connected, cuts[MOST], releases[MOST];
    bool refuses; // to connect
    uint64_t arrives_at_cut;
    bool knows_nothing; // any controller
} fake;

static int open_fake(void **shared, const struct flow_end *end, char *error, size_t error_size) {
    (void)end, (void)error, (void)error_size;
    *shared = &fake;
    fake.opened++;
    return 0;
}

static void close_fake(void *shared) {
    if (shared) fake.closed++;
}

static int check_fake(void *shared, const char *congestion, char *error, size_t error_size) {
    assert_ptr_equal(shared, &fake);
    if (fake.knows_nothing) snprintf(error, error_size, "no \"%s\" here", congestion);
    return fake.knows_nothing ? -1 : 0;
}

static void *take(struct flow *flow, uint16_t port) {
    const int place = port - FLOW_FIRST_PORT;
    fake.flows[place] = flow;
    fake.ports[place] = port;
    return &fake.flows[place];
}

static void *listen_fake(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    (void)shared, (void)error, (void)error_size;
    fake.listened++;
    return take(flow, port);
}

static void *connect_fake(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    (void)shared;
    fake.connected++;
    if (fake.refuses) snprintf(error, error_size, "nobody there");
    return fake.refuses ? NULL : take(flow, port);
}

static int place_of(const void *connection) {
    return (int)((struct flow *const *)connection - fake.flows);
}

static void sample_fake(void *connection, struct flow_sample *sample) {
    sample->packets_sent = 100 + (uint64_t)place_of(connection);
    sample->lost_packets = 7;
}

static void cut_fake(void *connection) {
    struct flow *flow = *(struct flow **)connection;
    fake.cuts[place_of(connection)]++;
    if (fake.arrives_at_cut > 0) flow_received(flow, fake.arrives_at_cut);
}

static void release_fake(void *connection) {
    fake.releases[place_of(connection)]++;
}

static const struct flow_transport fake_transport = {.name = "fake",
                                                     .open = open_fake,
                                                     .close = close_fake,
                                                     .check = check_fake,
                                                     .listen = listen_fake,
                                                     .connect = connect_fake,
                                                     .sample = sample_fake,
                                                     .cut = cut_fake,
                                                     .release = release_fake};

// In place of the program's own list.
const struct flow_transport *const transports[] = {&fake_transport};
const size_t transport_count = 1;

// --- an end of a run over it

struct end {
    struct loop *loop;
    struct engine *engine;
    struct plan plan;
    struct flow_plan flows[MOST];
    struct loop_timer timer;
    int finished;
    void (*then)(void); // once the flows have begun
};

static void on_finished(void *context) {
    struct end *end = context;
    end->finished++;
    loop_stop(end->loop);
}

static void on_samples_failed(void *context, int error) {
    (void)context;
    fail_msg("samples: %d", error);
}

// Flow i sends 100 bytes, those with odd numbers up.
static void open_end(struct end *end, bool is_near, size_t count) {
    char error[PLAN_ERROR_SIZE] = "";
    memset(&fake, 0, sizeof fake);
    *end = (struct end){.plan = {.for_ms = 86400000, .sample_ms = 5, .ping_ms = FLOW_UNAVAILABLE}};
    end->plan.flows = end->flows;
    end->plan.count = count;
    for (size_t i = 0; i < count; i++)
        end->flows[i] = (struct flow_plan){.transport = &fake_transport,
                                           .congestion = "cubic",
                                           .direction = i % 2 ? FLOW_UP : FLOW_DOWN,
                                           .duration_ms = FLOW_UNAVAILABLE,
                                           .size_bytes = 100};
    assert_int_equal(loop_open(&end->loop), 0);
    const struct engine_options options = {.end = {.loop = end->loop, .is_near = is_near},
                                           .plan = &end->plan,
                                           .finished = on_finished,
                                           .samples_failed = on_samples_failed,
                                           .context = end};
    assert_int_equal(engine_open(&end->engine, &options, error), 0);
    assert_int_equal(fake.opened, 1); // once for all flows
}

static void close_end(struct end *end) {
    engine_close(end->engine);
    loop_close(end->loop);
    assert_int_equal(fake.closed, 1);
}

static void on_then(void *context, uint64_t now_ns) {
    struct end *end = context;
    (void)now_ns;
    end->then();
}

// Begins, and runs until the engine has finished.
static void run_near(struct end *end, void (*then)(void)) {
    char error[PLAN_ERROR_SIZE];
    assert_int_equal(engine_begin(end->engine, error), 0);
    end->then = then;
    end->timer = (struct loop_timer){.due = on_then, .context = end};
    assert_int_equal(loop_timer_set(end->loop, &end->timer, engine_start_ns(end->engine) + 1), 0);
    assert_int_equal(loop_run(end->loop), 0);
}

static const struct flow *flow_at(const struct end *end, int place) {
    return &engine_flows(end->engine)[place];
}

// --- tests

static void end_both(void) {
    struct flow *down = fake.flows[0], *up = fake.flows[1];
    assert_int_equal(fake.ports[0], 20001);
    assert_int_equal(fake.ports[1], 20002);
    assert_false(flow_is_sender(down));
    assert_true(flow_is_sender(up));
    flow_connected(down, "100.64.0.2:1", "100.64.0.1:20001", NULL);
    flow_connected(up, "100.64.0.2:2", "100.64.0.1:20002", "reno");
    flow_received(down, 60);
    assert_false(flow_has_all(down));
    flow_received(down, 40);
    assert_true(flow_has_all(down));
    flow_ended(down);
    flow_closed(down);
    assert_int_equal(flow_bytes_left(up), 100);
    flow_sent(up, 100);
    assert_int_equal(flow_bytes_left(up), 0);
    flow_ended(up);
    flow_closed(up);
    assert_int_equal(fake.releases[0] + fake.releases[1], 0); // not while a transport is at work
}

UNIT_TEST(flows_that_end_are_released_once_and_reported) {
    struct end end;
    open_end(&end, true, 2);
    run_near(&end, end_both);
    assert_int_equal(end.finished, 1);
    assert_int_equal(fake.connected, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(flow_at(&end, i)->state, FLOW_ENDED);
        assert_int_equal(fake.releases[i], 1);
        assert_int_equal(fake.cuts[i], 0);
    }
    char first[PLAN_ERROR_SIZE];
    assert_int_equal(engine_failures(end.engine, first), 0);
    json_t *report = report_of(end.engine, &end.plan, true, NULL, engine_start_ns(end.engine) + 5);
    const json_t *up = json_array_get(json_object_get(report, "flows"), 1);
    assert_string_equal(json_string_value(json_object_get(up, "state")), "ended");
    assert_string_equal(json_string_value(json_object_get(up, "congestion")), "reno");
    assert_string_equal(json_string_value(json_object_get(up, "peer")), "100.64.0.1:20002");
    assert_int_equal(json_integer_value(json_object_get(up, "sent_bytes")), 100);
    assert_int_equal(json_integer_value(json_object_get(up, "packets_sent")), 101);
    assert_int_equal(json_integer_value(json_object_get(up, "packets_lost")), 7);
    assert_true(json_is_null(json_object_get(up, "retransmitted_bytes"))); // it did not say
    assert_true(json_is_null(json_object_get(up, "error")));
    json_decref(report);
    close_end(&end);
    assert_int_equal(fake.releases[0], 1);
}

static struct {
    struct loop *loop;
    struct loop_timer timer;
} later;

static void end_without_closing(void) {
    struct flow *down = fake.flows[0];
    flow_connected(down, "a", "b", NULL);
    flow_received(down, 100);
    flow_ended(down);
    flow_failed(fake.flows[1], "%s", "broken");
    // Not before the next turn.
    assert_int_equal(loop_timer_set(later.loop, &later.timer, clock_now_ns() + 1), 0);
}

static void close_after_all(void *context, uint64_t now_ns) {
    struct end *end = context;
    (void)now_ns;
    assert_int_equal(end->finished, 0);
    assert_int_equal(fake.releases[0], 0);
    assert_int_equal(fake.releases[1], 1);
    flow_closed(fake.flows[0]);
}

UNIT_TEST(the_near_end_waits_for_connections_to_close) {
    struct end end;
    char first[PLAN_ERROR_SIZE];
    open_end(&end, true, 2);
    later.loop = end.loop;
    later.timer = (struct loop_timer){.due = close_after_all, .context = &end};
    run_near(&end, end_without_closing);
    assert_int_equal(end.finished, 1);
    assert_int_equal(flow_at(&end, 0)->state, FLOW_ENDED);
    assert_int_equal(flow_at(&end, 1)->state, FLOW_FAILED);
    assert_int_equal(engine_failures(end.engine, first), 1);
    assert_string_equal(first, "flow 1 (fake, far port 20002): broken");
    close_end(&end);
}

static void nothing(void) {}

UNIT_TEST(a_refusal_ends_the_run) {
    struct end end;
    char first[PLAN_ERROR_SIZE];
    open_end(&end, true, 3);
    fake.refuses = true;
    run_near(&end, nothing);
    assert_int_equal(end.finished, 1);
    assert_int_equal(engine_failures(end.engine, first), 3);
    assert_string_equal(first, "flow 0 (fake, far port 20001): nobody there");
    assert_int_equal(flow_at(&end, 2)->state, FLOW_FAILED);
    close_end(&end);
}

static struct end *stopped;

static void connect_and_stop(void) {
    flow_connected(fake.flows[0], "a", "b", NULL);
    flow_connected(fake.flows[1], "a", "b", "cubic");
    fake.arrives_at_cut = 100; // the last of flow 0; the others receive nothing that counts
    engine_stop(stopped->engine);
    fake.arrives_at_cut = 0;
    engine_stop(stopped->engine);
    loop_stop(stopped->loop);
}

// One had all by then, one was cut, one not even connected.
UNIT_TEST(stopping_cuts_what_still_runs) {
    struct end end;
    char first[PLAN_ERROR_SIZE];
    open_end(&end, true, 3);
    stopped = &end;
    run_near(&end, connect_and_stop);
    assert_int_equal(flow_at(&end, 0)->state, FLOW_ENDED);
    assert_int_equal(flow_at(&end, 1)->state, FLOW_CUT);
    assert_int_equal(flow_at(&end, 2)->state, FLOW_FAILED);
    assert_int_equal(engine_failures(end.engine, first), 1);
    assert_string_equal(first, "flow 2 (fake, far port 20003): not connected before its time was over");
    close_end(&end);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fake.cuts[i], 1);
        assert_int_equal(fake.releases[i], 1);
    }
}

// A flow's time is over where the near end says so: at the far end that is no failure.
UNIT_TEST(a_peer_that_closes_is_judged_by_the_end) {
    struct end end;
    char error[PLAN_ERROR_SIZE], first[PLAN_ERROR_SIZE];
    open_end(&end, false, 3);
    assert_int_equal(engine_listen(end.engine, error), 0);
    assert_int_equal(fake.listened, 3);
    assert_true(flow_is_sender(fake.flows[0]));
    flow_connected(fake.flows[0], "a", "b", "cubic");
    flow_cut_by_peer(fake.flows[0]);
    flow_failed(fake.flows[1], "gone");
    assert_int_equal(flow_at(&end, 0)->state, FLOW_CUT);
    assert_int_equal(engine_failures(end.engine, first), 1);
    engine_stop(end.engine);
    json_t *report = report_of(end.engine, &end.plan, false, NULL, 5);
    const json_t *never = json_array_get(json_object_get(report, "flows"), 2);
    assert_string_equal(json_string_value(json_object_get(never, "state")), "not-started");
    assert_true(json_is_null(json_object_get(never, "connected_ns")));
    json_decref(report);
    close_end(&end);
    assert_int_equal(end.finished, 0);
    assert_int_equal(fake.releases[2], 1);

    open_end(&end, true, 1);
    assert_int_equal(engine_begin(end.engine, error), 0);
    flow_cut_by_peer((struct flow *)flow_at(&end, 0));
    assert_int_equal(flow_at(&end, 0)->state, FLOW_FAILED);
    engine_failures(end.engine, first);
    assert_string_equal(
        first, "flow 0 (fake, far port 20001): the far end closed the connection before the flow's end");
    close_end(&end);
}

UNIT_TEST(what_no_transport_can_is_refused) {
    struct flow_plan flow = {.transport = &fake_transport, .congestion = "vegas"};
    const struct plan plan = {.for_ms = 1000, .sample_ms = 5, .flows = &flow, .count = 1};
    char error[PLAN_ERROR_SIZE];
    struct engine_options options = {.end = {.is_near = true}, .plan = &plan};
    struct engine *engine;
    memset(&fake, 0, sizeof fake);
    fake.knows_nothing = true;
    assert_int_equal(loop_open(&options.end.loop), 0);
    assert_int_equal(engine_open(&engine, &options, error), -1);
    assert_string_equal(error, "flow 0: no \"vegas\" here");
    assert_int_equal(fake.closed, 1);
    loop_close(options.end.loop);
}
