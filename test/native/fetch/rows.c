#include "rows.h"
#include "test/native/cmocka_unit.h"

void rows_fetch(struct run *run, const char *words) {
    char line[2048];
    snprintf(line, sizeof line, "%s %s", PROGRAM_TRILANE_FETCH, words);
    run_program(run, (char *[]){"bash", "-c", line, NULL});
}

const char *rows_text(const json_t *row, const char *key) {
    const char *value = json_string_value(json_object_get(row, key));
    return value ? value : "null";
}

// A program that runs for longer than a minute is killed (run.h).
static void assert_times(json_t *row) {
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value) {
        const size_t size = strlen(key);
        if (size < 3 || strcmp(key + size - 3, "_ms") != 0 || !json_is_number(value)) continue;
        const double time_ms = json_number_value(value);
        if (!(time_ms >= 0 && time_ms <= 60000)) fail_msg("%s is %g", key, time_ms);
    }
}

void rows_expect(const struct run *run, const char *stage, const char *reason) {
    if (run->status != 0) fail_msg("exit status %d: %s", run->status, run->err);
    json_t *row = json_loads(run->out, JSON_DISABLE_EOF_CHECK, NULL);
    assert_non_null(row);
    const json_t *error = json_object_get(row, "error");
    if (!stage) {
        if (!json_is_null(error)) fail_msg("%s: %s", rows_text(error, "stage"), rows_text(error, "reason"));
        assert_true(json_is_real(json_object_get(row, "download_ms")));
        assert_times(row);
    } else if (strcmp(rows_text(error, "stage"), stage) != 0 ||
               strncmp(rows_text(error, "reason"), reason, strlen(reason)) != 0) {
        fail_msg("%s: %s; expected %s: %s", rows_text(error, "stage"), rows_text(error, "reason"), stage,
                 reason);
    } else if (!strstr(reason, "redirects")) { // of those all came, but nobody follows them
        assert_true(json_is_null(json_object_get(row, "download_ms")));
        assert_true(json_is_null(json_object_get(row, "body_sha256")));
    }
    json_decref(row);
}

void rows_expect_two_connections(const struct run *run) {
    const char *line = run->out;
    if (run->status != 0) fail_msg("exit status %d: %s", run->status, run->err);
    for (int i = 0; i < 2; i++, line = strchr(line, '\n') + 1) {
        json_t *row = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(row);
        const json_t *error = json_object_get(row, "error");
        if (!json_is_null(error)) fail_msg("row %d: %s", i, rows_text(error, "reason"));
        assert_true(json_is_false(json_object_get(row, "reused")));
        json_decref(row);
        assert_non_null(strchr(line, '\n'));
    }
}
