// The settings of a link's short form by which the path itself moves: rebind (the NAT's binding changes) and
// switch (another link, as from Wi-Fi to LTE). Reads what they say of times and kinds; the link that is
// switched to is a form of its own, in which a plus sign stands for the comma, and is read by link_profile.h.
#pragma once

#include "shaper/language/link_quantity.h"
#include "shaper/nodes/settings.h"

// Ends the settings of a link that is switched to, as a comma those of a whole one.
#define LINK_INNER_COMMA '+'

// All return 0, or -1 with the error's line.

// "5s", "5s:port" or "5s:address"; "off": never.
int link_read_rebind(const char *text, struct rebind_settings *rebind, struct link_error *error);

// "8s:wpt-lte", "8s:10mbit/40ms+loss=1%": `form` is the link's, with commas. "off": *at_ns is 0.
int link_read_switch(const char *text, uint64_t *at_ns, char form[LINK_FORM_MAX + 1],
                     struct link_error *error);

// Refuses what a link that is switched to may not say: what holds for the whole run, a further switch, and a
// rate without a delay.
int link_check_switched(const struct link_settings *settings, struct link_error *error);
