#include "page_archive.h"
#include "test/native/cmocka_unit.h"

#include <sqlite3.h>
#include <sys/stat.h>

#define PAGE_HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LARGE_HASH "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define NO_HASH "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static int write_body(const char *home, const char *hash, const char *text, size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s/bodies/%.2s", home, hash);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/bodies/%.2s/%s", home, hash, hash);
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    size_t text_size = strlen(text);
    for (size_t at = 0; at < size; at += text_size)
        fwrite(text, 1, text_size < size - at ? text_size : size - at, file);
    return fclose(file);
}

static int run_file(sqlite3 *db, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    char sql[16384];
    sql[fread(sql, 1, sizeof sql - 1, file)] = '\0';
    fclose(file);
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static int add(sqlite3 *db, int recording, int seq, const char *scheme, const char *host, int port,
               const char *path, const char *address, const char *hash, size_t size) {
    char *sql =
        sqlite3_mprintf("INSERT INTO exchange VALUES (%d, %d, 'GET', %Q, %Q, %d, %Q, '[]', NULL, %Q, 200,"
                        " '[[\"content-type\",\"text/html\"]]', %Q, %lld, 'recorded', '{}')",
                        recording, seq, scheme, host, port, path, address, hash, (long long)size);
    int result = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
    sqlite3_free(sql);
    return result;
}

int page_archive_make(char home[64]) {
    char path[256];
    snprintf(path, sizeof path, "%s/bodies", unit_new_folder(home));
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/archive.db", home);
    sqlite3 *db;
    int failed =
        sqlite3_open(path, &db) != SQLITE_OK || run_file(db, TRILANE_ROOT "/schemas/archive.sql") < 0;
    static const char recordings[] = "INSERT INTO recording (id, name, url, source, created_at, digest, "
                                     "notes) VALUES (1, 'page', 'https://a.test/', 'test', "
                                     "'2026-01-01T00:00:00Z', 'd1', '{}');"
                                     "INSERT INTO recording (id, name, url, source, created_at, digest, "
                                     "notes) VALUES (2, 'broken', 'https://a.test/', 'test', "
                                     "'2026-01-01T00:00:00Z', 'd2', '{}')";
    failed = failed || sqlite3_exec(db, recordings, NULL, NULL, NULL) != SQLITE_OK;
    size_t page_size = strlen(PAGE_BODY);
    failed =
        failed || add(db, 1, 0, "https", "a.test", 443, "/", PAGE_ADDRESS, PAGE_HASH, page_size) < 0 ||
        add(db, 1, 1, "http", "a.test", 80, "/", PAGE_ADDRESS, PAGE_HASH, page_size) < 0 ||
        add(db, 1, 2, "https", "a.test", 443, "/large", PAGE_ADDRESS_6, LARGE_HASH, PAGE_LARGE_BYTES) < 0 ||
        add(db, 1, 3, "https", "b.test", 8443, "/", PAGE_ADDRESS, PAGE_HASH, page_size) < 0 ||
        add(db, 2, 0, "https", "a.test", 443, "/", PAGE_ADDRESS, NO_HASH, 10) < 0;
    sqlite3_close(db);
    failed = failed || write_body(home, PAGE_HASH, PAGE_BODY, page_size) != 0 ||
             write_body(home, LARGE_HASH, "0123456789abcde\n", PAGE_LARGE_BYTES) != 0;
    return failed ? -1 : 0;
}
