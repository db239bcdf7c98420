// Names to addresses by the system's resolver (files, DNS, whatever it is set up for), and the HTTPS records
// of a name, each off the loop. Does not choose among addresses: the resolver's first is it. Keeps nothing.
#pragma once

#include "base/loop.h"
#include "fetch/https_record.h"

#include <netinet/in.h>

struct names_lookup;

// `version` 4 or 6. `done` is called once, on the loop. NULL when memory is short.
struct names_lookup *names_address(struct loop *loop, const char *host, int version,
                                   void (*done)(void *context), void *context);
struct names_lookup *names_https(struct loop *loop, const char *host, uint16_t port,
                                 void (*done)(void *context), void *context);
void names_leave(struct names_lookup *lookup); // NULL: nothing

// After `done`: an IPv4 address is mapped, the port is 0. NULL: a reason is in `why`.
const struct in6_addr *names_found(const struct names_lookup *lookup, const char **why);
// After `done`; lives as long as the lookup.
const struct https_answer *names_https_found(const struct names_lookup *lookup);
uint64_t names_took_ns(const struct names_lookup *lookup);
