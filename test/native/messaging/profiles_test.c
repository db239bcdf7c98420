// Profiles: whole or not there, listed, read back as they were, and nothing else can be reached by their
// messages.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "messaging/frame.h"
#include "messaging/generated_id.h"
#include "test/native/cmocka_unit.h"

#include <dirent.h>
#include <sys/stat.h>

#define BEGIN_PROFILE "{\"id\":1,\"type\":\"profile.begin\",\"name\":\"../a \xc3\xa4\"}"
#define COMMIT_1 "{\"id\":1,\"type\":\"profile.commit\",\"upload\":1}"
#define LIST "{\"id\":1,\"type\":\"profile.list\"}"

static json_t *send_data(struct host *host, json_int_t upload, const char *text) {
    json_t *message =
        json_pack("{s:i, s:s, s:I, s:s}", "id", 2, "type", "profile.data", "upload", upload, "text", text);
    char *bytes = json_dumps(message, 0);
    json_t *answer = say(host, bytes);
    free(bytes);
    json_decref(message);
    return answer;
}

static json_t *ask(struct host *host, const char *type, const char *profile) {
    char text[256];
    snprintf(text, sizeof text, "{\"id\":3,\"type\":\"%s\",\"profile\":\"%s\"}", type, profile);
    return say(host, text);
}

// How many files there are.
static unsigned count_files(const char *home) {
    DIR *folder = opendir(fixture_path(home, "profiles"));
    unsigned count = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

CONVERSATION_TEST(test_saved_and_read_back) {
    struct host *host = setting->host;
    json_t *answer = say(host, LIST);
    assert_int_equal(json_array_size(json_object_get(answer, "profiles")), 0);
    json_decref(answer);
    assert_code(say(host, BEGIN_PROFILE), "");
    assert_code(send_data(host, 1, " {\"log\":"), "");
    assert_code(send_data(host, 1, "{\"a\":\"\xe2\x82\xac\"}}\n"), "");
    answer = say(host, LIST); // not there before it is whole
    assert_int_equal(json_array_size(json_object_get(answer, "profiles")), 0);
    json_decref(answer);
    answer = say(host, COMMIT_1);
    char id[GENERATED_ID_SIZE];
    snprintf(id, sizeof id, "%s", json_string_value(json_object_get(answer, "profile")));
    json_decref(answer);
    assert_true(is_generated_id(id));
    answer = say(host, LIST);
    const json_t *listed = json_array_get(json_object_get(answer, "profiles"), 0);
    assert_string_equal(json_string_value(json_object_get(listed, "profile")), id);
    assert_string_equal(json_string_value(json_object_get(listed, "name")), "../a \xc3\xa4");
    assert_int_equal(json_integer_value(json_object_get(listed, "bytes")), 21);
    json_decref(answer);
    answer = ask(host, "profile.get", id);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json_object_get(answer, "result"), "log"), "a")),
        "\xe2\x82\xac");
    json_decref(answer);
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "profiles/%s.har", id);
    assert_int_equal(stat(fixture_path(setting->home, path), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_code(ask(host, "profile.remove", id), "");
    assert_code(ask(host, "profile.remove", id), "not-found");
    assert_code(ask(host, "profile.get", id), "not-found");
    assert_int_equal(count_files(setting->home), 0);
}

CONVERSATION_TEST(test_refused) {
    struct host *host = setting->host;
    assert_code(send_data(host, 1, "{}"), "no-upload");
    assert_code(say(host, COMMIT_1), "no-upload");
    static const char *const texts[] = {"", "{", "[]", "\"{}", "  "};
    for (json_int_t i = 0; i < 5; i++) {
        char commit[128];
        assert_code(say(host, BEGIN_PROFILE), "");
        if (texts[i][0]) assert_code(send_data(host, i + 1, texts[i]), "");
        snprintf(commit, sizeof commit, "{\"id\":1,\"type\":\"profile.commit\",\"upload\":%lld}",
                 (long long)i + 1);
        assert_code(say(host, commit), "invalid");
        assert_code(say(host, commit), "no-upload");
    }
    assert_int_equal(count_files(setting->home), 0);
    assert_code(say(host, "{\"id\":1,\"type\":\"profile.begin\",\"name\":\"a\",\"bytes\":9007199254740991}"),
                "too-large");
    for (int i = 0; i < 8; i++)
        assert_code(say(host, BEGIN_PROFILE), "");
    assert_code(say(host, BEGIN_PROFILE), "too-many");
    assert_code(say(host, "{\"id\":1,\"type\":\"profile.abort\",\"upload\":7}"), "");
    assert_code(say(host, BEGIN_PROFILE), "");
}

// What is open goes with the conversation; what a killed host left goes with the next upload, while another
// host's stays.
CONVERSATION_TEST(test_ended_in_the_middle) {
    assert_code(say(setting->host, BEGIN_PROFILE), "");
    assert_int_equal(count_files(setting->home), 1);
    host_close(setting->host);
    assert_int_equal(count_files(setting->home), 0);
    setting->host = host_open(&setting->paths, &setting->answers);
    fixture_write_file(fixture_path(setting->home, "profiles/6920558b0123abcd.part"), "{", 1);
    struct host *other = host_open(&setting->paths, &setting->answers);
    assert_code(say(other, BEGIN_PROFILE), "");
    assert_int_equal(count_files(setting->home), 1);
    assert_code(say(setting->host, BEGIN_PROFILE), "");
    assert_int_equal(count_files(setting->home), 2);
    assert_code(send_data(other, 1, "{}"), "");
    assert_code(say(other, COMMIT_1), "");
    host_close(other);
    json_t *answer = say(setting->host, LIST);
    assert_int_equal(json_array_size(json_object_get(answer, "profiles")), 1);
    json_decref(answer);
}

// As many as a message holds at a time, each once, with names as long as they may be.
CONVERSATION_TEST(test_long_list) {
    enum { COUNT = 5000 };
    mkdir(fixture_path(setting->home, "profiles"), 0700);
    char description[2048] = "{\"name\":\"", file[64];
    for (int i = 0; i < 300; i++)
        strcat(description, "\\u0001");
    strcat(description, "\"}");
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(file, sizeof file, "profiles/6920558b%08x.har", i);
        fixture_write_file(fixture_path(setting->home, file), "{}", 2);
        snprintf(file, sizeof file, "profiles/6920558b%08x.json", i);
        fixture_write_file(fixture_path(setting->home, file), description, strlen(description));
    }
    unsigned listed = 0;
    char last[GENERATED_ID_SIZE] = "", text[128] = LIST;
    for (bool more = true; more;) {
        json_t *answer = say(setting->host, text);
        size_t size = json_array_size(json_object_get(answer, "profiles"));
        assert_true(size > 0);
        for (size_t i = 0; i < size; i++, listed++) {
            const json_t *each = json_array_get(json_object_get(answer, "profiles"), i);
            snprintf(last, sizeof last, "%s", json_string_value(json_object_get(each, "profile")));
            char expected[GENERATED_ID_SIZE];
            snprintf(expected, sizeof expected, "6920558b%08x", COUNT - 1 - listed);
            assert_string_equal(last, expected);
        }
        more = json_is_true(json_object_get(answer, "more"));
        json_decref(answer);
        snprintf(text, sizeof text, "{\"id\":1,\"type\":\"profile.list\",\"after\":\"%s\"}", last);
    }
    assert_int_equal(listed, COUNT);
}

// A link in the folder leads nowhere.
CONVERSATION_TEST(test_no_way_out) {
    static const char id[] = "6920558b0123abcd";
    mkdir(fixture_path(setting->home, "profiles"), 0700);
    fixture_write_file(fixture_path(setting->home, "secret"), "{\"secret\":1}", 12);
    char target[4096];
    snprintf(target, sizeof target, "%s", fixture_path(setting->home, "secret"));
    assert_int_equal(symlink(target, fixture_path(setting->home, "profiles/6920558b0123abcd.har")), 0);
    assert_code(ask(setting->host, "profile.get", id), "failed");
    json_t *answer = say(setting->host, LIST);
    assert_int_equal(json_array_size(json_object_get(answer, "profiles")), 0);
    json_decref(answer);
    static const char *const ids[] = {"..", "../secret", "6920558b0123abc/", "6920558b0123abcd.har", ""};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        assert_code(ask(setting->host, "profile.get", ids[i]), "malformed");
}

// A profile that is no JSON, or no UTF-8, is told to be so.
CONVERSATION_TEST(test_damaged) {
    static const char id[] = "6920558b0123abcd";
    mkdir(fixture_path(setting->home, "profiles"), 0700);
    const char *path = fixture_path(setting->home, "profiles/6920558b0123abcd.har");
    fixture_write_file(path, "{\"a\":}", 6);
    assert_code(ask(setting->host, "profile.get", id), "invalid");
    size_t size = 3 << 20;
    char *bytes = malloc(size);
    memset(bytes, 'x', size);
    bytes[size / 2] = '\xff';
    fixture_write_file(fixture_path(setting->home, "profiles/6920558b0123abcd.har"), bytes, size);
    free(bytes);
    static const char get[] = "{\"id\":3,\"type\":\"profile.get\",\"profile\":\"6920558b0123abcd\"}";
    assert_int_equal(dispatch(setting->host, get, sizeof get - 1), 0);
    json_t *message;
    while (json_object_get(message = next_answer(), "event"))
        json_decref(message);
    assert_code(message, "invalid");
}
