#include "shaper/language/link_udp.h"

#include "shaper/language/link_quantity.h"

#include <string.h>

// What follows the prefix; NULL: the text does not begin with it.
static const char *after(const char *text, const char *prefix) {
    size_t size = strlen(prefix);
    return strncmp(text, prefix, size) == 0 ? text + size : NULL;
}

static int read_rate(const char *text, struct udp_settings *udp, struct link_error *error) {
    udp->kind = UDP_THROTTLED;
    if (link_read_rate("udp throttled", text, &udp->rate_bps, error) < 0) return -1;
    if (udp->rate_bps > 0) return 0;
    return link_fail(error, "link: udp throttled cannot be unlimited: give a rate, as udp=throttled:1mbit");
}

static int read_mtu(const char *text, struct udp_settings *udp, struct link_error *error) {
    uint64_t bytes = 0;
    udp->kind = UDP_MTU;
    if (link_read_whole("udp mtu", text, LINK_UDP_MTU_MIN, LINK_UDP_MTU_MAX, &bytes, error) < 0) return -1;
    udp->mtu_bytes = (uint32_t)bytes;
    return 0;
}

static int read_late(const char *text, struct udp_settings *udp, struct link_error *error) {
    udp->kind = UDP_LATE;
    if (link_read_time("udp late", text, &udp->late_ns, error) < 0) return -1;
    if (udp->late_ns == 0) udp->kind = UDP_OPEN;
    return 0;
}

int link_read_udp(const char *text, struct udp_settings *udp, struct link_error *error) {
    const char *rest;
    *udp = (struct udp_settings){.kind = UDP_OPEN};
    if (strcmp(text, "open") == 0) return 0;
    if (strcmp(text, "blocked") == 0) {
        udp->kind = UDP_BLOCKED;
        return 0;
    }
    if ((rest = after(text, "throttled:"))) return read_rate(rest, udp, error);
    if ((rest = after(text, "mtu=")) || (rest = after(text, "mtu:"))) return read_mtu(rest, udp, error);
    if ((rest = after(text, "late:"))) return read_late(rest, udp, error);
    return link_fail(error,
                     "link: udp must be blocked, throttled:RATE, mtu=BYTES, late:TIME or open, as "
                     "udp=throttled:1mbit (got \"%.60s\")",
                     text);
}
