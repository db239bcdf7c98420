#include "messaging/profile_messages.h"

#include "messaging/handled.h"
#include "messaging/profile_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UPLOADS_MAX = 8 }; // each has a file open

struct upload {
    struct upload *next;
    json_int_t number;
    struct profile_upload *profile;
};

struct profile_conversation {
    char *home;
    const struct answers *answers;
    struct upload *uploads;
    int upload_count;
    json_int_t next_upload;
};

struct profile_conversation *profile_conversation_open(const char *home, const struct answers *answers) {
    struct profile_conversation *conversation = calloc(1, sizeof *conversation);
    if (!conversation) return NULL;
    conversation->answers = answers;
    if ((conversation->home = strdup(home))) return conversation;
    free(conversation);
    return NULL;
}

// Takes an upload out of the conversation; NULL with *error where there is none of that number.
static struct profile_upload *take_upload(struct profile_conversation *conversation, json_int_t number,
                                          struct message_error *error) {
    struct upload **link = &conversation->uploads;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    struct upload *taken = *link;
    if (!taken) {
        message_fail(error, "no-upload", "begin one with profile.begin", "upload %lld: is not open",
                     (long long)number);
        return NULL;
    }
    struct profile_upload *profile = taken->profile;
    *link = taken->next;
    conversation->upload_count--;
    free(taken);
    return profile;
}

void profile_conversation_close(struct profile_conversation *conversation) {
    struct message_error none;
    while (conversation->uploads)
        profile_upload_abort(take_upload(conversation, conversation->uploads->number, &none));
    free(conversation->home);
    free(conversation);
}

int profile_message_begin(struct profile_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error) {
    if (conversation->upload_count == UPLOADS_MAX)
        return message_fail(error, "too-many", "commit or abort one", "uploads: %d are open", UPLOADS_MAX);
    struct upload *upload = calloc(1, sizeof *upload);
    *result = json_pack("{s:I}", "upload", conversation->next_upload + 1);
    int status = upload && *result
                     ? profile_upload_open(&upload->profile, conversation->home, text_of(message, "name"),
                                           (uint64_t)number_of(message, "bytes"), error)
                     : message_fail_memory(error);
    if (status < 0) {
        free(upload);
        return status;
    }
    upload->number = ++conversation->next_upload;
    upload->next = conversation->uploads;
    conversation->uploads = upload;
    conversation->upload_count++;
    return HANDLED;
}

int profile_message_data(struct profile_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error) {
    const json_t *text = json_object_get(message, "text");
    json_int_t number = number_of(message, "upload");
    struct upload *upload = conversation->uploads;
    while (upload && upload->number != number)
        upload = upload->next;
    if (!upload)
        return message_fail(error, "no-upload", "begin one with profile.begin", "upload %lld: is not open",
                            (long long)number);
    if (profile_upload_add(upload->profile, json_string_value(text), json_string_length(text), error) < 0)
        return REFUSED;
    return result_of(json_object(), result, error);
}

int profile_message_commit(struct profile_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error) {
    struct profile_upload *upload = take_upload(conversation, number_of(message, "upload"), error);
    char id[GENERATED_ID_SIZE];
    if (!upload || profile_upload_commit(upload, id, error) < 0) return REFUSED;
    return result_of(json_pack("{s:s}", "profile", id), result, error);
}

int profile_message_abort(struct profile_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error) {
    struct profile_upload *upload = take_upload(conversation, number_of(message, "upload"), error);
    if (!upload) return REFUSED;
    profile_upload_abort(upload);
    return result_of(json_object(), result, error);
}

int profile_message_list(struct profile_conversation *conversation, const json_t *message, json_t **result,
                         struct message_error *error) {
    json_t *profiles;
    bool more;
    if (profile_list(&profiles, &more, conversation->home, text_of(message, "after"), error) < 0)
        return REFUSED;
    return result_of(json_pack("{s:o, s:b}", "profiles", profiles, "more", more), result, error);
}

int profile_message_remove(struct profile_conversation *conversation, const json_t *message, json_t **result,
                           struct message_error *error) {
    if (profile_remove(conversation->home, text_of(message, "profile"), error) < 0) return REFUSED;
    return result_of(json_object(), result, error);
}

int profile_message_get(struct profile_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error) {
    int fd = -1;
    (void)result;
    if (profile_open(&fd, conversation->home, text_of(message, "profile"), error) < 0) return REFUSED;
    struct message_error damaged;
    message_fail(&damaged, "invalid", "remove it with profile.remove", "profile %s: is no JSON text",
                 text_of(message, "profile"));
    int status = answers_document(conversation->answers, json_object_get(message, "id"), fd, &damaged);
    close(fd);
    return status < 0 ? CONNECTION_LOST : ANSWERED;
}
