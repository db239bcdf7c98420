#include "shaper/origin_delays.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BYTES = 16, ITEM_MAX = 128 };

struct origin_delay_entry {
    uint8_t address[ADDRESS_BYTES]; // IPv4 mapped
    unsigned prefix_bits;           // of the mapped address: all of it but for a network
    uint64_t one_way_ns;
};

struct origin_delays {
    struct origin_delay_entry *entries; // of addresses, sorted
    size_t count;
    struct origin_delay_entry *networks;
    size_t network_count;
};

static void map_address(uint8_t mapped[ADDRESS_BYTES], const uint8_t *address, size_t size) {
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    memcpy(mapped, prefix, sizeof prefix);
    memcpy(mapped + ADDRESS_BYTES - size, address, size);
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, ADDRESS_BYTES); // the address comes first in an entry
}

static struct origin_delay_entry *find(const struct origin_delays *delays, const uint8_t *mapped) {
    if (!delays || delays->count == 0) return NULL;
    return bsearch(mapped, delays->entries, delays->count, sizeof *delays->entries, compare);
}

static bool is_in(const uint8_t *address, const struct origin_delay_entry *network) {
    const unsigned bytes = network->prefix_bits / 8, bits = network->prefix_bits % 8;
    if (memcmp(address, network->address, bytes) != 0) return false;
    return bits == 0 || (address[bytes] ^ network->address[bytes]) >> (8 - bits) == 0;
}

// What follows the address: "", or "/24" of an address of so many bits. -1 for anything else.
static int read_prefix(const char *text, unsigned address_bits) {
    if (*text == '\0') return (int)address_bits;
    char *end;
    if (text[0] != '/' || text[1] < '0' || text[1] > '9') return -1;
    const unsigned long bits = strtoul(text + 1, &end, 10);
    return *end == '\0' && bits <= address_bits ? (int)bits : -1;
}

static int read_item(struct origin_delay_entry *entry, const char *item, struct link_error *error) {
    char address[ITEM_MAX];
    uint8_t bytes[ADDRESS_BYTES];
    const char *equals = strchr(item, '=');
    size_t size = equals ? (size_t)(equals - item) : 0;
    memcpy(address, item, size);
    address[size] = '\0';
    char *const slash = address + strcspn(address, "/");
    char prefix[ITEM_MAX];
    strcpy(prefix, slash);
    *slash = '\0';
    int prefix_bits = -1;
    if (inet_pton(AF_INET, address, bytes) == 1) {
        map_address(entry->address, bytes, 4);
        prefix_bits = read_prefix(prefix, 8 * 4);
        if (prefix_bits >= 0) prefix_bits += 8 * (ADDRESS_BYTES - 4);
    } else if (inet_pton(AF_INET6, address, bytes) == 1) {
        map_address(entry->address, bytes, ADDRESS_BYTES);
        prefix_bits = read_prefix(prefix, 8 * ADDRESS_BYTES);
    }
    if (prefix_bits < 0)
        return link_fail(error, "extra-rtt: \"%s\" is no ADDRESS=TIME: write it as 192.0.2.1=20ms", item);
    uint64_t rtt_ns;
    if (link_read_time("extra-rtt", equals + 1, &rtt_ns, error) < 0) return -1;
    entry->prefix_bits = (unsigned)prefix_bits;
    entry->one_way_ns = rtt_ns / 2;
    return 0;
}

static int add_network(struct origin_delays *delays, const struct origin_delay_entry *network) {
    struct origin_delay_entry *networks =
        realloc(delays->networks, (delays->network_count + 1) * sizeof *delays->networks);
    if (!networks) return -1;
    delays->networks = networks;
    networks[delays->network_count++] = *network;
    return 0;
}

static int add(struct origin_delays *delays, const struct origin_delay_entry *entry) {
    if (entry->prefix_bits < 8 * ADDRESS_BYTES) return add_network(delays, entry);
    struct origin_delay_entry *known = find(delays, entry->address);
    if (known) {
        *known = *entry;
        return 0;
    }
    struct origin_delay_entry *entries =
        realloc(delays->entries, (delays->count + 1) * sizeof *delays->entries);
    if (!entries) return -1;
    delays->entries = entries;
    size_t place = delays->count++;
    for (; place > 0 && compare(entry, &entries[place - 1]) < 0; place--)
        entries[place] = entries[place - 1];
    entries[place] = *entry;
    return 0;
}

int origin_delays_read(struct origin_delays **delays, const char *text, struct link_error *error) {
    if (!*delays) *delays = calloc(1, sizeof **delays);
    if (!*delays) return link_fail(error, "extra-rtt: memory is short");
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ",");
        char item[ITEM_MAX];
        if (size >= sizeof item)
            return link_fail(error, "extra-rtt: \"%.20s...\" is no ADDRESS=TIME: write it as 192.0.2.1=20ms",
                             at);
        memcpy(item, at, size);
        item[size] = '\0';
        struct origin_delay_entry entry = {0};
        if (read_item(&entry, item, error) < 0) return -1;
        if (add(*delays, &entry) < 0) return link_fail(error, "extra-rtt: memory is short");
        at += size;
        if (*at == '\0') return 0;
    }
}

void origin_delays_close(struct origin_delays *delays) {
    if (!delays) return;
    free(delays->entries);
    free(delays->networks);
    free(delays);
}

uint64_t origin_delays_one_way_ns(const struct origin_delays *delays, const uint8_t *address, size_t size) {
    uint8_t mapped[ADDRESS_BYTES];
    map_address(mapped, address, size);
    const struct origin_delay_entry *entry = find(delays, mapped);
    if (entry) return entry->one_way_ns;
    for (size_t i = 0; delays && i < delays->network_count; i++)
        if (is_in(mapped, &delays->networks[i])) return delays->networks[i].one_way_ns;
    return 0;
}
