#include "messaging/race_command.h"

#include <stdio.h>
#include <string.h>

int race_command_check(const json_t *message, struct message_error *error) {
    if (!json_object_get(message, "profile") == !json_object_get(message, "recording"))
        return message_malformed(error, "race.start: must have either `profile` or `recording`");
    return 0;
}

void race_option_name(char name[RACE_OPTION_SIZE], const char *field) {
    snprintf(name, RACE_OPTION_SIZE, "%s", field);
    for (char *at = name; (at = strchr(at, '_'));)
        *at = strcmp(at, "_s") == 0 || strcmp(at, "_ms") == 0 ? '\0' : '-';
}

static void add_option(struct command_words *command, const char *field, const json_t *value) {
    char name[RACE_OPTION_SIZE];
    race_option_name(name, field);
    if (json_is_boolean(value))
        command_words_add(command, "--%s=%s", name, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        command_words_add(command, "--%s=%lld", name, (long long)json_integer_value(value));
    else if (json_is_string(value))
        command_words_add(command, "--%s=%s", name, json_string_value(value));
}

static void add_lanes(struct command_words *command, const json_t *lanes) {
    char text[256] = "--lanes=";
    size_t i;
    json_t *lane;
    json_array_foreach(lanes, i, lane) {
        if (i > 0) strcat(text, ",");
        strcat(text, json_string_value(lane)); // each is known, and there once: they fit
    }
    command_words_add(command, "%s", text);
}

void race_command_make(struct command_words *command, const struct host_paths *paths, const char *page,
                       const json_t *message) {
    const char *name;
    json_t *value;
    command_words_add(command, "%s", paths->cli);
    command_words_add(command, "race");
    command_words_add(command, "%s", page);
    command_words_add(command, "--json");
    command_words_add(command, "--home=%s", paths->home);
    add_lanes(command, json_object_get(message, "lanes"));
    command_words_add(command, "--link=%s", json_string_value(json_object_get(message, "link")));
    command_words_add(command, "--runs=%lld",
                      (long long)json_integer_value(json_object_get(message, "runs")));
    // The command line does not learn what is done here.
    json_object_foreach(json_object_get(message, "options"), name, value) {
        if (strcmp(name, "forget_profile") != 0) add_option(command, name, value);
    }
}
