// Flows over QUIC: quiche at both ends, one connection with one stream for each flow. Packets leave in
// bursts (UDP_SEGMENT) and paced, as trilane-replay's do. A receiver acknowledges once for each batch of
// packets that it finds, as quiche's own client does, and each packet by itself where the sender's controller
// wants that. No Retry, no migration, no early data.
#ifndef TRILANE_FLOWS_QUIC_FLOW_H
#define TRILANE_FLOWS_QUIC_FLOW_H

#include "flows/flow.h"

extern const struct flow_transport quic_transport;

#endif
