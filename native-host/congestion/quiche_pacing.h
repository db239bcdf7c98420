// The rate at which our pacer lets out what quiche's window allows, by the controller at work. For
// controllers that quiche does not pace itself (its BBR does).
#ifndef TRILANE_QUICHE_PACING_H
#define TRILANE_QUICHE_PACING_H

#include "quic_io/pacer.h"

#include <quiche.h>

// `path`: of the connection's active path, now.
void quiche_pacing_update(struct pacer *pacer, const quiche_conn *conn, const quiche_path_stats *path);

#endif
