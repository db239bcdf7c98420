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

// Broadcast, multicast and what nobody was given count as local: none of it is on the internet.
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

static enum address_space space_of_6(const struct in6_addr *address) {
    enum address_space own = space_in(AF_INET6, address, blocks6, sizeof blocks6 / sizeof blocks6[0]);
    if (own != SPACE_PUBLIC) return own;
    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
        if (is_within(AF_INET6, address, carriers[i].network, carriers[i].bits))
            return space_of_4(address->s6_addr + carriers[i].bits / 8);
    return SPACE_PUBLIC;
}

enum address_space address_space_of(const struct sockaddr *address) {
    if (address->sa_family == AF_INET) return space_of_4(&((const struct sockaddr_in *)address)->sin_addr);
    return space_of_6(&((const struct sockaddr_in6 *)address)->sin6_addr);
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
