// The setting `switch` of a link's short form: another link from a time on, as from Wi-Fi to LTE. That link
// is a form of its own, in which a plus sign stands for the comma.
#pragma once

#include "shaper/language/short_form.h"

// Ends the settings of a link that is switched to, as a comma those of a whole one.
#define LINK_INNER_COMMA '+'

// All return 0, or -1 with the error's line.

// "8s:wpt-lte", "8s:10mbit/40ms+loss=1%": `form` is the link's, with commas. "off": *at_ns is 0.
int link_read_switch(const char *text, uint64_t *at_ns, char form[LINK_FORM_MAX + 1],
                     struct link_error *error);

// Refuses what a link that is switched to may not say: what holds for the whole run, a further switch, and a
// rate without a delay.
int link_check_switched(const struct link_settings *settings, struct link_error *error);
