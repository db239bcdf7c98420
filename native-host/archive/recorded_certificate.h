// The certificate that a recorded server answered with, as far as it decides how a page loads: for which
// names it is good, how large its chain was, and which key exchange went with it. Read from `tls` of the
// archive's column `recorded` (schemas/recorded.schema.json). What is missing, or is not what it should be,
// is unknown and never an error: a page can be replayed without.
#pragma once

#include "archive/arena.h"

#include <stddef.h>
#include <stdint.h>

struct recorded_certificate {
    const char **names; // subject alternative names in lower case: hosts, "*.host", addresses in text form
    size_t name_count;
    uint32_t chain_bytes; // all certificates as sent, DER; 0: unknown
    const char *group;    // of the key exchange, as "X25519"; NULL: unknown, or none that we know
};

// Those of one recording: a page has a handful, and names them with every exchange. Zeroed, it is empty.
struct recorded_certificates {
    struct recorded_certificate_entry *first;
};

// Sets *certificate, the arena's, or NULL where none is known. 0, or -1 when memory is short.
int recorded_certificate_read(const struct recorded_certificate **certificate, const char *json,
                              size_t json_size, struct recorded_certificates *certificates,
                              struct arena *arena);
