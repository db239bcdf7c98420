#include "base/stock_network.h"

#include "base/namespace.h"

#include <stddef.h>

static const struct {
    const char *name;
    const char *value;
} stock[] = {
    {"net/ipv4/tcp_no_metrics_save", "1"}, // else a path's ssthresh outlives the connection that found it
    {"net/ipv4/tcp_slow_start_after_idle", "1"},
    {"net/ipv4/tcp_rmem", "4096 131072 6291456"},
    {"net/ipv4/tcp_wmem", "4096 16384 4194304"},
    {"net/ipv4/tcp_notsent_lowat", "4294967295"},
    {"net/ipv4/tcp_fastopen", "1"},
    {"net/ipv4/tcp_ecn", "2"},
    {"net/ipv4/tcp_sack", "1"},
    {"net/ipv4/tcp_window_scaling", "1"},
    {"net/ipv4/tcp_timestamps", "1"},
    {"net/ipv4/conf/all/rp_filter", "0"}, // packets come from a TUN that routes back only what it must
    {"net/ipv4/conf/default/rp_filter", "0"},
    {"net/ipv6/conf/all/disable_ipv6", "0"},
    {"net/ipv6/conf/lo/disable_ipv6", "0"},
};

void stock_network_set(void) {
    for (size_t i = 0; i < sizeof stock / sizeof *stock; i++)
        namespace_set_sysctl(stock[i].name, stock[i].value);
}
