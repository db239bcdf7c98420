// The times in which this machine held the link up: the union of intervals, kept as a bounded list. Looks at
// no clock, and does not know what held it up.
#pragma once

#include <stdint.h>

enum { OVERDUE_MAX = 1000 };

struct overdue_interval {
    uint64_t start_ns;
    uint64_t end_ns;
};

// A zeroed one is empty.
struct overdue {
    struct overdue_interval list[OVERDUE_MAX]; // in order, apart from one another by more than resolution_ns
    uint32_t count;
    uint64_t resolution_ns; // gaps up to this are counted as part of the intervals around them
};

// Takes intervals in the order of their ends, or nearly: one that ends before the last one begins is joined
// with it. A full list becomes coarser, so that it never covers less than what was added.
void overdue_add(struct overdue *overdue, uint64_t start_ns, uint64_t end_ns);

uint64_t overdue_total_ns(const struct overdue *overdue);
