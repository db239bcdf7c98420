// The archive's messages: their fields have been checked (dispatch.c), here they are acted on. Holds the
// transactions and uploads that a conversation has open; they end with it.
#pragma once

#include "messaging/message_error.h"

#include <jansson.h>

struct archive_conversation;

struct archive_conversation *archive_conversation_open(const char *home); // NULL when memory is short
void archive_conversation_close(struct archive_conversation *conversation);

// Each sets *result to an object with the answer's own fields and returns 0, or -1 with *error.
int archive_message_list(struct archive_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int archive_message_show(struct archive_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int archive_message_verify(struct archive_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error);
int archive_message_read(struct archive_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int archive_message_begin(struct archive_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error);
int archive_message_body(struct archive_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error);
int archive_message_exchange(struct archive_conversation *conversation, const json_t *message,
                             json_t **result, struct message_error *error);
int archive_message_commit(struct archive_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error);
int archive_message_abort(struct archive_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error);
int archive_message_remove(struct archive_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error);
