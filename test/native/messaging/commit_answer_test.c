// What a commit answers with: the recording that it stored, whatever other programs do to it from then on.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "test/native/cmocka_unit.h"

#include <sqlite3.h>

// Another program, which comes between a commit and whatever its writer does next.
struct rival {
    const char *home;
    bool replaces, came;
};

static struct rival rival;

static void come(void) {
    struct archive_error error;
    rival.came = true;
    if (rival.replaces)
        fixture_must_write(
            rival.home,
            &(struct fixture_recording){.name = "a", .seed = 9, .count = 3, .body_size = 1, .replace = true});
    else
        assert_int_equal(archive_remove(rival.home, "a", &error), 0);
}

static int after_statement(unsigned event, void *context, void *statement, void *time_ns) {
    (void)event, (void)context, (void)time_ns;
    const char *sql = sqlite3_sql(statement);
    if (!rival.came && sql && strcmp(sql, "COMMIT") == 0) come();
    return 0;
}

static int watch(sqlite3 *db, char **why, const struct sqlite3_api_routines *routines) {
    (void)why, (void)routines;
    return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, after_statement, NULL);
}

static void commit_before(const struct setting *setting, bool replaces) {
    // Made already: its making is a commit too.
    FIXTURE_WRITE(setting->home, .name = "b", .count = 1);
    rival = (struct rival){.home = setting->home, .replaces = replaces};
    sqlite3_auto_extension((void (*)(void))watch);
    assert_code(say(setting->host, BEGIN), "");
    assert_code(say(setting->host, EXCHANGE("empty", "")), "");
    json_t *answer = say(setting->host, COMMIT);
    sqlite3_cancel_auto_extension((void (*)(void))watch);
    assert_true(rival.came);
    const json_t *recording = json_object_get(answer, "recording");
    assert_non_null(recording);
    assert_string_equal(json_string_value(json_object_get(recording, "name")), "a");
    assert_string_equal(json_string_value(json_object_get(recording, "url")), "https://a.example/");
    assert_int_equal(json_integer_value(json_object_get(recording, "exchanges")), 1);
    json_decref(answer);
    assert_int_equal(fixture_check_whole(setting->home), replaces ? 2 : 1);
}

CONVERSATION_TEST(test_replaced_at_once) {
    commit_before(setting, true);
}

CONVERSATION_TEST(test_removed_at_once) {
    commit_before(setting, false);
}
