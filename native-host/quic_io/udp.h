// A UDP socket for QUIC: one IPv6 wildcard socket (IPv4 arrives mapped) that says for each packet
// which of our addresses it was sent to, and sends from the address that the caller gives. Batches both ways:
// recvmmsg in; a burst out by one sendmsg with UDP_SEGMENT, or as udp_set_batching says. Does not know QUIC
// and keeps no queue: what the kernel does not take stays the caller's.
#pragma once

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

// How the packets of a burst leave: in one message that the kernel or the device cuts up (UDP_SEGMENT), in
// one call with a message each, or in a call each.
// In the order of schemas/serving.schema.json, whose words options and reports have.
enum udp_batching { UDP_BATCHING_GSO, UDP_BATCHING_SENDMMSG, UDP_BATCHING_NONE };

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
    // May be NULL. Only after udp_connect: there is no listener there.
    void (*refused)(void *context);
};

struct udp;

// Binds `port` on the wildcard; 0 lets the kernel choose. 0, or -1 with a line in `error`.
int udp_open(struct udp **udp, struct loop *loop, uint16_t port, const struct udp_handler *handler,
             char *error, size_t error_size);
void udp_close(struct udp *udp);
uint16_t udp_port(const struct udp *udp);
// Packets from `peer` only from now on, and the kernel says if there is no listener. `local` becomes the
// address that packets leave from, as in the `local` of those that arrive. 0, or -1 with a line in `error`.
int udp_connect(struct udp *udp, const struct sockaddr_in6 *peer, struct sockaddr_in6 *local, char *error,
                size_t error_size);
// Hands over what has arrived by now, without waiting for the loop.
void udp_receive_now(struct udp *udp);
// At first GSO; where the kernel or a device cannot, sendmmsg is what is left of it.
void udp_set_batching(struct udp *udp, enum udp_batching batching);
enum udp_batching udp_batching_of(const struct udp *udp);
// What the kernel grants of so much, in bytes: never more than net.core.wmem_max and rmem_max.
uint32_t udp_set_send_buffer(struct udp *udp, uint32_t size_bytes);
uint32_t udp_set_receive_buffer(struct udp *udp, uint32_t size_bytes);

// Where it has no room, `writable` will be called.
struct udp_link udp_link(struct udp *udp);
