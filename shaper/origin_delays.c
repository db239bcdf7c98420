#include "shaper/origin_delays.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BYTES = 16, ITEM_MAX = 128 };

struct origin_delay_entry {
    uint8_t address[ADDRESS_BYTES]; // IPv4 mapped
    uint64_t one_way_ns;
};

struct origin_delays {
    struct origin_delay_entry *entries; // sorted by address
    size_t count;
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

static int read_item(struct origin_delay_entry *entry, const char *item, struct link_error *error) {
    char address[ITEM_MAX];
    uint8_t bytes[ADDRESS_BYTES];
    const char *equals = strchr(item, '=');
    size_t size = equals ? (size_t)(equals - item) : 0;
    memcpy(address, item, size);
    address[size] = '\0';
    if (inet_pton(AF_INET, address, bytes) == 1)
        map_address(entry->address, bytes, 4);
    else if (inet_pton(AF_INET6, address, bytes) == 1)
        map_address(entry->address, bytes, ADDRESS_BYTES);
    else
        return link_fail(error, "extra-rtt: \"%s\" is no ADDRESS=TIME: write it as 192.0.2.1=20ms", item);
    uint64_t rtt_ns;
    if (link_read_time("extra-rtt", equals + 1, &rtt_ns, error) < 0) return -1;
    entry->one_way_ns = rtt_ns / 2;
    return 0;
}

static int add(struct origin_delays *delays, const struct origin_delay_entry *entry) {
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
        struct origin_delay_entry entry;
        if (read_item(&entry, item, error) < 0) return -1;
        if (add(*delays, &entry) < 0) return link_fail(error, "extra-rtt: memory is short");
        at += size;
        if (*at == '\0') return 0;
    }
}

void origin_delays_close(struct origin_delays *delays) {
    if (!delays) return;
    free(delays->entries);
    free(delays);
}

uint64_t origin_delays_one_way_ns(const struct origin_delays *delays, const uint8_t *address, size_t size) {
    uint8_t mapped[ADDRESS_BYTES];
    map_address(mapped, address, size);
    const struct origin_delay_entry *entry = find(delays, mapped);
    return entry ? entry->one_way_ns : 0;
}
