// Applies schemas/examples/message/mutations.jsonl as test/schemas/mutations.ts does.
#include "messaging/examples.h"
#include "test/native/cmocka_unit.h"

#include <dirent.h>
#include <jansson.h>

#define FOLDER TRILANE_ROOT "/schemas/examples/message/"

struct examples {
    void (*each)(void *context, const char *name, const char *bytes, size_t size);
    void *context;
    int count;
};

static void give(struct examples *examples, const char *name, const json_t *message) {
    char *text = json_dumps(message, JSON_ENCODE_ANY);
    assert_non_null(text);
    examples->each(examples->context, name, text, strlen(text));
    examples->count++;
    free(text);
}

static json_t *load(const char *name) {
    char path[sizeof FOLDER + 300];
    json_error_t bad;
    snprintf(path, sizeof path, FOLDER "%s", name);
    json_t *message = json_load_file(path, 0, &bad);
    if (!message) fail_msg("%s: %s", path, bad.text);
    return message;
}

static int is_json(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".json") == 0;
}

static void give_files(struct examples *examples) {
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_json, alphasort); // in an order, so that a seed means something
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        json_t *message = load(entries[i]->d_name);
        give(examples, entries[i]->d_name, message);
        json_decref(message);
        free(entries[i]);
    }
    free(entries);
}

static json_t *member(json_t *of, const char *key) {
    return json_is_array(of) ? json_array_get(of, strtoul(key, NULL, 10)) : json_object_get(of, key);
}

// Changes what the pointer names: to `value`, or away where that is NULL. Takes `message`, returns the
// changed one.
static json_t *change(json_t *message, const char *pointer, json_t *value) {
    char keys[256], *key = keys, *next;
    if (!*pointer) {
        json_decref(message);
        return json_incref(value);
    }
    assert_true(strlen(pointer) < sizeof keys);
    strcpy(keys, pointer + 1);
    json_t *at = message;
    for (; (next = strchr(key, '/')); key = next + 1) {
        *next = '\0';
        at = member(at, key);
    }
    size_t index = strtoul(key, NULL, 10);
    int failed;
    if (!json_is_array(at))
        failed = value ? json_object_set(at, key, value) : json_object_del(at, key);
    else if (!value)
        failed = json_array_remove(at, index);
    else
        failed =
            index == json_array_size(at) ? json_array_append(at, value) : json_array_set(at, index, value);
    if (failed) fail_msg("%s can not be changed", pointer);
    return message;
}

static void give_mutations(struct examples *examples, bool valid) {
    FILE *file = fopen(FOLDER "mutations.jsonl", "r");
    char line[4096], name[300];
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        json_t *mutation = json_loads(line, 0, NULL);
        assert_non_null(mutation);
        if (valid == !json_object_get(mutation, "keyword")) {
            const char *set = json_string_value(json_object_get(mutation, "set"));
            const char *removed = json_string_value(json_object_get(mutation, "remove"));
            const char *of = json_string_value(json_object_get(mutation, "of"));
            assert_true(of && (set || removed));
            snprintf(name, sizeof name, "%s.json", of);
            json_t *message = change(load(name), set ? set : removed, json_object_get(mutation, "value"));
            give(examples, line, message);
            json_decref(message);
        }
        json_decref(mutation);
    }
    fclose(file);
}

void each_example(bool valid, void (*each)(void *context, const char *name, const char *bytes, size_t size),
                  void *context) {
    struct examples examples = {.each = each, .context = context};
    if (valid) give_files(&examples);
    give_mutations(&examples, valid);
    assert_true(examples.count >= 10);
}
