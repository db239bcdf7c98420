// A response whose head is larger than the congestion window. quiche sends a head whole or not at all, and
// into an idle connection's window, which does not grow while nothing is sent, such a one never goes. So it
// is framed here (RFC 9114, 7.2; RFC 9204, 4.5: literals only) and given to quiche as bytes of the stream, as
// much at a time as it takes. Does not read; keeps no state of a connection.
#pragma once

#include "archive/recording.h"
#include "base/buf.h"
#include "quic_io/quiche_paths.h"

#include <quiche.h>
#include <stdbool.h>

// Whether such a head fits the congestion window and the client's for a stream when nothing else is on its
// way.
bool h3_head_can_go_whole(struct quiche_paths *paths, const quiche_conn *quic, const quiche_h3_header *fields,
                          size_t count);

// The HEADERS frame, and the head of the DATA frame of all the body where there is one. 0, or -1 when memory
// is short.
int h3_long_head_make(struct buf *out, const quiche_h3_header *fields, size_t count, uint64_t body_size);
