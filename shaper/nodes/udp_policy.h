// What a network that does not treat UDP as it treats TCP does to it, for one direction: drops it (a
// firewall), polices it to a rate, drops its larger packets without a word (a black hole: no ICMP), or makes
// it late. Stands before everything else of the direction, so that what is dropped takes no time of the link.
//
// Throttling is policing, not shaping: a token bucket, full at the start, that holds UDP_BURST_NS at the
// rate, but at least UDP_BURST_MIN_BYTES; what finds too few tokens is dropped. That is what networks do to
// traffic that they limit (Flach et al., "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016), and
// what routers' policers do (RFC 2697, of one color). All UDP of a direction shares one bucket. Being late is
// a constant delay in each direction: a round trip over UDP takes twice as much longer.
//
// Leaves alone all but UDP, DNS (a server's port 53: without it nothing would load over TCP either), and
// trilane-probe, which measures the link itself. A further fragment of an IP packet counts as UDP.
//
// Also notes, for what falling back to TCP took, when the first QUIC packet came (RFC 9000, 17.2: a long
// header), and when the next byte over TCP left the path for the same server: as captures stamp them.
#pragma once

#include "shaper/nodes/flow_key.h"
#include "shaper/nodes/node.h"
#include "shaper/nodes/settings.h"

// The ports on which trilane-probe receives: near's and far's.
enum { UDP_PROBE_NEAR_PORT = 7010, UDP_PROBE_FAR_PORT = 7011 };

enum { UDP_BURST_NS = 100000000, UDP_BURST_MIN_BYTES = 10 * 1500 };

struct udp_policy {
    struct node node;
    struct packet_pool *pool;
    struct udp_settings settings;
    bool down;

    // Throttled. In bytes times 8e9, so that a nanosecond at 1 bit/s is 1.
    __uint128_t tokens;
    __uint128_t tokens_max;
    uint64_t filled_ns; // when `tokens` was right

    // Late.
    struct packet_list late;
    uint64_t latest_ns; // none leaves before one that came before it

    uint64_t packets; // of UDP that were subject to it
    uint64_t drops;
    uint64_t dropped_bytes;
    uint64_t delayed;

    uint64_t quic_ns; // the first QUIC packet; 0: none came
    uint64_t tcp_ns;  // when the first byte over TCP that came after it left for the same server; 0: none
    struct flow_key quic_flow; // of the first QUIC packet
};

// `down`: packets go from far (servers) to near. Without settings everything passes and nothing is looked at.
void udp_policy_open(struct udp_policy *policy, struct packet_pool *pool, const struct udp_settings *settings,
                     bool down, struct node *next);
// Other settings from now on, with a full bucket; what is held leaves when it would have. The same ones
// change nothing.
void udp_policy_steer(struct udp_policy *policy, const struct udp_settings *settings, uint64_t now_ns);
// What is late, one packet after the other: the caller's now. NULL: nothing more, and the next waits for
// none.
struct packet *udp_policy_take_back(struct udp_policy *policy);
void udp_policy_close(
    struct udp_policy *policy); // gives what is held back to the pool, without a word to its watcher

// The packet has left the whole path of this direction; the path's owner reports it.
void udp_policy_left(struct udp_policy *policy, const struct packet *packet, uint64_t due_ns);

uint64_t udp_burst_bytes(uint64_t rate_bps); // of a full bucket
