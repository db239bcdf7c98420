// The labs' messages: their fields have been checked (dispatch.c), here they are acted on. A lab is a job: a
// browser on an emulated link, open until it is stopped or its window closed. It belongs to no conversation.
#pragma once

#include "messaging/host_paths.h"
#include "messaging/message_error.h"
#include "messaging/queries.h"

#include <jansson.h>

struct lab_conversation {
    const struct host_paths *paths;
    struct queries *queries;
};

// Each returns what handled.h says.
int lab_message_start(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error);
int lab_message_steer(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error);
int lab_message_stop(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                     struct message_error *error);
int lab_message_list(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                     struct message_error *error);
