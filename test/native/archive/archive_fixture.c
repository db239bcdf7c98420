#include "archive/archive_fixture.h"

#include "archive/archive_listing.h"
#include "archive/recording.h"
#include "test/native/cmocka_unit.h"

#include <dirent.h>
#include <ftw.h>
#include <openssl/sha2.h>

char *fixture_make_home(void) {
    const char *folder = getenv("TMPDIR");
    char *home = malloc(4096);
    assert_non_null(home);
    snprintf(home, 4096, "%s/trilane-test-XXXXXX", folder ? folder : "/tmp");
    assert_non_null(mkdtemp(home));
    return home;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place) {
    (void)info, (void)type;
    return place->level == 0 ? 0 : remove(path);
}

void fixture_empty(const char *folder) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void fixture_remove_home(char *home) {
    fixture_empty(home);
    rmdir(home);
    free(home);
}

int fixture_set_up(void **state) {
    *state = fixture_make_home();
    return 0;
}

int fixture_tear_down(void **state) {
    fixture_remove_home(*state);
    return 0;
}

const char *fixture_path(const char *home, const char *name) {
    static char path[8192];
    snprintf(path, sizeof path, "%s/%s", home, name);
    return path;
}

void fixture_write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int stage(struct archive_transaction *transaction, const void *bytes, size_t size,
                 struct staged_body *body, struct archive_error *error) {
    struct body_upload *upload;
    if (body_upload_open(&upload, archive_bodies(transaction), error) < 0) return -1;
    size_t half = size / 2;
    if (body_upload_add(upload, bytes, half, error) < 0 ||
        body_upload_add(upload, (const char *)bytes + half, size - half, error) < 0) {
        body_upload_abort(upload);
        return -1;
    }
    return body_upload_finish(upload, body, error);
}

// A body that tells seeds and exchanges apart.
static void *make_body(const struct fixture_recording *recording, unsigned i) {
    char *bytes = malloc(recording->body_size + 64);
    assert_non_null(bytes);
    memset(bytes, (int)('a' + (recording->seed + i) % 26), recording->body_size + 64);
    snprintf(bytes, 64, "seed %u exchange %u", recording->seed, i);
    return bytes;
}

static int add_exchange(struct archive_transaction *transaction, const struct fixture_recording *recording,
                        unsigned i, const json_t *headers, const json_t *recorded,
                        struct archive_error *error) {
    char path[64];
    snprintf(path, sizeof path, "/%u?seed=%u", i, recording->seed);
    bool empty = i > 1 && i + 1 == recording->count;
    const struct archive_exchange exchange = {.method = "GET",
                                              .scheme = "https",
                                              .host = i % 2 ? "cdn.example.net" : "www.example.org",
                                              .port = 443,
                                              .path = path,
                                              .request_headers = headers,
                                              .address = i % 2 ? "2001:db8::7" : "192.0.2.10",
                                              .status = 200,
                                              .response_headers = headers,
                                              .body_origin = empty    ? "empty"
                                                             : i == 1 ? "filled"
                                                                      : "recorded",
                                              .recorded = recorded};
    struct staged_body request_body = {0}, body = {0};
    int status = 0;
    if (i == 0) status = stage(transaction, "request", 7, &request_body, error);
    if (status == 0 && i == 0) status = stage(transaction, "shared", 6, &body, error);
    if (status == 0 && i > 0 && !empty) {
        void *bytes = make_body(recording, i);
        status = stage(transaction, bytes, recording->body_size, &body, error);
        free(bytes);
    }
    if (status < 0) return -1;
    return archive_add(transaction, &exchange, &request_body, &body, error);
}

int fixture_begin(struct archive_transaction **out, const char *home,
                  const struct fixture_recording *recording, struct archive_error *error) {
    json_t *notes = json_pack("{s:i}", "seed", recording->seed);
    const struct archive_new_recording new = {.name = recording->name,
                                              .url = "https://www.example.org/",
                                              .source = "test",
                                              .notes = notes,
                                              .replace = recording->replace};
    int status = archive_begin(out, home, &new, error);
    json_decref(notes);
    return status;
}

int fixture_fill(struct archive_transaction *transaction, const struct fixture_recording *recording,
                 struct archive_error *error) {
    json_t *headers = json_pack("[[ss], [ss]]", "content-type", "text/plain", "x-empty", "");
    json_t *recorded = json_object();
    int status = 0;
    for (unsigned i = 0; i < recording->count && status == 0; i++)
        status = add_exchange(transaction, recording, i, headers, recorded, error);
    json_decref(headers);
    json_decref(recorded);
    return status;
}

int fixture_commit(struct archive_transaction *transaction, const json_t *notes,
                   struct archive_error *error) {
    json_t *stored;
    int status = archive_commit(transaction, notes, &stored, error);
    json_decref(stored);
    return status;
}

int fixture_write(const char *home, const struct fixture_recording *recording, struct archive_error *error) {
    struct archive_transaction *transaction;
    if (fixture_begin(&transaction, home, recording, error) < 0) return -1;
    if (fixture_fill(transaction, recording, error) < 0) {
        archive_abort(transaction);
        return -1;
    }
    return fixture_commit(transaction, NULL, error);
}

void fixture_must_write(const char *home, const struct fixture_recording *recording) {
    struct archive_error error;
    if (fixture_write(home, recording, &error) < 0) fail_msg("%s: %s", error.message, error.remedy);
}

static size_t count_entries(const char *folder, int levels) {
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "staging") == 0 ||
            strcmp(entry->d_name, "lock") == 0)
            continue;
        char *path = NULL;
        assert_true(asprintf(&path, "%s/%s", folder, entry->d_name) > 0);
        count += levels > 1 ? count_entries(path, levels - 1) : 1;
        free(path);
    }
    closedir(directory);
    return count;
}

size_t fixture_count_bodies(const char *home) {
    return count_entries(fixture_path(home, "bodies"), 2);
}

size_t fixture_count_staged(const char *home) {
    return count_entries(fixture_path(home, "bodies/staging"), 1);
}

static int check_body(const char *path, const struct stat *info, int type, struct FTW *place) {
    const char *name = path + place->base;
    if (type != FTW_F || strlen(name) != SHA256_HEX_SIZE) return 0;
    uint8_t *bytes = malloc((size_t)info->st_size + 1), digest[SHA256_DIGEST_LENGTH];
    FILE *file = fopen(path, "r");
    assert_non_null(bytes);
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, (size_t)info->st_size, file), info->st_size);
    fclose(file);
    SHA256(bytes, (size_t)info->st_size, digest);
    free(bytes);
    char hex[SHA256_HEX_SIZE + 1];
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, name);
    return 0;
}

size_t fixture_check_whole(const char *home) {
    struct archive_error error;
    json_t *listed;
    if (archive_list(&listed, home, "", &error) < 0) fail_msg("%s: %s", error.message, error.remedy);
    size_t i;
    json_t *recording;
    json_array_foreach(json_object_get(listed, "recordings"), i, recording) {
        struct recording opened;
        char why[512];
        const char *name = json_string_value(json_object_get(recording, "name"));
        if (recording_open(&opened, home, name, why, sizeof why) < 0) fail_msg("%s", why);
        assert_int_equal(opened.exchange_count, json_integer_value(json_object_get(recording, "exchanges")));
        recording_close(&opened);
    }
    size_t count = json_array_size(json_object_get(listed, "recordings"));
    json_decref(listed);
    nftw(fixture_path(home, "bodies"), check_body, 16, FTW_PHYS);
    return count;
}
