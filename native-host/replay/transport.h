// How TCP and QUIC carry the lanes: what of it may be chosen, the stock choice, and the command line's words
// for it. Applies nothing: server.c, far_network.c, quic.c, h3_packets.c and udp.c do.
#ifndef TRILANE_REPLAY_TRANSPORT_H
#define TRILANE_REPLAY_TRANSPORT_H

#include "replay/h3/udp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRANSPORT_INITCWND_PACKETS_MAX = 1000 };

struct tcp_transport {
    const char *congestion; // checked by the kernel
    uint32_t initcwnd_packets;
    bool paced; // BBR paces by itself
    bool slow_start_after_idle;
    bool bounds_unsent; // what waits in the kernel: notsent_lowat.h; else the socket's buffer bounds it
    uint32_t send_buffer_bytes; // as the kernel counts, with its own overhead; 0: it chooses
    uint32_t receive_buffer_bytes;
};

struct quic_transport {
    const char *congestion; // checked by main.c against what quiche has
    uint32_t initcwnd_packets;
    bool paced;
    uint32_t max_udp_payload_bytes;
    uint32_t max_ack_delay_ms; // as we promise it to the client
    enum udp_batching batching;
    uint32_t send_buffer_bytes; // of the UDP socket, which all connections share; 0: what the kernel grants
    uint32_t receive_buffer_bytes;
};

struct transport {
    struct tcp_transport tcp;
    struct quic_transport quic;
};

// What became of it: TCP's congestion control as read back from the kernel, the UDP batching that was left at
// the end, the UDP socket's buffers as granted, in bytes.
struct transport_granted {
    const char *tcp_congestion;
    enum udp_batching udp_batching;
    uint32_t udp_send_buffer_bytes;
    uint32_t udp_receive_buffer_bytes;
};

// What Linux and quiche do if nobody says otherwise, both with CUBIC.
extern const struct transport transport_stock;

// Whether the kernel paces, asked or not.
bool transport_tcp_is_paced(const struct tcp_transport *tcp);

// Takes one option, its name without "--", as ("tcp-pacing", "on"). Texts are not copied. 0, or -1 with a
// line for the user in `error`.
int transport_set(struct transport *transport, const char *option, const char *value, char *error,
                  size_t error_size);

#endif
