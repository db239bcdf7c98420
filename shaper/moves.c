#include "shaper/moves.h"

#include "shaper/nodes/node.h"

#include <stdlib.h>

const char *const move_kind_names[] = {"port", "address", "switch"};

int moves_open(struct moves *moves, const struct link_profile *profile, uint64_t start_ns) {
    *moves = (struct moves){.start_ns = start_ns,
                            .nat = calloc(1, sizeof *moves->nat),
                            .list = calloc(MOVES_LISTED, sizeof *moves->list)};
    if (!moves->nat || !moves->list) {
        moves_close(moves);
        return -1;
    }
    nat_open(moves->nat);
    moves_steer(moves, profile, start_ns);
    return 0;
}

void moves_close(struct moves *moves) {
    free(moves->nat);
    free(moves->list);
    *moves = (struct moves){.rebind_ns = NODE_NEVER, .switch_ns = NODE_NEVER};
}

static void plan_rebinding(struct moves *moves, uint64_t after_ns) {
    uint64_t every_ns = moves->rebind.every_ns;
    moves->rebind_ns = every_ns > 0
                           ? moves->start_ns + ((after_ns - moves->start_ns) / every_ns + 1) * every_ns
                           : NODE_NEVER;
}

void moves_steer(struct moves *moves, const struct link_profile *profile, uint64_t now_ns) {
    moves->rebind = profile->rebind;
    plan_rebinding(moves, now_ns);
    moves->switch_ns = NODE_NEVER;
    if (!profile->switch_to) return;
    uint64_t wanted_ns = moves->start_ns + profile->switch_ns;
    moves->switch_ns = wanted_ns > now_ns ? wanted_ns : now_ns;
}

uint64_t moves_due_ns(const struct moves *moves) {
    return moves->rebind_ns < moves->switch_ns ? moves->rebind_ns : moves->switch_ns;
}

struct move moves_next(struct moves *moves) {
    struct move move = {.before = moves->nat->outer};
    if (moves->rebind_ns <= moves->switch_ns) {
        move.at_ns = moves->rebind_ns;
        move.kind = moves->rebind.address ? MOVE_ADDRESS : MOVE_PORT;
        plan_rebinding(moves, move.at_ns);
    } else {
        move.at_ns = moves->switch_ns;
        move.kind = MOVE_SWITCH;
        moves->switch_ns = NODE_NEVER;
    }
    if (move.kind == MOVE_PORT)
        nat_lose_ports(moves->nat);
    else
        nat_change_address(moves->nat);
    move.after = moves->nat->outer;
    if (moves->count < MOVES_LISTED) moves->list[moves->count] = move;
    moves->count++;
    return move;
}
