// Flows over QUIC: quiche at both ends, one connection with one stream for each flow. Packets leave in
// bursts (UDP_SEGMENT) and paced, as trilane-replay's do. A receiver acknowledges once for each batch of
// packets that it finds, as quiche's own client does, and each packet by itself where the sender's controller
// wants that. The far end follows a near end whose address changes (quic_io/quiche_paths.h). A near end that
// only receives cannot know that a NAT forgot it, and has nothing to send that would tell the far end: after
// three round trips without a packet, and 100 ms, it sends a PING. No Retry, no early data.
#pragma once

#include "flows/flow.h"

extern const struct flow_transport quic_transport;
