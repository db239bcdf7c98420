// The list of transports. It stands here once: plans, help and errors read it.
#pragma once

#include "flows/flow.h"

// Over the kernel's TCP, one connection for each flow: bytes as they are, or under TLS 1.3.
extern const struct flow_transport tcp_transport, tls_transport;

// Over QUIC: quiche at both ends, one connection with one stream for each flow. Packets leave in
// bursts (UDP_SEGMENT) and paced, as trilane-replay's do. A receiver acknowledges once for each batch of
// packets that it finds, as quiche's own client does, and each packet by itself where the sender's controller
// wants that. The far end follows a near end whose address changes (quic_io/quiche_paths.h). A near end that
// only receives cannot know that a NAT forgot it, and has nothing to send that would tell the far end: after
// three round trips without a packet, and 100 ms, it sends a PING. No Retry, no early data.
extern const struct flow_transport quic_transport;

extern const struct flow_transport *const transports[];
extern const size_t transport_count;

// NULL: there is none of that name.
const struct flow_transport *transport_named(const char *name);

// "tcp, tls".
void transports_list(char *text, size_t size);
