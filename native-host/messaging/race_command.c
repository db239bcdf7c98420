#include "messaging/race_command.h"

#include "messaging/message_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_transport(const json_t *value) {
    const char *text = json_string_value(value);
    return text && (strcmp(text, "stock") == 0 || strcmp(text, "tuned") == 0);
}

static bool is_positive(const json_t *value) {
    return is_number(value) && json_integer_value(value) > 0;
}

static const char flag[] = "true or false";
static const char number[] = "a number of 0 or more";

static const struct message_field option_fields[] = {
    {"filmstrip", false, is_flag, flag},        {"new", false, is_flag, flag},
    {"keep_credentials", false, is_flag, flag}, {"pin_time", false, is_flag, flag},
    {"warm_cache", false, is_flag, flag},       {"extra_rtt", false, is_flag, flag},
    {"forget_profile", false, is_flag, flag},   {"transport", false, is_transport, "\"stock\" or \"tuned\""},
    {"seed", false, is_number, number},         {"retries", false, is_number, number},
    {"settle_ms", false, is_number, number},    {"timeout_s", false, is_positive, "a number of 1 or more"},
};

// What `trilane race` calls them, in the same order; NULL: it is not told.
static const char *const option_words[] = {
    "--filmstrip", "--new",  "--keep-credentials", "--pin-time", "--warm-cache", "--extra-rtt", NULL,
    "--transport", "--seed", "--retries",          "--settle",   "--timeout"};

enum { OPTION_COUNT = sizeof option_fields / sizeof *option_fields };
_Static_assert(OPTION_COUNT == sizeof option_words / sizeof *option_words, "one word for each option");

int race_command_check(const json_t *message, struct message_error *error) {
    const json_t *options = json_object_get(message, "options");
    if (!json_object_get(message, "profile") == !json_object_get(message, "recording"))
        return message_malformed(error, "race.start: must have either `profile` or `recording`");
    return options ? message_check_fields(options, "options", option_fields, OPTION_COUNT, error) : 0;
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

static void add_option(struct race_command *command, const char *word, const json_t *value) {
    if (json_is_boolean(value))
        add(command, "%s=%s", word, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        add(command, "%s=%lld", word, (long long)json_integer_value(value));
    else if (json_is_string(value))
        add(command, "%s=%s", word, json_string_value(value));
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
    const json_t *options = json_object_get(message, "options");
    *command = (struct race_command){0};
    add(command, "%s", paths->cli);
    add(command, "race");
    add(command, "%s", page);
    add(command, "--json");
    add(command, "--home=%s", paths->home);
    add_lanes(command, json_object_get(message, "lanes"));
    add(command, "--link=%s", json_string_value(json_object_get(message, "link")));
    add(command, "--runs=%lld", (long long)json_integer_value(json_object_get(message, "runs")));
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_words[i])
            add_option(command, option_words[i], json_object_get(options, option_fields[i].name));
    if (command->count < RACE_COMMAND_WORDS_MAX) return 0;
    race_command_free(command);
    return -1;
}

void race_command_free(struct race_command *command) {
    for (int i = 0; i < RACE_COMMAND_WORDS_MAX; i++)
        free(command->words[i]);
    *command = (struct race_command){0};
}
