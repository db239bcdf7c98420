// Delays by server in virtual time: read exactly, given to both directions' packets by their address, in
// order within a server and overtaking between them.
#include "collect.h"
#include "shaper/origin_delay.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>

#define MS UINT64_C(1000000)

struct fixture {
    struct collect *out;
    struct origin_delays *delays;
    struct origin_delay node;
    struct link_error error;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->out = collect_open();
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    origin_delay_close(&f->node);
    origin_delays_close(f->delays);
    collect_close(f->out);
    free(f);
    return 0;
}

#define ORIGIN_TEST(name) UNIT_TEST_OF(name, struct fixture *f, set_up, tear_down)

static int read_delays(struct fixture *f, const char *text) {
    return origin_delays_read(&f->delays, text, &f->error);
}

static void open(struct fixture *f, enum origin_place place) {
    origin_delay_open(&f->node, &f->out->pool, place, &f->out->node);
    f->node.delays = f->delays;
}

static struct packet *packet_between(struct fixture *f, uint32_t number, const char *from, const char *to) {
    struct packet *packet = test_packet(&f->out->pool, number, 60);
    bool v6 = strchr(from, ':') != NULL;
    uint8_t header[40] = {v6 ? 0x60 : 0x45};
    int family = v6 ? AF_INET6 : AF_INET;
    assert_int_equal(inet_pton(family, from, header + (v6 ? 8 : 12)), 1);
    assert_int_equal(inet_pton(family, to, header + (v6 ? 24 : 16)), 1);
    // Over test_packet's number: these packets are told by their times.
    memcpy(packet->bytes, header, v6 ? 40 : 20);
    return packet;
}

static uint64_t one_way(struct fixture *f, const char *address) {
    uint8_t bytes[16];
    bool v6 = strchr(address, ':') != NULL;
    assert_int_equal(inet_pton(v6 ? AF_INET6 : AF_INET, address, bytes), 1);
    return origin_delays_one_way_ns(f->delays, bytes, v6 ? 16 : 4);
}

ORIGIN_TEST(test_table) {
    assert_int_equal(one_way(f, "192.0.2.1"), 0); // of no table
    assert_int_equal(read_delays(f, "192.0.2.7=20ms,2001:DB8::7=5ms,192.0.2.1=0.5ms"), 0);
    assert_int_equal(read_delays(f, "192.0.2.3=1s,192.0.2.7=30ms"), 0); // added; the later one counts
    assert_int_equal(one_way(f, "192.0.2.7"), 15 * MS);
    assert_int_equal(one_way(f, "192.0.2.1"), MS / 4);
    assert_int_equal(one_way(f, "192.0.2.3"), 500 * MS);
    assert_int_equal(one_way(f, "2001:db8:0::7"), 5 * MS / 2);
    assert_int_equal(one_way(f, "192.0.2.2"), 0);
    assert_int_equal(one_way(f, "::ffff:192.0.2.7"), 15 * MS); // the same server
}

ORIGIN_TEST(test_networks) {
    assert_int_equal(read_delays(f, "198.51.100.0/22=20ms,198.51.101.1=2ms,0.0.0.0/0=6ms,2001:db8::/33=4ms"),
                     0);
    assert_int_equal(one_way(f, "198.51.100.0"), 10 * MS);
    assert_int_equal(one_way(f, "198.51.103.255"), 10 * MS);
    assert_int_equal(one_way(f, "198.51.101.1"), MS); // an address before its network
    assert_int_equal(one_way(f, "198.51.104.0"), 3 * MS);
    assert_int_equal(one_way(f, "2001:db8:7fff::1"), 2 * MS);
    assert_int_equal(one_way(f, "2001:db8:8000::1"), 0);
}

ORIGIN_TEST(test_bad_tables) {
    static const char *const bad[] = {"",
                                      ",",
                                      "192.0.2.1",
                                      "=5ms",
                                      "192.0.2.1=",
                                      "192.0.2.1=5",
                                      "192.0.2.1=-5ms",
                                      "192.0.2.1=61s",
                                      "192.0.2=5ms",
                                      "a.test=5ms",
                                      "192.0.2.1=5ms,",
                                      "192.0.2.1=5ms,,192.0.2.2=5ms",
                                      "192.0.2.1 =5ms",
                                      "192.0.2.0/33=5ms",
                                      "192.0.2.0/=5ms",
                                      "192.0.2.0/-1=5ms",
                                      "192.0.2.0/8x=5ms",
                                      "/8=5ms",
                                      "2001:db8::/129=5ms",
                                      "[2001:db8::1]=5ms"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f->error.line[0] = '\0';
        if (read_delays(f, bad[i]) == 0) fail_msg("taken: \"%s\"", bad[i]);
        if (!f->error.line[0] || strchr(f->error.line, '\n')) fail_msg("said: \"%s\"", f->error.line);
    }
    char longer[300];
    memset(longer, '1', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(read_delays(f, longer), -1);
}

ORIGIN_TEST(test_by_address) {
    assert_int_equal(read_delays(f, "192.0.2.7=20ms,2001:db8::7=6ms"), 0);
    for (int up = 0; up < 2; up++) {
        open(f, up ? ORIGIN_IS_DESTINATION : ORIGIN_IS_SOURCE);
        f->out->count = 0;
        static const char *const servers[] = {"192.0.2.7", "192.0.2.8", "2001:db8::7", "192.0.2.7"};
        for (uint32_t i = 0; i < 4; i++) {
            const char *browser = strchr(servers[i], ':') ? "fd00:7472::2" : "100.64.0.2";
            struct packet *packet =
                up ? packet_between(f, i, browser, servers[i]) : packet_between(f, i, servers[i], browser);
            node_take(&f->node.node, packet, i * MS);
        }
        const struct node_kind *kind = f->node.node.kind;
        assert_int_equal(f->out->count, 1); // the near server's passes at once
        assert_int_equal(kind->held(&f->node.node), 3);
        assert_int_equal(kind->due_ns(&f->node.node), 5 * MS);
        kind->advance(&f->node.node, 9 * MS);
        assert_int_equal(f->out->count, 2);
        kind->advance(&f->node.node, 60 * MS); // late: each has its own time all the same
        static const uint64_t wanted_ms[] = {1, 5, 10, 13};
        assert_int_equal(f->out->count, 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(f->out->departures[i].time_ns, wanted_ms[i] * MS);
        assert_int_equal(kind->due_ns(&f->node.node), NODE_NEVER);
        origin_delay_close(&f->node);
        f->node = (struct origin_delay){0};
    }
}

// Many packets of many servers: each after its own delay, those of one server in order.
ORIGIN_TEST(test_order_among_many) {
    enum { SERVERS = 300, PACKETS = 20000 };
    char item[64], address[32];
    for (int i = 0; i < SERVERS; i++) {
        snprintf(item, sizeof item, "198.51.%d.%d=%dus", i / 200, i % 200, 2 * (i * 7919 % 1000));
        assert_int_equal(read_delays(f, item), 0);
    }
    open(f, ORIGIN_IS_SOURCE);
    static uint64_t latest_ns[SERVERS];
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint32_t server = (uint32_t)(i * 31ULL % SERVERS);
        snprintf(address, sizeof address, "198.51.%u.%u", server / 200, server % 200);
        node_take(&f->node.node, packet_between(f, i, address, "100.64.0.2"), i * UINT64_C(1000));
        latest_ns[server] = i * UINT64_C(1000) + (uint64_t)(server * 7919 % 1000) * 1000;
    }
    f->node.node.kind->advance(&f->node.node, NODE_NEVER - 1);
    assert_int_equal(f->out->count, PACKETS);
    uint64_t last_ns = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        assert_true(f->out->departures[i].time_ns >= last_ns);
        last_ns = f->out->departures[i].time_ns;
    }
    uint64_t end_ns = 0;
    for (int i = 0; i < SERVERS; i++)
        if (latest_ns[i] > end_ns) end_ns = latest_ns[i];
    assert_int_equal(last_ns, end_ns);
}

// At the end of a whole path: on top of the link's own delay, and counted while held.
ORIGIN_TEST(test_on_a_path) {
    assert_int_equal(read_delays(f, "192.0.2.7=20ms"), 0);
    struct link_settings settings = {0};
    struct link_profile profile;
    assert_int_equal(link_settings_read(&settings, "unlimited/50ms", &f->error), 0);
    assert_int_equal(link_profile_read(&profile, &settings, &f->error), 0);
    struct path path;
    path_open(&path, &profile, PATH_DOWN, &f->out->pool, &f->out->node);
    path_delay_origins(&path, f->delays);
    path_start(&path, 0);
    path_take(&path, packet_between(f, 0, "192.0.2.7", "100.64.0.2"), 0);
    path_take(&path, packet_between(f, 1, "192.0.2.8", "100.64.0.2"), 1 * MS);
    path_advance(&path, 30 * MS);
    assert_int_equal(f->out->count, 1);
    assert_int_equal(f->out->departures[0].time_ns, 26 * MS);
    assert_int_equal(path_held(&path), 1);
    assert_int_equal(path_due_ns(&path), 35 * MS);
    path_advance(&path, 35 * MS);
    assert_int_equal(f->out->departures[1].time_ns, 35 * MS);
    assert_int_equal(path_held(&path), 0);
    path_close(&path);
    link_profile_close(&profile);
}
