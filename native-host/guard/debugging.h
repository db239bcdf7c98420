// A browser's debugging port: the browser listens in the near namespace, and who wants to speak to it is
// outside. Outside, the port is opened on loopback before the lab is made; inside, trilane-guard gets its
// descriptor over a Unix socket and accepts there. The socket is gone once it was used.
#pragma once

#include "base/loop.h"
#include "guard/doors.h"

struct debugging {
    struct loop *loop;
    struct loop_watch watch; // of the Unix socket; fd -1: none
    int port_fd;
    void (*handed_over)(void); // called once, when the descriptor is inside and the socket is gone
    char folder[64];
    char path[80];
};

// If the command line has --remote-debugging-port=N: opens it, writes the port that 0 became into the command
// line, and notes in the environment where the descriptor is to be had. Set-up: dies.
void debugging_open_outside(struct debugging *debugging, char **argv);
// 0, or -1 with errno.
int debugging_watch(struct debugging *debugging, struct loop *loop);
void debugging_close(struct debugging *debugging);

// Inside: adds the port as a door to the browser's. 0: done, or there is none; -1 with errno.
int debugging_enter(struct doors *doors);
