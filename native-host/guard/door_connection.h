// One connection through a door: what one end sends the other one gets, both ways, until both have ended. An
// end that is reset resets the other. Does not accept and does not say where to connect to.
#pragma once

#include "base/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { DOOR_ADDRESSES_MAX = 4 };
struct door_address {
    struct sockaddr_storage address;
    socklen_t size;
};
struct door_target {
    struct door_address all[DOOR_ADDRESSES_MAX]; // the first that takes the connection
    size_t count;
    bool awaited; // whoever listens there may still be starting: it is tried again for a while
};

struct door_connections {
    struct loop *loop;
    struct door_connection *first;
    size_t count;
    void (*closed)(void *context); // one less
    void *context;
};

// Takes the accepted descriptor over, whatever happens.
void door_connection_open(struct door_connections *all, int accepted_fd, const struct door_target *target);
void door_connections_close(struct door_connections *all);
