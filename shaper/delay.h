// A constant delay: every packet leaves so much later than it came, in order.
// Holds as many packets as are on their way; drops none.
#ifndef TRILANE_SHAPER_DELAY_H
#define TRILANE_SHAPER_DELAY_H

#include "shaper/node.h"

struct delay {
    struct node node;
    uint64_t delay_ns;
    struct packet_list list;
};

void delay_open(struct delay *delay, uint64_t delay_ns, struct node *next);

#endif
