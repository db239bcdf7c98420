// Recordings read back from an archive made here with the project's own schema, sound and damaged.
#include "archive/arena.h"
#include "archive/recording.h"
#include "test/native/cmocka_unit.h"

#include <sqlite3.h>
#include <sys/stat.h>

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct fixture {
    char home[64];
    sqlite3 *db;
    struct recording recording;
    char error[512];
};

static void run(struct fixture *f, const char *sql) {
    char *why = NULL;
    if (sqlite3_exec(f->db, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
}

static void write_body(struct fixture *f, const char *hash, const char *bytes) {
    char path[256];
    snprintf(path, sizeof path, "%s/bodies/%.2s", f->home, hash);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/bodies/%.2s/%s", f->home, hash, hash);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(bytes, file);
    fclose(file);
}

static int open_archive(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    char path[256];
    snprintf(path, sizeof path, "%s/bodies", unit_new_folder(f->home));
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/archive.db", f->home);
    assert_int_equal(sqlite3_open(path, &f->db), SQLITE_OK);
    FILE *file = fopen(TRILANE_ROOT "/schemas/archive.sql", "r");
    assert_non_null(file);
    char schema[16384];
    schema[fread(schema, 1, sizeof schema - 1, file)] = '\0';
    fclose(file);
    run(f, schema);
    run(f, "INSERT INTO recording (id, name, url, source, created_at, digest, notes) VALUES (7, 'page', "
           "'https://a.test/', 'test', '2026-01-01T00:00:00Z', "
           "'d1', '{}')");
    run(f, "INSERT INTO exchange VALUES (7, 0, 'GET', 'https', 'a.test', 443, '/?q', '[]', NULL, "
           "'192.0.2.1', 200,"
           " '[[\"content-type\",\"  text/html \"],[\"set-cookie\",\"a\\tb\"],[\"set-cookie\",\"c\"],"
           "[\"bad name\",\"x\"],[\"Upper\",\"x\"],[\"\",\"x\"],[\"x-line\",\"a\\r\\nb: "
           "c\"],[\"x-nul\",\"a\\u0000b\"],"
           "[\"content-length\",\"99\"],[\"transfer-encoding\",\"chunked\"],[\"connection\",\"close\"],"
           "[\"x-empty\",\"\"]]', '" HASH_A "', 5, 'recorded', '{}')");
    run(f, "INSERT INTO exchange VALUES (7, 1, 'GET', 'http', 'a.test', 80, '/same', '[]', NULL, "
           "'2001:db8::1', 301,"
           " '[]', '" HASH_A "', 5, 'recorded', '{}')");
    run(f, "INSERT INTO exchange VALUES (7, 2, 'GET', 'https', 'b.test', 8443, '/none', '[]', NULL, "
           "'192.0.2.2', 204,"
           " '[]', NULL, 0, 'empty', '{}')");
    write_body(f, HASH_A, "hello");
    *state = f;
    return 0;
}

static int close_archive(void **state) {
    struct fixture *f = *state;
    recording_close(&f->recording);
    sqlite3_close(f->db);
    free(f);
    return 0;
}

#define RECORDING_TEST(name) UNIT_TEST_OF(name, struct fixture *f, open_archive, close_archive)

static int open_recording(struct fixture *f, const char *name) {
    return recording_open(&f->recording, f->home, name, f->error, sizeof f->error);
}

static void assert_refused(struct fixture *f, const char *name, const char *part_of_line) {
    f->error[0] = '\0';
    assert_int_equal(open_recording(f, name), -1);
    if (!strstr(f->error, part_of_line) || strchr(f->error, '\n')) fail_msg("got \"%s\"", f->error);
}

// SQLite's waiting, without the time: the sleeps are added up, and the lock is given up after so many of
// them.
static struct {
    sqlite3 *locking;
    int slept_us, locked_us;
} waiting;

static int sleep_at_once(sqlite3_vfs *vfs, int time_us) {
    (void)vfs;
    waiting.slept_us += time_us;
    if (waiting.slept_us >= waiting.locked_us)
        assert_int_equal(sqlite3_exec(waiting.locking, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    return time_us;
}

static int open_while_locked(struct fixture *f, int locked_us) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    int (*const sleep_as_ever)(sqlite3_vfs *, int) = vfs->xSleep;
    waiting.locking = f->db;
    waiting.slept_us = 0;
    waiting.locked_us = locked_us;
    run(f, "BEGIN EXCLUSIVE");
    vfs->xSleep = sleep_at_once;
    int result = open_recording(f, "page");
    vfs->xSleep = sleep_as_ever;
    return result;
}

RECORDING_TEST(test_waits_for_a_writer) {
    assert_int_equal(open_while_locked(f, 25 * 1000 * 1000), 0);
    recording_close(&f->recording);
    assert_int_equal(open_while_locked(f, 100 * 1000 * 1000), -1);
    assert_in_range(waiting.slept_us, 29 * 1000 * 1000, 31 * 1000 * 1000);
    if (!strstr(f->error, "archive.db: another program keeps it locked: wait for other trilane programs"))
        fail_msg("got \"%s\"", f->error);
}

RECORDING_TEST(test_request_bodies) {
    run(f, "UPDATE exchange SET request_body_sha256 = '0123456789abcdef" // 64 digits
           "0123456789abcdef0123456789abcdef0123456789abcdef' WHERE seq = 1");
    run(f, "UPDATE exchange SET request_body_sha256 = 'no hash' WHERE seq = 2");
    assert_int_equal(open_recording(f, "page"), 0);
    const struct recorded_exchange *e = f->recording.exchanges;
    assert_null(e[0].request_body_sha256);
    assert_non_null(e[1].request_body_sha256);
    for (size_t i = 0; i < RECORDING_HASH_BYTES; i++)
        assert_int_equal(e[1].request_body_sha256[i], (i * 2 % 16) << 4 | (i * 2 % 16 + 1));
    assert_null(e[2].request_body_sha256); // it only decides between requests
}

RECORDING_TEST(test_reads_all) {
    assert_int_equal(open_recording(f, "page"), 0);
    const struct recording *r = &f->recording;
    assert_int_equal(r->id, 7);
    assert_string_equal(r->name, "page");
    assert_string_equal(r->url, "https://a.test/");
    assert_string_equal(r->digest, "d1");
    assert_int_equal(r->exchange_count, 3);
    const struct recorded_exchange *e = r->exchanges;
    assert_string_equal(e[0].path, "/?q");
    assert_string_equal(e[0].scheme, "https");
    assert_string_equal(e[1].scheme, "http");
    assert_string_equal(e[1].address, "2001:db8::1");
    assert_int_equal(e[1].port, 80);
    assert_int_equal(e[1].status, 301);
    assert_int_equal(e[2].port, 8443);
    assert_null(e[2].body);
    assert_int_equal(e[2].body_size, 0);
    assert_int_equal(e[0].body_size, 5);
    assert_memory_equal(e[0].body, "hello", 5);
    assert_ptr_equal(e[0].body, e[1].body); // mapped once
}

RECORDING_TEST(test_only_headers_that_may_be_sent) {
    assert_int_equal(open_recording(f, "page"), 0);
    const struct recorded_exchange *e = &f->recording.exchanges[0];
    static const char *const wanted[][2] = {
        {"content-type", "text/html"}, {"set-cookie", "a\tb"}, {"set-cookie", "c"}, {"x-empty", ""}};
    assert_int_equal(e->header_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(e->headers[i].name, wanted[i][0]);
        assert_string_equal(e->headers[i].value, wanted[i][1]);
        assert_int_equal(e->headers[i].name_size, strlen(wanted[i][0]));
        assert_int_equal(e->headers[i].value_size, strlen(wanted[i][1]));
    }
}

RECORDING_TEST(test_what_is_not_there) {
    assert_refused(f, "nothing", "\"nothing\": not in the archive");
    struct fixture elsewhere = {.home = "/tmp/trilane-no-such-folder"};
    assert_refused(&elsewhere, "page", "/tmp/trilane-no-such-folder/archive.db: no archive here");
    run(f, "DELETE FROM exchange");
    assert_refused(f, "page", "holds no exchange");
}

RECORDING_TEST(test_damaged_bodies) {
    write_body(f, HASH_A, "hell");
    assert_refused(f, "page", "is not of its recorded size");
    run(f, "UPDATE exchange SET body_sha256 = '" HASH_B "' WHERE seq = 0");
    assert_refused(f, "page", "No such file");
    run(f, "UPDATE exchange SET body_sha256 = '../../../etc/passwd' WHERE seq = 0");
    assert_refused(f, "page", "names no body hash");
    run(f, "UPDATE exchange SET body_sha256 = NULL WHERE seq = 0");
    assert_refused(f, "page", "names no body hash");
    write_body(f, HASH_A, "hello");
    run(f, "UPDATE exchange SET body_sha256 = '" HASH_A "' WHERE seq = 0");
    run(f, "UPDATE exchange SET body_size = 4 WHERE seq = 1");
    assert_refused(f, "page", "disagrees with its body's size");
}

RECORDING_TEST(test_damaged_rows) {
    run(f, "UPDATE exchange SET response_headers = '[[\"a\",' WHERE seq = 2");
    assert_refused(f, "page", "the headers of exchange 2 are damaged");
    run(f, "UPDATE exchange SET response_headers = '[[\"a\",\"b\"],[\"a\",1]]' WHERE seq = 2");
    assert_refused(f, "page", "header 1 of exchange 2 is damaged");
    run(f, "UPDATE exchange SET response_headers = '[]', address = 'a.test' WHERE seq = 2");
    assert_refused(f, "page", "no IP address (\"a.test\")");
}

static void set_recorded(struct fixture *f, const char *seqs, const char *json) {
    char sql[2048];
    snprintf(sql, sizeof sql, "UPDATE exchange SET recorded = '%s' WHERE seq IN (%s)", json, seqs);
    run(f, sql);
}

RECORDING_TEST(test_certificates) {
    set_recorded(
        f, "0, 1",
        "{\"tls\":{\"version\":\"TLS 1.3\",\"names\":[\"A.test\",\"*.a.test\",\"192.0.2.1\","
        "\"b\\u00e4d.test\",\"a/b\",7,\"x\\u0000y\",\"\"],\"chain_bytes\":4321,\"group\":\"P-256\"}}");
    set_recorded(f, "2", "{\"tls\":{\"names\":[\"a.test\",\"*.a.test\"],\"chain_bytes\":null}}");
    assert_int_equal(open_recording(f, "page"), 0);
    const struct recorded_certificate *first = f->recording.exchanges[0].certificate;
    const struct recorded_certificate *last = f->recording.exchanges[2].certificate;
    assert_non_null(first);
    assert_int_equal(first->name_count, 3); // what no certificate may bear is left out
    assert_string_equal(first->names[0], "a.test");
    assert_string_equal(first->names[1], "*.a.test");
    assert_string_equal(first->names[2], "192.0.2.1");
    assert_int_equal(first->chain_bytes, 4321);
    assert_string_equal(first->group, "P-256");
    assert_ptr_equal(f->recording.exchanges[1].certificate, first); // kept once
    assert_non_null(last);
    assert_int_equal(last->name_count, 2);
    assert_int_equal(last->chain_bytes, 0);
    assert_null(last->group);
}

RECORDING_TEST(test_connections) {
    set_recorded(f, "0", "{\"connection\":\"a7\"}");
    set_recorded(f, "1", "{\"connection\":287}");
    set_recorded(f, "2", "{\"connection\":null}");
    assert_int_equal(open_recording(f, "page"), 0);
    assert_string_equal(f->recording.exchanges[0].connection, "a7");
    assert_string_equal(f->recording.exchanges[1].connection, "287");
    assert_null(f->recording.exchanges[2].connection);
}

RECORDING_TEST(test_record_sizes) {
    set_recorded(f, "0", "{\"tls\":{\"names\":[],\"record_bytes\":16384}}");
    assert_int_equal(open_recording(f, "page"), 0);
    assert_int_equal(f->recording.exchanges[0].record_bytes, 16384);
    assert_int_equal(f->recording.exchanges[1].record_bytes, 0);
    recording_close(&f->recording);
    static const char *const odd[] = {"16385", "511", "-1", "1e4", "\"16384\"", "[16384]", "null"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"tls\":{\"record_bytes\":%s}}", odd[i]);
        set_recorded(f, "0", json);
        assert_int_equal(open_recording(f, "page"), 0);
        assert_int_equal(f->recording.exchanges[0].record_bytes, 0);
        recording_close(&f->recording);
    }
}

RECORDING_TEST(test_odd_certificates_are_unknown) {
    static const char *const odd[] = {"{}",
                                      "no JSON",
                                      "7",
                                      "{\"tls\":null}",
                                      "{\"tls\":[]}",
                                      "{\"tls\":{\"names\":\"a.test\"}}",
                                      "{\"tls\":{\"names\":[]}}",
                                      "{\"tls\":{\"names\":[null, \"a b\"]}}"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        set_recorded(f, "0", odd[i]);
        assert_int_equal(open_recording(f, "page"), 0);
        assert_null(f->recording.exchanges[0].certificate);
        recording_close(&f->recording);
    }
    set_recorded(f, "0", "{\"tls\":{\"names\":[\"a.test\"],\"chain_bytes\":-5,\"group\":\"kyber\"}}");
    assert_int_equal(open_recording(f, "page"), 0);
    assert_int_equal(f->recording.exchanges[0].certificate->chain_bytes, 0);
    assert_null(f->recording.exchanges[0].certificate->group);
}

// Whatever stands there: names that a certificate may bear, or nothing.
UNIT_TEST(test_mutated_certificates) {
    static const char sound[] = "{\"version\":\"TLS 1.3\",\"names\":[\"a.test\",\"*.a.test\",\"192.0.2.1\"],"
                                "\"issuer\":\"x\",\"chain_bytes\":4321}";
    static const char spice[] = "\"\\[]{},:0123456789eE+-.*u\x80\xff\n";
    enum { ROUNDS = 20000 };
    struct arena arena = {0};
    struct recorded_certificates certificates = {0};
    uint64_t random = 1;
    size_t known = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = sizeof sound - 1;
        char *text = malloc(size); // of exactly its size, so that the sanitizer sees a byte read beyond it
        memcpy(text, sound, size);
        for (int i = 0; i < 1 + round % 4; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[(random >> 33) % size] = spice[(random >> 20) % (sizeof spice - 1)];
        }
        if (round % 5 == 0) size = (random >> 40) % size;
        const struct recorded_certificate *certificate;
        assert_int_equal(recorded_certificate_read(&certificate, text, size, &certificates, &arena), 0);
        known += certificate != NULL;
        for (size_t i = 0; certificate && i < certificate->name_count; i++)
            assert_int_equal(strspn(certificate->names[i], "abcdefghijklmnopqrstuvwxyz0123456789-._:*"),
                             strlen(certificate->names[i]));
        free(text);
    }
    assert_in_range(known, ROUNDS / 10, ROUNDS);
    arena_free(&arena);
}

RECORDING_TEST(test_other_files) {
    run(f, "PRAGMA user_version = 99");
    assert_refused(f, "page", "is of a newer Trilane (version 99; this one knows");
    run(f, "PRAGMA application_id = 1");
    assert_refused(f, "page", "is not a Trilane archive");
    sqlite3_close(f->db);
    f->db = NULL;
    char path[256];
    snprintf(path, sizeof path, "%s/archive.db", f->home);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("not a database ", file);
    fclose(file);
    assert_refused(f, "page", "is not a Trilane archive, or damaged");
}

// Those that can be sent, in order, each no earlier than the one before it.
RECORDING_TEST(test_early_hints) {
    run(f, "UPDATE exchange SET recorded = '{\"early_hints\": ["
           "{\"time_ms\": 2.5, \"headers\": [[\"link\", \" </a.css>; rel=preload \"], [\"x-line\", "
           "\"a\\r\\nb: c\"],"
           " [\"content-length\", \"3\"]]},"
           "{\"time_ms\": 1, \"headers\": [[\"link\", \"a\"], [\"link\", \"b\"]]},"
           "{\"time_ms\": null, \"headers\": [[\"connection\", \"close\"]]},"
           "{\"time_ms\": 1e300, \"headers\": [[1, 2]]}, 7, null, {\"headers\": {}}]}' WHERE seq = 0");
    run(f, "UPDATE exchange SET recorded = '{\"early_hints\": \"x\"}' WHERE seq = 1");
    assert_int_equal(open_recording(f, "page"), 0);
    const struct recorded_exchange *hinted = &f->recording.exchanges[0];
    assert_int_equal(hinted->hint_count, 2);
    assert_int_equal(hinted->hints[0].time_ns, 2500000);
    assert_int_equal(hinted->hints[0].header_count, 1);
    assert_string_equal(hinted->hints[0].headers[0].value, "</a.css>; rel=preload");
    assert_int_equal(hinted->hints[1].time_ns, 2500000);
    assert_int_equal(hinted->hints[1].header_count, 2);
    assert_int_equal(f->recording.exchanges[1].hint_count, 0);
    assert_null(f->recording.exchanges[2].hints);
}
