// Flows over the kernel's TCP: bytes as they are, one connection for each flow.
#ifndef TRILANE_FLOWS_TCP_FLOW_H
#define TRILANE_FLOWS_TCP_FLOW_H

#include "flows/flow.h"

extern const struct flow_transport tcp_transport;

#endif
