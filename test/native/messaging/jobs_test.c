// Races as jobs: followed from the start or from the middle, by the host that started them or a later one,
// ended by themselves, when asked, by force and without a word. The command line is a shell script here that
// does what the test needs; test/e2e has the real one.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>

static const uint64_t patience_ns = 60 * NS_PER_S;

// A conversation whose command line is this script.
static void set_command_line(struct setting *setting, const char *script) {
    static char path[4096];
    snprintf(path, sizeof path, "%s", fixture_path(setting->home, "trilane.sh"));
    char *text = NULL;
    assert_true(asprintf(&text, "#!/bin/sh\n%s\n", script) > 0);
    fixture_write_file(path, text, strlen(text));
    free(text);
    assert_int_equal(chmod(path, 0700), 0);
    conversation_use(setting, path, PROGRAM_TRILANE_HOST);
}

static void wait_a_little(void) {
    usleep(10000);
}

// The next message, waited for.
static json_t *await_message(struct host *host) {
    for (uint64_t end_ns = clock_now_ns() + patience_ns; clock_now_ns() < end_ns; wait_a_little()) {
        assert_int_equal(host_work(host), 0);
        json_t *message = next_answer();
        if (message) return message;
    }
    fail_msg("nothing came");
    return NULL;
}

// The race that the answer names; good until the fourth call after this one. Frees the answer.
static const char *race_in(json_t *answer) {
    static char races[4][64];
    static unsigned next;
    char *race = races[next++ % 4];
    const char *text = json_string_value(json_object_get(answer, "race"));
    if (!text) fail_msg("no race in %s", json_dumps(answer, 0));
    snprintf(race, sizeof races[0], "%s", text);
    json_decref(answer);
    return race;
}

static json_t *ask(struct host *host, const char *type, const char *race) {
    char text[256];
    snprintf(text, sizeof text, "{\"id\":3,\"type\":\"%s\",\"race\":\"%s\"}", type, race);
    return say(host, text);
}

#define START                                                                                                \
    "{\"id\":1,\"type\":\"race.start\",\"recording\":\"shop\",\"lanes\":[\"h1\",\"h3\"],\"link\":\"3g\","    \
    "\"runs\":2}"

static const char *start(struct host *host) {
    return race_in(say(host, START));
}

// Sends a race.follow, which is answered later.
static void follow(struct host *host, const char *race, int from) {
    char text[256];
    int size = snprintf(text, sizeof text, "{\"id\":2,\"type\":\"race.follow\",\"race\":\"%s\",\"from\":%d}",
                        race, from);
    assert_int_equal(dispatch(host, text, (size_t)size), 0);
}

// The events' lines until the answer, which is returned; *lines is the array of them.
static json_t *await_end(struct host *host, json_t **lines) {
    *lines = json_array();
    for (;;) {
        json_t *message = await_message(host);
        assert_int_equal(json_integer_value(json_object_get(message, "id")), 2);
        if (!json_object_get(message, "event")) return message;
        json_array_append(*lines, message);
        json_decref(message);
    }
}

// Follows it from its first line to its end. Returns the lines.
static json_t *lines_of(struct host *host, const char *race) {
    json_t *lines;
    follow(host, race, 0);
    json_decref(await_end(host, &lines));
    return lines;
}

static void check_end(json_t *end, const char *state, int exit) {
    assert_string_equal(json_string_value(json_object_get(end, "state")), state);
    if (exit < 0)
        assert_true(json_is_null(json_object_get(end, "exit")));
    else
        assert_int_equal(json_integer_value(json_object_get(end, "exit")), exit);
}

static const char *error_in(const json_t *end) {
    return json_string_value(json_object_get(json_object_get(end, "error"), "message"));
}

static json_int_t number_in_line(const json_t *lines, size_t i, const char *field) {
    return json_integer_value(json_object_get(json_object_get(json_array_get(lines, i), "line"), field));
}

// One that nobody reaps yet is not.
static bool is_alive(pid_t pid) {
    char path[32], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
    fclose(file);
    return state != 'Z';
}

static void await_death(pid_t pid) {
    for (uint64_t end_ns = clock_now_ns() + patience_ns; is_alive(pid); wait_a_little())
        assert_true(clock_now_ns() < end_ns);
}

CONVERSATION_TEST(test_finished) {
    set_command_line(setting, "echo \"{\\\"event\\\":\\\"words\\\",\\\"words\\\":\\\"$*\\\"}\"\n"
                              "echo 'no event'\n"
                              "echo '{\"event\":\"sweep-started\",\"sweep\":7}'\n"
                              "printf '{\"event\":\"half'");
    const char *race = start(setting->host);
    json_t *lines;
    follow(setting->host, race, 0);
    json_t *end = await_end(setting->host, &lines);
    check_end(end, "finished", 0);
    assert_true(json_is_null(json_object_get(end, "error")));
    assert_int_equal(json_integer_value(json_object_get(end, "sweep")), 7);
    assert_int_equal(json_array_size(lines), 2);
    char words[4096];
    snprintf(words, sizeof words, "race shop --json --home=%s --lanes=h1,h3 --link=3g --runs=2",
             setting->home);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(json_array_get(lines, 0), "line"), "words")),
        words);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(lines, 1), "number")), 2);
    json_decref(end);
    json_decref(lines);
    // From the middle, when it has ended.
    follow(setting->host, race, 2);
    json_decref(await_end(setting->host, &lines));
    assert_int_equal(json_array_size(lines), 1);
    json_decref(lines);
    assert_code(ask(setting->host, "race.cancel", race), ""); // nothing to do
    assert_code(ask(setting->host, "race.remove", race), "");
    assert_code(ask(setting->host, "race.follow", race), "not-found");
}

// A race of a profile has the file to itself, under a name that says what it is; at the end it goes, and
// before that the profile where that is asked for.
CONVERSATION_TEST(test_profile_raced) {
    set_command_line(setting, "echo \"{\\\"event\\\":\\\"page\\\",\\\"page\\\":\\\"$2\\\",\\\"text\\\":$(cat "
                              "\"$2\")}\"");
    static const char *const options[] = {"{}", "{\"forget_profile\":true}"};
    mkdir(fixture_path(setting->home, "profiles"), 0700);
    fixture_write_file(fixture_path(setting->home, "profiles/6920558b0123abcd.har"), "{}", 2);
    static const char description[] = "{\"name\":\"../\u00c4 shop: 10 % <b>\"}";
    fixture_write_file(fixture_path(setting->home, "profiles/6920558b0123abcd.json"), description,
                       sizeof description - 1);
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"id\":1,\"type\":\"race.start\",\"profile\":\"6920558b0123abcd\",\"lanes\":[\"h1\"],"
                 "\"link\":\"3g\",\"runs\":1,\"options\":%s}",
                 options[i]);
        const char *race = race_in(say(setting->host, text));
        json_t *lines = lines_of(setting->host, race);
        char expected[4096], name[128];
        snprintf(name, sizeof name, "jobs/%s/shop-10-b-0123abcd.har", race);
        snprintf(expected, sizeof expected, "%s", fixture_path(setting->home, name));
        const json_t *line = json_object_get(json_array_get(lines, 0), "line");
        assert_string_equal(json_string_value(json_object_get(line, "page")), expected);
        assert_true(json_is_object(json_object_get(line, "text"))); // it was there
        assert_int_equal(access(expected, F_OK), -1);
        json_decref(lines);
        json_t *listed = say(setting->host, "{\"id\":1,\"type\":\"profile.list\"}");
        assert_int_equal(json_array_size(json_object_get(listed, "profiles")), i == 0);
        json_decref(listed);
        assert_code(ask(setting->host, "race.remove", race), "");
    }
    assert_int_equal(access(fixture_path(setting->home, "profiles/6920558b0123abcd.json"), F_OK), -1);
}

CONVERSATION_TEST(test_failed) {
    set_command_line(setting,
                     "echo 'a note' >&2; echo 'trilane: page x: is not there: name another' >&2; exit 2");
    const char *race = start(setting->host);
    json_t *lines;
    follow(setting->host, race, 0);
    json_t *end = await_end(setting->host, &lines);
    check_end(end, "failed", 2);
    assert_string_equal(error_in(end), "page x: is not there: name another");
    assert_true(json_is_null(json_object_get(end, "sweep")));
    assert_code(ask(setting->host, "race.result", race), "not-found");
    json_decref(end);
    json_decref(lines);
}

// Ends when asked, also by a host that did not start it; meanwhile there is no second one.
CONVERSATION_TEST(test_canceled) {
    set_command_line(setting, "trap 'echo \"{\\\"event\\\":\\\"stopped\\\"}\"; exit 130' INT\n"
                              "echo \"{\\\"event\\\":\\\"begun\\\"}\"\n"
                              "while :; do sleep 0.05; done");
    const char *race = start(setting->host);
    assert_code(say(setting->host, START), "busy");
    assert_code(ask(setting->host, "race.remove", race), "busy");
    assert_code(ask(setting->host, "race.result", race), "busy");
    // The host goes; the race does not.
    host_close(setting->host);
    setting->host = host_open(&setting->paths, &setting->answers);
    follow(setting->host, race, 0);
    json_t *begun = await_message(setting->host);
    assert_string_equal(json_string_value(json_object_get(begun, "event")), "line");
    json_decref(begun);
    assert_code(ask(setting->host, "race.cancel", race), "");
    json_t *lines, *end = await_end(setting->host, &lines);
    check_end(end, "canceled", 130);
    assert_int_equal(json_array_size(lines), 1);
    json_decref(end);
    json_decref(lines);
    // There may be another now.
    const char *next = start(setting->host);
    assert_code(ask(setting->host, "race.cancel", next), "");
    json_decref(lines_of(setting->host, next));
}

// What does not end when asked is ended by force, with all that it has started.
CONVERSATION_TEST(test_stubborn) {
    set_command_line(setting, "trap '' INT\n"
                              "sleep 1000 & child=$!\n"
                              "echo \"{\\\"event\\\":\\\"begun\\\",\\\"child\\\":$child}\"\n"
                              "while :; do sleep 0.05; done");
    const char *race = start(setting->host);
    follow(setting->host, race, 0);
    json_t *begun = await_message(setting->host);
    pid_t child = (pid_t)json_integer_value(json_object_get(json_object_get(begun, "line"), "child"));
    json_decref(begun);
    uint64_t asked_ns = clock_now_ns();
    assert_code(ask(setting->host, "race.cancel", race), "");
    json_t *lines, *end = await_end(setting->host, &lines);
    assert_true(clock_now_ns() - asked_ns >= 9 * NS_PER_S);
    check_end(end, "canceled", 128 + SIGKILL);
    await_death(child);
    json_decref(end);
    json_decref(lines);
}

// The supervisor is killed: its command ends too, and the race is lost, not running for ever.
CONVERSATION_TEST(test_lost) {
    set_command_line(setting,
                     "echo \"{\\\"event\\\":\\\"begun\\\",\\\"own\\\":$$,\\\"supervisor\\\":$PPID}\"\n"
                     "while :; do sleep 0.05; done");
    const char *race = start(setting->host);
    follow(setting->host, race, 0);
    json_t *begun = json_pack("[o]", await_message(setting->host));
    pid_t own = (pid_t)number_in_line(begun, 0, "own");
    assert_true(is_alive(own));
    assert_int_equal(kill((pid_t)number_in_line(begun, 0, "supervisor"), SIGKILL), 0);
    json_t *lines, *end = await_end(setting->host, &lines);
    check_end(end, "lost", -1);
    assert_non_null(strstr(error_in(end), "start it again"));
    await_death(own);
    json_decref(begun);
    json_decref(end);
    json_decref(lines);
}

// What was left running by a command that ended is not left running.
CONVERSATION_TEST(test_leaves_nothing) {
    set_command_line(setting, "sleep 1000 & echo \"{\\\"event\\\":\\\"begun\\\",\\\"child\\\":$!}\"");
    const char *race = start(setting->host);
    json_t *lines = lines_of(setting->host, race);
    await_death((pid_t)number_in_line(lines, 0, "child"));
    json_decref(lines);
}

CONVERSATION_TEST(test_unfollowed) {
    set_command_line(setting, "while :; do sleep 0.05; done");
    char text[256];
    const char *race = start(setting->host);
    follow(setting->host, race, 0);
    assert_true(host_works(setting->host));
    int size = snprintf(text, sizeof text, "{\"id\":9,\"type\":\"race.unfollow\",\"race\":\"%s\"}", race);
    assert_int_equal(dispatch(setting->host, text, (size_t)size), 0);
    json_t *followed = next_answer(), *unfollowed = next_answer();
    assert_string_equal(json_string_value(json_object_get(followed, "state")), "running");
    assert_int_equal(json_integer_value(json_object_get(unfollowed, "id")), 9);
    assert_false(host_works(setting->host));
    json_decref(followed);
    json_decref(unfollowed);
    assert_code(ask(setting->host, "race.cancel", race), "");
    json_decref(lines_of(setting->host, race));
}

// Of many ended jobs the oldest are forgotten.
CONVERSATION_TEST(test_old_ones_go) {
    set_command_line(setting, "exit 0");
    mkdir(fixture_path(setting->home, "jobs"), 0700);
    for (int i = 0; i < 110; i++) {
        char name[64];
        snprintf(name, sizeof name, "jobs/%016x", i);
        assert_int_equal(mkdir(fixture_path(setting->home, name), 0700), 0);
        snprintf(name, sizeof name, "jobs/%016x/job.json", i);
        static const char job[] = "{\"kind\":\"race\",\"request\":{}}";
        fixture_write_file(fixture_path(setting->home, name), job, sizeof job - 1);
    }
    const char *race = start(setting->host);
    json_t *answer = say(setting->host, "{\"id\":4,\"type\":\"race.list\"}"),
           *races = json_object_get(answer, "races");
    assert_int_equal(json_array_size(races), 101);
    assert_string_equal(json_string_value(json_object_get(json_array_get(races, 0), "id")), race);
    assert_string_equal(json_string_value(json_object_get(json_array_get(races, 100), "id")),
                        "000000000000000a");
    json_decref(answer);
    json_decref(lines_of(setting->host, race));
}

// ---- Questions ----

static json_t *ask_doctor(struct host *host) {
    static const char text[] = "{\"id\":2,\"type\":\"doctor\"}";
    json_t *lines, *answer;
    assert_int_equal(dispatch(host, text, sizeof text - 1), 0);
    answer = await_end(host, &lines);
    json_object_set_new(answer, "lines", lines);
    return answer;
}

CONVERSATION_TEST(test_small_document) {
    // Something is missing: the document counts, the status does not.
    set_command_line(setting, "echo '{\"checks\":[\"'\"$*\"'\"]}'; echo 'trilane: doctor: no' >&2; exit 1");
    json_t *answer = ask_doctor(setting->host);
    char words[4096];
    snprintf(words, sizeof words, "doctor --json --home=%s", setting->home);
    const json_t *checks = json_object_get(json_object_get(answer, "result"), "checks");
    assert_string_equal(json_string_value(json_array_get(checks, 0)), words);
    json_decref(answer);
}

// A document over 1 MiB comes in parts, none cut inside a character.
CONVERSATION_TEST(test_large_document) {
    set_command_line(setting,
                     "printf '{\"text\":\"'; i=0; while [ $i -lt 3000 ]; do i=$((i+1));\n"
                     "printf '%s' '"
                     "äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞"
                     "äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞"
                     "'; done; printf '\"}'");
    json_t *answer = ask_doctor(setting->host);
    const json_t *lines = json_object_get(answer, "lines");
    size_t count = json_array_size(lines), size = 0;
    assert_true(count >= 6);
    assert_int_equal(json_integer_value(json_object_get(answer, "parts")), count);
    char *text = calloc(1, 4 << 20);
    for (size_t i = 0; i < count; i++) {
        const json_t *part = json_array_get(lines, i), *data = json_object_get(part, "data");
        assert_int_equal(json_integer_value(json_object_get(part, "index")), i);
        memcpy(text + size, json_string_value(data), json_string_length(data));
        size += json_string_length(data);
    }
    json_t *document = json_loadb(text, size, 0, NULL);
    assert_int_equal(json_string_length(json_object_get(document, "text")), 3000 * 32 * 13);
    json_decref(document);
    free(text);
    json_decref(answer);
}

CONVERSATION_TEST(test_no_document) {
    static const struct {
        const char *script, *message, *remedy;
    } cases[] = {
        {"echo 'trilane: home: is damaged: name another' >&2; exit 2", "home: is damaged", "name another"},
        {"exit 1", "doctor: ended without a word", "try again"},
        {"echo '[1]'; echo 'trilane: odd' >&2", "odd", "see `trilane doctor`"},
        {"echo '{\"cut'; echo 'trilane: a: b: c\xff' >&2", "a: b", "c"},
        {"kill -9 $$", "doctor: ended without a word", "try again"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_command_line(setting, cases[i].script);
        json_t *answer = ask_doctor(setting->host);
        const json_t *error = json_object_get(answer, "error");
        assert_string_equal(json_string_value(json_object_get(error, "message")), cases[i].message);
        assert_non_null(strstr(json_string_value(json_object_get(error, "remedy")), cases[i].remedy));
        json_decref(answer);
    }
}

// A question whose answer nobody waits for any more ends with the conversation.
CONVERSATION_TEST(test_question_ends_with_host) {
    char script[512];
    snprintf(script, sizeof script, "echo $$ >%s/pid.new; mv %s/pid.new %s/pid; sleep 1000", setting->home,
             setting->home, setting->home);
    set_command_line(setting, script);
    static const char text[] = "{\"id\":2,\"type\":\"links\"}";
    for (int i = 0; i < 8; i++)
        assert_int_equal(dispatch(setting->host, text, sizeof text - 1), 0);
    assert_code(say(setting->host, text), "too-many");
    uint64_t end_ns = clock_now_ns() + patience_ns;
    while (access(fixture_path(setting->home, "pid"), F_OK) < 0 && clock_now_ns() < end_ns)
        wait_a_little();
    FILE *file = fopen(fixture_path(setting->home, "pid"), "r");
    assert_non_null(file);
    int pid = 0;
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    host_close(setting->host);
    await_death(pid);
    setting->host = host_open(&setting->paths, &setting->answers);
}
