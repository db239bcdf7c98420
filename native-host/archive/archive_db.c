#include "archive/archive_db.h"

#include "base/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { APPLICATION_ID = 1953655148, USER_VERSION = 1, BUSY_MS = 20000 };

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

// *empty: a database without anything in it, as one that was being made when its maker was killed. Inside a
// transaction: between two reads another program may make it, and half empty looks like a stranger's.
static int check(sqlite3 *db, const char *home, bool *empty, struct archive_error *error) {
    int64_t application_id, version, table_count;
    if (read_number(db, home, "PRAGMA application_id", &application_id, error) < 0 ||
        read_number(db, home, "PRAGMA user_version", &version, error) < 0 ||
        read_number(db, home, "SELECT count(*) FROM sqlite_schema", &table_count, error) < 0)
        return -1;
    *empty = application_id == 0 && version == 0 && table_count == 0;
    if (*empty) return 0;
    if (application_id != APPLICATION_ID)
        return archive_fail(error, ARCHIVE_FOREIGN, "move it away, or choose another folder with --home",
                            "%s/archive.db: is not a Trilane archive", home);
    if (version > USER_VERSION)
        return archive_fail(error, ARCHIVE_NEWER, "update Trilane, or choose another folder with --home",
                            "%s/archive.db: is of a newer Trilane (version %lld; this one knows %d)", home,
                            (long long)version, USER_VERSION);
    if (version < USER_VERSION)
        return archive_fail(error, ARCHIVE_FOREIGN, "move it away, or choose another folder with --home",
                            "%s/archive.db: has the unknown version %lld", home, (long long)version);
    return 0;
}

static int check_in_transaction(sqlite3 *db, const char *home, bool *empty, struct archive_error *error) {
    if (archive_db_exec(db, home, "BEGIN", error) < 0) return -1;
    int status = check(db, home, empty, error);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static int open_db(sqlite3 **out, const char *home, int flags, struct archive_error *error) {
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/archive.db", home) >= sizeof path)
        return archive_fail(error, ARCHIVE_FAILED, "choose a shorter one with --home",
                            "the data folder's path is too long");
    *out = NULL;
    // SQLite falls back to reading by itself where the file may not be written. Never opened for reading
    // only: a reader may find the journal of a writer that was killed, and has to roll it back.
    sqlite3 *db = NULL;
    int status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (status == SQLITE_OK) {
        sqlite3_busy_timeout(db, BUSY_MS);
        *out = db;
        return 0;
    }
    status = db ? archive_db_fail(db, home, error) : archive_fail_memory(error);
    sqlite3_close(db);
    return status;
}

int archive_db_open_to_read(sqlite3 **out, const char *home, struct archive_error *error) {
    char path[PATH_MAX];
    struct stat info;
    *out = NULL;
    if ((size_t)snprintf(path, sizeof path, "%s/archive.db", home) < sizeof path && stat(path, &info) < 0 &&
        (errno == ENOENT || errno == ENOTDIR))
        return 0;
    bool empty = false;
    if (open_db(out, home, 0, error) < 0) return -1;
    int status = check_in_transaction(*out, home, &empty, error);
    if (status < 0 || empty) {
        sqlite3_close(*out);
        *out = NULL;
    }
    return status;
}

// Two programs may be about to make it: the schema goes in under the lock, if it is still missing then.
static int make_schema(sqlite3 *db, const char *home, struct archive_error *error) {
    bool empty;
    if (archive_db_exec(db, home, "BEGIN IMMEDIATE", error) < 0) return -1;
    if (check(db, home, &empty, error) == 0 &&
        (!empty || archive_db_exec(db, home, archive_schema, error) == 0) &&
        archive_db_exec(db, home, "COMMIT", error) == 0)
        return 0;
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int archive_db_open_to_write(sqlite3 **out, const char *home, struct archive_error *error) {
    *out = NULL;
    if (folders_make(home) < 0) return archive_fail_errno(error, home);
    sqlite3 *db;
    if (open_db(&db, home, SQLITE_OPEN_CREATE, error) < 0) return -1;
    bool empty;
    int status = check_in_transaction(db, home, &empty, error);
    if (status == 0 && empty) status = make_schema(db, home, error);
    // EXTRA: the folder is synced too when the journal goes, so that a commit outlives a power cut.
    if (status == 0)
        status = archive_db_exec(db, home, "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA", error);
    if (status < 0) {
        sqlite3_close(db);
        return -1;
    }
    *out = db;
    return 0;
}
