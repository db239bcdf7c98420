#include "shaper/nodes/udp_policy.h"

#include <netinet/in.h>
#include <string.h>

enum { DNS_PORT = 53, QUIC_LONG_HEADER = 0xc0 };

static const uint64_t work_per_byte = UINT64_C(8000000000);

uint64_t udp_burst_bytes(uint64_t rate_bps) {
    uint64_t bytes = (uint64_t)((__uint128_t)rate_bps * UDP_BURST_NS / work_per_byte);
    return bytes > UDP_BURST_MIN_BYTES ? bytes : UDP_BURST_MIN_BYTES;
}

static bool is_subject(const struct flow_key *key, bool down) {
    if (key->protocol != IPPROTO_UDP || key->far_port == DNS_PORT) return false;
    return down ? key->near_port != UDP_PROBE_NEAR_PORT : key->far_port != UDP_PROBE_FAR_PORT;
}

static void note_quic(struct udp_policy *policy, const struct packet *packet, const struct flow_packet *flow,
                      uint64_t now_ns) {
    if (policy->quic_ns > 0 || flow->payload_bytes == 0 || flow->key.far_port == 0) return;
    const uint8_t *payload = packet->bytes + packet->size_bytes - flow->payload_bytes;
    if ((*payload & QUIC_LONG_HEADER) != QUIC_LONG_HEADER) return;
    policy->quic_ns = now_ns;
    policy->quic_flow = flow->key;
}

void udp_policy_left(struct udp_policy *policy, const struct packet *packet, uint64_t due_ns) {
    struct flow_packet flow;
    if (policy->quic_ns == 0 || policy->tcp_ns > 0 || packet->arrived_ns < policy->quic_ns) return;
    if (!flow_packet_read(&flow, packet->bytes, packet->size_bytes, policy->down)) return;
    const struct flow_key *key = &flow.key, *quic = &policy->quic_flow;
    if (key->protocol == IPPROTO_TCP && flow.payload_bytes > 0 && key->version == quic->version &&
        memcmp(key->far_address, quic->far_address, sizeof key->far_address) == 0)
        policy->tcp_ns = due_ns;
}

static bool has_tokens(struct udp_policy *policy, uint32_t size_bytes, uint64_t now_ns) {
    policy->tokens += (__uint128_t)(now_ns - policy->filled_ns) * policy->settings.rate_bps;
    if (policy->tokens > policy->tokens_max) policy->tokens = policy->tokens_max;
    policy->filled_ns = now_ns;
    __uint128_t work = (__uint128_t)size_bytes * work_per_byte;
    if (policy->tokens < work) return false;
    policy->tokens -= work;
    return true;
}

static bool passes(struct udp_policy *policy, uint32_t size_bytes, uint64_t now_ns) {
    switch (policy->settings.kind) {
    case UDP_BLOCKED:
        return false;
    case UDP_THROTTLED:
        return has_tokens(policy, size_bytes, now_ns);
    case UDP_MTU:
        return size_bytes <= policy->settings.mtu_bytes;
    default:
        return true;
    }
}

static void hold(struct udp_policy *policy, struct packet *packet, uint64_t now_ns) {
    packet->due_ns = now_ns + policy->settings.late_ns;
    if (packet->due_ns < policy->latest_ns) packet->due_ns = policy->latest_ns;
    policy->latest_ns = packet->due_ns;
    policy->delayed++;
    packet_list_add(&policy->late, packet);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct udp_policy *policy = (struct udp_policy *)node;
    struct flow_packet flow;
    bool is_limited = policy->settings.kind != UDP_OPEN || policy->late.packets > 0;
    if (!is_limited || !flow_packet_read(&flow, packet->bytes, packet->size_bytes, policy->down)) {
        node_take(node->next, packet, now_ns);
        return;
    }
    if (!is_subject(&flow.key, policy->down)) {
        node_take(node->next, packet, now_ns);
        return;
    }
    policy->packets++;
    note_quic(policy, packet, &flow, now_ns);
    if (!passes(policy, packet->size_bytes, now_ns)) {
        policy->drops++;
        policy->dropped_bytes += packet->size_bytes;
        packet_drop(policy->pool, packet, DROP_UDP, now_ns);
    } else if (policy->settings.kind == UDP_LATE || policy->late.packets > 0) {
        hold(policy, packet, now_ns);
    } else {
        node_take(node->next, packet, now_ns);
    }
}

static void advance(struct node *node, uint64_t now_ns) {
    struct udp_policy *policy = (struct udp_policy *)node;
    while (policy->late.first && policy->late.first->due_ns <= now_ns) {
        uint64_t due_ns = policy->late.first->due_ns;
        node_take(node->next, packet_list_remove(&policy->late), due_ns);
    }
}

static uint64_t due_ns(const struct node *node) {
    const struct udp_policy *policy = (const struct udp_policy *)node;
    return policy->late.first ? policy->late.first->due_ns : NODE_NEVER;
}

static uint64_t held(const struct node *node) {
    return ((const struct udp_policy *)node)->late.packets;
}

static const struct node_kind udp_policy_kind = {take, advance, due_ns, held};

static bool is_same(const struct udp_settings *a, const struct udp_settings *b) {
    return a->kind == b->kind && a->rate_bps == b->rate_bps && a->mtu_bytes == b->mtu_bytes &&
           a->late_ns == b->late_ns;
}

static void set(struct udp_policy *policy, const struct udp_settings *settings, uint64_t now_ns) {
    policy->settings = *settings;
    policy->tokens_max = (__uint128_t)udp_burst_bytes(settings->rate_bps) * work_per_byte;
    policy->tokens = policy->tokens_max;
    policy->filled_ns = now_ns;
}

void udp_policy_open(struct udp_policy *policy, struct packet_pool *pool, const struct udp_settings *settings,
                     bool down, struct node *next) {
    *policy = (struct udp_policy){.node = {&udp_policy_kind, next}, .pool = pool, .down = down};
    set(policy, settings, 0);
}

void udp_policy_steer(struct udp_policy *policy, const struct udp_settings *settings, uint64_t now_ns) {
    if (!is_same(&policy->settings, settings)) set(policy, settings, now_ns);
}

struct packet *udp_policy_take_back(struct udp_policy *policy) {
    struct packet *packet = packet_list_remove(&policy->late);
    if (!packet) policy->latest_ns = 0;
    return packet;
}

void udp_policy_close(struct udp_policy *policy) {
    struct packet *packet;
    while ((packet = udp_policy_take_back(policy)))
        packet_return(policy->pool, packet);
}
