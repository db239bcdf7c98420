// Malformed HTTP/3 (RFC 9114) and QPACK (RFC 9204): bytes of one's own on a client's streams. Each attempt
// ends the connection, or its stream alone, with the error that the RFCs have for it, or does no harm. What
// quiche lets pass against the RFCs stands apart, so that a later one that does not is noticed. Random bytes:
// test/fuzz/h3_request.c.
#include "../h3_attempts.h"
#include "../h3_client.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct h3_client client;
static const struct attempt *attempt;
static unsigned turn;
static bool good_answered, stream_ended, answered, connection_ended, is_application_error;
static uint64_t stream_error, connection_error;

static void write_piece(struct h3_client *c, const struct piece *piece) {
    uint64_t error;
    assert_int_equal(quiche_conn_stream_send(c->quic, piece->stream, (const uint8_t *)piece->bytes,
                                             piece->size, piece->fin, &error),
                     piece->size);
}

static void write_attempt(struct h3_client *c) {
    bool has_control = false;
    for (size_t i = 0; i < PIECES_MAX; i++)
        has_control |= attempt->pieces[i].bytes && attempt->pieces[i].stream == CONTROL;
    if (!has_control) write_piece(c, &ON(CONTROL, SETTINGS));
    for (size_t i = 0; i < PIECES_MAX && attempt->pieces[i].bytes; i++)
        write_piece(c, &attempt->pieces[i]);
}

static bool has_resets(void) {
    for (size_t i = 0; i < PIECES_MAX; i++)
        if (attempt->pieces[i].reset) return true;
    return false;
}

static void write_rest(struct h3_client *c) {
    for (size_t i = 0; i < PIECES_MAX; i++)
        if (attempt->pieces[i].reset)
            quiche_conn_stream_shutdown(c->quic, attempt->pieces[i].stream, QUICHE_SHUTDOWN_WRITE, 0x10c);
    write_piece(c, &LAST_ON(GOOD_REQUEST, GET_SMALL));
}

// Whether all of the response has come; *error: what it was reset with.
static bool read_response(struct h3_client *c, uint64_t stream, bool *reset, uint64_t *error) {
    uint8_t bytes[4096];
    bool fin = false;
    ssize_t size = 0;
    while (!fin && (size = quiche_conn_stream_recv(c->quic, stream, bytes, sizeof bytes, &fin, error)) >= 0) {
    }
    if (!fin && size == QUICHE_ERR_STREAM_RESET) *reset = true;
    return fin;
}

static void on_turn(struct h3_client *c) {
    if (turn == 0) write_attempt(c);
    // Later, where a reset would take along what has not left yet.
    if (turn == has_resets() && !quiche_conn_is_draining(c->quic)) write_rest(c);
    turn++;
    const uint8_t *text;
    size_t text_size;
    if (quiche_conn_peer_error(c->quic, &is_application_error, &connection_error, &text, &text_size))
        connection_ended = true;
    answered |= read_response(c, REQUEST, &stream_ended, &stream_error);
    bool reset = false;
    uint64_t error;
    good_answered |= read_response(c, GOOD_REQUEST, &reset, &error);
    if (connection_ended || (good_answered && (answered || stream_ended))) loop_stop(c->site->loop);
}

static void too_late(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(context);
}

static void run_attempt(const struct attempt *one) {
    const struct h3_client_options own = {.window_bytes = 1000000, .on_turn = on_turn};
    attempt = one;
    turn = 0;
    good_answered = answered = stream_ended = connection_ended = is_application_error = false;
    stream_error = connection_error = 0;
    struct loop_timer limit = {.due = too_late, .context = site.loop};
    h3_client_open(&client, &site, &own);
    loop_timer_set(site.loop, &limit, clock_now_ns() + 3 * NS_PER_S);
    h3_client_run(&client, 1);
    loop_timer_clear(site.loop, &limit);
    h3_client_close(&client);
}

static bool came_to(uint64_t error) {
    if (error == FINE) return answered && !stream_ended && !connection_ended;
    if (error == REQUEST_INCOMPLETE || error == MESSAGE_ERROR)
        return stream_ended && stream_error == error && !connection_ended;
    return connection_ended && connection_error == error && is_application_error;
}

static size_t try_all(const struct attempts *all) {
    size_t failed = 0;
    for (size_t i = 0; i < all->count; i++) {
        run_attempt(&all->list[i]);
        if (came_to(all->list[i].error)) continue;
        print_error("%s: %s with 0x%llx\n", all->list[i].name,
                    connection_ended ? "the connection ended"
                    : stream_ended   ? "the stream ended"
                    : answered       ? "answered"
                                     : "nothing came",
                    (unsigned long long)(connection_ended ? connection_error : stream_error));
        failed++;
    }
    return failed;
}

LANE_SITE_TEST(ends_what_is_malformed) {
    assert_int_equal(try_all(&attempts_by_the_rfcs), 0);
}

LANE_SITE_TEST(knows_what_quiche_lets_pass) {
    assert_int_equal(try_all(&attempts_by_quiche), 0);
}
