// The line about one object (schemas/fetch-record.schema.json), made of what fetch.c found out. Decides which
// values are missing, and says why. Measures nothing.
#pragma once

#include "base/usage.h"
#include "fetch/connection.h"
#include "fetch/https_record.h"
#include "fetch/options.h"

struct record {
    const struct fetch_options *options;
    const char *url;       // as given
    const char *final_url; // that the rest is of
    bool has_address;      // `server` is known
    struct sockaddr_in6 server;
    bool was_looked_up;
    uint64_t dns_ns;
    bool has_connection; // `facts` are of one
    bool reused;
    uint64_t requested_ns; // when a reused connection took the request
    struct connection_facts facts;
    struct connection_facts before;  // of a reused connection, at requested_ns
    const struct response *response; // NULL: there was no request
    unsigned redirects;
    const char *ticket_missing; // of a lane that resumes: why it did not; NULL: it has one
    struct usage usage;         // spent on it
    const char *cycles_missing; // why it has no cycles; NULL: it has
    const struct https_answer *https;
    uint64_t https_ns;
    bool has_failed;
    enum fetch_stage stage;
    char reason[REASON_SIZE];
};

// NULL when memory is short.
json_t *record_json(const struct record *record);
