// Jobs' folders that are not as the host makes them, or on a disk that is full or not its own: nothing
// outside is reached, nothing is waited for, and no page stays. The command line is a shell script, as in
// jobs_test.c.
#include "messaging/conversation.h"

#include "archive/archive_fixture.h"
#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define ID "6920558b0123abcd"
#define JOB "jobs/" ID
#define PAGE "6920558b00000001"
#define REMOVE "{\"id\":3,\"type\":\"race.remove\",\"race\":\"" ID "\"}"
#define LIST "{\"id\":4,\"type\":\"race.list\"}"

static const uint64_t patience_ns = 60 * NS_PER_S;

static void make_folder(const struct setting *setting, const char *name) {
    assert_int_equal(mkdir(fixture_path(setting->home, name), 0700), 0);
}

static void make_file(const struct setting *setting, const char *name, const char *text) {
    fixture_write_file(fixture_path(setting->home, name), text, strlen(text));
}

static bool is_there(const struct setting *setting, const char *name) {
    return access(fixture_path(setting->home, name), F_OK) == 0;
}

static void make_link(const struct setting *setting, const char *target, const char *name) {
    assert_int_equal(symlink(target, fixture_path(setting->home, name)), 0);
}

static void set_command_line(struct setting *setting, const char *script) {
    static char path[4096];
    snprintf(path, sizeof path, "%s", fixture_path(setting->home, "trilane.sh"));
    make_file(setting, "trilane.sh", script);
    assert_int_equal(chmod(path, 0700), 0);
    conversation_use(setting, path, PROGRAM_TRILANE_HOST);
}

// The races in race.list; with `id`, how that one is, NULL for none. To be freed.
static json_t *listed(struct host *host, const char *id) {
    json_t *answer = say(host, LIST), *races = json_incref(json_object_get(answer, "races")), *race;
    json_decref(answer);
    assert_true(json_is_array(races));
    if (!id) return races;
    size_t i;
    json_t *found = NULL;
    json_array_foreach(races, i, race) {
        if (strcmp(json_string_value(json_object_get(race, "id")), id) == 0) found = json_incref(race);
    }
    json_decref(races);
    return found;
}

static void check_listed(struct host *host, size_t count) {
    json_t *races = listed(host, NULL);
    assert_int_equal(json_array_size(races), count);
    json_decref(races);
}

static void start(struct host *host, const char *page, char id[32]) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"id\":1,\"type\":\"race.start\",%s,\"lanes\":[\"h1\"],\"link\":\"3g\",\"runs\":1}", page);
    json_t *answer = say(host, text);
    assert_true(json_is_true(json_object_get(answer, "ok")));
    snprintf(id, 32, "%s", json_string_value(json_object_get(answer, "race")));
    json_decref(answer);
}

// How it has ended, as race.list has it.
static json_t *await_end(struct host *host, const char *id) {
    for (uint64_t end_ns = clock_now_ns() + patience_ns; clock_now_ns() < end_ns; usleep(10000)) {
        json_t *race = listed(host, id);
        assert_non_null(race);
        if (strcmp(json_string_value(json_object_get(race, "state")), "running") != 0) return race;
        json_decref(race);
    }
    fail_msg("race %s goes on", id);
    return NULL;
}

static void run_another(struct setting *setting) {
    char id[32];
    set_command_line(setting, "#!/bin/sh\nexit 0\n");
    start(setting->host, "\"recording\":\"shop\"", id);
    json_decref(await_end(setting->host, id));
}

static const char request[] = "{\"kind\":\"race\",\"request\":{}}";

// A link to a folder is no job: what is in there is not the host's to tell or to remove.
CONVERSATION_TEST(test_link_is_no_job) {
    make_folder(setting, "jobs");
    make_folder(setting, "elsewhere");
    make_file(setting, "elsewhere/job.json", request);
    make_file(setting, "elsewhere/mine.har", "{}");
    make_file(setting, "elsewhere/stderr", "mine");
    make_link(setting, "../elsewhere", JOB);
    check_listed(setting->host, 0);
    assert_code(say(setting->host, REMOVE), "not-found");
    run_another(setting);
    assert_true(is_there(setting, "elsewhere/job.json"));
    assert_true(is_there(setting, "elsewhere/mine.har"));
    assert_true(is_there(setting, "elsewhere/stderr"));
}

// All jobs may be on another disk.
CONVERSATION_TEST(test_linked_jobs) {
    make_folder(setting, "elsewhere");
    make_link(setting, "elsewhere", "jobs");
    run_another(setting);
    check_listed(setting->host, 1);
}

// Pipes where documents belong are not waited for, and links to documents not read.
CONVERSATION_TEST(test_no_documents) {
    make_folder(setting, "jobs");
    make_folder(setting, JOB);
    alarm(60); // or it would wait for ever
    assert_int_equal(mkfifo(fixture_path(setting->home, JOB "/job.json"), 0600), 0);
    check_listed(setting->host, 0);
    run_another(setting);
    assert_int_equal(unlink(fixture_path(setting->home, JOB "/job.json")), 0);
    make_file(setting, "request", request);
    make_link(setting, "../../request", JOB "/job.json");
    check_listed(setting->host, 1); // the other
    assert_int_equal(unlink(fixture_path(setting->home, JOB "/job.json")), 0);
    make_file(setting, JOB "/job.json", request);
    assert_int_equal(mkfifo(fixture_path(setting->home, JOB "/exit"), 0600), 0);
    json_t *race = listed(setting->host, ID);
    assert_non_null(race);
    assert_string_equal(json_string_value(json_object_get(race, "state")), "lost");
    json_decref(race);
    assert_code(say(setting->host, REMOVE), "");
    assert_false(is_there(setting, JOB));
    alarm(0);
}

// What is left of a race whose supervisor was killed.
static void make_job(struct setting *setting) {
    make_folder(setting, "jobs");
    make_folder(setting, JOB);
    make_file(setting, JOB "/job.json", request);
}

// The page of a race whose supervisor was killed goes when somebody looks, or starts the next.
CONVERSATION_TEST(test_lost_page_goes) {
    make_job(setting);
    make_file(setting, JOB "/page.har", "{}");
    check_listed(setting->host, 1);
    assert_false(is_there(setting, JOB "/page.har"));
    make_file(setting, JOB "/page.har", "{}");
    char id[32];
    set_command_line(setting, "#!/bin/sh\nexit 0\n");
    start(setting->host, "\"recording\":\"shop\"", id);
    assert_false(is_there(setting, JOB "/page.har"));
    json_decref(await_end(setting->host, id));
}

// A host that was killed while it made a job leaves a file half written.
CONVERSATION_TEST(test_left_aside_goes) {
    make_job(setting);
    make_file(setting, JOB "/job.json.4711.tmp", "{");
    assert_code(say(setting->host, REMOVE), "");
    assert_false(is_there(setting, JOB));
}

// As a list sees a job whose removal is half done: its end is there as long as what it was is. A folder where
// the end should be stops the removal at it.
CONVERSATION_TEST(test_half_removed_is_not_lost) {
    make_job(setting);
    make_folder(setting, JOB "/exit");
    assert_string_not_equal(code_of(say(setting->host, REMOVE)), "");
    assert_true(is_there(setting, JOB "/exit"));
    check_listed(setting->host, 0);
    assert_int_equal(rmdir(fixture_path(setting->home, JOB "/exit")), 0);
}

// Profiles on another disk are raced too, and their copies go.
CONVERSATION_TEST(test_profiles_on_another_disk) {
    char other[] = "/dev/shm/trilane-test-XXXXXX", path[64], name[128], id[32];
    struct stat here, there;
    assert_int_equal(stat(setting->home, &here), 0);
    if (stat("/dev/shm", &there) < 0 || here.st_dev == there.st_dev || !mkdtemp(other)) skip();
    make_link(setting, other, "profiles");
    snprintf(path, sizeof path, "%s/" PAGE ".har", other);
    fixture_write_file(path, "{\"a\":1}", 7);
    set_command_line(setting, "#!/bin/sh\ncat \"$2\" >&2\nexit 1\n");
    start(setting->host, "\"profile\":\"" PAGE "\"", id);
    json_t *race = await_end(setting->host, id);
    assert_string_equal(json_string_value(json_object_get(json_object_get(race, "error"), "message")),
                        "{\"a\":1}: see `trilane doctor`");
    json_decref(race);
    snprintf(name, sizeof name, "jobs/%s/page-00000001.har", id);
    assert_false(is_there(setting, name));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(other), 0);
}

static bool write_proc(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return written;
}

// From here on this process has mounts of its own. False where that is not allowed.
static bool enter_mount_namespace(void) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_proc("/proc/self/uid_map", users) &&
           write_proc("/proc/self/setgroups", "deny") && write_proc("/proc/self/gid_map", groups);
}

// A race that fills the disk leaves its word nevertheless, and the reason is told. The last test: its process
// stays in a namespace of its own.
CONVERSATION_TEST(test_full_disk) {
    if (!enter_mount_namespace()) skip();
    assert_int_equal(mount("none", setting->home, "tmpfs", 0, "size=1m"), 0);
    set_command_line(setting, "#!/bin/sh\ncat /dev/zero 2>/dev/null >\"${0%/*}/all\"\nexit 3\n");
    char id[32];
    start(setting->host, "\"recording\":\"shop\"", id);
    json_t *race = await_end(setting->host, id);
    char *dump = json_dumps(race, 0);
    assert_string_equal(json_string_value(json_object_get(race, "state")), "failed");
    assert_non_null(strstr(dump, "the disk is full: make room"));
    free(dump);
    json_decref(race);
    // And the next is refused at once, with nothing left of it.
    assert_code(say(setting->host, "{\"id\":1,\"type\":\"race.start\",\"recording\":\"shop\","
                                   "\"lanes\":[\"h1\"],\"link\":\"3g\",\"runs\":1}"),
                "disk-full");
    check_listed(setting->host, 1);
    assert_int_equal(umount2(setting->home, MNT_DETACH), 0);
}
