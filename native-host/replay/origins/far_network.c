#include "replay/origins/far_network.h"

#include "base/namespace.h"
#include "base/netlink.h"
#include "replay/origins/server_address.h"
#include "replay/origins/unrecorded_hosts.h"
#include "replay/tcp/initial_window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_INITCWND_PACKETS = 10 }; // TCP_INIT_CWND, RFC 6928

static bool is_on(const char *sysctl, bool if_unknown) {
    char value[16];
    if (namespace_get_sysctl(sysctl, value, sizeof value) < 0) return if_unknown;
    return strcmp(value, "0") != 0;
}

static int compare_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_address(struct netlink *netlink, const char *address, char *error, size_t error_size) {
    if (netlink_add_address(netlink, "lo", address, strchr(address, ':') ? 128 : 32) == 0) return 0;
    snprintf(error, error_size, "address %s: cannot be served from: %s", address, strerror(errno));
    return -1;
}

static int add_addresses(struct far_network *far, struct netlink *netlink, const struct recording *recording,
                         bool twins, char *error, size_t error_size) {
    size_t count = recording->exchange_count;
    const char **addresses = calloc(count + 1, sizeof *addresses);
    if (!addresses) {
        snprintf(error, error_size, "not enough memory");
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        addresses[i] = recording->exchanges[i].address;
    qsort(addresses, count, sizeof *addresses, compare_text);
    int result = add_address(netlink, FAR_NETWORK_DNS_ADDRESS, error, error_size);
    // On lo, all of an address's network is the namespace's own.
    if (result == 0 && netlink_add_address(netlink, "lo", UNRECORDED_NETWORK, UNRECORDED_PREFIX_BITS) < 0) {
        snprintf(error, error_size, "network %s/%d: cannot be served from: %s", UNRECORDED_NETWORK,
                 UNRECORDED_PREFIX_BITS, strerror(errno));
        result = -1;
    }
    for (size_t i = 0; i < count && result == 0; i++) {
        if (i > 0 && strcmp(addresses[i], addresses[i - 1]) == 0) continue;
        result = add_address(netlink, addresses[i], error, error_size);
        char twin[INET6_ADDRSTRLEN];
        if (result == 0 && twins && server_address_twin_text(addresses[i], twin))
            result = add_address(netlink, twin, error, error_size);
        far->address_count++;
    }
    free(addresses);
    return result;
}

// What an option says is to be so: 0, or -1 with a line in `error`.
static int set_wanted(const char *option, const char *sysctl, const char *value, char *error,
                      size_t error_size) {
    if (namespace_set_sysctl(sysctl, value) == 0) return 0;
    snprintf(error, error_size, "--%s: %s cannot be set: %s", option, sysctl, strerror(errno));
    return -1;
}

// A buffer of one size has its least, its first and its most alike.
static int set_buffer(const char *option, const char *sysctl, uint32_t size_bytes, char *error,
                      size_t error_size) {
    char value[64];
    if (size_bytes == 0) return 0;
    snprintf(value, sizeof value, "%u %u %u", size_bytes, size_bytes, size_bytes);
    return set_wanted(option, sysctl, value, error, error_size);
}

static int set_tcp(const struct tcp_transport *tcp, char *error, size_t error_size) {
    if (!tcp->slow_start_after_idle &&
        set_wanted("tcp-slow-start-after-idle", "net/ipv4/tcp_slow_start_after_idle", "0", error,
                   error_size) < 0)
        return -1;
    if (set_buffer("tcp-send-buffer", "net/ipv4/tcp_wmem", tcp->send_buffer_bytes, error, error_size) < 0)
        return -1;
    return set_buffer("tcp-receive-buffer", "net/ipv4/tcp_rmem", tcp->receive_buffer_bytes, error,
                      error_size);
}

int far_network_open(struct far_network *far, struct loop *loop, const struct recording *recording,
                     bool twins, bool for_others, const struct tcp_transport *tcp, char *error,
                     size_t error_size) {
    *far = (struct far_network){0};
    struct netlink netlink;
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0) {
        snprintf(error, error_size, "lo: cannot be set up: %s", strerror(errno));
        netlink_close(&netlink);
        return -1;
    }
    namespace_set_stock_network(); // the report says what the three that matter most were
    if (set_tcp(tcp, error, error_size) < 0) {
        netlink_close(&netlink);
        return -1;
    }
    far->tcp_metrics_saved = !is_on("net/ipv4/tcp_no_metrics_save", false);
    far->tcp = *tcp;
    far->tcp.slow_start_after_idle = is_on("net/ipv4/tcp_slow_start_after_idle", true);
    int result = 0;
    const struct initial_window_wanted wanted = {
        .packets = tcp->initial_window_packets != KERNEL_INITCWND_PACKETS ? tcp->initial_window_packets : 0,
        .congestion_control = for_others ? tcp->congestion_control : NULL};
    if (wanted.packets > 0 || wanted.congestion_control)
        result = initial_window_open(&far->initial_window, loop, &wanted, error, error_size);
    if (result == 0) result = add_addresses(far, &netlink, recording, twins, error, error_size);
    netlink_close(&netlink);
    return result;
}

void far_network_close(struct far_network *far) {
    initial_window_close(far->initial_window);
}
