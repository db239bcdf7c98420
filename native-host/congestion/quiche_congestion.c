#include "congestion/quiche_congestion.h"

#include <stdio.h>
#include <string.h>

static const char *const of_quiche[] = {"cubic", "reno", "bbr2"};
enum { OF_QUICHE = sizeof of_quiche / sizeof of_quiche[0] };

#ifdef TRILANE_QUICHE_CALLS_OURS
// native-host/quic/quiche/controller.rs
void trilane_config_set_controller(quiche_config *config, const struct congestion_controller *controller);
const struct congestion_controller *trilane_conn_controller(const quiche_conn *conn, const void **state);

bool quiche_congestion_calls_ours(void) {
    return true;
}
#else
static void trilane_config_set_controller(quiche_config *config,
                                          const struct congestion_controller *controller) {
    (void)config, (void)controller;
}
static const struct congestion_controller *trilane_conn_controller(const quiche_conn *conn,
                                                                   const void **state) {
    (void)conn, (void)state;
    return NULL;
}

bool quiche_congestion_calls_ours(void) {
    return false;
}
#endif

int quiche_congestion_choose(quiche_config *config, const char *name) {
    const struct congestion_controller *ours = quiche_congestion_calls_ours() ? congestion_find(name) : NULL;
    // Ours take the place of a controller of quiche's recovery that leaves pacing to the application.
    if (quiche_config_set_cc_algorithm_name(config, ours ? "cubic" : name) < 0) return -1;
    trilane_config_set_controller(config, ours);
    return 0;
}

void quiche_congestion_list(char *out, size_t size) {
    const bool all = quiche_congestion_calls_ours();
    size_t used = 0, ours = 0;
    while (all && congestion_at(ours))
        ours++;
    for (size_t i = 0; i < OF_QUICHE + ours && used < size; i++) {
        const char *name = i < OF_QUICHE ? of_quiche[i] : congestion_at(i - OF_QUICHE)->name;
        const char *before = i == 0 ? "" : i + 1 < OF_QUICHE + ours ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", before, name);
    }
    if (!all && used < size)
        snprintf(out + used, size - used, " (quiche %s is built without calls to ours)", quiche_version());
}

const struct congestion_controller *quiche_congestion_of(const quiche_conn *conn) {
    const void *state;
    return trilane_conn_controller(conn, &state);
}

bool quiche_congestion_window(const quiche_conn *conn, struct congestion_window *out) {
    const void *state;
    const struct congestion_controller *controller = trilane_conn_controller(conn, &state);
    if (controller) controller->window(state, out);
    return controller;
}

bool quiche_pacing_is_for(const char *congestion) {
    const struct congestion_controller *ours = congestion_find(congestion);
    return ours ? !ours->is_unpaced : strncmp(congestion, "bbr", 3) != 0;
}

void quiche_pacing_update(struct pacer *pacer, const quiche_conn *conn, const quiche_path_stats *path) {
    struct congestion_window ours;
    if (!quiche_congestion_window(conn, &ours))
        pacer_update(pacer, path->cwnd, path->rtt, path->startup_exit_cwnd == 0);
    else if (ours.pacing_bps > 0)
        pacer_set_rate(pacer, ours.pacing_bps);
    else
        pacer_update(pacer, ours.window_bytes, path->rtt, ours.window_bytes < ours.ssthresh_bytes);
}
