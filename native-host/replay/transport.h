// How TCP and QUIC carry the lanes: what of it may be chosen (generated from schemas/serving.schema.json; the
// rows of the command line, too). Applies nothing: server.c, far_network.c, quic.c, h3_packets.c and udp.c
// do.
#pragma once

#include "quic_io/udp.h"
#include "schemas/generated/transport_settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

enum transport_kind { TRANSPORT_TEXT, TRANSPORT_NUMBER, TRANSPORT_SWITCH, TRANSPORT_CHOICE };

struct transport_setting {
    const char *option; // without "--"; NULL ends the table
    enum transport_kind kind;
    size_t offset;            // in struct transport
    const char *const *words; // of a choice, NULL-terminated
    const char *reported;     // its name in the report; NULL: it has none
    bool zero_is_null;        // in the report
};
extern const struct transport_setting transport_settings[]; // generated

// What Linux and quiche do by default, both with CUBIC.
extern const struct transport transport_stock;

// Whether the kernel paces, configured or not.
static inline bool transport_tcp_is_paced(const struct tcp_transport *tcp) {
    return tcp->pacing || strncmp(tcp->congestion_control, "bbr", 3) == 0;
}
