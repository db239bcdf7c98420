#include "messaging/race_command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int race_command_check(const json_t *message, struct message_error *error) {
    if (!json_object_get(message, "profile") == !json_object_get(message, "recording"))
        return message_malformed(error, "race.start: must have either `profile` or `recording`");
    return 0;
}

// Adds a word; a word that could not be made shows in race_command_make.
__attribute__((format(printf, 2, 3))) static void add(struct race_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *word = NULL;
    if (command->count < RACE_COMMAND_WORDS_MAX - 1 && vasprintf(&word, format, arguments) >= 0)
        command->words[command->count++] = word;
    else
        command->count = RACE_COMMAND_WORDS_MAX;
    va_end(arguments);
}

void race_option_name(char name[RACE_OPTION_SIZE], const char *field) {
    snprintf(name, RACE_OPTION_SIZE, "%s", field);
    for (char *at = name; (at = strchr(at, '_'));)
        *at = strcmp(at, "_s") == 0 || strcmp(at, "_ms") == 0 ? '\0' : '-';
}

static void add_option(struct race_command *command, const char *field, const json_t *value) {
    char name[RACE_OPTION_SIZE];
    race_option_name(name, field);
    if (json_is_boolean(value))
        add(command, "--%s=%s", name, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        add(command, "--%s=%lld", name, (long long)json_integer_value(value));
    else if (json_is_string(value))
        add(command, "--%s=%s", name, json_string_value(value));
}

static void add_lanes(struct race_command *command, const json_t *lanes) {
    char text[256] = "--lanes=";
    size_t i;
    json_t *lane;
    json_array_foreach(lanes, i, lane) {
        if (i > 0) strcat(text, ",");
        strcat(text, json_string_value(lane)); // each is known, and there once: they fit
    }
    add(command, "%s", text);
}

int race_command_make(struct race_command *command, const struct host_paths *paths, const char *page,
                      const json_t *message) {
    const char *name;
    json_t *value;
    *command = (struct race_command){0};
    add(command, "%s", paths->cli);
    add(command, "race");
    add(command, "%s", page);
    add(command, "--json");
    add(command, "--home=%s", paths->home);
    add_lanes(command, json_object_get(message, "lanes"));
    add(command, "--link=%s", json_string_value(json_object_get(message, "link")));
    add(command, "--runs=%lld", (long long)json_integer_value(json_object_get(message, "runs")));
    // What is done here, the command line is not told.
    json_object_foreach(json_object_get(message, "options"), name, value) {
        if (strcmp(name, "forget_profile") != 0) add_option(command, name, value);
    }
    if (command->count < RACE_COMMAND_WORDS_MAX) return 0;
    race_command_free(command);
    return -1;
}

void race_command_free(struct race_command *command) {
    for (int i = 0; i < RACE_COMMAND_WORDS_MAX; i++)
        free(command->words[i]);
    *command = (struct race_command){0};
}
