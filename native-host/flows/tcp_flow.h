// Flows over the kernel's TCP, one connection for each: bytes as they are, or under TLS 1.3.
#pragma once

#include "flows/flow.h"

extern const struct flow_transport tcp_transport;
extern const struct flow_transport tls_transport;
