// The UDP socket of the HTTP/3 lane: one IPv6 wildcard socket (IPv4 arrives mapped) that says for each packet
// which of our addresses it was sent to, and sends from the address it is told. Batches both ways: recvmmsg
// in, one sendmsg with UDP_SEGMENT for a burst out. Does not know QUIC and keeps no queue: what the kernel
// does not take stays the caller's.
#ifndef TRILANE_REPLAY_UDP_H
#define TRILANE_REPLAY_UDP_H

#include "base/loop.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

// A longer packet cannot be QUIC over an MTU of 1500 and is dropped.
enum { UDP_PACKET_MAX = 2048 };

struct udp_packet {
    struct sockaddr_in6 local; // ours: where it was sent to
    struct sockaddr_in6 peer;
    uint8_t *bytes; // may be written to (decrypted in place)
    size_t size;
};

// Packets of one size, the last may be shorter, to one peer.
struct udp_burst {
    struct sockaddr_in6 local;
    struct sockaddr_in6 peer;
    const uint8_t *bytes;
    size_t size;
    size_t segment_size;
};
enum { UDP_BURST_PACKETS_MAX = 32 }; // well below what UDP_SEGMENT takes (64 packets, 64 kB)

// Where bursts go: a socket, or a test's link in memory.
struct udp_link {
    // 1: sent (or lost on the way: UDP does not tell). 0: no room now.
    int (*send)(void *context, const struct udp_burst *burst);
    void *context;
};

struct udp_handler {
    // The packets live until the call returns.
    void (*received)(void *context, struct udp_packet *packets, size_t count);
    // After a burst that could not be taken: there is room again.
    void (*writable)(void *context);
    void *context;
};

struct udp;

// Binds `port` on the wildcard; 0 lets the kernel choose. 0, or -1 with a line in `error`.
int udp_open(struct udp **udp, struct loop *loop, uint16_t port, const struct udp_handler *handler,
             char *error, size_t error_size);
void udp_close(struct udp *udp);
uint16_t udp_port(const struct udp *udp);

// Where it has no room, `writable` will be called.
struct udp_link udp_link(struct udp *udp);

#endif
