#include "messaging/message_rules.h"

#include "shaper/language/link_files.h"

#include <arpa/inet.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct message_rules {
    int count;
    regex_t patterns[];
};

struct message_rules *message_rules_open(void) {
    int count = 0;
    while (message_patterns[count])
        count++;
    struct message_rules *rules = malloc(sizeof *rules + (size_t)count * sizeof *rules->patterns);
    if (!rules) return NULL;
    for (rules->count = 0; rules->count < count; rules->count++) {
        if (regcomp(&rules->patterns[rules->count], message_patterns[rules->count],
                    REG_EXTENDED | REG_NOSUB) == 0)
            continue;
        message_rules_close(rules);
        return NULL;
    }
    return rules;
}

void message_rules_close(struct message_rules *rules) {
    for (int i = 0; i < rules->count; i++)
        regfree(&rules->patterns[i]);
    free(rules);
}

static bool fits(const struct message_rules *rules, int pattern, const char *text) {
    return regexec(&rules->patterns[pattern - 1], text, 0, NULL, 0) == 0;
}

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

static bool is_within(const struct message_rule *rule, json_int_t value) {
    return value >= rule->least && value <= rule->most;
}

static json_int_t characters_of(const char *text) {
    json_int_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static bool is_text(const struct message_rules *rules, const struct message_rule *rule, const char *text) {
    return is_within(rule, characters_of(text)) && (!rule->words || is_one_of(text, rule->words)) &&
           !(rule->not_words && is_one_of(text, rule->not_words)) &&
           (!rule->pattern || fits(rules, rule->pattern, text)) &&
           !(rule->not_pattern && fits(rules, rule->not_pattern, text));
}

// At least one byte. A pattern would take long for a body's.
static bool is_base64(const char *text, size_t size) {
    if (size == 0 || size % 4 != 0) return false;
    size_t padding = text[size - 1] != '=' ? 0 : text[size - 2] != '=' ? 1 : 2;
    for (size_t i = 0; i < size - padding; i++) {
        char c = text[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
              c == '/'))
            return false;
    }
    return true;
}

static bool is_address(const char *text) {
    uint8_t bytes[16];
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static bool is_list(const struct message_rules *rules, const struct message_rule *rule, const json_t *list);

// Beside an object's fields.
static bool follows(const struct message_rules *rules, const struct message_rule *rule, const json_t *value) {
    const char *text = json_string_value(value);
    switch (rule->kind) {
    case RULE_NUMBER:
        return json_is_integer(value) && is_within(rule, json_integer_value(value));
    case RULE_FLAG:
        return json_is_boolean(value);
    case RULE_TEXT:
        return text && is_text(rules, rule, text);
    case RULE_BASE64:
        return text && is_base64(text, json_string_length(value));
    case RULE_ADDRESS:
        return text && is_address(text);
    case RULE_OBJECT:
        return json_is_object(value);
    case RULE_LIST:
        return json_is_array(value) && is_list(rules, rule, value);
    }
    return false;
}

static bool is_list(const struct message_rules *rules, const struct message_rule *rule, const json_t *list) {
    size_t count = json_array_size(list);
    if (!is_within(rule, (json_int_t)count)) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        if (!follows(rules, rule->items[rule->items[1] ? i : 0], item)) return false;
        for (size_t j = 0; rule->unique && j < i; j++)
            if (json_equal(item, json_array_get(list, j))) return false;
    }
    return true;
}

// Every required field is there, every field that is there is valid and in the list. `where` names the object
// in errors: "archive.show", "exchange".
static int check_fields(const struct message_rules *rules, const char *where,
                        const struct message_field *fields, const json_t *object,
                        struct message_error *error) {
    for (const struct message_field *field = fields; field->name; field++) {
        const json_t *value = json_object_get(object, field->name);
        const char *expected = field->rule->expected;
        if (!value && field->required)
            return message_malformed(error, "%s: `%s` is missing: %s", where, field->name, expected);
        if (!value) continue;
        if (!follows(rules, field->rule, value))
            return message_malformed(error, "%s: `%s` must be %s", where, field->name, expected);
        if (field->rule->fields && check_fields(rules, field->name, field->rule->fields, value, error) < 0)
            return -1;
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        const struct message_field *field = fields;
        while (field->name && strcmp(name, field->name) != 0)
            field++;
        if (!field->name) return message_malformed(error, "%s: has no field `%.100s`", where, name);
    }
    return 0;
}

int message_check(const struct message_rules *rules, const struct message_type *type, const json_t *message,
                  struct message_error *error) {
    return check_fields(rules, type->name, type->fields, message, error);
}

int message_check_link(const json_t *message, const char *field, struct message_error *error) {
    struct link_error why;
    int names = link_form_names_file(json_string_value(json_object_get(message, field)), &why);
    if (names == 0) return 0;
    if (names < 0) return message_malformed(error, "%s", why.line);
    return message_malformed(error, "%s: `%s` must be a link that names no file",
                             json_string_value(json_object_get(message, "type")), field);
}
