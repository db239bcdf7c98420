// Recordings written, listed, shown, replaced and removed; archives that are not ours refused. Over 500
// lines: one short test a promise, all on one fixture.
#include "archive/archive_fixture.h"

#include "archive/archive_listing.h"
#include "archive/recording.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <limits.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// The recording as listed; borrowed until the next call.
static const json_t *listed(const char *home, const char *name) {
    static json_t *list;
    struct archive_error error;
    json_decref(list);
    list = NULL;
    assert_int_equal(archive_list(&list, home, "", &error), 0);
    size_t i;
    json_t *recording;
    json_array_foreach(json_object_get(list, "recordings"), i,
                       recording) if (strcmp(json_string_value(json_object_get(recording, "name")), name) ==
                                      0) return recording;
    json_decref(list);
    list = NULL;
    return NULL;
}

static char *digest_of(const char *home, const char *name) {
    char *digest = strdup(json_string_value(json_object_get(listed(home, name), "digest")));
    assert_non_null(digest);
    listed(home, "");
    return digest;
}

static json_int_t id_of(const char *home, const char *name) {
    json_int_t id = json_integer_value(json_object_get(listed(home, name), "id"));
    listed(home, "");
    return id;
}

static void expect_error(int status, const struct archive_error *error, enum archive_code code,
                         const char *names) {
    assert_int_equal(status, -1);
    assert_string_equal(archive_code_name(error->code), archive_code_name(code));
    if (!strstr(error->message, names)) fail_msg("\"%s\" does not name %s", error->message, names);
    assert_null(strchr(error->message, '\n'));
    assert_true(strlen(error->remedy) > 0);
}

HOME_TEST(test_written_is_read) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 5000);
    struct recording recording;
    char why[512];
    assert_int_equal(recording_open(&recording, home, "a", why, sizeof why), 0);
    assert_string_equal(recording.url, "https://www.example.org/");
    assert_int_equal(recording.exchange_count, 4);
    const struct recorded_exchange *exchange = &recording.exchanges[1];
    assert_int_equal(exchange->seq, 1);
    assert_string_equal(exchange->method, "GET");
    assert_string_equal(exchange->scheme, "https");
    assert_string_equal(exchange->host, "cdn.example.net");
    assert_int_equal(exchange->port, 443);
    assert_string_equal(exchange->path, "/1?seed=1");
    assert_string_equal(exchange->address, "2001:db8::7");
    assert_int_equal(exchange->status, 200);
    assert_int_equal(exchange->header_count, 2);
    assert_string_equal(exchange->headers[0].name, "content-type");
    assert_int_equal(exchange->body_size, 5000);
    assert_memory_equal(exchange->body, "seed 1 exchange 1", 17);
    assert_memory_equal(recording.exchanges[0].body, "shared", 6);
    assert_null(recording.exchanges[3].body);
    recording_close(&recording);

    const json_t *row = listed(home, "a");
    static const struct {
        const char *field;
        json_int_t value;
    } numbers[] = {{"exchanges", 4}, {"hosts", 2}, {"addresses", 2}, {"body_bytes", 10006}, {"filled", 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(json_integer_value(json_object_get(row, numbers[i].field)), numbers[i].value);
    assert_string_equal(json_string_value(json_object_get(row, "source")), "test");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(row, "notes"), "seed")), 1);
    int year, month, day, hour, minute, second, end = 0;
    const char *created_at = json_string_value(json_object_get(row, "created_at"));
    sscanf(created_at, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &end);
    assert_int_equal(end, strlen(created_at));
    listed(home, "");
}

HOME_TEST(test_notes_of_the_commit) {
    struct archive_transaction *transaction;
    struct archive_error error;
    struct fixture_recording recording = {.name = "a", .count = 1};
    json_t *notes = json_pack("{s:i}", "late", 7);
    assert_int_equal(fixture_begin(&transaction, home, &recording, &error), 0);
    assert_int_equal(fixture_fill(transaction, &recording, &error), 0);
    assert_int_equal(fixture_commit(transaction, notes, &error), 0);
    assert_true(json_equal(json_object_get(listed(home, "a"), "notes"), notes));
    listed(home, "");
    json_decref(notes);
}

HOME_TEST(test_bodies_are_stored_once) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 100);
    assert_int_equal(fixture_count_bodies(home), 4); // request, shared, two of its own
    FIXTURE_WRITE(home, .name = "same", .seed = 1, .count = 4, .body_size = 100);
    assert_int_equal(fixture_count_bodies(home), 4);
    FIXTURE_WRITE(home, .name = "other", .seed = 2, .count = 4, .body_size = 100);
    assert_int_equal(fixture_count_bodies(home), 6);
    assert_int_equal(fixture_count_staged(home), 0);
    assert_int_equal(fixture_check_whole(home), 3);
}

// What was synced, in order, since synced_count was 0: this program's fsync and fdatasync are all code's in
// it.
static char synced[256][PATH_MAX];
static size_t synced_count;

static int note_and_sync(int fd, long number) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (synced_count < sizeof synced / sizeof *synced) {
        ssize_t size = readlink(link, synced[synced_count], PATH_MAX - 1);
        synced[synced_count++][size > 0 ? size : 0] = '\0';
    }
    return (int)syscall(number, fd);
}

int fsync(int fd) {
    return note_and_sync(fd, SYS_fsync);
}

int fdatasync(int fd) {
    return note_and_sync(fd, SYS_fdatasync);
}

static size_t when_synced(const char *path) {
    for (size_t i = 0; i < synced_count; i++)
        if (strcmp(synced[i], path) == 0) return i;
    return SIZE_MAX;
}

// A writer that is killed may leave bodies on their shelves that are not synced there, and the next one finds
// them: they and their shelves are on the disk before a row says that they are.
HOME_TEST(test_found_bodies_are_synced_before_their_rows) {
    FIXTURE_WRITE(home, .name = "one", .seed = 1, .count = 4, .body_size = 200);
    synced_count = 0;
    FIXTURE_WRITE(home, .name = "two", .seed = 1, .count = 4, .body_size = 200);
    size_t rows = when_synced(fixture_path(home, "archive.db"));
    assert_true(rows < SIZE_MAX);
    assert_true(when_synced(fixture_path(home, "bodies")) < rows);
    unsigned shelves = 0;
    for (unsigned i = 0; i < 256; i++) {
        char name[16];
        snprintf(name, sizeof name, "bodies/%02x", i);
        if (access(fixture_path(home, name), F_OK) < 0) continue;
        assert_true(when_synced(fixture_path(home, name)) < rows);
        shelves++;
    }
    assert_true(shelves > 2);
}

HOME_TEST(test_digest_is_of_the_exchanges) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 100);
    FIXTURE_WRITE(home, .name = "same", .seed = 1, .count = 4, .body_size = 100);
    FIXTURE_WRITE(home, .name = "body", .seed = 1, .count = 4, .body_size = 101);
    FIXTURE_WRITE(home, .name = "seed", .seed = 2, .count = 4, .body_size = 100);
    FIXTURE_WRITE(home, .name = "count", .seed = 1, .count = 3, .body_size = 100);
    char *a = digest_of(home, "a"), *same = digest_of(home, "same");
    assert_string_equal(a, same);
    free(same);
    static const char *const others[] = {"body", "seed", "count"};
    for (size_t i = 0; i < 3; i++) {
        char *other = digest_of(home, others[i]);
        assert_string_not_equal(a, other);
        free(other);
    }
    // Computed by another program from the description in recording_digest.h.
    FIXTURE_WRITE(home, .name = "one", .seed = 3, .count = 1, .body_size = 0);
    char *one = digest_of(home, "one");
    assert_string_equal(one, "4fa38b7d3b0f4f9fa31068d39894fc7e30759c431b421acd28c811fd4b3b3377");
    free(one);
    free(a);
}

HOME_TEST(test_name_taken) {
    struct archive_error error;
    struct archive_transaction *late;
    struct fixture_recording again = {.name = "a", .seed = 2, .count = 3, .body_size = 100};
    assert_int_equal(fixture_begin(&late, home, &again, &error), 0); // nobody has the name yet
    assert_int_equal(fixture_fill(late, &again, &error), 0);
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 3, .body_size = 100);
    expect_error(fixture_write(home, &again, &error), &error, ARCHIVE_EXISTS, "\"a\"");
    expect_error(fixture_commit(late, NULL, &error), &error, ARCHIVE_EXISTS, "\"a\"");
    assert_int_equal(fixture_check_whole(home), 1);
    assert_int_equal(fixture_count_bodies(home), 3);
    assert_int_equal(fixture_count_staged(home), 0);
}

HOME_TEST(test_replaced) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 100);
    char *before = digest_of(home, "a");
    json_int_t id_before = id_of(home, "a");
    FIXTURE_WRITE(home, .name = "a", .seed = 2, .count = 4, .body_size = 100, .replace = true);
    char *after = digest_of(home, "a");
    assert_string_not_equal(before, after);
    assert_true(id_of(home, "a") > id_before);
    free(before);
    free(after);
    assert_int_equal(fixture_check_whole(home), 1);
    assert_int_equal(fixture_count_bodies(home), 4); // those of the old one are gone
}

HOME_TEST(test_removed) {
    struct archive_error error;
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 4, .body_size = 100);
    FIXTURE_WRITE(home, .name = "b", .seed = 2, .count = 4, .body_size = 100);
    // What a crash between the renaming and the commit leaves.
    mkdir(fixture_path(home, "bodies/00"), 0700);
    char orphan[128] = "bodies/00/";
    memset(orphan + 10, '0', SHA256_HEX_SIZE);
    fixture_write_file(fixture_path(home, orphan), "orphan", 6);
    assert_int_equal(fixture_count_bodies(home), 7);
    assert_int_equal(archive_remove(home, "a", &error), 0);
    assert_int_equal(fixture_count_bodies(home), 4); // b's, with what it shared with a
    assert_int_equal(fixture_check_whole(home), 1);
    expect_error(archive_remove(home, "a", &error), &error, ARCHIVE_NOT_FOUND, "\"a\"");
    assert_int_equal(archive_remove(home, "b", &error), 0);
    assert_int_equal(fixture_count_bodies(home), 0);
    assert_int_equal(fixture_check_whole(home), 0);
}

HOME_TEST(test_aborted) {
    struct archive_transaction *transaction;
    struct archive_error error;
    struct fixture_recording recording = {.name = "a", .seed = 1, .count = 4, .body_size = 100};
    assert_int_equal(fixture_begin(&transaction, home, &recording, &error), 0);
    assert_int_equal(fixture_fill(transaction, &recording, &error), 0);
    archive_abort(transaction);
    assert_int_equal(fixture_check_whole(home), 0);
    assert_int_equal(fixture_count_bodies(home), 0);
    assert_int_equal(fixture_count_staged(home), 0);
}

HOME_TEST(test_no_exchange) {
    struct archive_transaction *transaction;
    struct archive_error error;
    struct fixture_recording recording = {.name = "a"};
    assert_int_equal(fixture_begin(&transaction, home, &recording, &error), 0);
    expect_error(fixture_commit(transaction, NULL, &error), &error, ARCHIVE_INVALID, "\"a\"");
    assert_int_equal(fixture_check_whole(home), 0);
}

HOME_TEST(test_damaged_body_is_healed) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 1);
    // SHA-256 of "shared".
    const char *shared = "bodies/a4/a4d26868017c0ccffe2efe50944ef4211834660cca834c6e9f86dec6a88246fa";
    assert_int_equal(truncate(fixture_path(home, shared), 3), 0);
    struct recording recording;
    char why[512];
    assert_int_equal(recording_open(&recording, home, "a", why, sizeof why), -1);
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 1, .replace = true);
    assert_int_equal(fixture_check_whole(home), 1);
}

HOME_TEST(test_damaged_body_of_the_same_size_is_healed) {
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 1);
    const char *shared = "bodies/a4/a4d26868017c0ccffe2efe50944ef4211834660cca834c6e9f86dec6a88246fa";
    fixture_write_file(fixture_path(home, shared), "shaReD", 6);
    FIXTURE_WRITE(home, .name = "a", .seed = 1, .count = 1, .replace = true);
    struct recording recording;
    char why[512];
    assert_int_equal(recording_open(&recording, home, "a", why, sizeof why), 0);
    assert_memory_equal(recording.exchanges[0].body, "shared", 6);
    recording_close(&recording);
    assert_int_equal(fixture_check_whole(home), 1);
    assert_int_equal(fixture_count_staged(home), 0);
}

HOME_TEST(test_nothing_there) {
    const char *nowhere = fixture_path(home, "not/there");
    struct archive_error error;
    json_t *list;
    assert_int_equal(archive_list(&list, nowhere, "", &error), 0);
    assert_int_equal(json_array_size(json_object_get(list, "recordings")), 0);
    json_decref(list);
    expect_error(archive_show(&list, nowhere, "a", 0, &error), &error, ARCHIVE_NOT_FOUND, "\"a\"");
    expect_error(archive_remove(nowhere, "a", &error), &error, ARCHIVE_NOT_FOUND, "\"a\"");
    assert_int_equal(access(fixture_path(home, "not"), F_OK), -1);
    char *kept = strdup(fixture_path(home, "not/there"));
    FIXTURE_WRITE(kept, .name = "a", .count = 2, .body_size = 100);
    assert_int_equal(fixture_check_whole(kept), 1);
    free(kept);
}

static void sql(const char *home, const char *text) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(fixture_path(home, "archive.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

// Reads and writes refuse the archive alike, and leave the file as it is.
static void expect_refused(const char *home, enum archive_code code) {
    struct stat before, after;
    struct archive_error error;
    json_t *list;
    assert_int_equal(stat(fixture_path(home, "archive.db"), &before), 0);
    expect_error(archive_list(&list, home, "", &error), &error, code, home);
    expect_error(archive_remove(home, "a", &error), &error, code, home);
    expect_error(fixture_write(home, &(struct fixture_recording){.name = "a", .count = 1}, &error), &error,
                 code, home);
    assert_int_equal(stat(fixture_path(home, "archive.db"), &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

HOME_TEST(test_other_databases_are_refused) {
    sql(home, "CREATE TABLE stranger (x)");
    expect_refused(home, ARCHIVE_FOREIGN);
    sql(home, "PRAGMA application_id = 7; DROP TABLE stranger");
    expect_refused(home, ARCHIVE_FOREIGN);
    fixture_empty(home);
    fixture_write_file(fixture_path(home, "archive.db"),
                       "This is a letter and not a database. It is long enough.", 55);
    expect_refused(home, ARCHIVE_FOREIGN);
    fixture_empty(home);
    FIXTURE_WRITE(home, .name = "a", .count = 1);
    sql(home, "PRAGMA user_version = 99");
    expect_refused(home, ARCHIVE_NEWER);
}

// The journal of a writer that was killed, which names a file as pager.c does: page, name, its length, its
// sum, the mark.
static void leave_journal(const char *home, const char *named) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        sqlite3 *db;
        if (sqlite3_open(fixture_path(home, "archive.db"), &db) != SQLITE_OK) _exit(1);
        _exit(sqlite3_exec(db,
                           "PRAGMA cache_size = 1; BEGIN; DELETE FROM recording; CREATE TABLE large (a);"
                           "INSERT INTO large VALUES (randomblob(200000))",
                           NULL, NULL, NULL));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    if (!named) return;
    FILE *file = fopen(fixture_path(home, "archive.db-journal"), "a");
    assert_non_null(file);
    uint32_t sum = 0, size = (uint32_t)strlen(named);
    for (const char *at = named; *at; at++)
        sum += (uint32_t)*at;
    const uint32_t numbers[] = {htonl(size), htonl(sum)};
    fprintf(file, "%c%c%c%c%s", 0, 0, 0, 0, named);
    assert_int_equal(fwrite(numbers, 1, sizeof numbers, file), sizeof numbers);
    assert_int_equal(fwrite("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 1, 8, file), 8);
    assert_int_equal(fclose(file), 0);
}

HOME_TEST(test_a_journal_that_names_another_file_is_refused) {
    struct archive_error error;
    json_t *list;
    FIXTURE_WRITE(home, .name = "a", .count = 1);
    leave_journal(home, NULL);
    assert_int_equal(fixture_check_whole(home), 1); // played back

    char *victim = strdup(fixture_path(home, "victim"));
    assert_non_null(victim);
    fixture_write_file(victim, "precious", 8);
    leave_journal(home, victim);
    expect_refused(home, ARCHIVE_FOREIGN);
    assert_int_equal(access(victim, F_OK), 0);

    // The journal lies beside the file, not beside a symlink to it.
    char *linked = strdup(fixture_path(home, "linked"));
    assert_non_null(linked);
    assert_int_equal(mkdir(linked, 0700), 0);
    assert_int_equal(symlink("../archive.db", fixture_path(linked, "archive.db")), 0);
    expect_error(archive_list(&list, linked, "", &error), &error, ARCHIVE_FOREIGN, "archive.db-journal");
    assert_int_equal(access(victim, F_OK), 0);
    free(linked);
    free(victim);
}

// A maker that was killed leaves an empty file.
HOME_TEST(test_empty_database_is_taken) {
    fixture_write_file(fixture_path(home, "archive.db"), "", 0);
    assert_int_equal(fixture_check_whole(home), 0);
    FIXTURE_WRITE(home, .name = "a", .count = 1);
    assert_int_equal(fixture_check_whole(home), 1);
}

HOME_TEST(test_pages) {
    enum { RECORDINGS = 30, EXCHANGES = 40, NOTE_SIZE = 20000 };
    struct archive_error error;
    char note[NOTE_SIZE + 1], name[16];
    memset(note, 'n', NOTE_SIZE);
    note[NOTE_SIZE] = '\0';
    json_t *notes = json_pack("{s:s}", "note", note);
    for (int i = 0; i < RECORDINGS; i++) {
        struct archive_transaction *transaction;
        snprintf(name, sizeof name, "r%02d", i);
        struct fixture_recording recording = {.name = name, .count = i == 0 ? EXCHANGES : 1, .body_size = 1};
        assert_int_equal(fixture_begin(&transaction, home, &recording, &error), 0);
        assert_int_equal(fixture_fill(transaction, &recording, &error), 0);
        assert_int_equal(fixture_commit(transaction, notes, &error), 0);
    }
    json_decref(notes);
    char after[16] = "";
    int pages = 0, seen = 0;
    for (bool more = true; more; pages++) {
        json_t *page;
        assert_int_equal(archive_list(&page, home, after, &error), 0);
        size_t i;
        json_t *recording;
        json_array_foreach(json_object_get(page, "recordings"), i, recording) {
            snprintf(name, sizeof name, "r%02d", seen++);
            assert_string_equal(json_string_value(json_object_get(recording, "name")), name);
        }
        assert_true(json_dumpb(page, NULL, 0, 0) < 1024 * 1024);
        const char *next = json_string_value(json_object_get(page, "next"));
        more = next != NULL;
        if (more) snprintf(after, sizeof after, "%s", next);
        json_decref(page);
    }
    assert_int_equal(seen, RECORDINGS);
    assert_in_range(pages, 3, 4); // 600 kB of notes in pages of 256 KiB

    // Wide rows, so that one recording's exchanges take several pages.
    char wide[256];
    snprintf(wide, sizeof wide,
             "UPDATE exchange SET recorded = '{\"x\":\"' || printf('%%.*c', %d, 'x') || '\"}'", NOTE_SIZE);
    sql(home, wide);
    seen = pages = 0;
    for (bool more = true; more; pages++) {
        json_t *page;
        assert_int_equal(archive_show(&page, home, "r00", seen, &error), 0);
        size_t i;
        json_t *exchange;
        json_array_foreach(json_object_get(page, "exchanges"), i, exchange)
            assert_int_equal(json_integer_value(json_object_get(exchange, "seq")), seen++);
        const json_t *next = json_object_get(page, "next");
        more = json_is_integer(next);
        if (more) assert_int_equal(json_integer_value(next), seen);
        json_decref(page);
    }
    assert_int_equal(seen, EXCHANGES);
    assert_in_range(pages, 4, 5);
}
