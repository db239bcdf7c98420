// The network of the namespace in which the replay serves: the recorded addresses and those of unrecorded
// hosts on lo, TCP as the experiment wants it. Makes no namespace (base/namespace.h) and no route: what is
// run in the namespace brings its own.
#pragma once

#include "archive/recording.h"
#include "base/loop.h"
#include "replay/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAR_NETWORK_DNS_ADDRESS "100.64.0.53"

struct initial_window;

struct far_network {
    size_t address_count;
    bool tcp_metrics_saved;                // as read back from the kernel
    struct tcp_transport tcp;              // as configured, or as read back from the kernel
    struct initial_window *initial_window; // NULL: the kernel's own
};

// Sets up the current namespace, which must be a fresh one. `twins`: of IPv4 addresses, too
// (server_address.h). `for_others`: sockets of other programs get the congestion control, too. 0, or -1 with
// one line in `error`.
int far_network_open(struct far_network *far, struct loop *loop, const struct recording *recording,
                     bool twins, bool for_others, const struct tcp_transport *tcp, char *error,
                     size_t error_size);
void far_network_close(struct far_network *far);
