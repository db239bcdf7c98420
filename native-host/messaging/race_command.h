// A race.start as the command line's words. Checks what a field by itself does not show.
#pragma once

#include "messaging/child_command.h"
#include "messaging/host_paths.h"
#include "messaging/message_error.h"

#include <jansson.h>

// A field of race.start's options as the command line's option, without its dashes: `keep_credentials` is
// keep-credentials, and `timeout_s` timeout: there a unit is the value's.
enum { RACE_OPTION_SIZE = 64 };
void race_option_name(char name[RACE_OPTION_SIZE], const char *field);

// 0, or -1 with *error.
int race_command_check(const json_t *message, struct message_error *error);
// Adds the words. `page`: a recording's name, or a HAR file's path. The message has been checked.
void race_command_make(struct command_words *words, const struct host_paths *paths, const char *page,
                       const json_t *message);
