#include "archive/archive_listing.h"

#include "archive/archive_db.h"

#include <stdbool.h>
#include <string.h>

// A page ends with the row that passes this; rows are at most about as large again (messaging's
// EXCHANGE_SIZE_MAX), and a message to a browser may have 1 MiB.
enum { PAGE_BYTES = 256 * 1024 };

static json_t *column(sqlite3_stmt *row, int place) {
    switch (sqlite3_column_type(row, place)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, place));
    case SQLITE_TEXT:
        return json_stringn((const char *)sqlite3_column_text(row, place),
                            (size_t)sqlite3_column_bytes(row, place));
    }
    return json_null();
}

static bool is_json(const char *name) {
    return strcmp(name, "notes") == 0 || strcmp(name, "recorded") == 0 ||
           strcmp(name, "request_headers") == 0 || strcmp(name, "response_headers") == 0;
}

// The row as an object by column names; *size is what its texts have in bytes. NULL when memory is short or
// what should be JSON is not.
static json_t *row_object(sqlite3_stmt *row, size_t *size) {
    json_t *object = json_object();
    *size = 0;
    for (int i = 0; object && i < sqlite3_column_count(row); i++) {
        const char *name = sqlite3_column_name(row, i);
        json_t *value;
        if (is_json(name))
            value = json_loadb((const char *)sqlite3_column_text(row, i),
                               (size_t)sqlite3_column_bytes(row, i), 0, NULL);
        else
            value = column(row, i);
        *size += (size_t)sqlite3_column_bytes(row, i) + strlen(name) + 8;
        if (!value || json_object_set_new(object, name, value) < 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

#define RECORDING_COLUMNS                                                                                    \
    "SELECT id, name, url, source, recorded_at, created_at, digest, notes, count(seq) AS exchanges,"         \
    " count(DISTINCT host) AS hosts, count(DISTINCT address) AS addresses, coalesce(sum(body_size), 0) AS "  \
    "body_bytes,"                                                                                            \
    " coalesce(sum(body_origin = 'filled'), 0) AS filled"                                                    \
    " FROM recording LEFT JOIN exchange ON exchange.recording = recording.id"

// Reads rows into an array until a page is full; *last then has the last row's value of `key`, else stays
// NULL.
static int read_page(sqlite3 *db, const char *home, sqlite3_stmt *statement, const char *key, json_t **rows,
                     json_t **last, struct archive_error *error) {
    size_t page_size = 0;
    int step = SQLITE_ROW;
    *last = NULL;
    *rows = json_array();
    while (*rows && page_size < PAGE_BYTES && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        size_t size;
        json_t *row = row_object(statement, &size);
        if (!row)
            return archive_fail(error, ARCHIVE_FOREIGN, "remove the recording and import it again",
                                "%s/archive.db: a row is damaged", home);
        if (json_array_append_new(*rows, row) < 0) return archive_fail_memory(error);
        page_size += size;
    }
    if (!*rows) return archive_fail_memory(error);
    if (step != SQLITE_ROW && step != SQLITE_DONE) return archive_db_fail(db, home, error);
    if (step == SQLITE_ROW) *last = json_object_get(json_array_get(*rows, json_array_size(*rows) - 1), key);
    return 0;
}

static int read_list(sqlite3 *db, const char *home, const char *after, json_t **out,
                     struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, RECORDING_COLUMNS " WHERE name > ? GROUP BY recording.id ORDER BY name",
                           &statement, error) < 0)
        return -1;
    sqlite3_bind_text(statement, 1, after, -1, SQLITE_STATIC);
    json_t *rows, *last;
    int status = read_page(db, home, statement, "name", &rows, &last, error);
    if (status == 0 && !(*out = json_pack("{s:O, s:O?}", "recordings", rows, "next", last)))
        status = archive_fail_memory(error);
    json_decref(rows);
    sqlite3_finalize(statement);
    return status;
}

int archive_list(json_t **out, const char *home, const char *after, struct archive_error *error) {
    sqlite3 *db;
    if (archive_db_open_to_read(&db, home, error) < 0) return -1;
    if (!db) {
        *out = json_pack("{s:[], s:n}", "recordings", "next");
        return *out ? 0 : archive_fail_memory(error);
    }
    int status = read_list(db, home, after, out, error);
    sqlite3_close(db);
    return status;
}

int archive_show_recording(json_t **out, sqlite3 *db, const char *home, const char *name,
                           struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, RECORDING_COLUMNS " WHERE name = ? GROUP BY recording.id", &statement,
                           error) < 0)
        return -1;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    json_t *rows, *last;
    int status = read_page(db, home, statement, "name", &rows, &last, error);
    if (status == 0 && json_array_size(rows) == 0)
        status = archive_fail(error, ARCHIVE_NOT_FOUND, "`trilane list` shows what there is",
                              "recording \"%s\": not in the archive", name);
    if (status == 0) *out = json_incref(json_array_get(rows, 0));
    json_decref(rows);
    sqlite3_finalize(statement);
    return status;
}

static int read_exchanges(sqlite3 *db, const char *home, const json_t *recording, int64_t from_seq,
                          json_t **rows, json_t **next, struct archive_error *error) {
    sqlite3_stmt *statement;
    *rows = *next = NULL;
    if (archive_db_prepare(
            db, home,
            "SELECT seq, method, scheme, host, port, path, request_headers, request_body_sha256,"
            " address, status, response_headers, body_sha256, body_size, body_origin, recorded"
            " FROM exchange WHERE recording = ? AND seq >= ? ORDER BY seq",
            &statement, error) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, json_integer_value(json_object_get(recording, "id")));
    sqlite3_bind_int64(statement, 2, from_seq);
    json_t *last;
    int status = read_page(db, home, statement, "seq", rows, &last, error);
    if (status == 0) {
        *next = last ? json_integer(json_integer_value(last) + 1) : json_null();
        if (!*next) status = archive_fail_memory(error);
    }
    sqlite3_finalize(statement);
    return status;
}

int archive_show(json_t **out, const char *home, const char *name, int64_t from_seq,
                 struct archive_error *error) {
    sqlite3 *db;
    json_t *recording = NULL, *rows = NULL, *next = NULL;
    if (archive_db_open_to_read(&db, home, error) < 0) return -1;
    int status;
    if (!db)
        status = archive_fail(error, ARCHIVE_NOT_FOUND, "`trilane list` shows what there is",
                              "recording \"%s\": not in the archive", name);
    else // one transaction: a recording replaced meanwhile is seen whole
        status = archive_db_exec(db, home, "BEGIN", error);
    if (status == 0) status = archive_show_recording(&recording, db, home, name, error);
    if (status == 0) status = read_exchanges(db, home, recording, from_seq, &rows, &next, error);
    if (status == 0 &&
        !(*out = json_pack("{s:O, s:O, s:O}", "recording", recording, "exchanges", rows, "next", next)))
        status = archive_fail_memory(error);
    json_decref(recording);
    json_decref(rows);
    json_decref(next);
    sqlite3_close(db);
    return status;
}
