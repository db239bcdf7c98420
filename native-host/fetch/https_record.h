// HTTPS records of the DNS (RFC 9460): what a server says of itself before anyone connects. Reads an answer
// message, and asks for one through the system's resolver library. Does not follow aliases: it reports them.
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTPS_RECORD_TYPE = 65, HTTPS_REASON_SIZE = 96 };

enum https_state { HTTPS_NOT_LOOKED_UP, HTTPS_PRESENT, HTTPS_ABSENT, HTTPS_FAILED };

struct https_answer {
    enum https_state state;
    char reason[HTTPS_REASON_SIZE]; // where not present
    json_t *records;                // schemas/fetch-record.schema.json, definitions/service; the caller's
};

// Of the data of one record: NULL if it is not one, or memory is short.
json_t *https_record_read(const uint8_t *data, size_t size);

// Of a DNS message that answers. `answer` has an empty array of records.
void https_record_read_all(struct https_answer *answer, const uint8_t *message, size_t size);

// Blocks for some seconds at most.
void https_record_ask(struct https_answer *answer, const char *host, uint16_t port);
