// Checks a message's fields against the table that is generated from schemas/message.schema.json
// (message_rules.c of schemas/generated/). What fields say of one another is not there: their handlers check
// it.
#pragma once

#include "messaging/message_error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct message_rule {
    enum {
        RULE_NUMBER,
        RULE_FLAG,
        RULE_TEXT,
        RULE_BASE64,
        RULE_ADDRESS,
        RULE_OBJECT,
        RULE_LIST,
    } kind;
    const char *expected;                // "a number of 0 or more"
    json_int_t least, most;              // the number; how many characters, or items
    const char *const *words;            // a text is one of these; NULL: any
    const char *const *not_words;        // and none of these
    int pattern, not_pattern;            // and fits, and does not: from 1 on in message_patterns; 0: none
    const struct message_field *fields;  // of an object; NULL: any
    const struct message_rule *items[2]; // of a list: all by the first, or one item by each
    bool unique;
};

// A list of fields ends with a NULL name.
struct message_field {
    const char *name;
    bool required;
    const struct message_rule *rule;
};

// The list ends with a NULL name.
struct message_type {
    const char *name;
    const char *command; // of the command line, that answers it with its JSON; NULL: a handler does
    const struct message_field *fields;
};

extern const struct message_type message_types[];
extern const char *const message_patterns[]; // POSIX, extended; ends with NULL

// The patterns, ready for use; NULL when memory is short.
struct message_rules *message_rules_open(void);
void message_rules_close(struct message_rules *rules);
// 0, or -1 with *error.
int message_check(const struct message_rules *rules, const struct message_type *type, const json_t *message,
                  struct message_error *error);

// Whether the field, a link that follows its rule, names no file: which no pattern over its text can say. 0,
// or -1 with *error.
int message_check_link(const json_t *message, const char *field, struct message_error *error);
