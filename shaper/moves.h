// When the path moves: the NAT's rebindings at each multiple of their interval, and the one switch to another
// link, all counted from the start; and what became of it, for the report. In virtual time: is given what is
// due, it changes the NAT and says what happened. Does not hold packets or settings of links: path.h does.
#pragma once

#include "shaper/language/link_profile.h"
#include "shaper/nat.h"

enum { MOVES_LISTED = 1000 }; // the first ones, for the report

enum move_kind { MOVE_PORT, MOVE_ADDRESS, MOVE_SWITCH };

extern const char *const move_kind_names[]; // "port", "address", "switch"

struct move {
    uint64_t at_ns;
    enum move_kind kind;
    struct nat_address before; // what the far side saw
    struct nat_address after;  // and sees from then on
};

struct moves {
    struct nat *nat; // owned; NULL before moves_open
    uint64_t start_ns;
    struct rebind_settings rebind;
    uint64_t rebind_ns; // the next one; NODE_NEVER: none
    uint64_t switch_ns; // NODE_NEVER: none, or done
    uint64_t count;
    struct move *list; // owned; of MOVES_LISTED
};

// 0, or -1 when memory is short.
int moves_open(struct moves *moves, const struct link_profile *profile, uint64_t start_ns);
void moves_close(struct moves *moves);

// Other settings from now on: rebindings that lie before are past, a switch whose time is past is due at
// once.
void moves_steer(struct moves *moves, const struct link_profile *profile, uint64_t now_ns);

uint64_t moves_due_ns(const struct moves *moves); // NODE_NEVER: no more

// What is due first, done to the NAT at its time; a switch changes the address, too. Only where something is.
struct move moves_next(struct moves *moves);
