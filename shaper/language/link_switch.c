#include "shaper/language/link_moves.h"

#include <stdbool.h>
#include <string.h>

// Often enough for any study, and seldom enough that every path is used: a NAT that forgets within a round
// trip leaves no connection alive, and 65 thousand addresses last for hours.
static const uint64_t least_every_ns = 100 * UINT64_C(1000000);

enum { TIME_MAX = 63 };

// The time before the first colon, and what follows the colon; NULL: there is none. False where the time is
// longer than any.
static bool split(const char *text, char time[TIME_MAX + 1], const char **rest) {
    size_t size = strcspn(text, ":");
    if (size > TIME_MAX) return false;
    memcpy(time, text, size);
    time[size] = 0;
    *rest = text[size] ? text + size + 1 : NULL;
    return true;
}

int link_read_rebind(const char *text, struct rebind_settings *rebind, struct link_error *error) {
    char time[TIME_MAX + 1];
    const char *kind;
    *rebind = (struct rebind_settings){0};
    if (strcmp(text, "off") == 0) return 0;
    if (!split(text, time, &kind) || (kind && strcmp(kind, "port") != 0 && strcmp(kind, "address") != 0))
        return link_fail(error,
                         "link: rebind \"%.80s\" is not TIME, TIME:port, TIME:address or off: write it as 5s",
                         text);
    if (link_read_span("rebind", time, &rebind->every_ns, error) < 0) return -1;
    if (rebind->every_ns < least_every_ns)
        return link_fail(
            error,
            "link: rebind every %s is more often than every 100ms, which no connection outlives: "
            "name a longer time, as 5s",
            time);
    rebind->address = kind && strcmp(kind, "address") == 0;
    return 0;
}

int link_read_switch(const char *text, uint64_t *at_ns, char form[LINK_FORM_MAX + 1],
                     struct link_error *error) {
    char time[TIME_MAX + 1];
    const char *link;
    *at_ns = 0;
    if (strcmp(text, "off") == 0) return 0;
    if (!split(text, time, &link) || !link || !*link)
        return link_fail(error, "link: switch \"%.80s\" is not TIME:LINK or off: write it as 8s:wpt-lte",
                         text);
    if (link_read_span("switch", time, at_ns, error) < 0) return -1;
    if (*at_ns == 0)
        return link_fail(error, "link: switch at %s is no switch: begin with %.80s, or name a later time",
                         time, link);
    size_t size = strlen(link);
    memcpy(form, link, size + 1); // settings are no longer than a form
    for (char *c = form; *c; c++)
        if (*c == LINK_INNER_COMMA) *c = ',';
    return 0;
}

static bool gives(const struct link_settings *settings, enum link_key first, enum link_key last) {
    bool given = false;
    for (int key = first; key <= (int)last; key++)
        given = given || settings->at[key] > 0;
    return given;
}

int link_check_switched(const struct link_settings *settings, struct link_error *error) {
    if (settings->at[LINK_SWITCH] > 0)
        return link_fail(error, "link: switch leads to a link that switches itself: name one that does not");
    for (int key = LINK_SEED; key < LINK_KEYS; key++)
        if (settings->at[key] > 0)
            return link_fail(error,
                             "link: switch: %s holds for the whole run: write it beside switch, not in it",
                             link_key_names[key]);
    if (gives(settings, LINK_RATE, LINK_TRACE_UP) && !gives(settings, LINK_RTT, LINK_DELAY_UP))
        return link_fail(error, "link: switch: the link says no round-trip time: add +rtt=50ms, or +rtt=0ms "
                                "for none");
    return 0;
}
