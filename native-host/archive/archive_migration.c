#include "archive/archive_migration.h"

#include "archive/archive_db.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

// schemas/migrations/archive, put into the program by the build (embed_sql.cmake): [0] leads to version 2.
extern const char *const archive_migrations[];
extern const int archive_migration_count;

int archive_version(void) {
    return 1 + archive_migration_count;
}

static int read_version(sqlite3 *db, const char *home, int *version, struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, "PRAGMA user_version", &statement, error) < 0) return -1;
    int status = sqlite3_step(statement) == SQLITE_ROW ? 0 : archive_db_fail(db, home, error);
    if (status == 0) *version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static int copy_pages(sqlite3 *to, sqlite3 *from, const char *home, struct archive_error *error) {
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup) sqlite3_backup_step(backup, -1);
    return backup && sqlite3_backup_finish(backup) == SQLITE_OK ? 0 : archive_db_fail(to, home, error);
}

static int sync_folder(const char *path, struct archive_error *error) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = fd < 0 || fsync(fd) < 0 ? archive_fail_errno(error, path) : 0;
    if (fd >= 0) close(fd);
    return status;
}

// `path`, of PATH_MAX, becomes the copy's. An earlier copy stays. The caller keeps other writers out: no name
// is taken meanwhile.
static int name_copy(char *path, const char *part, const char *home, int version,
                     struct archive_error *error) {
    snprintf(path, PATH_MAX, "%s/archive.db.v%d-backup", home, version);
    for (int number = 2; access(path, F_OK) == 0; number++)
        snprintf(path, PATH_MAX, "%s/archive.db.v%d-backup-%d", home, version, number);
    if (rename(part, path) < 0) {
        archive_fail_errno(error, path);
        *path = 0;
        return -1;
    }
    return sync_folder(home, error);
}

// `kept`, of PATH_MAX: the copy's path, also where what came after failed; empty without a copy.
static int keep_copy(char *kept, const char *home, int version, struct archive_error *error) {
    char path[PATH_MAX], part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s/archive.db.v%d-backup.part", home, version) >= sizeof part)
        return archive_fail(error, ARCHIVE_FAILED, "choose a shorter one with --home",
                            "the data folder's path is too long");
    snprintf(path, sizeof path, "%s/archive.db", home);
    // SQLite would not say why it cannot be made. One that is there was left by a program that was killed.
    int made = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (made < 0) return archive_fail_errno(error, part);
    close(made);
    // A connection in a transaction, as the migrating one, cannot be copied from.
    sqlite3 *from = NULL, *to = NULL;
    int status = 0;
    if (sqlite3_open_v2(path, &from, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        status = from ? archive_db_fail(from, home, error) : archive_fail_memory(error);
    else if (sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        status = to ? archive_db_fail(to, home, error) : archive_fail_memory(error);
    else {
        archive_db_harden(from);
        archive_db_harden(to);
        status = copy_pages(to, from, home, error);
    }
    sqlite3_close(to);
    sqlite3_close(from);
    if (status == 0) status = name_copy(kept, part, home, version, error);
    if (status < 0) unlink(part);
    return status;
}

static int upgrade(sqlite3 *db, const char *home, int version, struct archive_error *error) {
    for (; version < archive_version(); version++) {
        char set_version[48];
        snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d", version + 1);
        if (archive_db_exec(db, home, archive_migrations[version - 1], error) < 0 ||
            archive_db_exec(db, home, set_version, error) < 0)
            return -1;
    }
    return 0;
}

// The copy of an archive that was not migrated is one too many: the next try keeps its own. Where it cannot
// be known what the archive is now, the copy may be all there is.
static void remove_needless(const char *copy, sqlite3 *db, const char *home) {
    int version;
    struct archive_error ignored;
    if (*copy && read_version(db, home, &version, &ignored) == 0 && version < archive_version()) unlink(copy);
}

int archive_migrate(sqlite3 *db, const char *home, struct archive_error *error) {
    int version;
    char kept[PATH_MAX] = "";
    // Migrations put other tables in the place of some, which references to them must not notice. EXTRA: as
    // for recordings (archive_db_open_to_write).
    if (archive_db_exec(db, home, "PRAGMA foreign_keys = OFF; PRAGMA synchronous = EXTRA", error) < 0 ||
        archive_db_exec(db, home, "BEGIN IMMEDIATE", error) < 0)
        return -1;
    if (read_version(db, home, &version, error) == 0 &&
        (version >= archive_version() ||
         (keep_copy(kept, home, version, error) == 0 && upgrade(db, home, version, error) == 0)) &&
        archive_db_exec(db, home, "COMMIT", error) == 0)
        return 0;
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    remove_needless(kept, db, home);
    return -1;
}

int archive_migrate_in_memory(sqlite3 **copy, sqlite3 *db, const char *home, struct archive_error *error) {
    int version = 0;
    sqlite3 *memory = NULL;
    *copy = NULL;
    if (sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        sqlite3_close(memory);
        return archive_fail_memory(error);
    }
    archive_db_harden(memory);
    if (copy_pages(memory, db, home, error) < 0 || read_version(memory, home, &version, error) < 0 ||
        upgrade(memory, home, version, error) < 0) {
        sqlite3_close(memory);
        return -1;
    }
    *copy = memory;
    return 0;
}
