// HOME/archive.db opened, made where it is missing, migrated where it is of an earlier version, refused where
// it is not ours. Knows no recordings.
//
// The database keeps SQLite's rollback journal instead of a write-ahead log: a log needs files beside the
// database to be written even by readers, and a home on a read-only file system must still replay. Writers
// gather a recording aside and hold the lock for one short transaction only; readers wait for that at most.
#pragma once

#include "archive/archive_error.h"

#include <sqlite3.h>
#include <stdbool.h>

// *out is NULL when there is no archive yet; nothing is made then. Close with sqlite3_close.
// An archive of an earlier version that cannot be migrated (a home that may only be read, a full disk) is
// read as a migrated copy in memory.
int archive_db_open_to_read(sqlite3 **out, const char *home, struct archive_error *error);
// To change what is there.
int archive_db_open_to_change(sqlite3 **out, const char *home, struct archive_error *error);
// Makes the home and the archive where they are missing.
int archive_db_open_to_write(sqlite3 **out, const char *home, struct archive_error *error);

// Takes the archive's file from other users, as opening it to write does: for a program whose walls let it
// change no modes later.
void archive_db_keep_private(const char *home);

// To be called on every connection: an archive may be a stranger's. What its schema calls is not ours, and no
// SQL damages the file.
void archive_db_harden(sqlite3 *db);

// Maps what `db` last failed with, and returns -1.
int archive_db_fail(sqlite3 *db, const char *home, struct archive_error *error);
int archive_db_exec(sqlite3 *db, const char *home, const char *sql, struct archive_error *error);
int archive_db_prepare(sqlite3 *db, const char *home, const char *sql, sqlite3_stmt **out,
                       struct archive_error *error);
