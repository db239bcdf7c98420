// Archives of every version that ever was are migrated after a copy is kept, by one of several programs;
// killed at any moment, or on a home that cannot be written, they are as they were and are read.
#include "archive/archive_db.h"
#include "archive/archive_fixture.h"
#include "archive/archive_listing.h"
#include "archive/archive_migration.h"
#include "archive/mount_namespace.h"
#include "archive/recording.h"
#include "archive/run_and_kill.h"
#include "test/native/cmocka_unit.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

// test/fixtures/databases: each has the recording "page", of two exchanges and id 1; 2 and 3 were removed.
static const char *const fixtures[] = {"archive_1a.sql", "archive_1b.sql"};
enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 16) - 1, file), 1, (1 << 16) - 2);
    fclose(file);
    return text;
}

static void run(const char *path, const char *text) {
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", path, why);
    sqlite3_close(db);
}

static void make_fixture(const char *home, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/test/fixtures/databases/%s", TRILANE_ROOT, name);
    char *text = read_text(path);
    fixture_empty(home);
    run(fixture_path(home, "archive.db"), text);
    free(text);
}

// The first column of the first row, as a number.
static int64_t number(const char *path, const char *query) {
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

static int version_of(const char *home, const char *name) {
    return (int)number(fixture_path(home, name), "PRAGMA user_version");
}

static size_t count_files(const char *home, const char *part) {
    DIR *folder = opendir(home);
    assert_non_null(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += strstr(entry->d_name, part) != NULL;
    closedir(folder);
    return count;
}

// As trilane-replay and as trilane-host read it. 0, or -1.
static int read_page(const char *home) {
    struct recording recording;
    struct archive_error error;
    char why[512];
    json_t *shown;
    if (recording_open(&recording, home, "page", why, sizeof why) < 0) {
        fprintf(stderr, "%s\n", why);
        return -1;
    }
    int status = recording.exchange_count == 2 && recording.exchanges[1].server_time_ns == 12000000 ? 0 : -1;
    recording_close(&recording);
    if (archive_show(&shown, home, "page", 0, &error) < 0) return -1;
    const json_t *row = json_object_get(shown, "recording");
    if (json_integer_value(json_object_get(row, "id")) != 1) status = -1;
    if (!json_is_null(json_object_get(row, "recorded_at"))) status = -1;
    if (json_array_size(json_object_get(shown, "exchanges")) != 2) status = -1;
    json_decref(shown);
    return status;
}

// Tables and indices as text, without what says nothing: comments, white space, quotes.
static char *schema_of(const char *path) {
    sqlite3 *db;
    sqlite3_stmt *statement;
    char *text = calloc(1, 1 << 16), *end = text;
    assert_non_null(text);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (const char *at = (const char *)sqlite3_column_text(statement, 0); *at; at++) {
            if (at[0] == '-' && at[1] == '-') at += strcspn(at, "\n");
            if (!strchr(" \n\"", *at)) *end++ = *at;
        }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return text;
}

HOME_TEST(test_every_version) {
    struct archive_error error;
    for (size_t i = 0; i < FIXTURES; i++) {
        make_fixture(home, fixtures[i]);
        char *before = schema_of(fixture_path(home, "archive.db"));
        assert_int_equal(read_page(home), 0);
        assert_int_equal(version_of(home, "archive.db"), archive_version());
        assert_int_equal(count_files(home, "backup"), 1);
        assert_int_equal(version_of(home, "archive.db.v1-backup"), 1);
        char *copy = schema_of(fixture_path(home, "archive.db.v1-backup"));
        assert_string_equal(copy, before);

        char *migrated = schema_of(fixture_path(home, "archive.db"));
        FIXTURE_WRITE(home, .name = "next", .seed = 1, .count = 1);
        // Ids that were given in the first archives are not known.
        assert_int_equal(
            number(fixture_path(home, "archive.db"), "SELECT id FROM recording WHERE name = 'next'"),
            strstr(before, "AUTOINCREMENT") ? 4 : 2);
        // What hangs on it goes with it, also after its table took another's place.
        assert_int_equal(archive_remove(home, "page", &error), 0);
        assert_int_equal(
            number(fixture_path(home, "archive.db"), "SELECT count(*) FROM exchange WHERE recording = 1"), 0);

        fixture_empty(home);
        FIXTURE_WRITE(home, .name = "new", .seed = 1, .count = 1);
        char *made = schema_of(fixture_path(home, "archive.db"));
        assert_string_equal(migrated, made);
        assert_int_equal(version_of(home, "archive.db"), archive_version());
        free(before);
        free(copy);
        free(migrated);
        free(made);
    }
}

HOME_TEST(test_earlier_copies_stay) {
    make_fixture(home, fixtures[0]);
    fixture_write_file(fixture_path(home, "archive.db.v1-backup"), "another", 7);
    fixture_write_file(fixture_path(home, "archive.db.v1-backup.part"), "of a killed program", 19);
    assert_int_equal(read_page(home), 0);
    struct stat info;
    assert_int_equal(stat(fixture_path(home, "archive.db.v1-backup"), &info), 0);
    assert_int_equal(info.st_size, 7);
    assert_int_equal(version_of(home, "archive.db.v1-backup-2"), 1);
    assert_int_equal(count_files(home, "part"), 0);
}

HOME_TEST(test_killed_at_any_call) {
    bool ended = false;
    unsigned calls = 0, earlier = 0;
    for (; !ended; calls++) {
        make_fixture(home, fixtures[1]);
        ended = run_and_kill(read_page, home, calls);
        // As a journal left it: who only looks must not roll it back, so that the next program has to.
        assert_int_equal(read_page(home), 0);
        assert_int_equal(version_of(home, "archive.db"), archive_version());
        assert_int_equal(version_of(home, "archive.db.v1-backup"), 1);
        // Killed after its copy had a name: there are two.
        earlier += count_files(home, "backup") > 1;
        assert_int_equal(count_files(home, "part"), 0);
        assert_int_equal(number(fixture_path(home, "archive.db"),
                                "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
                         0);
    }
    assert_true(calls > 20 && earlier > 0); // else nothing was killed at all
}

HOME_TEST(test_several_at_once) {
    enum { READERS = 6, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        make_fixture(home, fixtures[1]);
        int gate[2];
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < READERS; i++)
            if (fork() == 0) {
                char byte;
                close(gate[1]);
                _exit(read(gate[0], &byte, 1) == 0 && read_page(home) == 0 ? 0 : 1);
            }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < READERS; i++) {
            int status;
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        assert_int_equal(count_files(home, "backup"), 1);
        assert_int_equal(version_of(home, "archive.db"), archive_version());
    }
}

HOME_TEST(test_a_failed_one_leaves_no_copy) {
    make_fixture(home, fixtures[1]);
    // A table of the name that the migration is to make.
    run(fixture_path(home, "archive.db"), "CREATE TABLE recording_dated (clash)");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_page(home), -1);
        assert_int_equal(count_files(home, "backup"), 0);
    }
    assert_int_equal(version_of(home, "archive.db"), 1);
    run(fixture_path(home, "archive.db"), "DROP TABLE recording_dated");
    assert_int_equal(read_page(home), 0);
    assert_int_equal(count_files(home, "backup"), 1);
}

HOME_TEST(test_one_that_an_earlier_version_makes_meanwhile) {
    sqlite3 *maker;
    int gate[2];
    fixture_empty(home);
    assert_int_equal(pipe(gate), 0);
    fflush(NULL);
    // Begun first: connections must not be taken along.
    pid_t pid = fork();
    if (pid == 0) {
        sqlite3 *db;
        struct archive_error error;
        char byte;
        close(gate[1]);
        alarm(60);
        if (read(gate[0], &byte, 1) == 0 && archive_db_open_to_write(&db, home, &error) == 0) _exit(0);
        fprintf(stderr, "%s\n", error.message);
        _exit(1);
    }
    close(gate[0]);
    assert_int_equal(sqlite3_open(fixture_path(home, "archive.db"), &maker), SQLITE_OK);
    assert_int_equal(sqlite3_exec(maker, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    close(gate[1]);
    // It finds nothing in it, and waits for the lock. Where that takes longer, nothing is tested.
    usleep(300000);
    char path[512];
    snprintf(path, sizeof path, "%s/test/fixtures/databases/%s", TRILANE_ROOT, fixtures[1]);
    char *text = read_text(path);
    assert_int_equal(sqlite3_exec(maker, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(maker, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(maker);
    free(text);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(version_of(home, "archive.db"), archive_version());
    assert_int_equal(count_files(home, "backup"), 1);
}

HOME_TEST(test_a_copy_in_memory_trusts_no_schema) {
    struct archive_error error;
    sqlite3 *db, *copy;
    int trusted, defensive;
    make_fixture(home, fixtures[0]);
    assert_int_equal(sqlite3_open(fixture_path(home, "archive.db"), &db), SQLITE_OK);
    assert_int_equal(archive_migrate_in_memory(&copy, db, home, &error), 0);
    assert_int_equal(sqlite3_db_config(copy, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &trusted), SQLITE_OK);
    assert_int_equal(sqlite3_db_config(copy, SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive), SQLITE_OK);
    assert_int_equal(trusted, 0);
    assert_int_equal(defensive, 1);
    sqlite3_close(copy);
    sqlite3_close(db);
}

// ---- Homes that cannot be written ----

// In a child with mounts of its own. 0 where all is as it should be, else the number of what is not.
static int read_unwritable(const char *home, bool full) {
    struct archive_error error;
    char from[512];
    snprintf(from, sizeof from, "%s-kept", home);
    enter_mount_namespace();
    if (full) {
        if (rename(fixture_path(home, "archive.db"), from) < 0) return 2;
        if (mount("tmpfs", home, "tmpfs", 0, "size=56k,mode=0700") < 0) return 3; // the archive has 44 kB
        char command[1200];
        snprintf(command, sizeof command, "cp %s %s/archive.db", from, home);
        if (system(command) != 0) return 4;
    } else if (mount(home, home, NULL, MS_BIND, NULL) < 0 ||
               mount(NULL, home, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0)
        return 5;
    if (read_page(home) < 0) return 6;
    if (archive_remove(home, "page", &error) == 0) return 7;
    if (error.code != (full ? ARCHIVE_DISK_FULL : ARCHIVE_READ_ONLY)) {
        fprintf(stderr, "%s\n", error.message);
        return 8;
    }
    if (version_of(home, "archive.db") != 1 || count_files(home, "backup") != 0) return 9;
    return 0;
}

HOME_TEST(test_unwritable_homes) {
    for (int full = 0; full < 2; full++) {
        make_fixture(home, fixtures[1]);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) _exit(read_unwritable(home, full));
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        char kept[512];
        snprintf(kept, sizeof kept, "%s-kept", home);
        if (full) assert_int_equal(unlink(kept), 0);
    }
}
