// A phase of a measurement: datagrams of one size sent over the link in one direction, to be recorded where
// they arrive. Does not send.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What an IPv4 packet has before its datagram's bytes.
enum { PHASE_HEADERS = 28, PHASE_SIZE_MIN = 44, PHASE_SIZE_MAX = 1500 };

enum phase_direction { PHASE_DOWN, PHASE_UP };

enum phase_kind {
    PHASE_STEADY, // never less than the interval between two, also after one that was late: nothing queues
    PHASE_FLOOD,  // what is late is made up for: the link is kept busy
};

struct phase {
    enum phase_direction direction;
    enum phase_kind kind;
    uint32_t size_bytes; // of the IP packets
    uint32_t count;
    uint32_t burst; // so many of them at once, first
    uint32_t drain_ms;
    uint64_t interval_ns;
};

// From "down:steady:64:1000:500:0:100": direction, kind, bytes, packets, microseconds between them, how many
// of them at once at the beginning, and milliseconds to wait for the last of them. False where it is not one.
bool phase_read(struct phase *phase, const char *text);

const char *phase_direction_name(enum phase_direction direction);
const char *phase_kind_name(enum phase_kind kind);
