#include "archive/archive_writer.h"

#include "archive/archive_db.h"
#include "archive/archive_listing.h"
#include "archive/recording_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Of a recording's own JSON, which comes with every page of its exchanges (archive_listing.c) in one message
// of 1 MiB. A larger one would be stored, and nothing could be said of it any more.
enum { RECORDING_SIZE_MAX = 448 * 1024 };

// A row of the table exchange that is not in the database yet; strings are its own.
struct row {
    struct row *next;
    char *method, *scheme, *host, *path, *request_headers, *address, *response_headers, *body_origin,
        *recorded;
    uint16_t port, status;
    struct staged_body request_body, body;
};

struct archive_transaction {
    char *home;
    sqlite3 *db;
    struct body_store *bodies;
    char *name, *url, *source, *recorded_at, *notes; // recorded_at: NULL: unknown
    bool replace;
    struct row *rows, **rows_end;
    struct recording_digest digest;
};

static char *json_text(const json_t *json) {
    return json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
}

// ---- Gathering ----

static int find_recording(sqlite3 *db, const char *home, const char *name, bool *found,
                          struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, "SELECT 1 FROM recording WHERE name = ?", &statement, error) < 0)
        return -1;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int step = sqlite3_step(statement);
    *found = step == SQLITE_ROW;
    int status = step == SQLITE_ROW || step == SQLITE_DONE ? 0 : archive_db_fail(db, home, error);
    sqlite3_finalize(statement);
    return status;
}

static int check_name_free(const struct archive_transaction *transaction, struct archive_error *error) {
    bool found;
    if (find_recording(transaction->db, transaction->home, transaction->name, &found, error) < 0) return -1;
    if (!found || transaction->replace) return 0;
    return archive_fail(error, ARCHIVE_EXISTS, "choose another name, replace it, or remove it first",
                        "recording \"%s\": exists already", transaction->name);
}

int archive_begin(struct archive_transaction **out, const char *home,
                  const struct archive_new_recording *recording, struct archive_error *error) {
    struct archive_transaction *transaction = calloc(1, sizeof *transaction);
    if (!transaction) return archive_fail_memory(error);
    transaction->home = strdup(home);
    transaction->name = strdup(recording->name);
    transaction->url = strdup(recording->url);
    transaction->source = strdup(recording->source);
    transaction->recorded_at = recording->recorded_at ? strdup(recording->recorded_at) : NULL;
    transaction->notes = json_text(recording->notes);
    transaction->replace = recording->replace;
    transaction->rows_end = &transaction->rows;
    recording_digest_start(&transaction->digest, RECORDING_DIGEST_NOW);
    int status = 0;
    if (!transaction->home || !transaction->name || !transaction->url || !transaction->source ||
        (recording->recorded_at && !transaction->recorded_at) || !transaction->notes)
        status = archive_fail_memory(error);
    if (status == 0) status = archive_db_open_to_write(&transaction->db, home, error);
    if (status == 0) status = check_name_free(transaction, error);
    if (status == 0) status = body_store_open(&transaction->bodies, home, error);
    if (status < 0)
        archive_abort(transaction);
    else
        *out = transaction;
    return status;
}

struct body_store *archive_bodies(struct archive_transaction *transaction) {
    return transaction->bodies;
}

static void row_free(struct row *row) {
    char *texts[] = {
        row->method,  row->scheme,           row->host,        row->path,    row->request_headers,
        row->address, row->response_headers, row->body_origin, row->recorded};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(row);
}

int archive_add(struct archive_transaction *transaction, const struct archive_exchange *exchange,
                const struct staged_body *request_body, const struct staged_body *body,
                struct archive_error *error) {
    struct row *row = calloc(1, sizeof *row);
    if (row) {
        *row = (struct row){.method = strdup(exchange->method),
                            .scheme = strdup(exchange->scheme),
                            .host = strdup(exchange->host),
                            .path = strdup(exchange->path),
                            .request_headers = json_text(exchange->request_headers),
                            .address = strdup(exchange->address),
                            .response_headers = json_text(exchange->response_headers),
                            .body_origin = strdup(exchange->body_origin),
                            .recorded = json_text(exchange->recorded),
                            .port = exchange->port,
                            .status = exchange->status,
                            .request_body = *request_body,
                            .body = *body};
        if (row->method && row->scheme && row->host && row->path && row->request_headers && row->address &&
            row->response_headers && row->body_origin && row->recorded) {
            recording_digest_add(&transaction->digest, exchange, request_body->sha256, body->sha256);
            *transaction->rows_end = row;
            transaction->rows_end = &row->next;
            return 0;
        }
        row_free(row);
    }
    if (request_body->size > 0) body_store_discard(transaction->bodies, request_body);
    if (body->size > 0) body_store_discard(transaction->bodies, body);
    return archive_fail_memory(error);
}

void archive_abort(struct archive_transaction *transaction) {
    if (!transaction) return;
    while (transaction->rows) {
        struct row *next = transaction->rows->next;
        row_free(transaction->rows);
        transaction->rows = next;
    }
    body_store_close(transaction->bodies);
    sqlite3_close(transaction->db);
    free(transaction->home);
    free(transaction->name);
    free(transaction->url);
    free(transaction->source);
    free(transaction->recorded_at);
    free(transaction->notes);
    free(transaction);
}

// ---- Sweeping ----

struct named {
    sqlite3 *db;
    const char *home;
    sqlite3_stmt *statement;
    struct archive_error *error;
};

static int is_named(void *context, const char *sha256) {
    struct named *named = context;
    sqlite3_bind_text(named->statement, 1, sha256, -1, SQLITE_STATIC);
    int step = sqlite3_step(named->statement);
    int result = step == SQLITE_ROW && sqlite3_column_int(named->statement, 0) != 0;
    if (step != SQLITE_ROW) result = archive_db_fail(named->db, named->home, named->error);
    sqlite3_reset(named->statement);
    return result;
}

// In a transaction of its own, after the one that removed rows: a body goes only when no row names it even
// after a crash. It writes nothing; its lock is what keeps other writers from publishing meanwhile.
static int sweep(sqlite3 *db, const char *home, struct archive_error *error) {
    struct named named = {.db = db, .home = home, .error = error};
    if (archive_db_prepare(db, home,
                           "SELECT EXISTS (SELECT 1 FROM exchange WHERE body_sha256 = ?1)"
                           " OR EXISTS (SELECT 1 FROM exchange WHERE request_body_sha256 = ?1)",
                           &named.statement, error) < 0)
        return -1;
    size_t removed;
    int status = archive_db_exec(db, home, "BEGIN IMMEDIATE", error);
    if (status == 0) {
        status = body_store_sweep(home, is_named, &named, &removed, error);
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_finalize(named.statement);
    return status;
}

// ---- Committing ----

static int step_done(sqlite3 *db, const char *home, sqlite3_stmt *statement, struct archive_error *error) {
    if (sqlite3_step(statement) == SQLITE_DONE) return 0;
    return archive_db_fail(db, home, error);
}

static const char delete_by_name[] = "DELETE FROM recording WHERE name = ?";

static int change_recording(sqlite3 *db, const char *home, const char *sql, const char *name,
                            struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(db, home, sql, &statement, error) < 0) return -1;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int status = step_done(db, home, statement, error);
    sqlite3_finalize(statement);
    return status;
}

static int insert_recording(struct archive_transaction *t, struct archive_error *error) {
    sqlite3_stmt *statement;
    if (archive_db_prepare(t->db, t->home,
                           "INSERT INTO recording (name, url, source, created_at, digest, notes, recorded_at)"
                           " VALUES (?, ?, ?, ?, ?, ?, ?)",
                           &statement, error) < 0)
        return -1;
    char digest[SHA256_HEX_SIZE + 1], created_at[32];
    recording_digest_finish(&t->digest, digest);
    time_t now = time(NULL);
    struct tm utc;
    strftime(created_at, sizeof created_at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    const char *texts[] = {t->name, t->url, t->source, created_at, digest, t->notes, t->recorded_at};
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
    int status = step_done(t->db, t->home, statement, error);
    sqlite3_finalize(statement);
    return status;
}

static int put_in_place(struct archive_transaction *t, bool *replaced, struct archive_error *error) {
    if (t->replace && change_recording(t->db, t->home, delete_by_name, t->name, error) < 0) return -1;
    *replaced = t->replace && sqlite3_changes(t->db) > 0;
    return insert_recording(t, error);
}

static void bind_row(sqlite3_stmt *statement, const struct row *row) {
    const char *request_body = row->request_body.size > 0 ? row->request_body.sha256 : NULL;
    const char *body = row->body.size > 0 ? row->body.sha256 : NULL;
    const struct {
        int place;
        const char *text; // NULL binds NULL
    } texts[] = {{3, row->method},
                 {4, row->scheme},
                 {5, row->host},
                 {7, row->path},
                 {8, row->request_headers},
                 {9, request_body},
                 {10, row->address},
                 {12, row->response_headers},
                 {13, body},
                 {15, row->body_origin},
                 {16, row->recorded}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sqlite3_bind_text(statement, texts[i].place, texts[i].text, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 6, row->port);
    sqlite3_bind_int(statement, 11, row->status);
    sqlite3_bind_int64(statement, 14, (sqlite3_int64)row->body.size);
}

static int insert_rows(struct archive_transaction *t, struct archive_error *error) {
    sqlite3_int64 recording = sqlite3_last_insert_rowid(t->db), seq = 0;
    sqlite3_stmt *statement;
    if (archive_db_prepare(
            t->db, t->home,
            "INSERT INTO exchange (recording, seq, method, scheme, host, port, path, request_headers,"
            " request_body_sha256, address, status, response_headers, body_sha256, body_size,"
            " body_origin, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            &statement, error) < 0)
        return -1;
    int status = 0;
    for (const struct row *row = t->rows; row && status == 0; row = row->next) {
        sqlite3_bind_int64(statement, 1, recording);
        sqlite3_bind_int64(statement, 2, seq++);
        bind_row(statement, row);
        status = step_done(t->db, t->home, statement, error);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static int publish_bodies(struct archive_transaction *t, struct archive_error *error) {
    for (const struct row *row = t->rows; row; row = row->next) {
        if (row->request_body.size > 0 && body_store_publish(t->bodies, &row->request_body, error) < 0)
            return -1;
        if (row->body.size > 0 && body_store_publish(t->bodies, &row->body, error) < 0) return -1;
    }
    return body_store_sync(t->bodies, error);
}

static int check_size(const struct archive_transaction *t, const json_t *recording,
                      struct archive_error *error) {
    size_t size = json_dumpb(recording, NULL, 0, JSON_COMPACT);
    if (size <= RECORDING_SIZE_MAX) return 0;
    return archive_fail(error, ARCHIVE_TOO_LARGE,
                        "shorten its notes: take requests out of the source that have failed",
                        "recording \"%s\": its URL, source and notes take %zu bytes (at most %d)", t->name,
                        size, RECORDING_SIZE_MAX);
}

// *replaced: bodies may be left without a name. *recording is read before the commit: a moment later
// another program may have replaced it.
static int write_all(struct archive_transaction *t, bool *replaced, json_t **recording,
                     struct archive_error *error) {
    *replaced = false;
    if (archive_db_exec(t->db, t->home, "BEGIN IMMEDIATE", error) < 0) return -1;
    if (check_name_free(t, error) < 0) return -1;
    if (put_in_place(t, replaced, error) < 0 || insert_rows(t, error) < 0 || publish_bodies(t, error) < 0 ||
        archive_show_recording(recording, t->db, t->home, t->name, error) < 0 ||
        check_size(t, *recording, error) < 0)
        return -1;
    return archive_db_exec(t->db, t->home, "COMMIT", error);
}

int archive_commit(struct archive_transaction *transaction, const json_t *notes, json_t **recording,
                   struct archive_error *error) {
    int status = 0;
    *recording = NULL;
    if (notes) {
        free(transaction->notes);
        transaction->notes = json_text(notes);
        if (!transaction->notes) status = archive_fail_memory(error);
    }
    if (status == 0 && !transaction->rows)
        status = archive_fail(error, ARCHIVE_INVALID, "add at least one exchange before the commit",
                              "recording \"%s\": has no exchange", transaction->name);
    bool replaced = false;
    if (status == 0) status = body_store_sync_staged(transaction->bodies, error);
    if (status == 0) {
        status = write_all(transaction, &replaced, recording, error);
        if (status < 0) sqlite3_exec(transaction->db, "ROLLBACK", NULL, NULL, NULL);
        struct archive_error ignored; // a sweep that fails leaves bodies for the next one
        if (status < 0 || replaced) sweep(transaction->db, transaction->home, &ignored);
    }
    archive_abort(transaction); // frees it; what was committed stays
    if (status < 0) {
        json_decref(*recording);
        *recording = NULL;
    }
    return status;
}

int archive_remove(const char *home, const char *name, struct archive_error *error) {
    sqlite3 *db;
    if (archive_db_open_to_change(&db, home, error) < 0) return -1;
    bool found = false;
    int status = db ? find_recording(db, home, name, &found, error) : 0;
    if (status == 0 && !found)
        status = archive_fail(error, ARCHIVE_NOT_FOUND, "`trilane list` shows what there is",
                              "recording \"%s\": not in the archive", name);
    if (status == 0) status = change_recording(db, home, delete_by_name, name, error);
    // It has gone, whatever becomes of its bodies: who wants their content gone must know that it is not.
    struct archive_error why;
    if (status == 0 && sweep(db, home, &why) < 0)
        status =
            archive_fail(error, why.code, "remove any recording when that is put right: they go with it",
                         "recording \"%s\" is removed, but not all of its bodies: %s", name, why.message);
    sqlite3_close(db);
    return status;
}
