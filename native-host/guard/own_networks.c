#include "guard/own_networks.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int bits_of(int family) {
    return family == AF_INET ? 32 : 128;
}

// NULL for another family, as a packet socket's.
static const unsigned char *bytes_of(const struct sockaddr *address) {
    if (!address) return NULL;
    if (address->sa_family == AF_INET)
        return (const unsigned char *)&((const struct sockaddr_in *)address)->sin_addr;
    if (address->sa_family == AF_INET6)
        return (const unsigned char *)&((const struct sockaddr_in6 *)address)->sin6_addr;
    return NULL;
}

static int add(struct own_networks *own, const struct own_network *network) {
    struct own_network *all = realloc(own->all, (own->count + 1) * sizeof *all);
    if (!all) return -1;
    all[own->count++] = *network;
    own->all = all;
    return 0;
}

static int add_address(struct own_networks *own, enum address_space space, const struct sockaddr *address,
                       int bits) {
    struct own_network network = {.space = space, .family = address->sa_family, .bits = bits};
    memcpy(network.address, bytes_of(address), (size_t)bits_of(network.family) / 8);
    return add(own, &network);
}

// The mask is of the address's family, even where it does not say so.
static int prefix_bits(const struct sockaddr *address, const struct sockaddr *netmask) {
    const unsigned char *mask =
        (const unsigned char *)netmask + (bytes_of(address) - (const unsigned char *)address);
    int bits = 0;
    while (bits < bits_of(address->sa_family) && mask[bits / 8] & (0x80 >> bits % 8))
        bits++;
    return bits;
}

static int add_interface(struct own_networks *own, const struct ifaddrs *interface) {
    const struct sockaddr *address = interface->ifa_addr, *peer = interface->ifa_dstaddr;
    if (!bytes_of(address)) return 0;
    if (add_address(own, SPACE_LOOPBACK, address, bits_of(address->sa_family)) < 0) return -1;
    // A mask of no bits is that of a tunnel which takes everything: it makes the internet no one's neighbour.
    int bits = interface->ifa_netmask ? prefix_bits(address, interface->ifa_netmask) : 0;
    if (bits > 0 && add_address(own, SPACE_LOCAL, address, bits) < 0) return -1;
    if (!(interface->ifa_flags & IFF_POINTOPOINT) || !bytes_of(peer)) return 0;
    return add_address(own, SPACE_LOCAL, peer, bits_of(peer->sa_family));
}

int own_networks_read(struct own_networks *own) {
    struct ifaddrs *all;
    *own = (struct own_networks){0};
    if (getifaddrs(&all) < 0) return -1;
    int status = 0;
    for (const struct ifaddrs *each = all; each && status == 0; each = each->ifa_next)
        status = add_interface(own, each);
    freeifaddrs(all);
    if (status < 0) own_networks_free(own);
    return status;
}

static const char *const space_words[] = {"loopback:", "local:"};

// One entry, of `size` bytes.
static int parse_network(const char *text, size_t size, struct own_network *network) {
    char word[80], *end;
    if (size >= sizeof word) return -1;
    memcpy(word, text, size);
    word[size] = 0;
    int is_local = strncmp(word, space_words[1], strlen(space_words[1])) == 0;
    const char *space = space_words[is_local];
    char *slash = strchr(word, '/');
    if (strncmp(word, space, strlen(space)) != 0 || !slash) return -1;
    *slash = 0;
    const char *address = word + strlen(space);
    *network = (struct own_network){.space = is_local ? SPACE_LOCAL : SPACE_LOOPBACK,
                                    .family = strchr(address, ':') ? AF_INET6 : AF_INET};
    if (inet_pton(network->family, address, network->address) != 1) return -1;
    long bits = strtol(slash + 1, &end, 10);
    if (end == slash + 1 || *end || bits < 1 || bits > bits_of(network->family)) return -1;
    network->bits = (int)bits;
    return 0;
}

int own_networks_parse(struct own_networks *own, const char *text) {
    *own = (struct own_networks){0};
    while (*text) {
        struct own_network network;
        size_t size = strcspn(text, ",");
        if (parse_network(text, size, &network) < 0 || add(own, &network) < 0) {
            own_networks_free(own);
            return -1;
        }
        text += size + (text[size] == ',');
    }
    return 0;
}

void own_networks_write(const struct own_networks *own, FILE *file) {
    char text[INET6_ADDRSTRLEN];
    for (size_t i = 0; i < own->count; i++) {
        const struct own_network *each = &own->all[i];
        inet_ntop(each->family, each->address, text, sizeof text);
        fprintf(file, "%s%s%s/%d", i ? "," : "", space_words[each->space == SPACE_LOCAL], text, each->bits);
    }
}

void own_networks_free(struct own_networks *own) {
    free(own->all);
    *own = (struct own_networks){0};
}
