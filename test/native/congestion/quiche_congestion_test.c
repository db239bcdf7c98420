// quiche, given a controller by name: two connections in memory, one of them sending. No time passes that the
// test would wait for.
#include "../replay/lane_site.h"
#include "congestion/quiche_congestion.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <openssl/rand.h>

enum {
    PACKET_BYTES = 1350,
    FLIGHT = 64,
    ROUNDS_MAX = 20,
    WINDOW_BYTES = 10 * 1024 * 1024,
    SERVER_STREAM = 3, // the server's first unidirectional one
    STREAM_BYTES = 1024 * 1024,
    CID_BYTES = 16,
};

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static uint8_t content[STREAM_BYTES];

struct pair {
    quiche_config *server_config, *client_config;
    quiche_conn *server, *client;
    struct sockaddr_in6 server_address, client_address;
};

struct flight {
    size_t count;
    size_t sizes[FLIGHT];
    uint8_t packets[FLIGHT][PACKET_BYTES];
};

static quiche_config *make_config(void) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    assert_non_null(config);
    quiche_config_set_application_protos(config, (const uint8_t *)QUICHE_H3_APPLICATION_PROTOCOL, 3);
    quiche_config_verify_peer(config, false);
    quiche_config_set_max_send_udp_payload_size(config, PACKET_BYTES);
    quiche_config_set_max_recv_udp_payload_size(config, PACKET_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_uni(config, 4);
    return config;
}

static struct sockaddr_in6 address(const char *text, uint16_t port) {
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET6, text, &a.sin6_addr), 1);
    return a;
}

static void make_flight(quiche_conn *from, struct flight *flight) {
    quiche_send_info info;
    ssize_t size;
    flight->count = 0;
    while (flight->count < FLIGHT &&
           (size = quiche_conn_send(from, flight->packets[flight->count], PACKET_BYTES, &info)) > 0)
        flight->sizes[flight->count++] = (size_t)size;
}

static void deliver(struct pair *pair, bool to_server, struct flight *flight, size_t from) {
    struct sockaddr_in6 *to = to_server ? &pair->server_address : &pair->client_address;
    struct sockaddr_in6 *by = to_server ? &pair->client_address : &pair->server_address;
    const quiche_recv_info info = {(struct sockaddr *)by, sizeof *by, (struct sockaddr *)to, sizeof *to};
    for (size_t i = from; i < flight->count; i++)
        assert_true(quiche_conn_recv(to_server ? pair->server : pair->client, flight->packets[i],
                                     flight->sizes[i], &info) >= 0);
}

// What each has to say, until both are silent.
static void converse(struct pair *pair) {
    static struct flight flight;
    for (int round = 0, said = 1; said; round++) {
        assert_true(round < ROUNDS_MAX);
        said = 0;
        for (int to_server = 1; to_server >= 0; to_server--) {
            make_flight(to_server ? pair->client : pair->server, &flight);
            deliver(pair, to_server, &flight, 0);
            said |= flight.count > 0;
        }
    }
}

static struct pair open_pair(const char *congestion) {
    struct pair pair = {.server_config = make_config(),
                        .client_config = make_config(),
                        .server_address = address("::ffff:192.0.2.1", 443),
                        .client_address = address("::ffff:100.64.0.2", 40000)};
    uint8_t cids[2][CID_BYTES];
    RAND_bytes(cids[0], sizeof cids);
    assert_int_equal(quiche_congestion_choose(pair.server_config, congestion), 0);
    const struct sockaddr *server = (struct sockaddr *)&pair.server_address;
    const struct sockaddr *client = (struct sockaddr *)&pair.client_address;
    pair.server = quiche_conn_new_with_tls(cids[0], CID_BYTES, NULL, 0, server, sizeof pair.server_address,
                                           client, sizeof pair.client_address, pair.server_config,
                                           tls_new_quic(site.tls, "192.0.2.1"), true);
    pair.client = quiche_connect("a.test", cids[1], CID_BYTES, client, sizeof pair.client_address, server,
                                 sizeof pair.server_address, pair.client_config);
    assert_non_null(pair.server);
    assert_non_null(pair.client);
    converse(&pair);
    assert_true(quiche_conn_is_established(pair.server));
    return pair;
}

static void close_pair(struct pair *pair) {
    quiche_conn_free(pair->server);
    quiche_conn_free(pair->client);
    quiche_config_free(pair->server_config);
    quiche_config_free(pair->client_config);
}

static size_t window_of(const quiche_conn *conn) {
    quiche_path_stats path;
    assert_int_equal(quiche_conn_path_stats(conn, 0, &path), 0);
    return path.cwnd;
}

// A flight that fills the window, of which the first `lost` packets are lost; one ACK tells of the others.
static void fly(struct pair *pair, size_t lost) {
    static struct flight flight;
    uint64_t error;
    assert_true(quiche_conn_stream_send(pair->server, SERVER_STREAM, content, sizeof content, false, &error) >
                0);
    make_flight(pair->server, &flight);
    assert_in_range(flight.count, 4, FLIGHT - 1);
    deliver(pair, false, &flight, lost);
    make_flight(pair->client, &flight);
    deliver(pair, true, &flight, 0);
}

UNIT_TEST(loss_keeps_what_the_controller_keeps) {
    const struct {
        const char *name;
        double kept;
        bool taken_back;
    } cases[] = {{"reno", 0.5, false},
                 {"cubic", 0.7, true},
                 {"cubic-n1", 0.7, false},
                 {"cubic-n2", 0.85, false},
                 {"cubic-n3", 0.9, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool ours = congestion_find(cases[i].name);
        if (ours && !quiche_congestion_calls_ours()) continue;
        struct pair pair = open_pair(cases[i].name);
        fly(&pair, 0);
        fly(&pair, 1); // ends slow start
        fly(&pair, 0);
        const size_t before = window_of(pair.server);
        fly(&pair, 1);
        const size_t after = window_of(pair.server);
        struct congestion_window told;
        assert_int_equal(quiche_congestion_window(pair.server, &told), ours);
        if (ours) assert_int_equal(told.window_bytes, after);
        if (ours) assert_int_equal(told.ssthresh_bytes, after);
        fly(&pair, 0);
        print_message("%s: %zu, %zu, %zu bytes\n", cases[i].name, before, after, window_of(pair.server));
        assert_float_equal((double)after, cases[i].kept * (double)before, 1);
        // quiche's CUBIC takes a reduction back when few packets were lost.
        assert_int_equal(window_of(pair.server) >= before, cases[i].taken_back);
        assert_ptr_equal(quiche_congestion_of(pair.server), congestion_find(cases[i].name));
        assert_null(quiche_congestion_of(pair.client));
        close_pair(&pair);
    }
}

UNIT_TEST(all_of_a_stream_arrives_over_losses) {
    if (!quiche_congestion_calls_ours()) return;
    static struct flight flight;
    static uint8_t room[64 * 1024];
    struct pair pair = open_pair("cubic-n2");
    size_t given = 0, arrived = 0, packets = 0, rounds = 0;
    uint64_t error;
    for (bool fin = false; !fin; rounds++) {
        assert_true(rounds < 20000);
        const ssize_t taken = given < sizeof content
                                  ? quiche_conn_stream_send(pair.server, SERVER_STREAM, content + given,
                                                            sizeof content - given, true, &error)
                                  : 0;
        if (taken > 0) given += (size_t)taken;
        make_flight(pair.server, &flight);
        packets += flight.count;
        // The first of each third flight is lost.
        deliver(&pair, false, &flight, flight.count > 4 && rounds % 3 == 0);
        ssize_t size;
        while (!fin && (size = quiche_conn_stream_recv(pair.client, SERVER_STREAM, room, sizeof room, &fin,
                                                       &error)) > 0) {
            assert_memory_equal(room, content + arrived, (size_t)size);
            arrived += (size_t)size;
        }
        make_flight(pair.client, &flight);
        deliver(&pair, true, &flight, 0);
        quiche_conn_on_timeout(pair.server);
    }
    assert_int_equal(arrived, sizeof content);
    quiche_path_stats path;
    assert_int_equal(quiche_conn_path_stats(pair.server, 0, &path), 0);
    print_message("%zu packets, %zu lost, %zu rounds\n", packets, path.lost, rounds);
    assert_true(path.lost > 5);
    close_pair(&pair);
}

UNIT_TEST(a_config_can_be_given_back_to_quiche) {
    if (!quiche_congestion_calls_ours()) return;
    quiche_config *config = make_config();
    const struct sockaddr_in6 here = address("::1", 1), there = address("::1", 2);
    static const char *const names[] = {"cubic-n1", "cubic", "cubic-n3", "bbr2"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(quiche_congestion_choose(config, names[i]), 0);
        quiche_conn *conn =
            quiche_connect("a.test", content, CID_BYTES, (const struct sockaddr *)&here, sizeof here,
                           (const struct sockaddr *)&there, sizeof there, config);
        assert_ptr_equal(quiche_congestion_of(conn), congestion_find(names[i]));
        quiche_conn_free(conn);
    }
    quiche_config_free(config);
}

UNIT_TEST(unknown_names_are_refused_with_what_there_is) {
    quiche_config *config = make_config();
    assert_int_equal(quiche_congestion_choose(config, "warp"), -1);
    assert_int_equal(quiche_congestion_choose(config, "cubic-n0"), -1);
    char list[256];
    quiche_congestion_list(list, sizeof list);
    if (quiche_congestion_calls_ours())
        assert_string_equal(
            list, "cubic, reno, bbr2, cubic-n1, cubic-n2, cubic-n3, cubic-n4, gcc, inter-arrival-2013, "
                  "sprout-ewma or sprout-ewma-acks");
    else
        assert_non_null(strstr(list, "cubic, reno or bbr2 (quiche "));
    quiche_config_free(config);
}

// What users may choose is what there is.
UNIT_TEST(the_schema_lists_what_there_is) {
    json_t *schema = json_load_file(TRILANE_ROOT "/schemas/serving.schema.json", 0, NULL);
    json_t *quic =
        json_object_get(json_object_get(json_object_get(schema, "definitions"), "quic"), "properties");
    json_t *names = json_object_get(json_object_get(quic, "congestion_control"), "enum");
    quiche_config *config = make_config();
    size_t i, ours = 0;
    json_t *name;
    json_array_foreach(names, i, name) {
        const bool is_ours = congestion_find(json_string_value(name));
        if (!is_ours || quiche_congestion_calls_ours())
            assert_int_equal(quiche_congestion_choose(config, json_string_value(name)), 0);
        ours += is_ours;
    }
    assert_null(congestion_at(ours));
    quiche_config_free(config);
    json_decref(schema);
}

GROUP_FIXTURE(set_up_site, tear_down_site)
