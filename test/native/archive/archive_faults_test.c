// What must not break an archive: a kill at any system call, a disk that is full at any moment, a home that
// cannot be written, several writers at once and readers among them.
#include "archive/archive_fixture.h"

#include "archive/archive_db.h"
#include "archive/archive_listing.h"
#include "archive/mount_namespace.h"
#include "archive/recording.h"
#include "archive/run_and_kill.h"
#include "test/native/cmocka_unit.h"

#include <sys/mount.h>
#include <sys/wait.h>

// ---- Killed ----

static int write_first(const char *home) {
    struct archive_error error;
    return fixture_write(
        home, &(struct fixture_recording){.name = "first", .seed = 1, .count = 3, .body_size = 100}, &error);
}

static int replace_second(const char *home) {
    struct archive_error error;
    return fixture_write(home,
                         &(struct fixture_recording){
                             .name = "second", .seed = 3, .count = 3, .body_size = 100, .replace = true},
                         &error);
}

static int remove_second(const char *home) {
    struct archive_error error;
    return archive_remove(home, "second", &error);
}

HOME_TEST(test_killed_at_any_call) {
    static const struct {
        int (*child)(const char *home);
        bool kept_before;
        size_t recordings_least, recordings_most;
    } cases[] = {{write_first, false, 0, 1}, {replace_second, true, 2, 2}, {remove_second, true, 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool ended = false;
        unsigned calls = 0;
        for (; !ended; calls++) {
            fixture_empty(home);
            if (cases[i].kept_before) {
                FIXTURE_WRITE(home, .name = "kept", .seed = 9, .count = 3, .body_size = 100);
                FIXTURE_WRITE(home, .name = "second", .seed = 2, .count = 3, .body_size = 100);
            }
            ended = run_and_kill(cases[i].child, home, calls);
            size_t count = fixture_check_whole(home);
            assert_in_range(count, cases[i].recordings_least, cases[i].recordings_most);
            if (calls % 8 != 0)
                continue; // the rest is the next writer's, which costs more to see than it adds
            fixture_must_write(
                home, &(struct fixture_recording){.name = "next", .seed = 4, .count = 3, .body_size = 100});
            assert_int_equal(fixture_count_staged(home), 0);
            struct archive_error error;
            assert_int_equal(archive_remove(home, "next", &error), 0);
            assert_int_equal(fixture_check_whole(home), count);
            assert_int_equal(fixture_count_bodies(home), count == 0 ? 0 : 2 + count);
        }
        assert_true(calls > 20); // else nothing was killed at all
    }
}

// ---- No room ----

// Runs the test's body in a child with mounts of its own; its failed assertions come out by its exit status.
static void in_mount_namespace(void (*body)(const char *home), const char *home) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        enter_mount_namespace();
        body(home);
        fflush(NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// Assertions of a child cannot jump back into cmocka's runner of its parent.
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static size_t count_recordings(const char *home) {
    struct archive_error error;
    json_t *list;
    REQUIRE(archive_list(&list, home, "", &error) == 0);
    size_t count = json_array_size(json_object_get(list, "recordings"));
    for (size_t i = 0; i < count; i++) {
        struct recording recording;
        char why[512];
        const json_t *row = json_array_get(json_object_get(list, "recordings"), i);
        REQUIRE(recording_open(&recording, home, json_string_value(json_object_get(row, "name")), why,
                               sizeof why) == 0);
        recording_close(&recording);
    }
    json_decref(list);
    return count;
}

static void fill_disks(const char *home) {
    bool written = false, refused = false;
    // From a disk that takes nothing to one that takes all, page by page.
    for (unsigned size_kB = 16; size_kB < 1024 && !written; size_kB += 4) {
        char options[64];
        snprintf(options, sizeof options, "size=1024k,mode=0700");
        REQUIRE(mount("tmpfs", home, "tmpfs", 0, options) == 0);
        struct archive_error error;
        REQUIRE(fixture_write(
                    home,
                    &(struct fixture_recording){.name = "kept", .seed = 1, .count = 3, .body_size = 9000},
                    &error) == 0);
        REQUIRE(fixture_count_bodies(home) == 3);
        snprintf(options, sizeof options, "size=%uk", size_kB);
        // One smaller than what is in it already is refused.
        if (mount("tmpfs", home, "tmpfs", MS_REMOUNT, options) == 0) {
            int status = fixture_write(
                home, &(struct fixture_recording){.name = "more", .seed = 2, .count = 40, .body_size = 9000},
                &error);
            if (status < 0 && error.code != ARCHIVE_DISK_FULL)
                fprintf(stderr, "%u kB: %s\n", size_kB, error.message);
            REQUIRE(status == 0 || error.code == ARCHIVE_DISK_FULL);
            REQUIRE(count_recordings(home) == (status == 0 ? 2 : 1));
            REQUIRE(fixture_count_staged(home) == 0);
            REQUIRE(fixture_count_bodies(home) == (status == 0 ? 41 : 3));
            written = status == 0;
            refused = refused || status < 0;
        }
        REQUIRE(umount(home) == 0);
    }
    REQUIRE(refused && written);
}

HOME_TEST(test_full_disk) {
    in_mount_namespace(fill_disks, home);
}

// ---- No writing ----

static void remount_read_only(const char *folder) {
    REQUIRE(mount(folder, folder, NULL, MS_BIND, NULL) == 0);
    REQUIRE(mount(NULL, folder, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0);
}

static void make_read_only(const char *home) {
    remount_read_only(home);
    REQUIRE(count_recordings(home) == 1);
    struct archive_error error;
    json_t *shown;
    REQUIRE(archive_show(&shown, home, "a", 0, &error) == 0);
    json_decref(shown);
    REQUIRE(archive_remove(home, "a", &error) == -1 && error.code == ARCHIVE_READ_ONLY);
    REQUIRE(strstr(error.message, home) != NULL);
    REQUIRE(fixture_write(home, &(struct fixture_recording){.name = "b", .count = 1}, &error) == -1);
    REQUIRE(error.code == ARCHIVE_READ_ONLY);
    REQUIRE(count_recordings(home) == 1);
}

HOME_TEST(test_read_only_home) {
    FIXTURE_WRITE(home, .name = "a", .count = 3, .body_size = 100);
    in_mount_namespace(make_read_only, home);
}

static void keep_bodies(const char *home) {
    remount_read_only(fixture_path(home, "bodies"));
    struct archive_error error;
    REQUIRE(archive_remove(home, "a", &error) == -1 && error.code == ARCHIVE_READ_ONLY);
    REQUIRE(strstr(error.message, "\"a\" is removed, but not all of its bodies: ") != NULL);
    REQUIRE(count_recordings(home) == 1);
}

// Bodies that stay are told of, and that the recording has gone all the same; the next removal takes them
// too.
HOME_TEST(test_removed_but_for_bodies) {
    struct archive_error error;
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 3, .body_size = 100);
    FIXTURE_WRITE(home, .name = "b", .seed = 2, .count = 3, .body_size = 100);
    assert_int_equal(fixture_count_bodies(home), 4);
    in_mount_namespace(keep_bodies, home);
    assert_int_equal(fixture_count_bodies(home), 4);
    assert_int_equal(archive_remove(home, "b", &error), 0);
    assert_int_equal(fixture_count_bodies(home), 0);
}

// ---- At once ----

enum { WRITERS = 3, ROUNDS = 25 };

// Writers take each other's names and bodies away all the time.
static int write_and_remove(const char *home, unsigned seed) {
    static const char *const names[] = {"a", "b"};
    srand(seed);
    for (int round = 0; round < ROUNDS; round++) {
        struct archive_error error;
        const char *name = names[rand() % 2];
        struct fixture_recording recording = {
            .name = name, .seed = (unsigned)rand() % 3, .count = 4, .body_size = 200, .replace = rand() % 2};
        int status =
            rand() % 3 == 0 ? archive_remove(home, name, &error) : fixture_write(home, &recording, &error);
        if (status < 0 && error.code != ARCHIVE_NOT_FOUND && error.code != ARCHIVE_EXISTS) {
            fprintf(stderr, "writer: %s\n", error.message);
            return 1;
        }
    }
    return 0;
}

HOME_TEST(test_writers_and_readers_at_once) {
    pid_t writers[WRITERS];
    fflush(NULL);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) _exit(write_and_remove(home, i + 1));
    }
    unsigned opened = 0;
    for (int running = WRITERS; running > 0;) {
        struct recording recording;
        char why[512];
        for (const char *name = "a"; name; name = strcmp(name, "a") == 0 ? "b" : NULL) {
            if (recording_open(&recording, home, name, why, sizeof why) < 0) {
                if (!strstr(why, "not in the archive") && !strstr(why, "no archive here") &&
                    !strstr(why, "no recording here yet")) // while it is being made
                    fail_msg("%s", why);
                continue;
            }
            assert_int_equal(recording.exchange_count, 4);
            assert_memory_equal(recording.exchanges[0].body, "shared", 6);
            assert_memory_equal(recording.exchanges[1].body, "seed", 4);
            recording_close(&recording);
            opened++;
        }
        int status;
        if (waitpid(-1, &status, WNOHANG) <= 0) continue;
        running--;
        assert_int_equal(status, 0);
    }
    assert_true(opened > 0);
    fixture_check_whole(home);
    assert_int_equal(fixture_count_staged(home), 0);
    struct archive_error error;
    archive_remove(home, "a", &error);
    archive_remove(home, "b", &error);
    assert_int_equal(fixture_count_bodies(home), 0);
}

// A view of a stranger's archive may not call what only a program may (fts3_tokenizer and the like).
HOME_TEST(test_strangers_schema_is_not_trusted) {
    struct archive_error error;
    sqlite3 *db;
    assert_int_equal(archive_db_open_to_write(&db, home, &error), 0);
    int is_trusted = -1, is_defensive = -1;
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &is_trusted);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is_defensive);
    sqlite3_close(db);
    assert_int_equal(is_trusted, 0);
    assert_int_equal(is_defensive, 1);
}

enum { MAKERS = 6, NEW_ARCHIVES = 40 };

// Whoever comes while another makes the archive finds none or a whole one, never a stranger's.
static int make_and_list(const char *home, bool reads) {
    struct archive_error error;
    sqlite3 *db;
    int status =
        reads ? archive_db_open_to_read(&db, home, &error) : archive_db_open_to_write(&db, home, &error);
    if (status < 0) fprintf(stderr, "%s: %s\n", reads ? "reader" : "maker", error.message);
    if (status == 0) sqlite3_close(db);
    return status == 0 ? 0 : 1;
}

HOME_TEST(test_made_by_several_at_once) {
    for (int round = 0; round < NEW_ARCHIVES; round++) {
        int gate[2]; // closed by its last holder when all are there: they begin together
        assert_int_equal(pipe(gate), 0);
        fflush(NULL);
        for (int i = 0; i < MAKERS; i++) {
            if (fork() != 0) continue;
            char nothing;
            close(gate[1]);
            _exit(read(gate[0], &nothing, 1) == 0 ? make_and_list(home, i % 2 == 0) : 2);
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < MAKERS; i++) {
            int status;
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        fixture_empty(home);
    }
}

// A body that another writer has uploaded and not committed yet outlives a sweep, and is there when it
// commits.
HOME_TEST(test_swept_while_uploading) {
    struct archive_transaction *transaction;
    struct archive_error error;
    struct fixture_recording uploading = {.name = "b", .seed = 1, .count = 4, .body_size = 200};
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 200);
    assert_int_equal(fixture_begin(&transaction, home, &uploading, &error), 0);
    assert_int_equal(fixture_fill(transaction, &uploading, &error), 0);
    assert_int_equal(archive_remove(home, "a", &error), 0);
    assert_int_equal(fixture_count_bodies(home), 0);
    assert_int_equal(fixture_commit(transaction, NULL, &error), 0);
    assert_int_equal(fixture_count_bodies(home), 4);
    assert_int_equal(fixture_check_whole(home), 1);
}
