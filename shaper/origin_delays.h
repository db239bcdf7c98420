// How much farther away than the link's other end each server is: a table by address, read from
// "192.0.2.1=20ms,2001:db8::1=5ms,198.51.100.0/24=8ms". An address goes before a network that it is in, and a
// network before those read after it. Times are round trips. Does not delay.
#pragma once

#include "shaper/language/link_quantity.h"

#include <stddef.h>
#include <stdint.h>

struct origin_delays;

// Adds to *delays, which is NULL for none yet. 0, or -1 with the error's line; *delays is to be closed in
// both cases.
int origin_delays_read(struct origin_delays **delays, const char *text, struct link_error *error);
void origin_delays_close(struct origin_delays *delays);

// One way, of a packet whose address has `size` bytes (4 or 16). 0 for all that are not in the table.
uint64_t origin_delays_one_way_ns(const struct origin_delays *delays, const uint8_t *address, size_t size);
