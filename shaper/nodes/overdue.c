#include "shaper/nodes/overdue.h"

static const uint64_t coarser_ns = 1000000;

// Joins what is no further apart than the resolution, from the list's end on.
static void join_last(struct overdue *overdue) {
    while (overdue->count > 1) {
        struct overdue_interval *last = &overdue->list[overdue->count - 1], *before = last - 1;
        if (last->start_ns > before->end_ns + overdue->resolution_ns) return;
        if (last->start_ns < before->start_ns) before->start_ns = last->start_ns;
        if (last->end_ns > before->end_ns) before->end_ns = last->end_ns;
        overdue->count--;
    }
}

static void make_coarser(struct overdue *overdue) {
    overdue->resolution_ns = overdue->resolution_ns ? overdue->resolution_ns * 2 : coarser_ns;
    uint32_t count = overdue->count;
    overdue->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        overdue->list[overdue->count++] = overdue->list[i];
        join_last(overdue);
    }
}

void overdue_add(struct overdue *overdue, uint64_t start_ns, uint64_t end_ns) {
    if (end_ns <= start_ns) return;
    while (overdue->count == OVERDUE_MAX)
        make_coarser(overdue);
    overdue->list[overdue->count++] = (struct overdue_interval){start_ns, end_ns};
    join_last(overdue);
}

uint64_t overdue_total_ns(const struct overdue *overdue) {
    uint64_t total_ns = 0;
    for (uint32_t i = 0; i < overdue->count; i++)
        total_ns += overdue->list[i].end_ns - overdue->list[i].start_ns;
    return total_ns;
}
