#include "congestion/quiche_pacing.h"

#include "congestion/quiche_congestion.h"

#include <string.h>

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
