// The races' messages: their fields have been checked (dispatch.c), here they are acted on. Holds who follows
// which race; a race itself belongs to no conversation.
#pragma once

#include "messaging/answers.h"
#include "messaging/host_paths.h"
#include "messaging/message_error.h"
#include "messaging/queries.h"

#include <jansson.h>
#include <stdbool.h>

struct race_conversation;

// NULL when memory is short.
struct race_conversation *race_conversation_open(const struct host_paths *paths,
                                                 const struct answers *answers, struct queries *queries);
void race_conversation_close(struct race_conversation *conversation);

// Each returns what handled.h says.
int race_message_start(struct race_conversation *conversation, const json_t *message, json_t **result,
                       struct message_error *error);
int race_message_follow(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error);
int race_message_unfollow(struct race_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error);
int race_message_list(struct race_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error);
int race_message_cancel(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error);
int race_message_result(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error);
int race_message_remove(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error);

bool race_followed(const struct race_conversation *conversation);
// Tells followers what is new. 0, or -1 when nothing can be said any more.
int race_work(struct race_conversation *conversation);
