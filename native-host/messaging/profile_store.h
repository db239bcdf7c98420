// Profiles as files: HOME/profiles/ID.har is a profile's HAR text, ID.json what people call it. A profile is
// there when its .har is: written aside, then renamed. Knows no messages; does not read what a HAR says.
#pragma once

#include "messaging/generated_id.h"
#include "messaging/message_error.h"

#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

// A profile that is coming.
struct profile_upload;

// All return 0, or -1 with *error.

// `name`: what people call it. `bytes`: how large it will be, 0 where that is not known.
int profile_upload_open(struct profile_upload **upload, const char *home, const char *name, uint64_t bytes,
                        struct message_error *error);
int profile_upload_add(struct profile_upload *upload, const char *text, size_t size,
                       struct message_error *error);
// Both free the upload, in failure too.
int profile_upload_commit(struct profile_upload *upload, char id[GENERATED_ID_SIZE],
                          struct message_error *error);
void profile_upload_abort(struct profile_upload *upload);

// As many fit a message, with names of the length that a browser may give.
enum { PROFILES_LISTED_MAX = 400 };

// An array of {profile, name, bytes, saved}, the newest first; after the one of this id where `after` is not
// NULL. `more`: whether others follow.
int profile_list(json_t **profiles, bool *more, const char *home, const char *after,
                 struct message_error *error);
// A descriptor to read the HAR text from; `id` is a made id.
int profile_open(int *fd, const char *home, const char *id, struct message_error *error);
int profile_find(const char *home, const char *id, struct message_error *error); // whether it is there
// Puts the HAR into another folder of the data folder too, under a name that shows people which page it is;
// `path` is where. Costs no room: it is the same file, or a copy where that is on another disk.
int profile_link(char path[PATH_MAX], const char *home, const char *id, const char *folder,
                 struct message_error *error);
int profile_remove(const char *home, const char *id, struct message_error *error);
