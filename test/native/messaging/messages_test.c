// Messages: the schema's examples, a conversation, what is refused and how, and that no bytes at all make it
// crash.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "messaging/examples.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

// ---- The schema's examples ----

static void check_valid(void *context, const char *name, const char *bytes, size_t size) {
    if (strcmp(code_of(answer_to(context, bytes, size)), "malformed") == 0) fail_msg("%s is refused", name);
}

static void check_invalid(void *context, const char *name, const char *bytes, size_t size) {
    const char *code = code_of(answer_to(context, bytes, size));
    if (strcmp(code, "malformed") != 0) fail_msg("%s is taken (%s)", name, code);
}

CONVERSATION_TEST(test_valid_examples) {
    each_example(true, check_valid, setting->host);
}

CONVERSATION_TEST(test_invalid_examples) {
    each_example(false, check_invalid, setting->host);
    assert_int_equal(access(fixture_path(setting->home, "archive.db"), F_OK), -1); // nor did they do anything
}

// ---- Conversations ----

CONVERSATION_TEST(test_hello) {
    json_t *answer = say(setting->host, "{\"id\":7,\"type\":\"hello\"}");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 7);
    assert_string_equal(json_string_value(json_object_get(answer, "version")), TRILANE_VERSION);
    assert_true(json_is_array(json_object_get(answer, "features")));
    json_decref(answer);
}

CONVERSATION_TEST(test_refusals) {
    struct host *host = setting->host;
    assert_code(say(host, COMMIT), "no-transaction");
    assert_code(say(host, EXCHANGE("empty", "")), "no-transaction");
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, EXCHANGE("recorded", ",\"body_upload\":1")), "no-upload");
    assert_code(say(host, COMMIT), "invalid"); // without an exchange
    assert_code(say(host, COMMIT), "no-transaction");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.show\",\"name\":\"a\"}"), "not-found");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.remove\",\"name\":\"a\"}"), "not-found");
    for (int i = 0; i < 16; i++)
        assert_code(say(host, BEGIN), "");
    assert_code(say(host, BEGIN), "too-many");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.abort\",\"transaction\":9}"), "");
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, BEGIN), "too-many");
}

// Says a message with a string of so many bytes in its `field`, an object, or in that one's `inner`.
static json_t *say_with(struct host *host, const char *text, const char *field, const char *inner,
                        size_t size) {
    json_t *message = json_loads(text, 0, NULL), *object = json_object_get(message, field);
    if (!object) json_object_set_new(message, field, object = json_object());
    if (inner) object = json_object_get(object, inner);
    char *value = malloc(size);
    assert_non_null(value);
    memset(value, 'v', size);
    json_object_set_new(object, "x", json_stringn(value, size));
    free(value);
    char *said = json_dumps(message, 0);
    json_decref(message);
    json_t *answer = say(host, said);
    free(said);
    return answer;
}

// By its parse: the text's end says nothing of it. There is no such page and no such lab: only the link is
// looked at.
CONVERSATION_TEST(test_links_name_no_file) {
    struct host *host = setting->host;
    static const char *const links[] = {"3mbit/50ms,switch=8s:/home/u/x.json,seed=2",
                                        "3mbit/50ms,loss=1%,loss=1%"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        char message[512];
        snprintf(message, sizeof message,
                 "{\"id\":1,\"type\":\"race.start\",\"recording\":\"shop\",\"lanes\":[\"h1\"],\"link\":\"%"
                 "s\",\"runs\":1}",
                 links[i]);
        assert_code(say(host, message), "malformed");
        snprintf(message, sizeof message,
                 "{\"id\":1,\"type\":\"lab.start\",\"recording\":\"shop\",\"lane\":\"h1\",\"link\":\"%s\"}",
                 links[i]);
        assert_code(say(host, message), "malformed");
        snprintf(message, sizeof message,
                 "{\"id\":1,\"type\":\"lab.steer\",\"lab\":\"6920558b0123abcd\",\"change\":\"%s\"}",
                 links[i]);
        assert_code(say(host, message), "malformed");
    }
    assert_code(say(host, "{\"id\":1,\"type\":\"lab.steer\",\"lab\":\"6920558b0123abcd\","
                          "\"change\":\"3mbit/50ms,switch=8s:3g\"}"),
                "not-found");
}

CONVERSATION_TEST(test_exchange_too_large) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    assert_code(say_with(host, EXCHANGE("empty", ""), "exchange", "recorded", 300000), "too-large");
}

#define LIST "{\"id\":1,\"type\":\"archive.list\"}"
#define SHOW "{\"id\":1,\"type\":\"archive.show\",\"name\":\"a\"}"

// What no answer could hold is not stored; what is stored can be told.
CONVERSATION_TEST(test_recording_too_large) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, EXCHANGE("empty", "")), "");
    assert_code(say_with(host, COMMIT, "notes", NULL, 1100 * 1000), "too-large");
    assert_code(say(host, LIST), "");
    assert_code(say(host, SHOW), "not-found");
    assert_code(say(host, COMMIT), "no-transaction");
}

CONVERSATION_TEST(test_largest_recording) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    for (int i = 0; i < 3; i++)
        assert_code(say_with(host, EXCHANGE("empty", ""), "exchange", "recorded", 260 * 1000), "");
    assert_code(say_with(host, COMMIT, "notes", NULL, 458 * 1000), "");
    assert_code(say(host, LIST), "");
    assert_code(say(host, SHOW), "");
}

// ---- What is no message ----

CONVERSATION_TEST(test_not_messages) {
    struct host *host = setting->host;
    static const char *const texts[] = {"",
                                        "{",
                                        "nonsense",
                                        "null",
                                        "3",
                                        "\"text\"",
                                        "[]",
                                        "{}",
                                        "{\"id\":1,\"type\":\"hello\"}trailing",
                                        "{\"id\":1,\"id\":2,\"type\":\"hello\"}",
                                        "{\"id\":1,\"type\":\"hello\\u0000\"}",
                                        "{\"id\":99999999999999999999,\"type\":\"hello\"}",
                                        "{\"id\":9007199254740992,\"type\":\"hello\"}",
                                        "\xff\xfe",
                                        "{\"id\":1,\"type\":\"\xc3\x28\"}",
                                        "{\"id\":1,\"type\":\"\xed\xa0\x80\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_code(say(host, texts[i]), "malformed");
    assert_code(answer_to(host, "{\"id\":1,\"type\":\"hello\"}\0", 24), "malformed");

    json_t *answer = say(host, "{\"id\":5,\"type\":\"archive.destroy\"}");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 5);
    const json_t *error = json_object_get(answer, "error");
    assert_non_null(strstr(json_string_value(json_object_get(error, "message")), "archive.destroy"));
    json_decref(answer);
    // One that cannot be parsed is answered with its number, or its sender would wait for ever.
    answer = say(host, "{\"id\":6,\"type\":\"hello\"");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 6);
    assert_code(answer, "malformed");
    answer = say(host, "not even JSON");
    assert_true(json_is_null(json_object_get(answer, "id")));
    json_decref(answer);

    char *deep = malloc(100001);
    assert_non_null(deep);
    memset(deep, '[', 100000);
    deep[100000] = '\0';
    assert_code(say(host, deep), "malformed");
    free(deep);

    assert_int_equal(dispatch_unreadable(host, "message: too long"), 0);
    assert_code(next_answer(), "malformed");
}

// What is quoted in an error may be cut in the middle of a character, or hold a line's end.
CONVERSATION_TEST(test_errors_are_one_line) {
    struct host *host = setting->host;
    char text[512] = "{\"id\":1,\"type\":\"";
    for (int i = 0; i < 60; i++)
        strcat(text, i == 0 ? "a" : "\xc3\xa4");
    strcat(text, "\"}");
    json_t *answer = say(host, text);
    const char *message = json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    assert_non_null(strstr(message, "a\xc3\xa4\xc3\xa4"));
    json_decref(answer);
    assert_code(say(host, "{\"id\":1,\"type\":\"a\\nb\\u007f\"}"), "malformed");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.show\",\"name\":\"a\\nb\"}"), "not-found");
    assert_code(say(host, "{\"id\":1,\n\"type\"\n:\n\n"), "malformed");
}

static void mutate(void *context, const char *name, const char *bytes, size_t size) {
    (void)name;
    static const char signs[] = "{}[]\",:\\0123456789eE+-.tfn \n\x80\xff=/A";
    char *mutated = malloc(2 * size);
    assert_non_null(mutated);
    for (int round = 0; round < 100; round++) {
        memcpy(mutated, bytes, size);
        size_t end = size;
        for (int i = rand() % 5; i >= 0; i--) {
            size_t at = (size_t)rand() % end, rest = end - at - 1;
            switch (rand() % 4) {
            case 0: // another sign
                mutated[at] = signs[(size_t)rand() % (sizeof signs - 1)];
                break;
            case 1: // any byte
                mutated[at] = (char)rand();
                break;
            case 2: // one out
                memmove(mutated + at, mutated + at + 1, rest);
                end -= end > 1;
                break;
            case 3: // one twice
                if (end + 1 >= 2 * size) break;
                memmove(mutated + at + 1, mutated + at, end - at);
                end++;
                break;
            }
        }
        json_decref(answer_to(context, mutated, end));
    }
    free(mutated);
}

CONVERSATION_TEST(test_mutated_messages) {
    srand(1);
    each_example(true, mutate, setting->host);
    each_example(false, mutate, setting->host);
    fixture_check_whole(setting->home);
}
