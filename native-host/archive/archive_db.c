#include "archive/archive_db.h"

#include "archive/archive_migration.h"
#include "base/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 1953655148, BUSY_MS = 30000 };

// EARLIER: to be migrated. EMPTY: without anything in it, as one that was being made when its maker was
// killed.
enum state { STATE_EMPTY, STATE_EARLIER, STATE_PRESENT };

// schemas/archive.sql, put into the program by the build (embed_sql.cmake).
extern const char archive_schema[];

int archive_db_fail(sqlite3 *db, const char *home, struct archive_error *error) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/archive.db", home);
    switch (sqlite3_errcode(db)) { // the primary code: extended ones are not turned on
    case SQLITE_FULL:
        errno = ENOSPC;
        return archive_fail_errno(error, path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        errno = EROFS;
        return archive_fail_errno(error, path);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        // A full disk also shows here, when it is the journal that does not fit.
        errno = sqlite3_system_errno(db);
        if (errno == 0) break;
        return archive_fail_errno(error, path);
    case SQLITE_BUSY:
        return archive_fail(error, ARCHIVE_BUSY, "wait for other trilane programs and try again",
                            "%s: another program keeps it locked", path);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return archive_fail(error, ARCHIVE_FOREIGN, "move it away, or choose another folder with --home",
                            "%s: is not a Trilane archive, or damaged", path);
    case SQLITE_NOMEM:
        return archive_fail_memory(error);
    }
    return archive_fail(error, ARCHIVE_FAILED, "see that the folder is sound, or choose another with --home",
                        "%s: %s", path, sqlite3_errmsg(db));
}

void archive_db_harden(sqlite3 *db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    // A program's walls leave it no folder for temporary files.
    sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

int archive_db_exec(sqlite3 *db, const char *home, const char *sql, struct archive_error *error) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : archive_db_fail(db, home, error);
}

int archive_db_prepare(sqlite3 *db, const char *home, const char *sql, sqlite3_stmt **out,
                       struct archive_error *error) {
    return sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK ? 0 : archive_db_fail(db, home, error);
}

static int read_number(sqlite3 *db, const char *home, const char *sql, int64_t *number,
                       struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, sql, &statement, error) < 0) return -1;
    int status = sqlite3_step(statement) == SQLITE_ROW ? 0 : archive_db_fail(db, home, error);
    if (status == 0) *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

// Inside a transaction: between two reads another program may make it, and half empty looks like a
// stranger's.
static int check(sqlite3 *db, const char *home, enum state *state, struct archive_error *error) {
    int64_t application_id, version, table_count;
    if (read_number(db, home, "PRAGMA application_id", &application_id, error) < 0 ||
        read_number(db, home, "PRAGMA user_version", &version, error) < 0 ||
        read_number(db, home, "SELECT count(*) FROM sqlite_schema", &table_count, error) < 0)
        return -1;
    *state = version < archive_version() ? STATE_EARLIER : STATE_PRESENT;
    if (application_id == 0 && version == 0 && table_count == 0) {
        *state = STATE_EMPTY;
        return 0;
    }
    if (application_id != APPLICATION_ID || version < 1)
        return archive_fail(error, ARCHIVE_FOREIGN, "move it away, or choose another folder with --home",
                            "%s/archive.db: is not a Trilane archive", home);
    if (version > archive_version())
        return archive_fail(error, ARCHIVE_NEWER, "update Trilane, or choose another folder with --home",
                            "%s/archive.db: is of a newer Trilane (version %lld; this one knows %d)", home,
                            (long long)version, archive_version());
    return 0;
}

static int check_in_transaction(sqlite3 *db, const char *home, enum state *state,
                                struct archive_error *error) {
    if (archive_db_exec(db, home, "BEGIN", error) < 0) return -1;
    int status = check(db, home, state, error);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

// Whether SQLite, when it plays the journal back, deletes the file that its end names, whatever that is. It
// ends so where one transaction changed several databases, which none of ours does.
static bool names_super_journal(const char *journal) {
    static const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    uint8_t end[sizeof magic];
    struct stat info;
    // A pipe would have us wait for its other end.
    int fd = open(journal, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false; // what we may not read, SQLite may not either
    bool names = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= (off_t)sizeof end &&
                 pread(fd, end, sizeof end, info.st_size - (off_t)sizeof end) == (ssize_t)sizeof end &&
                 memcmp(end, magic, sizeof end) == 0;
    close(fd);
    return names;
}

static int refuse_super_journal(const char *path, struct archive_error *error) {
    char real[PATH_MAX], journal[PATH_MAX + sizeof "-journal"];
    // SQLite looks for it beside the file itself, not beside a symlink to it.
    snprintf(journal, sizeof journal, "%s-journal", realpath(path, real) ? real : path);
    if (!names_super_journal(journal)) return 0;
    return archive_fail(error, ARCHIVE_FOREIGN,
                        "move it and its database away, or choose another folder with --home",
                        "%s: would have another file deleted", journal);
}

// Keeps the file from all others than its owner, whatever the umask; but a folder that its group can write is
// shared with the group on purpose. SQLite gives a database's mode to its journals. One that is there is not
// opened: to close it would take the locks that this process has on it.
static mode_t widest_mode(const char *home) {
    struct stat folder;
    return stat(home, &folder) == 0 && (folder.st_mode & 020) != 0 ? 0660 : 0600;
}

static void narrow(const char *path, mode_t widest) {
    struct stat there;
    if (stat(path, &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid() &&
        (there.st_mode & 077 & ~widest) != 0)
        chmod(path, there.st_mode & widest);
}

void archive_db_keep_private(const char *home) {
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/archive.db", home) < sizeof path)
        narrow(path, widest_mode(home));
}

static void make_private(const char *path, const char *home) {
    mode_t widest = widest_mode(home);
    int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, widest);
    if (made >= 0) close(made); // else it is there, or SQLite says why it cannot be made
    narrow(path, widest);
}

static int open_db(sqlite3 **out, const char *home, int flags, struct archive_error *error) {
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/archive.db", home) >= sizeof path)
        return archive_fail(error, ARCHIVE_FAILED, "choose a shorter one with --home",
                            "the data folder's path is too long");
    *out = NULL;
    if (refuse_super_journal(path, error) < 0) return -1;
    if (flags & SQLITE_OPEN_CREATE) make_private(path, home);
    // SQLite falls back to reading by itself where the file may not be written. Never opened for reading
    // only: a reader may find the journal of a writer that was killed, and has to roll it back.
    sqlite3 *db = NULL;
    int status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (status == SQLITE_OK) {
        sqlite3_busy_timeout(db, BUSY_MS);
        archive_db_harden(db);
        *out = db;
        return 0;
    }
    status = db ? archive_db_fail(db, home, error) : archive_fail_memory(error);
    sqlite3_close(db);
    return status;
}

// *out: NULL when there is no archive yet.
static int open_existing(sqlite3 **out, const char *home, enum state *state, struct archive_error *error) {
    char path[PATH_MAX];
    struct stat info;
    *out = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s/archive.db", home) < sizeof path && stat(path, &info) < 0 &&
        (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (open_db(out, home, 0, error) < 0) return -1;
    int status = check_in_transaction(*out, home, state, error);
    if (status < 0 || *state == STATE_EMPTY) {
        sqlite3_close(*out);
        *out = NULL;
    }
    return status;
}

// What `db` holds, migrated: itself or a copy, which takes its place.
static int migrate_to_read(sqlite3 **db, const char *home, struct archive_error *error) {
    if (archive_migrate(*db, home, error) == 0) return 0;
    if (error->code != ARCHIVE_READ_ONLY && error->code != ARCHIVE_DISK_FULL) return -1;
    sqlite3 *copy;
    if (archive_migrate_in_memory(&copy, *db, home, error) < 0) return -1;
    sqlite3_close(*db);
    *db = copy;
    return 0;
}

static int close_if_failed(int status, sqlite3 **db) {
    if (status == 0) return 0;
    sqlite3_close(*db);
    *db = NULL;
    return -1;
}

int archive_db_open_to_read(sqlite3 **out, const char *home, struct archive_error *error) {
    enum state state;
    if (open_existing(out, home, &state, error) < 0) return -1;
    if (!*out || state != STATE_EARLIER) return 0;
    return close_if_failed(migrate_to_read(out, home, error), out);
}

static int use_to_write(sqlite3 *db, const char *home, enum state state, struct archive_error *error) {
    if (state == STATE_EARLIER && archive_migrate(db, home, error) < 0) return -1;
    // EXTRA: the folder is synced too when the journal goes, so that a commit outlives a power cut.
    return archive_db_exec(db, home, "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA", error);
}

int archive_db_open_to_change(sqlite3 **out, const char *home, struct archive_error *error) {
    enum state state;
    if (open_existing(out, home, &state, error) < 0) return -1;
    if (!*out) return 0;
    return close_if_failed(use_to_write(*out, home, state, error), out);
}

// Two programs may be about to make it: the schema goes in under the lock, if it is still missing then. The
// other one may be of an earlier version: `state` is what was found.
static int make_schema(sqlite3 *db, const char *home, enum state *state, struct archive_error *error) {
    if (archive_db_exec(db, home, "BEGIN IMMEDIATE", error) < 0) return -1;
    if (check(db, home, state, error) == 0 &&
        (*state != STATE_EMPTY || archive_db_exec(db, home, archive_schema, error) == 0) &&
        archive_db_exec(db, home, "COMMIT", error) == 0)
        return 0;
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int archive_db_open_to_write(sqlite3 **out, const char *home, struct archive_error *error) {
    enum state state;
    *out = NULL;
    if (folders_make(home) < 0) return archive_fail_errno(error, home);
    if (open_db(out, home, SQLITE_OPEN_CREATE, error) < 0) return -1;
    int status = check_in_transaction(*out, home, &state, error);
    if (status == 0 && state == STATE_EMPTY) status = make_schema(*out, home, &state, error);
    if (status == 0) status = use_to_write(*out, home, state, error);
    return close_if_failed(status, out);
}
