// What a link's short form says of UDP: udp=blocked, throttled:RATE, mtu=BYTES, late:TIME or open.
#pragma once

#include "shaper/language/short_form.h"
#include "shaper/nodes/settings.h"

// The smallest packet that every IPv4 network carries (RFC 791), and the lab's largest.
enum { LINK_UDP_MTU_MIN = 68, LINK_UDP_MTU_MAX = 1500 };

// 0, or -1 with the error's line.
int link_read_udp(const char *text, struct udp_settings *udp, struct link_error *error);
