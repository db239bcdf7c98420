#include "messaging/starter_rules.h"

#include "messaging/message_rules.h"
#include "messaging/race_command.h"
#include "shaper/language/link_files.h"

#include <string.h>

// Besides --home and --json, which all have.
static const struct command {
    const char *name;
    const char *options[5];
    bool has_race_options; // those of a race.start
    int link_at;           // which of the words that are no option is a link; 0: none is
} commands[] = {
    {"race", {"lanes", "link", "runs"}, true, 0},
    {"open", {"lane", "link", "control"}, false, 0},
    {"steer", {NULL}, false, 2},
    {"export", {"format"}, false, 0},
    {"doctor", {NULL}, false, 0},
    {"links", {NULL}, false, 0},
};

static bool is_named(const char *word, size_t size, const char *name) {
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

static const struct message_field *race_options(void) {
    const struct message_type *type = message_types;
    while (strcmp(type->name, "race.start") != 0)
        type++;
    const struct message_field *field = type->fields;
    while (strcmp(field->name, "options") != 0)
        field++;
    return field->rule->fields;
}

static bool has_option(const struct command *command, const char *word, size_t size) {
    char name[RACE_OPTION_SIZE];
    if (is_named(word, size, "home") || is_named(word, size, "json")) return true;
    for (size_t i = 0; command->options[i]; i++)
        if (is_named(word, size, command->options[i])) return true;
    const struct message_field *field = command->has_race_options ? race_options() : NULL;
    for (; field && field->name; field++) {
        race_option_name(name, field->name);
        if (is_named(word, size, name)) return true;
    }
    return false;
}

static bool leads_up(const char *path) {
    const size_t size = strlen(path);
    return strstr(path, "/../") || (size >= 3 && strcmp(path + size - 3, "/..") == 0);
}

// A path leads to the data folder's jobs.
static bool is_path_allowed(const struct host_paths *paths, const char *path) {
    const size_t size = strlen(paths->home);
    return strncmp(path, paths->home, size) == 0 && strncmp(path + size, "/jobs/", 6) == 0 &&
           !leads_up(path + size);
}

// A word without a slash names a file of the folder in which the program starts, which is the job's.
static bool is_word_allowed(const struct host_paths *paths, const char *word) {
    return !strchr(word, '/') || is_path_allowed(paths, word);
}

// By its parse, as messages have it (message_rules.h): rates and delays have slashes, too.
static bool is_link_allowed(const char *link) {
    struct link_error error;
    return link_form_names_file(link, &error) == 0;
}

static bool is_option_allowed(const struct host_paths *paths, const struct command *command,
                              const char *option) {
    const size_t size = strcspn(option, "=");
    if (!has_option(command, option, size)) return false;
    const char *value = option[size] ? option + size + 1 : "";
    if (is_named(option, size, "home")) return strcmp(value, paths->home) == 0;
    return is_named(option, size, "link") ? is_link_allowed(value) : is_word_allowed(paths, value);
}

bool starter_allows(const struct host_paths *paths, char *const *argv) {
    if (!argv[0] || strcmp(argv[0], paths->cli) != 0 || !argv[1]) return false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct command *command = &commands[i];
        if (strcmp(command->name, argv[1]) != 0) continue;
        int names = 0; // words that are no option
        for (int j = 2; argv[j]; j++) {
            const char *word = argv[j];
            const bool allowed =
                *word == '-' ? strncmp(word, "--", 2) == 0 && is_option_allowed(paths, command, word + 2)
                : ++names == command->link_at ? is_link_allowed(word)
                                              : is_word_allowed(paths, word);
            if (!allowed) return false;
        }
        return true;
    }
    return false;
}

bool starter_allows_folder(const struct host_paths *paths, const char *folder) {
    return is_path_allowed(paths, folder) && !strchr(folder + strlen(paths->home) + strlen("/jobs/"), '/') &&
           strcmp(strrchr(folder, '/'), "/..") != 0;
}
