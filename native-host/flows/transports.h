// The list of transports. It stands here once: plans, help and errors read it.
#pragma once

#include "flows/flow.h"

extern const struct flow_transport *const transports[];
extern const size_t transport_count;

// NULL: there is none of that name.
const struct flow_transport *transport_named(const char *name);

// "tcp, tls".
void transports_list(char *text, size_t size);
