// Congestion control for quiche by name: quiche's own (cubic, reno, bbr2), and ours (congestion.h) where this
// build of quiche calls them, which native-host/quic/quiche/ inserts into the versions that it knows.
#pragma once

#include "congestion/congestion.h"
#include "quic_io/pacer.h"

#include <quiche.h>
#include <stdbool.h>
#include <stddef.h>

// Whether this build of quiche can be given ours.
bool quiche_congestion_calls_ours(void);

// Every connection and path made with `config` from now on uses the controller of that name, ours or
// quiche's. 0, or -1 if there is none of that name (quiche_congestion_list says which there are).
int quiche_congestion_choose(quiche_config *config, const char *name);

// For errors: "cubic, reno, bbr2, cubic-n1 or ..."; says if ours are missing.
void quiche_congestion_list(char *out, size_t size);

// The controller of ours that serves the connection's active path; NULL if one of quiche's does.
const struct congestion_controller *quiche_congestion_of(const quiche_conn *conn);
// Its window, slow start threshold, pacing rate and phase now. False, and `out` untouched, if one of quiche's
// serves the path.
bool quiche_congestion_window(const quiche_conn *conn, struct congestion_window *out);

// Whether our pacer is for the controller of that name: quiche's BBR paces by itself, and some want no pacing
// at all.
bool quiche_pacing_is_for(const char *congestion);
// The rate at which our pacer lets out what the window allows, by the controller at work. `path`: of the
// connection's active path, now.
void quiche_pacing_update(struct pacer *pacer, const quiche_conn *conn, const quiche_path_stats *path);
