// Keeps TCP's initial window of the current namespace at a given size, and its congestion control for sockets
// that choose none: both are attributes of routes, so every route that appears (the shaper's to the browser;
// lo's own, but those of IPv6) is given them. Only for what is not the kernel's own.
#pragma once

#include "base/loop.h"

#include <stddef.h>
#include <stdint.h>

struct initial_window;

struct initial_window_wanted {
    uint32_t packets;               // 0: the kernel's
    const char *congestion_control; // borrowed; NULL: the namespace's
};

// From now on, also for routes added by other processes. 0, or -1 with one line in `error`.
int initial_window_open(struct initial_window **out, struct loop *loop,
                        const struct initial_window_wanted *wanted, char *error, size_t error_size);
void initial_window_close(struct initial_window *initial_window);
