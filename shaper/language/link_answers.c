#include "shaper/language/link_answers.h"

#include "shaper/language/link_json.h"
#include "shaper/language/link_names.h"
#include "shaper/language/link_write.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 64 };

static int profile_of(json_t **profile, const char *form, bool files, struct link_error *error) {
    struct link_settings settings;
    struct link_profile link;
    if (link_settings_read(&settings, form, error) < 0) return -1;
    int result =
        files ? link_profile_read(&link, &settings, error) : link_profile_check(&link, &settings, error);
    if (result < 0) return -1;
    *profile = link_profile_json(&link);
    link_profile_close(&link);
    return *profile ? 0 : link_fail(error, "link: not enough memory");
}

// The canonical form of a known one is needed with every link.
static const char *named_canonical(size_t index) {
    static char *known[NAMED_MAX];
    struct link_error error;
    struct link_text text;
    json_t *profile;
    if (index >= NAMED_MAX) return "";
    if (!known[index] && profile_of(&profile, link_named_at(index)->form, false, &error) == 0) {
        if (link_write(&text, profile, false, &error) == 0) known[index] = strdup(text.text);
        json_decref(profile);
    }
    return known[index] ? known[index] : "";
}

static json_t *name_of(const char *form) {
    for (size_t i = 0; link_named_at(i); i++)
        if (strcmp(named_canonical(i), form) == 0) return json_string(link_named_at(i)->name);
    return json_null();
}

static json_t *error_answer(const struct link_error *error) {
    return json_pack("{s:s}", "error", error->line);
}

static json_t *link_of(const char *form, const json_t *question) {
    struct link_text text;
    struct link_error error;
    json_t *profile;
    if (profile_of(&profile, form, json_is_true(json_object_get(question, "files")), &error) < 0)
        return error_answer(&error);
    json_t *answer = NULL;
    if (link_write(&text, profile, false, &error) == 0)
        answer = json_pack("{s:s, s:o}", "form", text.text, "name", name_of(text.text));
    bool files = strstr(text.text, "trace") || strstr(text.text, "file:");
    if (answer && (!files || link_write(&text, profile, true, &error) == 0))
        json_object_set_new(answer, "label", json_string(text.text));
    char with[2][LINK_FORM_MAX + 16];
    if (answer && link_form_says_no_delay(form, with))
        json_object_set_new(answer, "undelayed", json_pack("[s, s]", with[0], with[1]));
    if (answer) json_object_set(answer, "profile", profile);
    json_decref(profile);
    return answer ? answer : error_answer(&error);
}

static json_t *all_named(void) {
    json_t *links = json_array();
    for (const struct named_link *link; (link = link_named_at(json_array_size(links)));)
        json_array_append_new(links, json_pack("{s:s, s:s, s:s, s:s}", "name", link->name, "form", link->form,
                                               "summary", link->summary, "source", link->source));
    return json_pack("{s:o}", "links", links);
}

json_t *link_answer(const char *line, size_t size) {
    struct link_error error;
    struct link_text text;
    json_error_t bad;
    json_t *question = json_loadb(line, size, 0, &bad), *answer;
    const char *form = json_string_value(json_object_get(question, "form"));
    json_t *profile = json_object_get(question, "profile");
    if (!question)
        link_fail(&error, "link: %s: correct it", bad.text);
    else if (!form && !profile)
        link_fail(&error, "link: a question has a form or a profile: give one of them");
    if (json_is_true(json_object_get(question, "named")))
        answer = all_named();
    else if (form)
        answer = link_of(form, question);
    else if (profile && link_write(&text, profile, false, &error) == 0)
        answer = link_of(text.text, question);
    else
        answer = error_answer(&error);
    json_decref(question);
    return answer;
}

int link_answers_run(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    while ((size = getline(&line, &room, stdin)) > 0) {
        json_t *answer = link_answer(line, (size_t)size);
        if (!answer) errno = ENOMEM; // which jansson does not say
        if (!answer || json_dumpf(answer, stdout, JSON_COMPACT) < 0 || putchar('\n') == EOF) break;
        json_decref(answer);
    }
    free(line);
    if (ferror(stdin) || !feof(stdin) || fflush(stdout) != 0) {
        log_line("links: %s", strerror(errno));
        return EXIT_RUN_FAILED;
    }
    return 0;
}
