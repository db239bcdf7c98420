// What the replay's DNS knows, and the pure function from a query's bytes to the answer's bytes. Names and
// addresses come from the recording: A and AAAA in recorded order of first use, HTTPS (RFC 9460) for hosts
// recorded over https only. Another host has an A record, and an HTTPS record where all of the recording is
// https; whether it exists unrecorded_hosts.h decides. Does no I/O, keeps no state between queries.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DNS_TYPE_A = 1,
    DNS_TYPE_AAAA = 28,
    DNS_TYPE_HTTPS = 65,
    DNS_MESSAGE_MAX = 65535, // what TCP's length field can say
};

// How a well-formed question about the Internet class was answered.
enum dns_outcome { DNS_OK, DNS_NODATA, DNS_NXDOMAIN };

// "ok", "nodata", "nxdomain": as the replay report spells them.
const char *dns_outcome_name(enum dns_outcome outcome);
// "A", "AAAA", "HTTPS", else "TYPE16" (RFC 3597), written to `text` and returned.
const char *dns_type_name(uint16_t type, char text[16]);

// One question as it is reported. `name` is in lower case without the final dot, "." for the root; bytes
// that are not printable, and dots inside labels, are escaped as \DDD.
struct dns_question {
    char name[1024];
    uint16_t type;
    enum dns_outcome outcome;
};

struct dns_zone;

// `https_alpn`: what HTTPS records offer, comma-separated and in order ("h2,h3"); "" for no HTTPS records at
// all. `twins`: hosts have AAAA for each A record (origins/server_address.h). The recording must outlive it.
// 0, or -1 with one line in `error`.
int dns_zone_open(struct dns_zone **out, const struct recording *recording, const char *https_alpn,
                  bool twins, char *error, size_t error_size);
void dns_zone_close(struct dns_zone *zone);

// Writes the answer to `query` and returns its size; 0 when the query is to be dropped (shorter than a
// header, or itself an answer). A UDP answer that would be larger than the asker takes is cut to its header
// and question with TC set, so that the asker comes again over TCP. `answer` has DNS_MESSAGE_MAX bytes.
// *question is filled and `reported` set when there was a question that was answered with one of the
// outcomes, not for FORMERR and the like.
size_t dns_answer(const struct dns_zone *zone, const uint8_t *query, size_t query_size, bool tcp,
                  uint8_t *answer, struct dns_question *question, bool *reported);
