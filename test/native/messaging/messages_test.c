// Messages: the schema's examples, a conversation, what is refused and how, and that no bytes at all make it
// crash.
#include "messaging/dispatch.h"

#include "archive/archive_fixture.h"

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct setting {
    char *home;
    struct host *host;
};

static int set_up(void **state) {
    struct setting *setting = malloc(sizeof *setting);
    assert_non_null(setting);
    setting->home = fixture_make_home();
    setting->host = host_open(setting->home);
    assert_non_null(setting->host);
    *state = setting;
    return 0;
}

static int tear_down(void **state) {
    struct setting *setting = *state;
    host_close(setting->host);
    fixture_remove_home(setting->home);
    free(setting);
    return 0;
}

// The answer to a message, checked to be one: an id, and either ok or an error with code, message and remedy.
static json_t *answer_to(struct host *host, const char *bytes, size_t size) {
    // In an allocation of its size, so that the sanitizer sees a byte read beyond it.
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    char *text = dispatch(host, copy, size);
    free(copy);
    assert_non_null(text);
    json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(answer);
    free(text);
    assert_non_null(json_object_get(answer, "id"));
    const json_t *error = json_object_get(answer, "error");
    assert_true(json_is_boolean(json_object_get(answer, "ok")));
    assert_int_equal(json_is_true(json_object_get(answer, "ok")), error == NULL);
    if (error) {
        assert_int_equal(json_object_size(answer), 3);
        assert_int_equal(json_object_size(error), 3);
        assert_non_null(json_string_value(json_object_get(error, "code")));
        const char *message = json_string_value(json_object_get(error, "message"));
        assert_true(message && *message && !strchr(message, '\n'));
        const char *remedy = json_string_value(json_object_get(error, "remedy"));
        assert_true(remedy && *remedy);
    }
    return answer;
}

static json_t *say(struct host *host, const char *text) {
    return answer_to(host, text, strlen(text));
}

// The code of an error, "" for none; in a static buffer. Frees the answer.
static const char *code_of(json_t *answer) {
    static char code[64];
    const char *told = json_string_value(json_object_get(json_object_get(answer, "error"), "code"));
    snprintf(code, sizeof code, "%s", told ? told : "");
    json_decref(answer);
    return code;
}

// ---- The schema's examples ----

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size > 0 && *size < 1 << 20);
    fclose(file);
    return bytes;
}

// Calls `each` with every example of the folder.
static void each_example(const char *kind,
                         void (*each)(void *context, const char *name, const char *bytes, size_t size),
                         void *context) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/schemas/examples/message/%s", TRILANE_ROOT, kind);
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".json")) continue;
        char *path = NULL;
        size_t size;
        assert_true(asprintf(&path, "%s/%s", folder, entry->d_name) > 0);
        char *bytes = read_file(path, &size);
        free(path);
        each(context, entry->d_name, bytes, size);
        free(bytes);
        count++;
    }
    closedir(directory);
    assert_true(count >= 10);
}

static void check_valid(void *context, const char *name, const char *bytes, size_t size) {
    if (strcmp(code_of(answer_to(context, bytes, size)), "malformed") == 0) fail_msg("%s is refused", name);
}

static void check_invalid(void *context, const char *name, const char *bytes, size_t size) {
    const char *code = code_of(answer_to(context, bytes, size));
    if (strcmp(code, "malformed") != 0) fail_msg("%s is taken (%s)", name, code);
}

static void test_valid_examples(void **state) {
    each_example("valid", check_valid, ((struct setting *)*state)->host);
}

static void test_invalid_examples(void **state) {
    struct setting *setting = *state;
    each_example("invalid", check_invalid, setting->host);
    assert_int_equal(access(fixture_path(setting->home, "archive.db"), F_OK), -1); // nor did they do anything
}

// ---- Conversations ----

#define BEGIN                                                                                                \
    "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"a\",\"url\":\"https://a.example/"                       \
    "\",\"source\":\"test\",\"notes\":{}}"
#define EXCHANGE(origin, more)                                                                               \
    "{\"id\":2,\"type\":\"archive.exchange\",\"transaction\":1,\"exchange\":{\"method\":\"GET\",\"scheme\":" \
    "\"https\","                                                                                             \
    "\"host\":\"a.example\",\"port\":443,\"path\":\"/\",\"request_headers\":[],\"address\":\"192.0.2.1\","   \
    "\"status\":200,\"response_headers\":[],\"body_origin\":\"" origin "\",\"recorded\":{}}" more "}"
#define COMMIT "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":1}"

static void test_hello(void **state) {
    json_t *answer = say(((struct setting *)*state)->host, "{\"id\":7,\"type\":\"hello\"}");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 7);
    assert_string_equal(json_string_value(json_object_get(answer, "version")), TRILANE_VERSION);
    assert_true(json_is_array(json_object_get(answer, "features")));
    json_decref(answer);
}

static void test_uploaded_in_pieces(void **state) {
    struct host *host = ((struct setting *)*state)->host;
    assert_string_equal(code_of(say(host, BEGIN)), "");
    // "hello" in two pieces, with another upload between them.
    assert_string_equal(
        code_of(say(host,
                    "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"aGVs\"}")),
        "");
    assert_string_equal(
        code_of(say(host,
                    "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":6,\"data\":\"eHl6\"}")),
        "");
    assert_string_equal(
        code_of(say(host,
                    "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"bG8=\"}")),
        "");
    assert_string_equal(
        code_of(say(host, EXCHANGE("recorded", ",\"body_upload\":5,\"request_body_upload\":6"))), "");
    assert_string_equal(code_of(say(host, EXCHANGE("recorded", ",\"body_upload\":5"))),
                        "no-upload"); // used up
    assert_string_equal(code_of(say(host, EXCHANGE("empty", ""))), "");
    assert_string_equal(code_of(say(host, COMMIT)), "");
    json_t *answer = say(host, "{\"id\":4,\"type\":\"archive.show\",\"name\":\"a\"}");
    const json_t *exchanges = json_object_get(answer, "exchanges");
    assert_int_equal(json_array_size(exchanges), 2);
    // SHA-256 of "hello" and of "xyz".
    assert_string_equal(json_string_value(json_object_get(json_array_get(exchanges, 0), "body_sha256")),
                        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(exchanges, 0), "request_body_sha256")),
        "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282");
    assert_true(json_is_null(json_object_get(json_array_get(exchanges, 1), "body_sha256")));
    json_decref(answer);
}

// A body of the archive is read back in pieces, checked, and used by another recording without being sent.
static void test_read_verified_used_again(void **state) {
    struct setting *setting = *state;
    struct host *host = setting->host;
    enum { SIZE = 700 * 1000 }; // more than a piece
    char *message = malloc(SIZE * 4 / 3 + 1000), *at = message;
    assert_non_null(message);
    at += sprintf(at, "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":0,\"data\":\"");
    memset(at, 'A', SIZE * 4 / 3 / 4 * 4); // of zeros
    at += SIZE * 4 / 3 / 4 * 4;
    strcpy(at, "\"}");
    const int64_t size = SIZE * 4 / 3 / 4 * 3;
    assert_string_equal(code_of(say(host, BEGIN)), "");
    assert_string_equal(code_of(say(host, message)), "");
    free(message);
    assert_string_equal(code_of(say(host, EXCHANGE("recorded", ",\"body_upload\":0"))), "");
    assert_string_equal(code_of(say(host, COMMIT)), "");
    json_t *shown = say(host, "{\"id\":4,\"type\":\"archive.show\",\"name\":\"a\"}");
    char sha256[65], text[1000];
    snprintf(sha256, sizeof sha256, "%s",
             json_string_value(
                 json_object_get(json_array_get(json_object_get(shown, "exchanges"), 0), "body_sha256")));
    json_decref(shown);

    int64_t from = 0, read = 0;
    for (int piece = 0; from >= 0; piece++) {
        snprintf(text, sizeof text, "{\"id\":1,\"type\":\"archive.read\",\"sha256\":\"%s\",\"from\":%lld}",
                 sha256, (long long)from);
        json_t *answer = say(host, text);
        assert_int_equal(json_integer_value(json_object_get(answer, "size")), size);
        const json_t *data = json_object_get(answer, "data"), *next = json_object_get(answer, "next");
        const char *base64 = json_string_value(data);
        size_t base64_size = json_string_length(data);
        assert_true(base64_size > 0 && base64_size < 200 * 1000);
        read += (int64_t)(base64_size / 4 * 3) - (base64[base64_size - 1] == '=') -
                (base64[base64_size - 2] == '=');
        from = json_is_null(next) ? -1 : json_integer_value(next);
        assert_int_equal(read, from < 0 ? size : from);
        json_decref(answer);
        assert_true(piece < 8);
    }
    snprintf(text, sizeof text, "{\"id\":1,\"type\":\"archive.read\",\"sha256\":\"%s\",\"from\":%lld}",
             sha256, (long long)size);
    json_t *past = say(host, text);
    assert_string_equal(json_string_value(json_object_get(past, "data")), "");
    json_decref(past);

    // Used again, under another name.
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"b\",\"url\":"
                                          "\"https://a.example/\",\"source\":\"test\",\"notes\":{}}")),
                        "");
    json_t *again = json_loads(EXCHANGE("recorded", ""), 0, NULL);
    json_object_set_new(again, "transaction", json_integer(2));
    json_object_set_new(again, "body_sha256", json_string(sha256));
    char *again_text = json_dumps(again, 0);
    json_decref(again);
    assert_string_equal(code_of(say(host, again_text)), "");
    free(again_text);
    assert_string_equal(code_of(say(host, "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":2}")), "");
    assert_string_equal(code_of(say(host, "{\"id\":3,\"type\":\"archive.remove\",\"name\":\"a\"}")), "");
    assert_int_equal(fixture_count_bodies(setting->home), 1);
    assert_int_equal(fixture_check_whole(setting->home), 1);

    static const char verify[] = "{\"id\":1,\"type\":\"archive.verify\",\"name\":\"b\"}";
    json_t *answer = say(host, verify);
    assert_true(json_is_true(json_object_get(answer, "digest_matches")));
    assert_int_equal(json_integer_value(json_object_get(answer, "checked")), 1);
    assert_int_equal(json_array_size(json_object_get(answer, "problems")), 0);
    assert_true(json_is_null(json_object_get(answer, "next")));
    json_decref(answer);

    // Damaged from outside: of other bytes, of another size, gone.
    static const char *const problems[] = {"content", "size", "missing"};
    char path[200];
    snprintf(path, sizeof path, "bodies/%.2s/%s", sha256, sha256);
    for (int i = 0; i < 3; i++) {
        const char *file = fixture_path(setting->home, path);
        if (i == 0) {
            FILE *body = fopen(file, "r+");
            assert_non_null(body);
            fputc('x', body);
            fclose(body);
        } else if (i == 1) {
            assert_int_equal(truncate(file, size - 1), 0);
        } else {
            assert_int_equal(unlink(file), 0);
        }
        answer = say(host, verify);
        const json_t *problem = json_array_get(json_object_get(answer, "problems"), 0);
        assert_string_equal(json_string_value(json_object_get(problem, "problem")), problems[i]);
        assert_string_equal(json_string_value(json_object_get(problem, "part")), "response");
        assert_string_equal(json_string_value(json_object_get(problem, "sha256")), sha256);
        json_decref(answer);
    }
    assert_string_equal(code_of(say(host, text)), "not-found");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.verify\",\"name\":\"a\"}")),
                        "not-found");
}

// A body that was named before the recording that had it went: the commit fails whole.
static void test_used_body_swept(void **state) {
    struct setting *setting = *state;
    struct host *host = setting->host;
    assert_string_equal(code_of(say(host, BEGIN)), "");
    assert_string_equal(code_of(say(host, EXCHANGE("recorded", ",\"body\":\"aGVsbG8=\""))), "");
    assert_string_equal(code_of(say(host, COMMIT)), "");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"b\",\"url\":"
                                          "\"https://a.example/\",\"source\":\"test\",\"notes\":{}}")),
                        "");
    char *text = NULL;
    json_t *again = json_loads(
        EXCHANGE("recorded",
                 ",\"body_sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""),
        0, NULL);
    json_object_set_new(again, "transaction", json_integer(2));
    text = json_dumps(again, 0);
    json_decref(again);
    assert_string_equal(code_of(say(host, text)), "");
    assert_string_equal(code_of(say(host, "{\"id\":3,\"type\":\"archive.remove\",\"name\":\"a\"}")), "");
    assert_string_equal(code_of(say(host, text)), "not-found");
    free(text);
    assert_string_equal(code_of(say(host, "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":2}")),
                        "not-found");
    assert_int_equal(fixture_check_whole(setting->home), 0);
}

static void test_refusals(void **state) {
    struct host *host = ((struct setting *)*state)->host;
    assert_string_equal(code_of(say(host, COMMIT)), "no-transaction");
    assert_string_equal(code_of(say(host, EXCHANGE("empty", ""))), "no-transaction");
    assert_string_equal(code_of(say(host, BEGIN)), "");
    assert_string_equal(code_of(say(host, EXCHANGE("recorded", ",\"body_upload\":1"))), "no-upload");
    assert_string_equal(code_of(say(host, COMMIT)), "invalid"); // without an exchange
    assert_string_equal(code_of(say(host, COMMIT)), "no-transaction");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.show\",\"name\":\"a\"}")),
                        "not-found");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.remove\",\"name\":\"a\"}")),
                        "not-found");
    for (int i = 0; i < 16; i++)
        assert_string_equal(code_of(say(host, BEGIN)), "");
    assert_string_equal(code_of(say(host, BEGIN)), "too-many");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.abort\",\"transaction\":9}")), "");
    assert_string_equal(code_of(say(host, BEGIN)), "");
    assert_string_equal(code_of(say(host, BEGIN)), "too-many");
}

static void test_too_many_uploads(void **state) {
    struct host *host = ((struct setting *)*state)->host;
    assert_string_equal(code_of(say(host, BEGIN)), "");
    char text[256];
    for (int i = 0; i <= 64; i++) {
        snprintf(text, sizeof text,
                 "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":%d,\"data\":\"aGVs\"}", i);
        assert_string_equal(code_of(say(host, text)), i < 64 ? "" : "too-many");
    }
    assert_string_equal(code_of(say(host, EXCHANGE("recorded", ",\"body_upload\":0"))), "");
    assert_string_equal(code_of(say(host, text)), "");
}

static void test_exchange_too_large(void **state) {
    struct host *host = ((struct setting *)*state)->host;
    assert_string_equal(code_of(say(host, BEGIN)), "");
    json_t *message = json_loads(EXCHANGE("empty", ""), 0, NULL);
    char *value = malloc(300001);
    assert_non_null(value);
    memset(value, 'v', 300000);
    value[300000] = '\0';
    json_object_set_new(json_object_get(json_object_get(message, "exchange"), "recorded"), "x",
                        json_string(value));
    char *text = json_dumps(message, 0);
    assert_string_equal(code_of(say(host, text)), "too-large");
    free(text);
    free(value);
    json_decref(message);
}

// What is open when a conversation ends is dropped.
static void test_ended_in_the_middle(void **state) {
    struct setting *setting = *state;
    assert_string_equal(code_of(say(setting->host, BEGIN)), "");
    assert_string_equal(code_of(say(setting->host, EXCHANGE("recorded", ",\"body\":\"aGVs\""))), "");
    assert_string_equal(
        code_of(say(setting->host,
                    "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"aGVs\"}")),
        "");
    assert_int_equal(fixture_count_staged(setting->home), 1);
    host_close(setting->host);
    assert_int_equal(fixture_count_staged(setting->home), 0);
    assert_int_equal(fixture_count_bodies(setting->home), 0);
    assert_int_equal(fixture_check_whole(setting->home), 0);
    setting->host = host_open(setting->home);
}

// ---- What is no message ----

static void test_not_messages(void **state) {
    struct host *host = ((struct setting *)*state)->host;
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
        assert_string_equal(code_of(say(host, texts[i])), "malformed");
    assert_string_equal(code_of(answer_to(host, "{\"id\":1,\"type\":\"hello\"}\0", 24)), "malformed");

    json_t *answer = say(host, "{\"id\":5,\"type\":\"archive.destroy\"}");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 5);
    const json_t *error = json_object_get(answer, "error");
    assert_non_null(strstr(json_string_value(json_object_get(error, "message")), "archive.destroy"));
    json_decref(answer);
    answer = say(host, "not even JSON");
    assert_true(json_is_null(json_object_get(answer, "id")));
    json_decref(answer);

    char *deep = malloc(100001);
    assert_non_null(deep);
    memset(deep, '[', 100000);
    deep[100000] = '\0';
    assert_string_equal(code_of(say(host, deep)), "malformed");
    free(deep);

    char *text = dispatch_unreadable("message: too long");
    answer = json_loads(text, 0, NULL);
    assert_string_equal(code_of(answer), "malformed");
    free(text);
}

// What is quoted in an error may be cut in the middle of a character, or hold a line's end.
static void test_errors_are_one_line(void **state) {
    struct host *host = ((struct setting *)*state)->host;
    char text[512] = "{\"id\":1,\"type\":\"";
    for (int i = 0; i < 60; i++)
        strcat(text, i == 0 ? "a" : "\xc3\xa4");
    strcat(text, "\"}");
    json_t *answer = say(host, text);
    const char *message = json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    assert_non_null(strstr(message, "a\xc3\xa4\xc3\xa4"));
    json_decref(answer);
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"a\\nb\\u007f\"}")), "malformed");
    assert_string_equal(code_of(say(host, "{\"id\":1,\"type\":\"archive.show\",\"name\":\"a\\nb\"}")),
                        "not-found");
    assert_string_equal(code_of(say(host, "{\"id\":1,\n\"type\"\n:\n\n")), "malformed");
}

static void mutate(void *context, const char *name, const char *bytes, size_t size) {
    (void)name;
    static const char signs[] = "{}[]\",:\\0123456789eE+-.tfn \n\x80\xff=/A";
    char *mutated = malloc(2 * size);
    assert_non_null(mutated);
    for (int round = 0; round < 60; round++) {
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

static void test_mutated_messages(void **state) {
    struct setting *setting = *state;
    srand(1);
    each_example("valid", mutate, setting->host);
    each_example("invalid", mutate, setting->host);
    fixture_check_whole(setting->home);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_valid_examples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_invalid_examples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hello, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_uploaded_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_read_verified_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_used_body_swept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_uploads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exchange_too_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ended_in_the_middle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors_are_one_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mutated_messages, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
