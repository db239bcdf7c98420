#include "guard/address_space.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct block {
    const char *network;
    int bits;
    enum address_space space;
};

// Broadcast, multicast and what no one was given count as local: none of it is on the internet.
static const struct block blocks4[] = {
    {"0.0.0.0", 8, SPACE_LOOPBACK}, // this host
    {"127.0.0.0", 8, SPACE_LOOPBACK}, {"10.0.0.0", 8, SPACE_LOCAL},    {"100.64.0.0", 10, SPACE_LOCAL},
    {"169.254.0.0", 16, SPACE_LOCAL}, {"172.16.0.0", 12, SPACE_LOCAL}, {"192.0.0.0", 24, SPACE_LOCAL},
    {"192.168.0.0", 16, SPACE_LOCAL}, {"224.0.0.0", 3, SPACE_LOCAL},
};
static const struct block blocks6[] = {
    {"::", 128, SPACE_LOOPBACK}, {"::1", 128, SPACE_LOOPBACK}, {"64:ff9b:1::", 48, SPACE_LOCAL},
    {"fc00::", 7, SPACE_LOCAL},  {"fe80::", 10, SPACE_LOCAL},  {"fec0::", 10, SPACE_LOCAL},
    {"ff00::", 8, SPACE_LOCAL},
};

// Where IPv6 carries IPv4: after the prefix.
static const struct {
    const char *network;
    int bits;
} carriers[] = {{"::ffff:0:0", 96}, {"::ffff:0:0:0", 96}, {"::", 96}, {"64:ff9b::", 96}, {"2002::", 16}};

static bool is_within(int family, const void *address, const char *network, int bits) {
    unsigned char prefix[sizeof(struct in6_addr)];
    if (inet_pton(family, network, prefix) != 1) return false;
    size_t whole = (size_t)bits / 8;
    int rest = bits % 8;
    const unsigned char *bytes = address;
    if (memcmp(bytes, prefix, whole) != 0) return false;
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static enum address_space space_in(int family, const void *address, const struct block *blocks,
                                   size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_within(family, address, blocks[i].network, blocks[i].bits)) return blocks[i].space;
    return SPACE_PUBLIC;
}

static enum address_space space_of_4(const void *address) {
    return space_in(AF_INET, address, blocks4, sizeof blocks4 / sizeof blocks4[0]);
}

// The IPv4 address that an IPv6 one carries, or NULL.
static const unsigned char *carried_by(const struct in6_addr *address) {
    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
        if (is_within(AF_INET6, address, carriers[i].network, carriers[i].bits))
            return address->s6_addr + carriers[i].bits / 8;
    return NULL;
}

static enum address_space space_of_6(const struct in6_addr *address) {
    return space_in(AF_INET6, address, blocks6, sizeof blocks6 / sizeof blocks6[0]);
}

enum {
    BLOCKS_4 = sizeof blocks4 / sizeof blocks4[0],
    BLOCKS_6 = sizeof blocks6 / sizeof blocks6[0],
    CARRIERS = sizeof carriers / sizeof carriers[0]
};

static void read_block(const struct block *block, int family, struct own_network *network) {
    *network = (struct own_network){.space = block->space, .family = family, .bits = block->bits};
    inet_pton(family, block->network, network->address);
}

bool address_space_near(size_t index, struct own_network *network) {
    if (index < BLOCKS_4) {
        read_block(&blocks4[index], AF_INET, network);
        return true;
    }
    index -= BLOCKS_4;
    if (index < BLOCKS_6) {
        read_block(&blocks6[index], AF_INET6, network);
        return true;
    }
    index -= BLOCKS_6;
    if (index >= CARRIERS * BLOCKS_4) return false;
    int carrier_bits = carriers[index / BLOCKS_4].bits;
    struct own_network inner;
    read_block(&blocks4[index % BLOCKS_4], AF_INET, &inner);
    *network =
        (struct own_network){.space = inner.space, .family = AF_INET6, .bits = carrier_bits + inner.bits};
    inet_pton(AF_INET6, carriers[index / BLOCKS_4].network, network->address);
    memcpy(network->address + carrier_bits / 8, inner.address, sizeof(struct in_addr));
    return true;
}

struct plain_address {
    int family;
    size_t size;
    const unsigned char *bytes;
};

static struct plain_address plain(const struct sockaddr *address) {
    if (address->sa_family == AF_INET)
        return (struct plain_address){
            AF_INET, sizeof(struct in_addr),
            (const unsigned char *)&((const struct sockaddr_in *)address)->sin_addr};
    return (struct plain_address){AF_INET6, sizeof(struct in6_addr),
                                  (const unsigned char *)&((const struct sockaddr_in6 *)address)->sin6_addr};
}

// With what is carried inside IPv6 taken out.
static struct plain_address carried(const struct sockaddr *address) {
    struct plain_address whole = plain(address);
    const unsigned char *four =
        whole.family == AF_INET6 ? carried_by((const struct in6_addr *)whole.bytes) : NULL;
    return four ? (struct plain_address){AF_INET, sizeof(struct in_addr), four} : whole;
}

enum address_space address_space_of(const struct sockaddr *address) {
    struct plain_address whole = plain(address);
    if (whole.family == AF_INET6) {
        enum address_space own = space_of_6((const struct in6_addr *)whole.bytes);
        if (own != SPACE_PUBLIC) return own;
    }
    struct plain_address inner = carried(address);
    return inner.family == AF_INET ? space_of_4(inner.bytes) : SPACE_PUBLIC;
}

static bool is_in_network(const struct plain_address *address, const struct own_network *network) {
    if (address->family != network->family) return false;
    size_t whole = (size_t)network->bits / 8;
    int rest = network->bits % 8;
    return memcmp(address->bytes, network->address, whole) == 0 &&
           (rest == 0 || (address->bytes[whole] ^ network->address[whole]) >> (8 - rest) == 0);
}

static void take_nearer(const struct own_networks *own, const struct sockaddr *address,
                        enum address_space *space) {
    struct plain_address wanted = carried(address);
    for (size_t i = 0; i < own->count; i++)
        if (own->all[i].space < *space && is_in_network(&wanted, &own->all[i])) *space = own->all[i].space;
}

int address_space_here(const struct sockaddr *address, const struct own_networks *besides,
                       enum address_space *space) {
    *space = address_space_of(address);
    if (*space == SPACE_LOOPBACK) return 0;
    struct own_networks own;
    if (own_networks_read(&own) < 0) return -1;
    take_nearer(&own, address, space);
    own_networks_free(&own);
    if (besides) take_nearer(besides, address, space);
    return 0;
}

static const char *const names[] = {"loopback", "local", "public"};

const char *address_space_name(enum address_space space) {
    return names[space];
}

int address_space_named(const char *name) {
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        if (strcmp(name, names[i]) == 0) return i;
    return -1;
}
