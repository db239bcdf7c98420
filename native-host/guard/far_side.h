// A far namespace, before trilane-shaper opens the link in it: its doors to this machine, and what it does
// not forward to. Set-up: dies.
#pragma once

#include "guard/address_space.h"
#include "guard/doors.h"
#include "guard/own_networks.h"

#include <stddef.h>

// Packets that come over the link are refused if they are for an address nearer than `nearest`, by kind or in
// `own`; but not those to the name server that pasta answers for. What the namespace itself sends is not.
void far_side_refuse(enum address_space nearest, const struct own_networks *own);

// Sockets for the list's doors in this namespace, after one for its names. Gives their number.
size_t far_side_listen(const struct door_list *list, int descriptors[DOORS_MAX + 1]);
