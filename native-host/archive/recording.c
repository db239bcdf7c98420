// Reads one recording whole: rows through SQLite, headers into one arena, each body mapped once however many
// exchanges share it.
#include "archive/recording.h"

#include "archive/archive_db.h"
#include "archive/arena.h"
#include "archive/destination.h"
#include "archive/recorded_headers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHA256_HEX_SIZE = 64 };

struct mapped_body {
    char sha256[SHA256_HEX_SIZE + 1]; // "": the slot is free
    void *bytes;
    size_t size;
};

struct recording_memory {
    struct arena arena;
    struct recorded_certificates certificates;
    struct mapped_body *bodies; // hash table, open addressing; its size is a power of two
    size_t body_slots;
};

// What opening needs at hand; `recording` is filled as it goes, so that recording_close can clear any half of
// it.
struct reader {
    struct recording *recording;
    const char *home;
    sqlite3 *db;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error, reader->error_size, format, arguments);
    va_end(arguments);
    return -1;
}

static int fail_memory(struct reader *reader) {
    return fail(reader, "recording: not enough memory");
}

static const char *column_copy(struct reader *reader, sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    if (!text) return NULL;
    return arena_copy(&reader->recording->memory->arena, text,
                      (size_t)sqlite3_column_bytes(statement, column));
}

static int read_headers(struct reader *reader, struct recorded_exchange *exchange, const char *text,
                        size_t size) {
    json_error_t why;
    json_t *list = json_loadb(text, size, JSON_ALLOW_NUL, &why);
    if (!json_is_array(list)) {
        json_decref(list);
        return fail(reader,
                    "recording \"%s\": the headers of exchange %lld are damaged: import the page again",
                    reader->recording->name, (long long)exchange->seq);
    }
    size_t damaged;
    const bool is_head = strcmp(exchange->method, "HEAD") == 0;
    const enum recorded_headers read =
        recorded_headers_read(&exchange->headers, &exchange->header_count, list, is_head,
                              &reader->recording->memory->arena, &damaged);
    json_decref(list);
    if (read == RECORDED_HEADERS_NO_MEMORY) return fail_memory(reader);
    if (read == RECORDED_HEADERS_DAMAGED)
        return fail(reader, "recording \"%s\": header %zu of exchange %lld is damaged: import the page again",
                    reader->recording->name, damaged, (long long)exchange->seq);
    return 0;
}

static bool is_sha256(const char *text) {
    return strlen(text) == SHA256_HEX_SIZE && strspn(text, "0123456789abcdef") == SHA256_HEX_SIZE;
}

static struct mapped_body *body_slot(struct recording_memory *memory, const char *sha256) {
    size_t at = (size_t)strtoull(
        (char[]){sha256[0], sha256[1], sha256[2], sha256[3], sha256[4], sha256[5], 0}, NULL, 16);
    for (;; at++) {
        struct mapped_body *slot = &memory->bodies[at & (memory->body_slots - 1)];
        if (!slot->sha256[0] || strcmp(slot->sha256, sha256) == 0) return slot;
    }
}

static int map_body(struct reader *reader, struct recorded_exchange *exchange, const char *sha256) {
    if (!is_sha256(sha256))
        return fail(reader,
                    "recording \"%s\": exchange %lld names no body hash (\"%.80s\"): import the page again",
                    reader->recording->name, (long long)exchange->seq, sha256);
    struct mapped_body *slot = body_slot(reader->recording->memory, sha256);
    if (!slot->sha256[0]) {
        char path[4096];
        snprintf(path, sizeof path, "%s/bodies/%.2s/%s", reader->home, sha256, sha256);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (fd < 0 || fstat(fd, &status) < 0 || (uint64_t)status.st_size != exchange->body_size) {
            int why = errno;
            bool opened = fd >= 0;
            if (opened) close(fd);
            return fail(reader, "%s: the body of %s%s %s: import \"%s\" again", path, exchange->host,
                        exchange->path, opened ? "is not of its recorded size" : strerror(why),
                        reader->recording->name);
        }
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        int why = errno;
        close(fd);
        if (bytes == MAP_FAILED) return fail(reader, "%s: cannot be mapped: %s", path, strerror(why));
        memcpy(slot->sha256, sha256, SHA256_HEX_SIZE + 1);
        slot->bytes = bytes;
        slot->size = (size_t)status.st_size;
    }
    if (slot->size != exchange->body_size)
        return fail(reader,
                    "recording \"%s\": exchange %lld disagrees with its body's size: import the page again",
                    reader->recording->name, (long long)exchange->seq);
    exchange->body = slot->bytes;
    return 0;
}

static uint8_t hex_value(char digit) {
    return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// NULL in the archive: there was no body. What is no hash is as good as none: it only decides between
// requests.
static int read_request_body(struct reader *reader, sqlite3_stmt *row, struct recorded_exchange *exchange) {
    const char *sha256 = (const char *)sqlite3_column_text(row, 13);
    if (!sha256 || !is_sha256(sha256)) return 0;
    uint8_t *hash = arena_take(&reader->recording->memory->arena, RECORDING_HASH_BYTES);
    if (!hash) return -1;
    for (size_t i = 0; i < RECORDING_HASH_BYTES; i++)
        hash[i] = (uint8_t)(hex_value(sha256[2 * i]) << 4 | hex_value(sha256[2 * i + 1]));
    exchange->request_body_sha256 = hash;
    return 0;
}

static bool is_address(const char *text) {
    struct in6_addr address;
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

// Milliseconds in the archive. What no server can have taken is as good as not recorded.
static int64_t server_time_of(sqlite3_stmt *row, int column) {
    static const double most_ms = 3600e3;
    int type = sqlite3_column_type(row, column);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return -1;
    double time_ms = sqlite3_column_double(row, column);
    return time_ms >= 0 && time_ms <= most_ms ? (int64_t)(time_ms * 1e6) : -1;
}

// TLS has no larger ones, and none smaller is worth a server's while.
static uint32_t record_bytes_of(sqlite3_stmt *row, int column) {
    enum { LEAST_BYTES = 512, MOST_BYTES = 16384 };
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER) return 0;
    sqlite3_int64 bytes = sqlite3_column_int64(row, column);
    return bytes >= LEAST_BYTES && bytes <= MOST_BYTES ? (uint32_t)bytes : 0;
}

static int read_certificate(struct reader *reader, sqlite3_stmt *row, struct recorded_exchange *exchange) {
    struct recording_memory *memory = reader->recording->memory;
    const char *json = (const char *)sqlite3_column_text(row, 12);
    return recorded_certificate_read(&exchange->certificate, json ? json : "",
                                     (size_t)sqlite3_column_bytes(row, 12), &memory->certificates,
                                     &memory->arena);
}

// What the request was for. Where its headers are damaged it is as good as not known.
static enum destination read_destination(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    json_t *list =
        text ? json_loadb(text, (size_t)sqlite3_column_bytes(row, column), JSON_ALLOW_NUL, NULL) : NULL;
    const json_t *dest = NULL, *accept = NULL, *pair;
    size_t at;
    json_array_foreach(list, at, pair) {
        const char *name = json_string_value(json_array_get(pair, 0));
        if (name && strcmp(name, "sec-fetch-dest") == 0) dest = json_array_get(pair, 1);
        if (name && strcmp(name, "accept") == 0) accept = json_array_get(pair, 1);
    }
    const enum destination destination =
        destination_of(json_string_value(dest), json_string_length(dest), json_string_value(accept),
                       json_string_length(accept));
    json_decref(list);
    return destination;
}

static int read_exchange(struct reader *reader, sqlite3_stmt *row, struct recorded_exchange *exchange) {
    exchange->seq = sqlite3_column_int64(row, 0);
    exchange->method = column_copy(reader, row, 1);
    exchange->scheme = sqlite3_column_type(row, 2) == SQLITE_TEXT &&
                               strcmp((const char *)sqlite3_column_text(row, 2), "http") == 0
                           ? "http"
                           : "https";
    exchange->host = column_copy(reader, row, 3);
    exchange->port = (uint16_t)sqlite3_column_int(row, 4);
    exchange->path = column_copy(reader, row, 5);
    exchange->address = column_copy(reader, row, 6);
    exchange->status = (uint16_t)sqlite3_column_int(row, 7);
    exchange->body_size = (uint64_t)sqlite3_column_int64(row, 10);
    exchange->server_time_ns = server_time_of(row, 11);
    exchange->record_bytes = record_bytes_of(row, 15);
    exchange->destination = read_destination(row, 16);
    if (!exchange->method || !exchange->host || !exchange->path || !exchange->address)
        return fail_memory(reader);
    if (!is_address(exchange->address))
        return fail(reader, "recording \"%s\": %s: no IP address (\"%s\"): import the page again",
                    reader->recording->name, exchange->host, exchange->address);
    const char *headers = (const char *)sqlite3_column_text(row, 8);
    if (read_headers(reader, exchange, headers ? headers : "", (size_t)sqlite3_column_bytes(row, 8)) < 0)
        return -1;
    exchange->connection = column_copy(reader, row, 14);
    if (!exchange->connection && sqlite3_column_type(row, 14) != SQLITE_NULL) return fail_memory(reader);
    if (read_certificate(reader, row, exchange) < 0 || read_request_body(reader, row, exchange) < 0 ||
        recorded_hints_read(exchange, (const char *)sqlite3_column_text(row, 17),
                            (size_t)sqlite3_column_bytes(row, 17), &reader->recording->memory->arena) < 0)
        return fail_memory(reader);
    if (exchange->body_size == 0) return 0;
    const char *sha256 = (const char *)sqlite3_column_text(row, 9);
    return map_body(reader, exchange, sha256 ? sha256 : "");
}

static int fail_sql(struct reader *reader) {
    if (sqlite3_errcode(reader->db) == SQLITE_BUSY)
        return fail(reader, "%s/archive.db: another import is writing: try again when it has ended",
                    reader->home);
    return fail(reader, "%s/archive.db: %s", reader->home, sqlite3_errmsg(reader->db));
}

static int prepare(struct reader *reader, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(reader->db, sql, -1, statement, NULL) == SQLITE_OK ? 0 : fail_sql(reader);
}

static int read_number(struct reader *reader, const char *sql, int64_t *number) {
    sqlite3_stmt *statement;
    if (prepare(reader, sql, &statement) < 0) return -1;
    int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : fail_sql(reader);
    if (result == 0) *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result;
}

static int read_recording(struct reader *reader, const char *name) {
    sqlite3_stmt *row;
    if (prepare(reader, "SELECT id, name, url, digest, notes FROM recording WHERE name = ?", &row) < 0)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    int step = sqlite3_step(row);
    int result = 0;
    struct recording *recording = reader->recording;
    if (step == SQLITE_ROW) {
        recording->id = sqlite3_column_int64(row, 0);
        recording->name = column_copy(reader, row, 1);
        recording->url = column_copy(reader, row, 2);
        recording->digest = column_copy(reader, row, 3);
        const char *notes = (const char *)sqlite3_column_text(row, 4);
        if (!recording->name || !recording->url || !recording->digest ||
            recorded_failures_open(&recording->failures, notes ? notes : "",
                                   (size_t)sqlite3_column_bytes(row, 4)) < 0)
            result = fail_memory(reader);
    } else if (step == SQLITE_DONE) {
        result = fail(reader, "recording \"%s\": not in the archive (`trilane list` shows what is)", name);
    } else {
        result = fail_sql(reader);
    }
    sqlite3_finalize(row);
    return result;
}

static int make_room(struct reader *reader, size_t count) {
    struct recording *recording = reader->recording;
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    recording->memory->bodies = calloc(slots, sizeof *recording->memory->bodies);
    recording->memory->body_slots = slots;
    recording->exchanges = calloc(count ? count : 1, sizeof *recording->exchanges);
    return recording->memory->bodies && recording->exchanges ? 0 : fail_memory(reader);
}

static int read_exchanges(struct reader *reader) {
    char count_sql[96];
    snprintf(count_sql, sizeof count_sql, "SELECT count(*) FROM exchange WHERE recording = %lld",
             (long long)reader->recording->id);
    int64_t count = 0;
    if (read_number(reader, count_sql, &count) < 0 || make_room(reader, (size_t)count) < 0) return -1;
    if (count == 0)
        return fail(reader, "recording \"%s\": holds no exchange: import the page again",
                    reader->recording->name);

    sqlite3_stmt *row;
    if (prepare(reader,
                "SELECT seq, method, scheme, host, port, path, address, status, response_headers, "
                "body_sha256, body_size, "
                "CASE WHEN json_valid(recorded) THEN json_extract(recorded, '$.server_time_ms') END, "
                "CASE WHEN json_valid(recorded) THEN json_extract(recorded, '$.tls') END, "
                "request_body_sha256, "
                "CASE WHEN json_valid(recorded) THEN json_extract(recorded, '$.connection') END, "
                "CASE WHEN json_valid(recorded) THEN json_extract(recorded, '$.tls.record_bytes') END, "
                "request_headers, "
                "CASE WHEN json_valid(recorded) THEN json_extract(recorded, '$.early_hints') END"
                " FROM exchange WHERE recording = ? ORDER BY seq",
                &row) < 0)
        return -1;
    sqlite3_bind_int64(row, 1, reader->recording->id);
    int result = 0;
    int step = SQLITE_DONE;
    while (result == 0 && reader->recording->exchange_count < (size_t)count &&
           (step = sqlite3_step(row)) == SQLITE_ROW)
        result =
            read_exchange(reader, row, &reader->recording->exchanges[reader->recording->exchange_count++]);
    if (result == 0 && step != SQLITE_ROW && step != SQLITE_DONE) result = fail_sql(reader);
    sqlite3_finalize(row);
    return result;
}

// One read transaction, so that a recording replaced meanwhile is seen whole: the old one or the new one.
static int read_all(struct reader *reader, const char *name) {
    if (sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) return fail_sql(reader);
    if (read_recording(reader, name) < 0) return -1;
    return read_exchanges(reader);
}

int recording_open(struct recording *recording, const char *home, const char *name, char *error,
                   size_t error_size) {
    struct reader reader = {.recording = recording, .home = home, .error = error, .error_size = error_size};
    memset(recording, 0, sizeof *recording);
    recording->memory = calloc(1, sizeof *recording->memory);
    if (!recording->memory) return fail_memory(&reader);

    struct archive_error why;
    int result;
    if (archive_db_open_to_read(&reader.db, home, &why) < 0)
        result = fail(&reader, "%s: %s", why.message, why.remedy);
    else if (!reader.db)
        result = fail(
            &reader,
            "%s/archive.db: no archive here (`trilane import FILE.har` or `trilane synth` makes one)", home);
    else
        result = read_all(&reader, name);
    sqlite3_close(reader.db);
    if (result < 0) recording_close(recording);
    return result;
}

void recording_close(struct recording *recording) {
    struct recording_memory *memory = recording->memory;
    if (memory) {
        for (size_t i = 0; memory->bodies && i < memory->body_slots; i++)
            if (memory->bodies[i].sha256[0]) munmap(memory->bodies[i].bytes, memory->bodies[i].size);
        free(memory->bodies);
        arena_free(&memory->arena);
        free(memory);
    }
    recorded_failures_close(recording->failures);
    free(recording->exchanges);
    memset(recording, 0, sizeof *recording);
}
