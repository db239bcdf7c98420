// A ring with one who adds and one who takes. The thread looks by itself every 50 ms, so that adding costs no
// system call; only a buffer that is half full wakes it up.
#include "shaper/evidence/file_writer.h"

#include "base/log.h"
#include "base/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 50 };

// What a disk gets at the end to take what is still in the buffer.
static const uint64_t patience_s = 5;

struct file_writer {
    struct file_writer_options options;
    int fd;
    int wake_fd;
    uint8_t *ring;
    size_t capacity;
    _Atomic size_t added; // bytes ever; the ring's place is this modulo the capacity
    _Atomic size_t taken;
    atomic_bool woken;
    atomic_bool ending;
    atomic_int error; // 0, or why nothing is written any more
    uint64_t left_out;
    bool started;
    pthread_t thread;
};

static void release(struct file_writer *writer) {
    if (writer->fd >= 0) close(writer->fd);
    if (writer->wake_fd >= 0) close(writer->wake_fd);
    free(writer->ring);
    free(writer);
}

int file_writer_open(struct file_writer **out, const struct file_writer_options *options) {
    struct file_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return -1;
    writer->options = *options;
    writer->capacity = options->capacity_bytes;
    writer->wake_fd = -1;
    writer->fd = open(options->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (writer->fd >= 0) writer->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (writer->wake_fd >= 0) writer->ring = malloc(writer->capacity);
    if (!writer->ring) {
        int error = errno;
        release(writer);
        errno = error;
        return -1;
    }
    *out = writer;
    return 0;
}

bool file_writer_is_regular(const struct file_writer *writer) {
    struct stat status;
    return fstat(writer->fd, &status) == 0 && S_ISREG(status.st_mode);
}

static void fail(struct file_writer *writer, int error) {
    atomic_store(&writer->error, error);
    log_line("%s: %s: %s: it ends here, the link continues", writer->options.name, writer->options.path,
             strerror(error));
}

static int write_all(int fd, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

// Both ends of what is there lie between records.
static void write_what_is_there(struct file_writer *writer) {
    size_t taken = atomic_load_explicit(&writer->taken, memory_order_relaxed);
    size_t added = atomic_load_explicit(&writer->added, memory_order_acquire);
    if (atomic_load(&writer->error) == 0 && added > taken) {
        off_t before = lseek(writer->fd, 0, SEEK_CUR);
        size_t place = taken % writer->capacity, size = added - taken;
        size_t first = size < writer->capacity - place ? size : writer->capacity - place;
        int error = write_all(writer->fd, writer->ring + place, first);
        if (error == 0) error = write_all(writer->fd, writer->ring, size - first);
        if (error != 0) {
            // A half-written record would spoil the file for its readers.
            if (before >= 0 && ftruncate(writer->fd, before) < 0) lseek(writer->fd, before, SEEK_SET);
            fail(writer, error);
        }
    }
    atomic_store_explicit(&writer->taken, added, memory_order_release);
}

static void *write_on(void *context) {
    struct file_writer *writer = context;
    schedule_ordinarily(); // the link's priority is not for disks
    bool ending;
    write_what_is_there(writer);
    do {
        struct pollfd wake = {.fd = writer->wake_fd, .events = POLLIN};
        poll(&wake, 1, LOOK_MS);
        uint64_t count;
        if (read(writer->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN) break;
        atomic_store(&writer->woken, false);
        ending = atomic_load(&writer->ending);
        if (writer->options.between && atomic_load(&writer->error) == 0)
            writer->options.between(writer->options.context, writer->fd);
        write_what_is_there(writer);
    } while (!ending);
    return NULL;
}

int file_writer_start(struct file_writer *writer) {
    sigset_t all, before; // signals are the loop's; write reports a closed pipe
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&writer->thread, NULL, write_on, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    writer->started = error == 0;
    errno = error;
    return error == 0 ? 0 : -1;
}

static void wake(struct file_writer *writer) {
    if (atomic_exchange(&writer->woken, true)) return;
    uint64_t one = 1;
    if (write(writer->wake_fd, &one, sizeof one) < 0) return; // it looks by itself soon
}

void file_writer_add(struct file_writer *writer, const struct iovec *parts, int count) {
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    size_t added = atomic_load_explicit(&writer->added, memory_order_relaxed);
    size_t taken = atomic_load_explicit(&writer->taken, memory_order_acquire);
    size_t filled = added - taken;
    if (filled + size > writer->capacity) {
        writer->left_out++;
        return;
    }
    size_t place = added % writer->capacity;
    for (int i = 0; i < count; i++) {
        const uint8_t *bytes = parts[i].iov_base;
        size_t rest = parts[i].iov_len;
        size_t first = rest < writer->capacity - place ? rest : writer->capacity - place;
        if (first > 0) memcpy(writer->ring + place, bytes, first);
        if (rest > first) memcpy(writer->ring, bytes + first, rest - first);
        place = (place + rest) % writer->capacity;
    }
    atomic_store_explicit(&writer->added, added + size, memory_order_release);
    if (filled + size > writer->capacity / 2) wake(writer);
}

uint64_t file_writer_left_out(const struct file_writer *writer) {
    return writer->left_out;
}

int file_writer_close(struct file_writer *writer) {
    if (!writer) return 0;
    atomic_store(&writer->ending, true);
    if (writer->started) {
        wake(writer);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += (time_t)patience_s;
        if (pthread_timedjoin_np(writer->thread, NULL, &until) != 0) {
            log_line("%s: %s: could not be written to its end within %d s", writer->options.name,
                     writer->options.path, (int)patience_s);
            pthread_detach(writer->thread); // goes with the process; it still uses the memory
            return -1;
        }
    }
    if (writer->left_out > 0)
        log_line("%s: %s: %llu records are missing: the disk was slower than the link", writer->options.name,
                 writer->options.path, (unsigned long long)writer->left_out);
    int error = atomic_load(&writer->error);
    int result = error != 0 || writer->left_out > 0 ? -1 : 0;
    if (close(writer->fd) < 0 && result == 0) { // a full disk may show only here
        log_line("%s: %s: %s", writer->options.name, writer->options.path, strerror(errno));
        result = -1;
    }
    writer->fd = -1;
    release(writer);
    return result;
}
