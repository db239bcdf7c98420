// The power goes in the midst of an import. All that the archive does to its bodies is recorded, in order,
// beside the moment at which SQLite commits (which is SQLite's own promise, by the settings that are tested
// here). After each step the disk is made as it may be found then: what was not synced is missing, or the
// names are there and the bytes are not. In each such home the archive opens, each recording is whole, and
// there are those from before or those from after.
#include "archive/archive_db.h"
#include "archive/archive_fixture.h"
#include "test/native/cmocka_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Recorded ----

enum kind { MAKE_FOLDER, MAKE_FILE, WRITE, SYNC, SYNC_ALL, RENAME, REMOVE, BEGIN, COMMIT };
enum { STEPS_MAX = 4096, PATH_SIZE = 160 };

// Paths from the home on, which is "".
struct step {
    enum kind kind;
    char path[PATH_SIZE], to[PATH_SIZE];
    size_t size; // written
};

static struct {
    const char *home; // NULL: nothing is recorded
    struct step steps[STEPS_MAX];
    size_t count;
} record;

// The file behind `fd`, or `name` in the folder there.
static bool place(char path[PATH_SIZE], int fd, const char *name) {
    char link[64], whole[PATH_MAX] = "";
    if (!record.home) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd != AT_FDCWD && readlink(link, whole, sizeof whole - 1) < 0) return false;
    size_t size = strlen(record.home);
    if (strncmp(whole, record.home, size) != 0) return false;
    snprintf(path, PATH_SIZE, "%s%s%s", whole[size] == '/' ? whole + size + 1 : whole + size,
             name && whole[size] ? "/" : "", name ? name : "");
    return true;
}

static struct step *add(enum kind kind, int fd, const char *name) {
    char path[PATH_SIZE];
    if (!place(path, fd, name)) return NULL;
    assert_true(record.count < STEPS_MAX);
    struct step *step = &record.steps[record.count++];
    *step = (struct step){.kind = kind};
    memcpy(step->path, path, sizeof path);
    return step;
}

// The linker gives the archive's own calls to these (CMakeLists.txt); SQLite's go to the C library.
int __real_openat(int at, const char *name, int flags, mode_t mode);
int __real_mkdirat(int at, const char *name, mode_t mode);
int __real_renameat(int from, const char *name, int to, const char *other);
int __real_unlinkat(int at, const char *name, int flags);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_fsync(int fd);
int __real_syncfs(int fd);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *context, char **error);
int __wrap_openat(int at, const char *name, int flags, mode_t mode);
int __wrap_mkdirat(int at, const char *name, mode_t mode);
int __wrap_renameat(int from, const char *name, int to, const char *other);
int __wrap_unlinkat(int at, const char *name, int flags);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_fsync(int fd);
int __wrap_syncfs(int fd);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *context, char **error);

int __wrap_openat(int at, const char *name, int flags, mode_t mode) {
    int fd = __real_openat(at, name, flags, mode);
    if (fd >= 0 && (flags & O_CREAT)) add(MAKE_FILE, at, name);
    return fd;
}

int __wrap_mkdirat(int at, const char *name, mode_t mode) {
    int status = __real_mkdirat(at, name, mode);
    if (status == 0) add(MAKE_FOLDER, at, name);
    return status;
}

int __wrap_renameat(int from, const char *name, int to, const char *other) {
    struct step *step = add(RENAME, from, name);
    if (step) assert_true(place(step->to, to, other));
    return __real_renameat(from, name, to, other);
}

int __wrap_unlinkat(int at, const char *name, int flags) {
    int status = __real_unlinkat(at, name, flags);
    if (status == 0) add(REMOVE, at, name);
    return status;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
    struct step *step = add(WRITE, fd, NULL);
    if (step) step->size = size;
    return __real_write(fd, bytes, size);
}

int __wrap_fsync(int fd) {
    add(SYNC, fd, NULL);
    return __real_fsync(fd);
}

int __wrap_syncfs(int fd) {
    add(SYNC_ALL, fd, NULL);
    return __real_syncfs(fd);
}

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *context, char **error) {
    bool commits = record.home && strcmp(sql, "COMMIT") == 0;
    if (commits) record.steps[record.count++] = (struct step){.kind = BEGIN};
    int status = __real_sqlite3_exec(db, sql, each, context, error);
    if (commits) record.steps[record.count++] = (struct step){.kind = COMMIT};
    return status;
}

// ---- The disk ----

enum { FILES_MAX = 1024 };

// `synced`: so many bytes are on the disk. A name is on the disk once the folder that has it is synced.
struct file {
    char now[PATH_SIZE], on_disk[PATH_SIZE]; // "": has no name
    bool is_folder;
    size_t size, synced;
};

static struct {
    struct file files[FILES_MAX];
    size_t count;
} disk;

static struct file *find(const char *path) {
    for (size_t i = 0; i < disk.count; i++)
        if (strcmp(disk.files[i].now, path) == 0) return &disk.files[i];
    return NULL;
}

static bool is_in(const char *path, const char *folder) {
    size_t size = strlen(folder);
    const char *rest = size == 0 ? path : path + size + 1;
    return path[0] != '\0' && (size == 0 || (strncmp(path, folder, size) == 0 && path[size] == '/')) &&
           !strchr(rest, '/');
}

static void sync_path(const char *path, bool all) {
    struct file *file = find(path);
    if (file) file->synced = file->size;
    for (size_t i = 0; i < disk.count; i++) {
        struct file *each = &disk.files[i];
        if (all) each->synced = each->size;
        if (all || is_in(each->now, path) || is_in(each->on_disk, path))
            memcpy(each->on_disk, each->now, PATH_SIZE);
    }
}

static void make(const char *path, bool is_folder) {
    if (find(path)) return; // opened with O_CREAT, and there
    assert_true(disk.count < FILES_MAX);
    struct file *file = &disk.files[disk.count++];
    *file = (struct file){.is_folder = is_folder};
    snprintf(file->now, PATH_SIZE, "%s", path);
}

static void take(const struct step *step) {
    struct file *file = find(step->path), *replaced;
    switch (step->kind) {
    case MAKE_FOLDER:
        make(step->path, true);
        break;
    case MAKE_FILE:
        make(step->path, false);
        break;
    case WRITE:
        if (file) file->size += step->size;
        break;
    case SYNC:
        sync_path(step->path, false);
        break;
    case SYNC_ALL:
        sync_path("", true);
        break;
    case RENAME:
        if ((replaced = find(step->to))) replaced->now[0] = '\0';
        if (file) memcpy(file->now, step->to, PATH_SIZE);
        break;
    case REMOVE:
        if (file) file->now[0] = '\0';
        break;
    default:
        break;
    }
}

// ---- What is found after the power came back ----

enum loss { NOT_SYNCED_IS_MISSING, NAMES_WITHOUT_BYTES };

static void put(const char *home, const char *from, const struct file *file, enum loss loss) {
    const char *name = loss == NOT_SYNCED_IS_MISSING ? file->on_disk : file->now;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", home, name);
    if (name[0] == '\0') return;
    if (file->is_folder) {
        mkdir(path, 0700); // fails if the folder above is missing, and then all that it has is
        return;
    }
    FILE *to = fopen(path, "w");
    if (!to) return;
    // The bytes are those that the recorded run left behind: a body's name says what they are.
    FILE *bytes = fopen(fixture_path(from, name), "r");
    for (size_t left = file->synced; bytes && left > 0; left--) {
        int byte = fgetc(bytes);
        if (byte == EOF) break;
        fputc(byte, to);
    }
    if (bytes) fclose(bytes);
    fclose(to);
}

static void copy_database(const char *home, const char *from) {
    char *bytes = malloc(1 << 22), to[PATH_MAX];
    FILE *file = fopen(from, "r");
    assert_non_null(bytes);
    assert_non_null(file);
    size_t size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    snprintf(to, sizeof to, "%s/archive.db", home);
    fixture_write_file(to, bytes, size);
    free(bytes);
}

// `after`: as the run left it, `before`: the database from before it.
static void check(const char *home, const char *after, const char *database, enum loss loss,
                  size_t recordings) {
    fixture_empty(home);
    for (int folders = 1; folders >= 0; folders--)
        for (size_t i = 0; i < disk.count; i++)
            if (disk.files[i].is_folder == folders) put(home, after, &disk.files[i], loss);
    copy_database(home, database);
    assert_int_equal(fixture_check_whole(home), recordings);
}

static int find_first(const char *path, const struct stat *info, int type, struct FTW *level) {
    if (level->level == 0) return 0;
    const char *name = path + strlen(record.home) + 1;
    if (strncmp(name, "bodies", 6) != 0) return 0;
    make(name, type == FTW_D);
    disk.files[disk.count - 1].size = type == FTW_D ? 0 : (size_t)info->st_size;
    return 0;
}

// What was there before, all of it on the disk.
static struct file first[FILES_MAX];
static size_t first_count;

static void look(const char *home) {
    record.home = home;
    disk.count = 0;
    nftw(home, find_first, 16, FTW_PHYS);
    sync_path("", true);
    memcpy(first, disk.files, sizeof first);
    first_count = disk.count;
    record.count = 0;
}

static void lose_power(const char *home, unsigned count, size_t every) {
    char *found = fixture_make_home(), *before = fixture_make_home(), database[PATH_MAX],
         database_before[PATH_MAX];
    snprintf(database, sizeof database, "%s/archive.db", home);
    snprintf(database_before, sizeof database_before, "%s/archive.db", before);
    fixture_must_write(home,
                       &(struct fixture_recording){.name = "kept", .seed = 9, .count = 3, .body_size = 100});
    copy_database(before, database);
    look(home);
    fixture_must_write(
        home, &(struct fixture_recording){.name = "new", .seed = 2, .count = count, .body_size = 100});
    record.home = NULL;
    size_t renamed = 0, synced = 0;
    for (size_t cut = 0; cut <= record.count; cut++) {
        if (cut % every != 0 && cut != record.count && record.steps[cut].kind < SYNC) continue;
        memcpy(disk.files, first, sizeof first);
        disk.count = first_count;
        bool began = false, committed = false;
        renamed = synced = 0;
        for (size_t i = 0; i < cut; i++) {
            take(&record.steps[i]);
            began = began || record.steps[i].kind == BEGIN;
            committed = committed || record.steps[i].kind == COMMIT;
            renamed += record.steps[i].kind == RENAME;
            synced += record.steps[i].kind == SYNC;
        }
        for (enum loss loss = NOT_SYNCED_IS_MISSING; loss <= NAMES_WITHOUT_BYTES; loss++) {
            if (!committed) check(found, home, database_before, loss, 1);
            if (began) check(found, home, database, loss, 2);
        }
    }
    assert_int_equal(renamed, count - 2); // the last has no body; those of the first are there already
    assert_true(synced < 64 + 256 + 2);
    fixture_remove_home(found);
    fixture_remove_home(before);
}

static void test_small_import(void **state) {
    lose_power(*state, 4, 1);
}

// Above so many bodies that they are synced together.
static void test_large_import(void **state) {
    lose_power(*state, 70, 40);
    bool together = false;
    for (size_t i = 0; i < record.count; i++)
        together = together || record.steps[i].kind == SYNC_ALL;
    assert_true(together);
}

static void test_sqlite_promises_it(void **state) {
    const char *home = *state;
    struct archive_error error;
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(archive_db_open_to_write(&db, home, &error), 0);
    static const struct {
        const char *sql, *value;
    } settings[] = {{"PRAGMA synchronous", "3"}, {"PRAGMA journal_mode", "delete"}}; // 3: EXTRA
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(sqlite3_prepare_v2(db, settings[i].sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(statement, 0), settings[i].value);
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small_import, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(test_large_import, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(test_sqlite_promises_it, fixture_set_up, fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
