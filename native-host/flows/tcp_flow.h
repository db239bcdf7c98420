// Flows over the kernel's TCP, one connection for each: bytes as they are, or under TLS 1.3.
#ifndef TRILANE_FLOWS_TCP_FLOW_H
#define TRILANE_FLOWS_TCP_FLOW_H

#include "flows/flow.h"

extern const struct flow_transport tcp_transport;
extern const struct flow_transport tls_transport;

#endif
