// The profiles' messages: their fields have been checked (dispatch.c), here they are acted on. Holds the
// uploads that a conversation has open; they end with it.
#pragma once

#include "messaging/answers.h"
#include "messaging/message_error.h"

#include <jansson.h>

struct profile_conversation;

// NULL when memory is short.
struct profile_conversation *profile_conversation_open(const char *home, const struct answers *answers);
void profile_conversation_close(struct profile_conversation *conversation);

// Each sets *result to an object with the answer's own fields and returns 0, or -1 with *error.
int profile_message_begin(struct profile_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error);
int profile_message_data(struct profile_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int profile_message_commit(struct profile_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error);
int profile_message_abort(struct profile_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error);
int profile_message_list(struct profile_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int profile_message_remove(struct profile_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error);
// Answers by itself (handled.h).
int profile_message_get(struct profile_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error);
