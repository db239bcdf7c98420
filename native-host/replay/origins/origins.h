// Which servers a replay stands for: as recorded (each host at its recorded addresses, with the names its
// certificate had), or fewer, to study what a page's many hosts cost. Arranges the recording before anything
// is served from it: the DNS, the network and the certificates then follow. Does not serve.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"
#include "schemas/generated/server_settings.h"

#include <stddef.h>
#include <stdint.h>

// Merged: the hosts of one operator are one server: those of one registrable domain (by the Public Suffix
// List), and those for which one recorded certificate is good. One address, one certificate for all: browsers
// may use one h2 or h3 connection for them. Undoes sharding; third parties stay apart. Single: all hosts are
// one server.
const char *origins_kind_name(enum server_origins kind);

// Where a host's certificate is not known, hosts that one recorded connection was used for have one for all
// of them.
//
// Gives the exchanges the address and certificate of the server that is to answer for their host. A host that
// is itself an address stays as it is: a browser goes there without asking. `arena` has the certificates that
// are made up, as long as the recording is used. 0, or -1 when memory is short.
int origins_arrange(struct recording *recording, enum server_origins kind, struct arena *arena);

// How large a chain the servers send.
struct chain_size {
    enum { CHAIN_AS_RECORDED, CHAIN_SMALLEST, CHAIN_FIXED } kind;
    uint32_t bytes; // of a fixed one
};
// A chain of which nothing was recorded: the median of the Web's, 4032 bytes, as TLS certificate compression
// (RFC 8879), which browsers ask for, makes it (measured for draft-ietf-tls-cert-abridge).
enum { CHAIN_TYPICAL_BYTES = 3243, CHAIN_BYTES_MAX = 64 * 1024 };

struct certificates;
// Makes the certificate of every https host, so that no handshake waits for it. Names are borrowed from the
// recording. 0, or -1 when memory is short.
int origins_certify(const struct recording *recording, const struct chain_size *size,
                    struct certificates *certificates);
