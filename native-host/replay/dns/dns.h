// The replay's DNS server: UDP and TCP port 53 on every address of the namespace, answering from the address
// that was queried. What it answers is dns_zone's; this file does the sockets. Asks no other server.
#pragma once

#include "archive/recording.h"
#include "base/loop.h"
#include "replay/dns/dns_zone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dns;

struct dns_options {
    const char *https_alpn; // "h2,h3"; "" for no HTTPS records
    bool twins;             // as dns_zone_open has it
    // Called for each question answered, may be NULL. `question` is valid during the call only.
    void (*question)(void *context, const struct dns_question *question, uint64_t now_ns);
    void *context;
};

// Binds and starts answering in `loop`. The recording must outlive it. Needs the right to bind port 53 in
// this namespace. 0, or -1 with one line that names the thing and the remedy in `error`.
int dns_open(struct dns **out, struct loop *loop, const struct recording *recording,
             const struct dns_options *options, char *error, size_t error_size);
void dns_close(struct dns *dns);
