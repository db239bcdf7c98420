// Generated from ../serving.schema.json by `npm run generate`: change the schema instead.
#ifndef TRILANE_TRANSPORT_SETTINGS_H
#define TRILANE_TRANSPORT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

// A number of 0 where there may be none: the kernel chooses. A choice is its place among the schema's words.
struct tcp_transport {
    const char *congestion_control;
    uint32_t initial_window_packets;
    bool pacing;
    bool slow_start_after_idle;
    bool bounds_unsent;
    uint32_t send_buffer_bytes;
    uint32_t receive_buffer_bytes;
};

struct quic_transport {
    const char *congestion_control;
    uint32_t initial_window_packets;
    bool pacing;
    uint32_t max_udp_payload_bytes;
    uint32_t max_ack_delay_ms;
    uint32_t batching;
    uint32_t send_buffer_bytes;
    uint32_t receive_buffer_bytes;
};

#define TRANSPORT_OPTIONS(X) \
    X("tcp-congestion"), \
    X("tcp-initcwnd"), \
    X("tcp-pacing"), \
    X("tcp-slow-start-after-idle"), \
    X("tcp-bounds-unsent"), \
    X("tcp-send-buffer"), \
    X("tcp-receive-buffer"), \
    X("quic-congestion"), \
    X("quic-initcwnd"), \
    X("quic-pacing"), \
    X("quic-payload"), \
    X("quic-max-ack-delay"), \
    X("quic-batching"), \
    X("quic-send-buffer"), \
    X("quic-receive-buffer")

#define TRANSPORT_HELP \
    "  --tcp-congestion NAME  cubic (default), reno, bbr or what else the kernel has\n" \
    "  --quic-congestion NAME quiche's own: cubic (default), reno or bbr2; ours: cubic-n1 (RFC 9438) to cubic-n4,\n" \
    "                         CUBIC that behaves as so many flows; gcc (Google Congestion Control);\n" \
    "                         inter-arrival-2013 (WebRTC Inter-Arrival of Chromium's QUIC);\n" \
    "                         sprout-ewma-acks (Sprout-EWMA by the ACKs of any receiver), and sprout-ewma for one that\n" \
    "                         acknowledges each packet\n" \
    "  --tcp-initcwnd N, --quic-initcwnd N\n" \
    "                         the initial window, in packets (default 10); --initcwnd N: of both\n" \
    "  --tcp-pacing SWITCH    on: spread what TCP sends over the round trip (default off; bbr always does)\n" \
    "  --quic-pacing SWITCH   the same of QUIC (default on)\n" \
    "  --tcp-slow-start-after-idle SWITCH\n" \
    "                         off: keep the window over a pause (default on; QUIC keeps it always)\n" \
    "  --tcp-bounds-unsent SWITCH\n" \
    "                         off: give the kernel all that a socket's buffer takes, as many servers do, so that\n" \
    "                         an urgent response waits behind it (default on: at most 16 kB)\n" \
    "  --tcp-send-buffer N, --tcp-receive-buffer N\n" \
    "                         fixed, in bytes as the kernel counts them (default: the kernel grows them)\n" \
    "  --quic-send-buffer N, --quic-receive-buffer N\n" \
    "                         of the UDP socket, in bytes (default: up to 1 MiB, as the kernel grants)\n" \
    "  --quic-payload N       largest UDP payload sent, 1200 to 1452 bytes (default 1350)\n" \
    "  --quic-max-ack-delay N how long the server says that it may hold back an ACK, in ms (default 25)\n" \
    "  --quic-batching HOW    gso (default), sendmmsg or none: a system call for a burst, or for each packet\n"

#endif
