// record_file: a header and whole records, also where the disk takes no more.
#include "base/record_file.h"
#include "test/native/cmocka_unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *const columns[] = {"time_ns", "flow", "bytes"};
static const char header[] =
    "{\"schema\":\"trilane/records/1\",\"columns\":[\"time_ns\",\"flow\",\"bytes\"]}\n";
enum { COLUMNS = 3, HEADER_BYTES = sizeof header - 1, RECORD_BYTES = COLUMNS * 8 };

static size_t read_whole(const char *path, uint8_t *bytes, size_t capacity) {
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

static uint64_t number_at(const uint8_t *bytes) {
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

UNIT_TEST(records_read_back) {
    enum { COUNT = 50000 }; // several batches
    const char *path = unit_path("records");
    struct record_file *file;
    assert_int_equal(record_file_open(&file, path, columns, COLUMNS), 0);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t record[COLUMNS] = {i * 5000000, i % 7, i == 3 ? RECORD_UNAVAILABLE : i << 40};
        assert_int_equal(record_file_add(file, record), 0);
    }
    assert_int_equal(record_file_close(file), 0);
    const size_t capacity = HEADER_BYTES + COUNT * RECORD_BYTES + 1;
    uint8_t *bytes = malloc(capacity);
    assert_non_null(bytes);
    assert_int_equal(read_whole(path, bytes, capacity), HEADER_BYTES + COUNT * RECORD_BYTES);
    assert_memory_equal(bytes, header, HEADER_BYTES);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint8_t *record = bytes + HEADER_BYTES + i * RECORD_BYTES;
        assert_int_equal(number_at(record), i * 5000000);
        assert_int_equal(number_at(record + 8), i % 7);
        assert_int_equal(number_at(record + 16), i == 3 ? UINT64_MAX : i << 40);
    }
    free(bytes);
}

// The disk is full from the start, or a file may grow no more in the middle of a record.
UNIT_TEST(full_disk_leaves_whole_records) {
    struct record_file *file;
    assert_int_equal(record_file_open(&file, "/dev/full", columns, COLUMNS), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(record_file_open(&file, "/nonexistent/file", columns, COLUMNS), -1);
    assert_int_equal(errno, ENOENT);

    const char *path = unit_path("records");
    assert_int_equal(record_file_open(&file, path, columns, COLUMNS), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit limit = {.rlim_cur = HEADER_BYTES + 10 * RECORD_BYTES + 5,
                                 .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    const uint64_t record[COLUMNS] = {1, 2, 3};
    int result = 0;
    for (int i = 0; i < 100000 && result == 0; i++)
        result = record_file_add(file, record);
    assert_int_equal(result, -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(record_file_add(file, record), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(record_file_close(file), -1);
    assert_int_equal(errno, EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    struct stat there;
    assert_int_equal(stat(path, &there), 0);
    assert_int_equal(there.st_size, HEADER_BYTES + 10 * RECORD_BYTES);
    assert_int_equal(record_file_close(NULL), 0);
}
