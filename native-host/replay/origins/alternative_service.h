// Alt-Svc (RFC 7838) for the lane in which a browser learns of h3 that way: arranges the recording before it
// is served, so that every response from an https:// origin says that the origin's port has h3 as well, in
// place of what was recorded. Does not serve.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"

#include <stdint.h>

// Room for the field's value, NUL included; and that value, for an origin on this port.
enum { ALTERNATIVE_SERVICE_SIZE = sizeof "h3=\":65535\"; ma=86400" };
void alternative_service_value(char value[ALTERNATIVE_SERVICE_SIZE], uint16_t port);

// `arena` has the fields, as long as the recording is used. 0, or -1 when memory is short.
int alternative_service_offer(struct recording *recording, struct arena *arena);
