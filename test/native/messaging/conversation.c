#include "messaging/conversation.h"

#include "archive/archive_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int conversation_set_up(void **state) {
    struct setting *setting = malloc(sizeof *setting);
    assert_non_null(setting);
    setting->home = fixture_make_home();
    setting->host = host_open(setting->home);
    assert_non_null(setting->host);
    *state = setting;
    return 0;
}

int conversation_tear_down(void **state) {
    struct setting *setting = *state;
    host_close(setting->host);
    fixture_remove_home(setting->home);
    free(setting);
    return 0;
}

json_t *answer_to(struct host *host, const char *bytes, size_t size) {
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
