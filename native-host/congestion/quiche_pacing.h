// The rate at which our pacer lets out what quiche's window allows, by the controller at work. For
// controllers that quiche does not pace itself (its BBR does).
#pragma once

#include "quic_io/pacer.h"

#include <quiche.h>
#include <stdbool.h>

// Whether it is for the controller of that name: quiche's BBR paces by itself, and some want no pacing at
// all.
bool quiche_pacing_is_for(const char *congestion);

// `path`: of the connection's active path, now.
void quiche_pacing_update(struct pacer *pacer, const quiche_conn *conn, const quiche_path_stats *path);
