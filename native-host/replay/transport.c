#include "replay/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INITCWND_PACKETS_STOCK = 10, // RFC 6928, RFC 9002
    BUFFER_BYTES_MIN = 16 * 1024,
    BUFFER_BYTES_MAX = 1 << 30,
    UDP_PAYLOAD_BYTES_MIN = 1200, // RFC 9000, 14
    UDP_PAYLOAD_BYTES_STOCK = 1350,
    UDP_PAYLOAD_BYTES_MAX = 1452, // a packet of 1500 bytes over IPv6
    ACK_DELAY_MS_STOCK = 25,      // RFC 9000, 18.2
    ACK_DELAY_MS_MAX = 1000,
};

const struct transport transport_stock = {
    .tcp = {.congestion = "cubic",
            .initcwnd_packets = INITCWND_PACKETS_STOCK,
            .slow_start_after_idle = true,
            .bounds_unsent = true},
    .quic = {.congestion = "cubic",
             .initcwnd_packets = INITCWND_PACKETS_STOCK,
             .paced = true,
             .max_udp_payload_bytes = UDP_PAYLOAD_BYTES_STOCK,
             .max_ack_delay_ms = ACK_DELAY_MS_STOCK,
             .batching = UDP_BATCHING_GSO},
};

bool transport_tcp_is_paced(const struct tcp_transport *tcp) {
    return tcp->paced || strncmp(tcp->congestion, "bbr", 3) == 0;
}

static int parse_number(uint32_t *out, const char *option, const char *value, uint32_t least, uint32_t most,
                        const char *unit, char *error, size_t error_size) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || number < least || number > most) {
        snprintf(error, error_size, "--%s: must be %u to %u %s (got \"%.40s\")", option, least, most, unit,
                 value);
        return -1;
    }
    *out = (uint32_t)number;
    return 0;
}

static int parse_switch(bool *out, const char *option, const char *value, char *error, size_t error_size) {
    bool on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0) {
        snprintf(error, error_size, "--%s: must be on or off (got \"%.40s\")", option, value);
        return -1;
    }
    *out = on;
    return 0;
}

static int parse_batching(enum udp_batching *out, const char *option, const char *value, char *error,
                          size_t error_size) {
    for (enum udp_batching batching = 0; batching <= UDP_BATCHING_NONE; batching++) {
        if (strcmp(value, udp_batching_name(batching)) != 0) continue;
        *out = batching;
        return 0;
    }
    snprintf(error, error_size, "--%s: must be gso, sendmmsg or none (got \"%.40s\")", option, value);
    return -1;
}

int transport_set(struct transport *transport, const char *option, const char *value, char *error,
                  size_t error_size) {
    struct tcp_transport *tcp = &transport->tcp;
    struct quic_transport *quic = &transport->quic;
    const struct {
        const char *option;
        uint32_t *number;
        uint32_t least, most;
        const char *unit;
    } numbers[] = {
        {"initcwnd", &tcp->initcwnd_packets, 1, TRANSPORT_INITCWND_PACKETS_MAX, "packets"},
        {"tcp-initcwnd", &tcp->initcwnd_packets, 1, TRANSPORT_INITCWND_PACKETS_MAX, "packets"},
        {"quic-initcwnd", &quic->initcwnd_packets, 1, TRANSPORT_INITCWND_PACKETS_MAX, "packets"},
        {"tcp-send-buffer", &tcp->send_buffer_bytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX, "bytes"},
        {"tcp-receive-buffer", &tcp->receive_buffer_bytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX, "bytes"},
        {"quic-send-buffer", &quic->send_buffer_bytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX, "bytes"},
        {"quic-receive-buffer", &quic->receive_buffer_bytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX, "bytes"},
        {"quic-payload", &quic->max_udp_payload_bytes, UDP_PAYLOAD_BYTES_MIN, UDP_PAYLOAD_BYTES_MAX, "bytes"},
        {"quic-max-ack-delay", &quic->max_ack_delay_ms, 0, ACK_DELAY_MS_MAX, "ms"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(option, numbers[i].option) != 0) continue;
        int result = parse_number(numbers[i].number, option, value, numbers[i].least, numbers[i].most,
                                  numbers[i].unit, error, error_size);
        if (strcmp(option, "initcwnd") == 0) quic->initcwnd_packets = tcp->initcwnd_packets; // both
        return result;
    }
    if (strcmp(option, "congestion") == 0 || strcmp(option, "tcp-congestion") == 0) {
        tcp->congestion = value;
        return 0;
    }
    if (strcmp(option, "quic-congestion") == 0) {
        quic->congestion = value;
        return 0;
    }
    if (strcmp(option, "tcp-pacing") == 0) return parse_switch(&tcp->paced, option, value, error, error_size);
    if (strcmp(option, "quic-pacing") == 0)
        return parse_switch(&quic->paced, option, value, error, error_size);
    if (strcmp(option, "tcp-slow-start-after-idle") == 0)
        return parse_switch(&tcp->slow_start_after_idle, option, value, error, error_size);
    if (strcmp(option, "tcp-bounds-unsent") == 0)
        return parse_switch(&tcp->bounds_unsent, option, value, error, error_size);
    if (strcmp(option, "quic-batching") == 0)
        return parse_batching(&quic->batching, option, value, error, error_size);
    snprintf(error, error_size, "--%s: no such option (see --help)", option);
    return -1;
}
