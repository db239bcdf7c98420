#include "archive/recording_check.h"

#include "archive/archive_db.h"
#include "archive/archive_listing.h"
#include "archive/archive_writer.h"
#include "archive/body_reader.h"
#include "archive/recording_digest.h"

#include <stdbool.h>
#include <string.h>

// A call ends with the exchange that passes one of these, so that its answer is small and comes soon.
enum { PAGE_EXCHANGES = 1000, PAGE_HASHED_BYTES = 128 * 1024 * 1024 };

struct check {
    sqlite3 *db;
    const char *home;
    json_t *recording; // as archive_show has it
    int64_t id;
    struct archive_error *error;
};

static const char *text_column(sqlite3_stmt *row, int place) {
    const char *text = (const char *)sqlite3_column_text(row, place);
    return text ? text : "";
}

// *matches: false too where a row's headers are no JSON.
static int check_digest(struct check *check, bool *matches) {
    sqlite3_stmt *row;
    if (archive_db_prepare(
            check->db, check->home,
            "SELECT method, scheme, host, port, path, request_body_sha256, address, status,"
            " response_headers, body_sha256, recorded FROM exchange WHERE recording = ? ORDER BY seq",
            &row, check->error) < 0)
        return -1;
    sqlite3_bind_int64(row, 1, check->id);
    struct recording_digest now, first;
    recording_digest_start(&now, RECORDING_DIGEST_NOW);
    recording_digest_start(&first, RECORDING_DIGEST_FIRST);
    bool readable = true;
    int step;
    while ((step = sqlite3_step(row)) == SQLITE_ROW) {
        json_t *headers =
            json_loadb(text_column(row, 8), (size_t)sqlite3_column_bytes(row, 8), JSON_ALLOW_NUL, NULL);
        json_t *recorded =
            json_loadb(text_column(row, 10), (size_t)sqlite3_column_bytes(row, 10), JSON_ALLOW_NUL, NULL);
        if (!json_is_array(headers)) readable = false;
        const struct archive_exchange exchange = {.method = text_column(row, 0),
                                                  .scheme = text_column(row, 1),
                                                  .host = text_column(row, 2),
                                                  .port = (uint16_t)sqlite3_column_int(row, 3),
                                                  .path = text_column(row, 4),
                                                  .address = text_column(row, 6),
                                                  .status = (uint16_t)sqlite3_column_int(row, 7),
                                                  .response_headers = headers,
                                                  .recorded = recorded};
        if (readable) {
            recording_digest_add(&now, &exchange, text_column(row, 5), text_column(row, 9));
            recording_digest_add(&first, &exchange, text_column(row, 5), text_column(row, 9));
        }
        json_decref(headers);
        json_decref(recorded);
    }
    int status = step == SQLITE_DONE ? 0 : archive_db_fail(check->db, check->home, check->error);
    sqlite3_finalize(row);
    char hex_now[SHA256_HEX_SIZE + 1], hex_first[SHA256_HEX_SIZE + 1];
    recording_digest_finish(&now, hex_now);
    recording_digest_finish(&first, hex_first);
    const char *digest = json_string_value(json_object_get(check->recording, "digest"));
    *matches = readable && digest && (strcmp(hex_now, digest) == 0 || strcmp(hex_first, digest) == 0);
    return status;
}

static const char *problem_name(enum body_state state) {
    switch (state) {
    case BODY_WHOLE:
        return NULL;
    case BODY_MISSING:
        return "missing";
    case BODY_OF_OTHER_SIZE:
        return "size";
    case BODY_DAMAGED:
        break;
    }
    return "content";
}

// Adds to `problems` what is wrong with one body. `size`: as the row says; a request body's row does not.
static int check_body(struct check *check, json_t *problems, int64_t seq, const char *part,
                      const char *sha256, const uint64_t *size, uint64_t *hashed) {
    uint64_t actual = 0;
    struct archive_error ignored;
    enum body_state state = BODY_MISSING;
    if (body_size(check->home, sha256, &actual, &ignored) == 0)
        state = body_check(check->home, sha256, size ? *size : actual);
    *hashed += actual;
    const char *problem = problem_name(state);
    if (!problem) return 0;
    // A row may hold anything: what is no text of UTF-8 is reported without it.
    json_t *name = body_is_name(sha256) ? json_string(sha256) : json_null();
    json_t *entry = json_pack("{s:I, s:s, s:o, s:s}", "seq", (json_int_t)seq, "part", part, "sha256", name,
                              "problem", problem);
    return json_array_append_new(problems, entry) < 0 ? archive_fail_memory(check->error) : 0;
}

static int check_bodies(struct check *check, int64_t from_seq, json_t *problems, json_int_t *count,
                        json_t **next) {
    sqlite3_stmt *row;
    if (archive_db_prepare(check->db, check->home,
                           "SELECT seq, request_body_sha256, body_sha256, body_size FROM exchange"
                           " WHERE recording = ? AND seq >= ? ORDER BY seq",
                           &row, check->error) < 0)
        return -1;
    sqlite3_bind_int64(row, 1, check->id);
    sqlite3_bind_int64(row, 2, from_seq);
    uint64_t hashed = 0;
    int64_t last = 0;
    int step = SQLITE_ROW, status = 0;
    while (status == 0 && *count < PAGE_EXCHANGES && hashed < PAGE_HASHED_BYTES &&
           (step = sqlite3_step(row)) == SQLITE_ROW) {
        last = sqlite3_column_int64(row, 0);
        const uint64_t size = (uint64_t)sqlite3_column_int64(row, 3);
        if (sqlite3_column_type(row, 1) != SQLITE_NULL)
            status = check_body(check, problems, last, "request", text_column(row, 1), NULL, &hashed);
        if (status == 0 && sqlite3_column_type(row, 2) != SQLITE_NULL)
            status = check_body(check, problems, last, "response", text_column(row, 2), &size, &hashed);
        ++*count;
    }
    if (status == 0 && step != SQLITE_ROW && step != SQLITE_DONE)
        status = archive_db_fail(check->db, check->home, check->error);
    *next = step == SQLITE_ROW ? json_integer(last + 1) : json_null();
    sqlite3_finalize(row);
    return status;
}

static int verify(struct check *check, const char *name, int64_t from_seq, json_t **out) {
    bool matches = false;
    json_int_t count = 0;
    // One transaction: a recording replaced meanwhile is seen whole.
    if (archive_db_exec(check->db, check->home, "BEGIN", check->error) < 0 ||
        archive_show_recording(&check->recording, check->db, check->home, name, check->error) < 0)
        return -1;
    check->id = json_integer_value(json_object_get(check->recording, "id"));
    if (from_seq == 0 && check_digest(check, &matches) < 0) return -1;
    json_t *problems = json_array(), *next = NULL;
    int status =
        problems ? check_bodies(check, from_seq, problems, &count, &next) : archive_fail_memory(check->error);
    if (status == 0) {
        json_t *digest = from_seq == 0 ? json_boolean(matches) : json_null();
        *out = json_pack("{s:O, s:o, s:I, s:O, s:O}", "recording", check->recording, "digest_matches", digest,
                         "checked", count, "problems", problems, "next", next);
        if (!*out) status = archive_fail_memory(check->error);
    }
    json_decref(problems);
    json_decref(next);
    return status;
}

int archive_verify(json_t **out, const char *home, const char *name, int64_t from_seq,
                   struct archive_error *error) {
    struct check check = {.home = home, .error = error};
    if (archive_db_open_to_read(&check.db, home, error) < 0) return -1;
    if (!check.db)
        return archive_fail(error, ARCHIVE_NOT_FOUND, "`trilane list` shows what there is",
                            "recording \"%s\": not in the archive", name);
    int status = verify(&check, name, from_seq, out);
    json_decref(check.recording);
    sqlite3_close(check.db);
    return status;
}
