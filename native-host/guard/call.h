// Makes a call that addresses somebody in its caller's place: the address, the data and the socket are copied
// once, judged, and used as they were judged, so that what another thread of the caller changes meanwhile
// changes nothing. Never waits for anybody.
//
// Three things differ from a call of its own: a signal does not interrupt it, a broken pipe is EPIPE without
// SIGPIPE, and who receives over AF_UNIX sees our number for the sender's (SCM_CREDENTIALS).
#pragma once

#include "guard/caller.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

// Of an address with at least its family. `connects`: else it is a message's.
struct call_rules {
    bool (*allows)(const void *context, const struct sockaddr *address, bool connects);
    const void *context;
};

struct call_result {
    enum call_state {
        CALL_RETURNED,
        CALL_CONTINUES, // the caller may make it itself: it reaches no one new
        CALL_WAITS,
    } state;
    int64_t value; // of a call that returned; -errno if it failed
    int fd;        // a call that waits is to go on when this, which the taker closes, can be written
    bool connects; // then the socket's error is the result; else the call is to be made again
};

// What a call is copied into.
struct call_room;
struct call_room *call_room_open(void); // NULL: memory is short
void call_room_close(struct call_room *room);

struct call_result call_make(const struct caller *caller, const struct call_rules *rules,
                             struct call_room *room);
