#include "base/record_file.h"

#include "base/buf.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_BYTES = 256 * 1024 };

struct record_file {
    int fd;
    size_t columns;
    uint64_t written_bytes;
    uint64_t header_bytes;
    int failed; // errno of the write that did; 0: none
    struct buf waiting;
};

// A write that fails half-way leaves whole records.
static void cut_to_whole_records(struct record_file *file) {
    const uint64_t record_bytes = file->columns * sizeof(uint64_t);
    if (file->written_bytes < file->header_bytes) return;
    const uint64_t over_bytes = (file->written_bytes - file->header_bytes) % record_bytes;
    if (over_bytes > 0 && ftruncate(file->fd, (off_t)(file->written_bytes - over_bytes)) < 0)
        errno = file->failed; // a pipe, perhaps: readers ignore such a record
}

int record_file_flush(struct record_file *file) {
    while (!file->failed && buf_size(&file->waiting) > 0) {
        const ssize_t n = write(file->fd, buf_bytes(&file->waiting), buf_size(&file->waiting));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            file->failed = n < 0 ? errno : ENOSPC;
            cut_to_whole_records(file);
            break;
        }
        file->written_bytes += (uint64_t)n;
        buf_drain(&file->waiting, (size_t)n);
    }
    errno = file->failed;
    return file->failed ? -1 : 0;
}

static int write_header(struct record_file *file, const char *const *columns, size_t count) {
    int result = buf_printf(&file->waiting, "{\"schema\":\"trilane/records/1\",\"columns\":[");
    for (size_t i = 0; i < count && result == 0; i++)
        result = buf_printf(&file->waiting, "%s\"%s\"", i > 0 ? "," : "", columns[i]);
    if (result == 0) result = buf_printf(&file->waiting, "]}\n");
    if (result < 0) {
        errno = ENOMEM;
        return -1;
    }
    file->header_bytes = buf_size(&file->waiting);
    return record_file_flush(file);
}

int record_file_open(struct record_file **out, const char *path, const char *const *columns, size_t count) {
    struct record_file *file = calloc(1, sizeof *file);
    if (!file) return -1;
    *file = (struct record_file){.columns = count,
                                 .fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file->fd < 0 || buf_reserve(&file->waiting, BATCH_BYTES) < 0 ||
        write_header(file, columns, count) < 0) {
        const int error = errno;
        if (file->fd >= 0) close(file->fd);
        buf_free(&file->waiting);
        free(file);
        errno = error;
        return -1;
    }
    *out = file;
    return 0;
}

int record_file_add(struct record_file *file, const uint64_t *values) {
    if (file->failed) {
        errno = file->failed;
        return -1;
    }
    const size_t record_bytes = file->columns * sizeof *values;
    if (buf_reserve(&file->waiting, record_bytes) < 0) {
        errno = ENOMEM;
        return -1;
    }
    uint8_t *at = file->waiting.data + file->waiting.end;
    for (size_t i = 0; i < file->columns; i++) {
        const uint64_t value = htole64(values[i]);
        memcpy(at + i * sizeof value, &value, sizeof value);
    }
    file->waiting.end += record_bytes;
    return buf_size(&file->waiting) + record_bytes > BATCH_BYTES ? record_file_flush(file) : 0;
}

int record_file_close(struct record_file *file) {
    if (!file) return 0;
    record_file_flush(file);
    int error = file->failed;
    if (close(file->fd) < 0 && !error) error = errno;
    buf_free(&file->waiting);
    free(file);
    errno = error;
    return error ? -1 : 0;
}
