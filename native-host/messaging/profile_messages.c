// Messages about profiles. Holds the uploads that a conversation has open; they end with it.
#include "messaging/handled.h"

#include "messaging/profile_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UPLOADS_MAX = 8 }; // each has a file open

struct open_upload {
    struct open_upload *next;
    json_int_t number;
    struct profile_upload *profile;
};

// NULL with the call's error if none of the message's number is open.
static struct open_upload **upload_link(struct call *call) {
    json_int_t number = number_of(call->message, "upload");
    struct open_upload **link = &call->host->profiles.first;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    if (*link) return link;
    message_fail(&call->error, "no-upload", "begin one with profile.begin", "upload %lld: is not open",
                 (long long)number);
    return NULL;
}

// Takes an upload out of the conversation.
static struct profile_upload *take(struct host *host, struct open_upload **link) {
    struct open_upload *taken = *link;
    struct profile_upload *profile = taken->profile;
    *link = taken->next;
    host->profiles.count--;
    free(taken);
    return profile;
}

void profile_uploads_close(struct host *host) {
    while (host->profiles.first)
        profile_upload_abort(take(host, &host->profiles.first));
}

static int begin(struct call *call) {
    if (call->host->profiles.count == UPLOADS_MAX)
        return message_fail(&call->error, "too-many", "commit or abort one", "uploads: %d are open",
                            UPLOADS_MAX);
    struct open_upload *upload = calloc(1, sizeof *upload);
    call->result = json_pack("{s:I}", "upload", call->host->profiles.last + 1);
    int status =
        upload && call->result
            ? profile_upload_open(&upload->profile, call->host->paths->home, text_of(call->message, "name"),
                                  (uint64_t)number_of(call->message, "bytes"), &call->error)
            : message_fail_memory(&call->error);
    if (status < 0) {
        free(upload);
        return status;
    }
    upload->number = ++call->host->profiles.last;
    upload->next = call->host->profiles.first;
    call->host->profiles.first = upload;
    call->host->profiles.count++;
    return HANDLED;
}

static int data(struct call *call) {
    const json_t *text = json_object_get(call->message, "text");
    struct open_upload **link = upload_link(call);
    if (!link) return REFUSED;
    if (profile_upload_add((*link)->profile, json_string_value(text), json_string_length(text),
                           &call->error) < 0)
        return REFUSED;
    return done(call, json_object());
}

static int commit(struct call *call) {
    struct open_upload **link = upload_link(call);
    char id[GENERATED_ID_SIZE];
    if (!link || profile_upload_commit(take(call->host, link), id, &call->error) < 0) return REFUSED;
    return done(call, json_pack("{s:s}", "profile", id));
}

static int abort_upload(struct call *call) {
    struct open_upload **link = upload_link(call);
    if (!link) return REFUSED;
    profile_upload_abort(take(call->host, link));
    return done(call, json_object());
}

static int list(struct call *call) {
    json_t *profiles;
    bool more;
    if (profile_list(&profiles, &more, call->host->paths->home, text_of(call->message, "after"),
                     &call->error) < 0)
        return REFUSED;
    return done(call, json_pack("{s:o, s:b}", "profiles", profiles, "more", more));
}

static int forget(struct call *call) {
    if (profile_remove(call->host->paths->home, text_of(call->message, "profile"), &call->error) < 0)
        return REFUSED;
    return done(call, json_object());
}

static int get(struct call *call) {
    int fd = -1;
    if (profile_open(&fd, call->host->paths->home, text_of(call->message, "profile"), &call->error) < 0)
        return REFUSED;
    struct message_error damaged;
    message_fail(&damaged, "invalid", "remove it with profile.remove", "profile %s: is no JSON text",
                 text_of(call->message, "profile"));
    int status = answers_document(call->host->answers, json_object_get(call->message, "id"), fd, &damaged);
    close(fd);
    return status < 0 ? CONNECTION_LOST : ANSWERED;
}

const struct message_handler profile_handlers[] = {
    {"profile.begin", begin},        {"profile.data", data}, {"profile.commit", commit},
    {"profile.abort", abort_upload}, {"profile.list", list}, {"profile.get", get},
    {"profile.remove", forget},      {NULL, NULL},
};
