#include "shaper/language/link_switch.h"

#include "shaper/language/link_quantity.h"

#include <stdbool.h>
#include <string.h>

enum { TIME_MAX = 63 };

int link_read_switch(const char *text, uint64_t *at_ns, char form[LINK_FORM_MAX + 1],
                     struct link_error *error) {
    char time[TIME_MAX + 1];
    const size_t time_size = strcspn(text, ":");
    const char *link = text + time_size + 1;
    *at_ns = 0;
    if (strcmp(text, "off") == 0) return 0;
    if (time_size > TIME_MAX || !text[time_size] || !*link)
        return link_fail(error, "link: switch \"%.80s\" is not TIME:LINK or off: write it as 8s:wpt-lte",
                         text);
    memcpy(time, text, time_size);
    time[time_size] = 0;
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
