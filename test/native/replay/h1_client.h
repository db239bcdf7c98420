// An HTTP/1.1 client for the tests that sends whatever it is given: at the other end of a socket pair, in the
// server's loop.
#pragma once

#include "lane_site.h"

#include "base/buf.h"

// A client that sends `input`, `step_bytes` at a time, finishes its side if told to, and reads until the
// server has finished its own or the answer has come so far.
struct h1_client {
    struct lane_site *site;
    struct loop_watch watch;
    const char *input;
    size_t input_size;
    size_t sent;
    size_t step_bytes;
    bool finish;       // its side, when all is sent
    size_t stop_after; // bytes of answer; 0: at the end
    struct buf answer;
    bool ended; // by the server
};

// Connects, runs until the client stops, and takes the server's side down. The answer can be searched as
// text.
void h1_client_converse(struct h1_client *client);
// All of `input` at once, and the client's side finished. The answer is the caller's to free.
struct h1_client h1_client_ask(struct lane_site *site, const char *input);
// How often the answer has `text`.
size_t h1_client_count(const struct h1_client *client, const char *text);
