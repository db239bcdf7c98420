// The place starts as one block for local use. Keys turn it into two: the secrets, and what is left of it.
#include "shaper/evidence/pcapng_keys.h"

#include "base/log.h"
#include "shaper/evidence/pcapng_block.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRETS_TLS_KEY_LOG UINT32_C(0x544c534b)

// More is no key log; and readers take no larger block.
static const uint64_t most_bytes = 15 << 20;

enum { HEAD = 16, TAIL = 4, SMALLEST_BLOCK = 12 };

void pcapng_keys_open(struct pcapng_keys *keys, const char *path, uint64_t place) {
    *keys = (struct pcapng_keys){.path = path, .place = place};
}

void pcapng_keys_close(struct pcapng_keys *keys) {
    buf_free(&keys->lines);
}

// Adds the key log's new bytes to `lines`, up to the last whole line.
static void read_lines(struct pcapng_keys *keys) {
    int fd = open(keys->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return; // not there yet
    struct stat status;
    ssize_t n = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? 1 : 0;
    while (n > 0 && keys->read_bytes < most_bytes) {
        if (buf_reserve(&keys->lines, 65536) < 0) break;
        n = pread(fd, keys->lines.data + keys->lines.end, 65536, (off_t)keys->read_bytes);
        if (n <= 0) break;
        uint8_t *end = memrchr(keys->lines.data + keys->lines.end, '\n', (size_t)n);
        n = end ? end + 1 - (keys->lines.data + keys->lines.end) : 0;
        keys->lines.end += (size_t)n;
        keys->read_bytes += (uint64_t)n;
    }
    close(fd);
}

// A Decryption Secrets Block of these lines. 0, or -1 when memory is short.
static int make_block(struct buf *block, const uint8_t *lines, size_t size) {
    size_t padding = (4 - size % 4) % 4;
    uint32_t total = (uint32_t)(HEAD + size + padding + TAIL);
    uint32_t head[] = {PCAPNG_SECRETS, total, SECRETS_TLS_KEY_LOG, (uint32_t)size};
    return buf_add(block, head, sizeof head) < 0 || buf_add(block, lines, size) < 0 ||
                   buf_add(block, (uint8_t[4]){0}, padding) < 0 || buf_add(block, &total, sizeof total) < 0
               ? -1
               : 0;
}

// The most whole lines that fit beside a filler.
static size_t fitting(const uint8_t *lines, size_t size) {
    size_t most = PCAPNG_KEYS_PLACE - HEAD - TAIL - SMALLEST_BLOCK - 4;
    if (size <= most) return size;
    const uint8_t *end = memrchr(lines, '\n', most);
    return end ? (size_t)(end + 1 - lines) : 0;
}

static void write_in_place(struct pcapng_keys *keys, int fd, size_t size) {
    struct buf block = {0};
    if (make_block(&block, buf_bytes(&keys->lines), size) == 0) {
        uint32_t rest = (uint32_t)(PCAPNG_KEYS_PLACE - buf_size(&block));
        uint32_t head[] = {PCAPNG_FILLER, rest};
        off_t after = (off_t)(keys->place + buf_size(&block));
        off_t end = (off_t)(keys->place + PCAPNG_KEYS_PLACE - sizeof rest);
        // The filler first: at no time is the chain of blocks broken, but for the blink of the last write.
        if (pwrite(fd, &rest, sizeof rest, end) == sizeof rest &&
            pwrite(fd, head, sizeof head, after) == sizeof head &&
            pwrite(fd, buf_bytes(&block), buf_size(&block), (off_t)keys->place) == (ssize_t)buf_size(&block))
            keys->written = size;
    }
    buf_free(&block);
}

static void write_here(struct pcapng_keys *keys, int fd, size_t size) {
    struct buf block = {0};
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (make_block(&block, buf_bytes(&keys->lines) + keys->written, size - keys->written) == 0) {
        ssize_t n = write(fd, buf_bytes(&block), buf_size(&block));
        if (n == (ssize_t)buf_size(&block))
            keys->written = size;
        else if (n > 0 && before >= 0 && ftruncate(fd, before) == 0) // the disk is full: the writer will tell
            lseek(fd, before, SEEK_SET);
    }
    buf_free(&block);
}

void pcapng_keys_between(void *context, int fd) {
    struct pcapng_keys *keys = context;
    read_lines(keys);
    size_t size = buf_size(&keys->lines);
    if (size == keys->written) return;
    size_t fits = keys->place > 0 ? fitting(buf_bytes(&keys->lines), size) : 0;
    if (fits > keys->written) write_in_place(keys, fd, fits);
    if (size > fits && keys->written >= fits) {
        if (keys->place > 0 && !keys->full_noted) {
            log_line(
                "pcapng: more TLS keys than the capture's beginning has place for: later ones stand where "
                "they come, and may be too late for their first packets");
            keys->full_noted = true;
        }
        write_here(keys, fd, size);
    }
}
