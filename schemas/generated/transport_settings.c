// Generated from ../serving.schema.json by `npm run generate`: change the schema instead.
#include "replay/transport.h"

const struct transport transport_stock = {
    .tcp.congestion_control = "cubic",
    .tcp.initial_window_packets = 10,
    .tcp.pacing = false,
    .tcp.slow_start_after_idle = true,
    .tcp.bounds_unsent = true,
    .tcp.send_buffer_bytes = 0,
    .tcp.receive_buffer_bytes = 0,
    .quic.congestion_control = "cubic",
    .quic.initial_window_packets = 10,
    .quic.pacing = true,
    .quic.max_udp_payload_bytes = 1350,
    .quic.max_ack_delay_ms = 25,
    .quic.batching = 0,
    .quic.send_buffer_bytes = 0,
    .quic.receive_buffer_bytes = 0,
};

const struct transport_setting transport_settings[] = {
    {.option = "tcp-congestion", .kind = TRANSPORT_TEXT, .offset = offsetof(struct transport, tcp.congestion_control), .reported = "congestion_control"},
    {.option = "tcp-initcwnd", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, tcp.initial_window_packets), .least = 1, .most = 1000, .unit = "packets", .reported = "initial_window_packets"},
    {.option = "tcp-pacing", .kind = TRANSPORT_SWITCH, .offset = offsetof(struct transport, tcp.pacing), .reported = "pacing"},
    {.option = "tcp-slow-start-after-idle", .kind = TRANSPORT_SWITCH, .offset = offsetof(struct transport, tcp.slow_start_after_idle), .reported = "slow_start_after_idle"},
    {.option = "tcp-bounds-unsent", .kind = TRANSPORT_SWITCH, .offset = offsetof(struct transport, tcp.bounds_unsent)},
    {.option = "tcp-send-buffer", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, tcp.send_buffer_bytes), .least = 16384, .most = 1073741824, .unit = "bytes", .reported = "send_buffer_bytes", .zero_is_null = true},
    {.option = "tcp-receive-buffer", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, tcp.receive_buffer_bytes), .least = 16384, .most = 1073741824, .unit = "bytes", .reported = "receive_buffer_bytes", .zero_is_null = true},
    {.option = "quic-congestion", .kind = TRANSPORT_TEXT, .offset = offsetof(struct transport, quic.congestion_control), .reported = "congestion_control"},
    {.option = "quic-initcwnd", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, quic.initial_window_packets), .least = 1, .most = 1000, .unit = "packets", .reported = "initial_window_packets"},
    {.option = "quic-pacing", .kind = TRANSPORT_SWITCH, .offset = offsetof(struct transport, quic.pacing), .reported = "pacing"},
    {.option = "quic-payload", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, quic.max_udp_payload_bytes), .least = 1200, .most = 1452, .unit = "bytes", .reported = "max_udp_payload"},
    {.option = "quic-max-ack-delay", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, quic.max_ack_delay_ms), .least = 0, .most = 1000, .unit = "ms", .reported = "max_ack_delay_ms"},
    {.option = "quic-batching", .kind = TRANSPORT_CHOICE, .offset = offsetof(struct transport, quic.batching), .words = (const char *const[]){"gso", "sendmmsg", "none", NULL}, .reported = "batching"},
    {.option = "quic-send-buffer", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, quic.send_buffer_bytes), .least = 16384, .most = 1073741824, .unit = "bytes", .reported = "send_buffer_bytes"},
    {.option = "quic-receive-buffer", .kind = TRANSPORT_NUMBER, .offset = offsetof(struct transport, quic.receive_buffer_bytes), .least = 16384, .most = 1073741824, .unit = "bytes", .reported = "receive_buffer_bytes"},
    {0}};
