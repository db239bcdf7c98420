#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "messaging/frame.h"
#include "test/native/cmocka_unit.h"

// What the host has sent and no test has taken yet.
static json_t *sent;

static int keep(void *context, const char *json, size_t size) {
    (void)context;
    assert_true(size <= FRAME_OUT_MAX);
    json_t *message = json_loadb(json, size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(message);
    json_array_append_new(sent, message);
    return 0;
}

int conversation_set_up(void **state) {
    struct setting *setting = calloc(1, sizeof *setting);
    assert_non_null(setting);
    setting->home = fixture_make_home();
    setting->paths = (struct host_paths){
        .home = setting->home, .cli = "/nonexistent/trilane", .host = "/nonexistent/host"};
    setting->answers = (struct answers){.send = keep};
    setting->host = host_open(&setting->paths, &setting->answers);
    assert_non_null(setting->host);
    sent = json_array();
    *state = setting;
    return 0;
}

int conversation_tear_down(void **state) {
    struct setting *setting = *state;
    host_close(setting->host);
    fixture_remove_home(setting->home);
    free(setting);
    json_decref(sent);
    return 0;
}

void conversation_use(struct setting *setting, const char *cli, const char *host) {
    host_close(setting->host);
    setting->paths.cli = cli;
    setting->paths.host = host;
    setting->host = host_open(&setting->paths, &setting->answers);
    assert_non_null(setting->host);
}

static void check_answer(const json_t *answer) {
    const json_t *error = json_object_get(answer, "error");
    assert_true(json_is_boolean(json_object_get(answer, "ok")));
    if (json_is_true(json_object_get(answer, "ok"))) return;
    assert_int_equal(json_object_size(answer), 3);
    assert_int_equal(json_object_size(error), 3);
    assert_non_null(json_string_value(json_object_get(error, "code")));
    const char *message = json_string_value(json_object_get(error, "message"));
    assert_true(message && *message && !strchr(message, '\n'));
    const char *remedy = json_string_value(json_object_get(error, "remedy"));
    assert_true(remedy && *remedy && !strchr(remedy, '\n'));
}

json_t *next_answer(void) {
    if (json_array_size(sent) == 0) return NULL;
    json_t *message = json_incref(json_array_get(sent, 0));
    json_array_remove(sent, 0);
    assert_non_null(json_object_get(message, "id"));
    if (!json_object_get(message, "event")) check_answer(message);
    return message;
}

json_t *answer_to(struct host *host, const char *bytes, size_t size) {
    // In an allocation of its size, so that the sanitizer sees a byte read beyond it.
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_int_equal(dispatch(host, copy, size), 0);
    free(copy);
    json_t *answer = next_answer();
    assert_non_null(answer);
    assert_null(next_answer());
    return answer;
}

json_t *say(struct host *host, const char *text) {
    return answer_to(host, text, strlen(text));
}

const char *code_of(json_t *answer) {
    static char code[64];
    const char *told = json_string_value(json_object_get(json_object_get(answer, "error"), "code"));
    snprintf(code, sizeof code, "%s", told ? told : "");
    json_decref(answer);
    return code;
}
