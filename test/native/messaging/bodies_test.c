// Messages that carry bodies: sent in pieces, read back in pieces, checked, used again, and what is dropped
// with a conversation.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

CONVERSATION_TEST(test_uploaded_in_pieces) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    // "hello" in two pieces, with another upload between them.
    assert_code(
        say(host, "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"aGVs\"}"),
        "");
    assert_code(
        say(host, "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":6,\"data\":\"eHl6\"}"),
        "");
    assert_code(
        say(host, "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"bG8=\"}"),
        "");
    assert_code(say(host, EXCHANGE("recorded", ",\"body_upload\":5,\"request_body_upload\":6")), "");
    assert_code(say(host, EXCHANGE("recorded", ",\"body_upload\":5")), "no-upload"); // used up
    assert_code(say(host, EXCHANGE("empty", "")), "");
    assert_code(say(host, COMMIT), "");
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

// A small body that was sent before is stored once, but not if that exchange was refused.
CONVERSATION_TEST(test_the_same_small_body) {
    struct host *host = setting->host;
    static const char body[] = ",\"request_body\":\"aGVsbG8=\",\"body\":\"aGVsbG8=\"";
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, EXCHANGE("recorded", ",\"request_body\":\"aGVsbG8=\",\"body_upload\":5")),
                "no-upload");
    for (int i = 0; i < 3; i++) {
        char exchange[1000];
        snprintf(exchange, sizeof exchange, EXCHANGE("recorded", "%s"), body);
        assert_code(say(host, exchange), "");
    }
    assert_code(say(host, COMMIT), "");
    assert_int_equal(fixture_count_bodies(setting->home), 1);
    assert_int_equal(fixture_check_whole(setting->home), 1);
}

// A body of the archive is read back in pieces, checked, and used by another recording without being sent.
CONVERSATION_TEST(test_read_verified_used_again) {
    struct host *host = setting->host;
    enum { SIZE = 700 * 1000 }; // more than a piece
    char *message = malloc(SIZE * 4 / 3 + 1000), *at = message;
    assert_non_null(message);
    at += sprintf(at, "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":0,\"data\":\"");
    memset(at, 'A', SIZE * 4 / 3 / 4 * 4); // of zeros
    at += SIZE * 4 / 3 / 4 * 4;
    strcpy(at, "\"}");
    const int64_t size = SIZE * 4 / 3 / 4 * 3;
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, message), "");
    free(message);
    assert_code(say(host, EXCHANGE("recorded", ",\"body_upload\":0")), "");
    assert_code(say(host, COMMIT), "");
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
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"b\",\"url\":"
                          "\"https://a.example/\",\"source\":\"test\",\"notes\":{}}"),
                "");
    json_t *again = json_loads(EXCHANGE("recorded", ""), 0, NULL);
    json_object_set_new(again, "transaction", json_integer(2));
    json_object_set_new(again, "body_sha256", json_string(sha256));
    char *again_text = json_dumps(again, 0);
    json_decref(again);
    assert_code(say(host, again_text), "");
    free(again_text);
    assert_code(say(host, "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":2}"), "");
    assert_code(say(host, "{\"id\":3,\"type\":\"archive.remove\",\"name\":\"a\"}"), "");
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
    assert_code(say(host, text), "not-found");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.verify\",\"name\":\"a\"}"), "not-found");
}

// A body that was named before the recording that had it went: the commit fails whole.
CONVERSATION_TEST(test_used_body_swept) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    assert_code(say(host, EXCHANGE("recorded", ",\"body\":\"aGVsbG8=\"")), "");
    assert_code(say(host, COMMIT), "");
    assert_code(say(host, "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"b\",\"url\":"
                          "\"https://a.example/\",\"source\":\"test\",\"notes\":{}}"),
                "");
    char *text = NULL;
    json_t *again = json_loads(
        EXCHANGE("recorded",
                 ",\"body_sha256\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""),
        0, NULL);
    json_object_set_new(again, "transaction", json_integer(2));
    text = json_dumps(again, 0);
    json_decref(again);
    assert_code(say(host, text), "");
    assert_code(say(host, "{\"id\":3,\"type\":\"archive.remove\",\"name\":\"a\"}"), "");
    assert_code(say(host, text), "not-found");
    free(text);
    assert_code(say(host, "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":2}"), "not-found");
    assert_int_equal(fixture_check_whole(setting->home), 0);
}

CONVERSATION_TEST(test_too_many_uploads) {
    struct host *host = setting->host;
    assert_code(say(host, BEGIN), "");
    char text[256];
    for (int i = 0; i <= 64; i++) {
        snprintf(text, sizeof text,
                 "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":%d,\"data\":\"aGVs\"}", i);
        assert_string_equal(code_of(say(host, text)), i < 64 ? "" : "too-many");
    }
    assert_code(say(host, EXCHANGE("recorded", ",\"body_upload\":0")), "");
    assert_code(say(host, text), "");
}

// What is open when a conversation ends is dropped.
CONVERSATION_TEST(test_ended_in_the_middle) {
    assert_code(say(setting->host, BEGIN), "");
    assert_code(say(setting->host, EXCHANGE("recorded", ",\"body\":\"aGVs\"")), "");
    assert_code(say(setting->host,
                    "{\"id\":1,\"type\":\"archive.body\",\"transaction\":1,\"upload\":5,\"data\":\"aGVs\"}"),
                "");
    assert_int_equal(fixture_count_staged(setting->home), 1);
    host_close(setting->host);
    assert_int_equal(fixture_count_staged(setting->home), 0);
    assert_int_equal(fixture_count_bodies(setting->home), 0);
    assert_int_equal(fixture_check_whole(setting->home), 0);
    setting->host = host_open(&setting->paths, &setting->answers);
}
