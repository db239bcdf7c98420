// Brings an archive of an earlier Trilane to the version of schemas/archive.sql. How a version is added:
// schemas/migrations/README.md. Knows no recordings, and does not judge whether a database is an archive.
#pragma once

#include "archive/archive_error.h"

#include <sqlite3.h>

// Of schemas/archive.sql. The first is 1.
int archive_version(void);

// Migrates HOME/archive.db, whole or not at all, after keeping it beside itself as archive.db.v1-backup (or
// the version that it had). Programs that want to at the same time wait, and find it done.
int archive_migrate(sqlite3 *db, const char *home, struct archive_error *error);

// *copy: a migrated copy in memory, to be read, of an archive that cannot be migrated in its place. Bodies
// are files and are not copied.
int archive_migrate_in_memory(sqlite3 **copy, sqlite3 *db, const char *home, struct archive_error *error);
