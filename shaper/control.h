// The control socket: a Unix socket that takes requests, a JSON object a line, and answers each with a line
// (schemas/shaper-control.schema.json). It serves at most one short request of each client in a turn of the
// loop, never waits for a client, and holds no more than one request and one answer of each: a client that
// sends rubbish, stops reading or hangs cannot hold up the link. Does not know what steering is.
#pragma once

#include "base/buf.h"
#include "base/loop.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/stat.h>

enum { CONTROL_CLIENTS = 16, CONTROL_REQUEST_MAX = 65536 };

struct control_error {
    char line[1024];
};

struct control_actions {
    // Returns the answer's members, or NULL with the error's line.
    json_t *(*stats)(void *context, struct control_error *error);
    // Begins, and is answered by control_answer with the same number. 0, or -1 with the error's line.
    int (*steer)(void *context, const char *form, uint64_t request, struct control_error *error);
    void *context;
};

struct control_client {
    struct control *control;
    struct loop_watch watch; // .fd -1: no client
    struct buf request;      // the part of a line that has come
    struct buf answer;       // what has not been sent of it
    uint64_t active_ns;
    uint64_t begun; // the request whose answer comes later; 0: none
    bool last;      // closed once the answer is sent
};

struct control {
    const char *path;
    struct stat made; // the socket at `path`
    struct loop *loop;
    struct control_actions actions;
    struct loop_watch listen_watch; // .fd -1: not open
    struct control_client clients[CONTROL_CLIENTS];
    uint64_t requests; // that were begun
};

// Makes the socket, for its owner only. One without a listener, left by a shaper that was
// killed, is replaced. Of several shapers at once one gets the path. 0, or -1 with the line.
int control_open(struct control *control, const char *path, struct control_error *error);

// From here on requests are served. 0, or -1 with errno.
int control_serve(struct control *control, struct loop *loop, const struct control_actions *actions);

// Answers a request that was begun, unless its client has gone: with these members, which it takes over, or
// if NULL with the error's line.
void control_answer(struct control *control, uint64_t request, json_t *members, const char *error_line);

// Removes the socket, where it is still ours. A zeroed control is none.
void control_close(struct control *control);
