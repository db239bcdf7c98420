// How the archive says what went wrong: a code for programs, a line and a remedy for people.
#pragma once

enum archive_code {
    ARCHIVE_NOT_FOUND, // no recording of that name
    ARCHIVE_EXISTS,    // the name is taken
    ARCHIVE_INVALID,   // contradicts itself
    ARCHIVE_TOO_LARGE, // no message could tell of it
    ARCHIVE_DISK_FULL,
    ARCHIVE_READ_ONLY,
    ARCHIVE_BUSY,    // another program kept the archive locked
    ARCHIVE_FOREIGN, // archive.db is of another program, or damaged
    ARCHIVE_NEWER,   // archive.db is of a newer Trilane
    ARCHIVE_FAILED,  // any other fault of the system
};

struct archive_error {
    enum archive_code code;
    char message[600];
    char remedy[200];
};

// "not-found", "exists", ...: as messages spell them.
const char *archive_code_name(enum archive_code code);

// Fills *error and returns -1.
__attribute__((format(printf, 4, 5))) int archive_fail(struct archive_error *error, enum archive_code code,
                                                       const char *remedy, const char *format, ...);
// The same for errno, with the path that it is about.
int archive_fail_errno(struct archive_error *error, const char *path);
int archive_fail_memory(struct archive_error *error);
