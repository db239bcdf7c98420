// The DNS of a far namespace with doors: the names behind the link have their addresses (A), no other name
// exists. A pure function from a query's bytes to the answer's.
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

enum { DOOR_NAME_MAX = 254, DOOR_QUERY_MAX = 512, DOOR_ANSWER_MAX = DOOR_QUERY_MAX + 16 };

struct door_name {
    char name[DOOR_NAME_MAX]; // in lower case, without the final dot
    struct in_addr address;
};

// The answer's size; 0: the query is not one, or no answer to it is known.
size_t door_names_answer(const struct door_name *names, size_t count, const uint8_t *query, size_t query_size,
                         uint8_t answer[DOOR_ANSWER_MAX]);
