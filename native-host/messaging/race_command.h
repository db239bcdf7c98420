// A race.start as the command line's words. Checks what a field by itself does not show.
#pragma once

#include "messaging/host_paths.h"
#include "messaging/message_error.h"

#include <jansson.h>

enum { RACE_COMMAND_WORDS_MAX = 32 };

// A field of race.start's options as the command line's option, without its dashes: `keep_credentials` is
// keep-credentials, and `timeout_s` timeout: there a unit is the value's.
enum { RACE_OPTION_SIZE = 64 };
void race_option_name(char name[RACE_OPTION_SIZE], const char *field);

struct race_command {
    char *words[RACE_COMMAND_WORDS_MAX]; // NULL-terminated, owned
    int count;
};

// 0, or -1 with *error.
int race_command_check(const json_t *message, struct message_error *error);
// `page`: a recording's name, or a HAR file's path. 0, or -1 when memory is short. The message has been
// checked.
int race_command_make(struct race_command *command, const struct host_paths *paths, const char *page,
                      const json_t *message);
void race_command_free(struct race_command *command);
