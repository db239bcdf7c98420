// The transport's options: each sets what its name says and nothing else. (What they refuse:
// replay_program_test.c.)
#include "replay/options.h"
#include "test/native/cmocka_unit.h"

#include <getopt.h>

static struct transport set(const char *option, const char *value) {
    struct options options;
    char name[64];
    snprintf(name, sizeof name, "--%s", option);
    char *const words[] = {(char *)"test", (char *)"--recording", (char *)"page", name, (char *)value, NULL};
    optind = 0; // getopt begins anew
    options_parse(&options, 5, words);
    return options.transport;
}

UNIT_TEST(each_sets_its_own) {
    struct transport wanted = transport_stock;
#define ASSERT_SETS(option, value, member, expected)                                                         \
    do {                                                                                                     \
        struct transport got = set(option, value);                                                           \
        wanted = transport_stock;                                                                            \
        wanted.member = expected;                                                                            \
        assert_true(got.member == wanted.member);                                                            \
        assert_true(got.member != transport_stock.member);                                                   \
        got.member = transport_stock.member;                                                                 \
        assert_memory_equal(&got.tcp, &transport_stock.tcp, sizeof got.tcp);                                 \
        assert_memory_equal(&got.quic, &transport_stock.quic, sizeof got.quic);                              \
    } while (0)
    ASSERT_SETS("tcp-initcwnd", "32", tcp.initial_window_packets, 32);
    ASSERT_SETS("quic-initcwnd", "32", quic.initial_window_packets, 32);
    ASSERT_SETS("tcp-pacing", "on", tcp.pacing, true);
    ASSERT_SETS("quic-pacing", "off", quic.pacing, false);
    ASSERT_SETS("tcp-slow-start-after-idle", "off", tcp.slow_start_after_idle, false);
    ASSERT_SETS("tcp-bounds-unsent", "off", tcp.bounds_unsent, false);
    ASSERT_SETS("tcp-send-buffer", "65536", tcp.send_buffer_bytes, 65536);
    ASSERT_SETS("tcp-receive-buffer", "65536", tcp.receive_buffer_bytes, 65536);
    ASSERT_SETS("quic-send-buffer", "65536", quic.send_buffer_bytes, 65536);
    ASSERT_SETS("quic-receive-buffer", "65536", quic.receive_buffer_bytes, 65536);
    ASSERT_SETS("quic-payload", "1200", quic.max_udp_payload_bytes, 1200);
    ASSERT_SETS("quic-max-ack-delay", "5", quic.max_ack_delay_ms, 5);
    ASSERT_SETS("quic-batching", "sendmmsg", quic.batching, UDP_BATCHING_SENDMMSG);
    ASSERT_SETS("quic-batching", "none", quic.batching, UDP_BATCHING_NONE);
#undef ASSERT_SETS
    assert_int_equal(set("quic-batching", "gso").quic.batching, UDP_BATCHING_GSO);
    assert_string_equal(set("tcp-congestion", "reno").tcp.congestion_control, "reno");
    assert_string_equal(set("congestion", "reno").tcp.congestion_control, "reno");
    assert_string_equal(set("congestion", "reno").quic.congestion_control, "cubic");
    assert_string_equal(set("quic-congestion", "bbr2").quic.congestion_control, "bbr2");
    assert_int_equal(set("initcwnd", "20").tcp.initial_window_packets, 20);
    assert_int_equal(set("initcwnd", "20").quic.initial_window_packets, 20);
}

UNIT_TEST(bbr_paces_by_itself) {
    assert_false(transport_tcp_is_paced(&transport_stock.tcp));
    struct transport bbr = set("tcp-congestion", "bbr"), paced = set("tcp-pacing", "on");
    assert_true(transport_tcp_is_paced(&bbr.tcp));
    assert_true(transport_tcp_is_paced(&paced.tcp));
}
