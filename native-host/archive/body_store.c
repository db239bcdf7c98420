#include "archive/body_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef OPENSSL_IS_BORINGSSL
#error "the include path lacks BoringSSL: these are the system's OpenSSL headers"
#endif

// SYNCED_SINGLY: so many bodies are synced as each is staged, which waits for nothing but the body itself. A
// recording of ten thousand would wait a minute: the others are synced together, with all else that the file
// system has to write.
enum { SHELF_COUNT = 256, NAME_SIZE = 64, CHECK_BYTES = 64 * 1024, SYNCED_SINGLY = 64, HELD_BYTES = 4096 };

static const char lock_name[] = "lock";

struct body_store {
    char path[PATH_MAX]; // HOME/bodies, for messages
    int bodies;          // folder descriptors
    int staging;         // HOME/bodies/staging
    int own;             // our folder in it
    int own_lock;
    char own_name[NAME_SIZE];
    uint64_t next_number;
    unsigned synced_singly;
    bool staged_unsynced; // a staged body is not synced yet
    // Many pages' small responses are the same: the last one of these that was staged. number 0: none.
    struct staged_body last_small;
    // Since the last sync a body was put on the shelf, or found there: a writer that was killed may have put
    // it there, or made the shelf, and not synced it.
    bool unsynced[SHELF_COUNT];
};

struct body_upload {
    struct body_store *store;
    int fd; // -1: all of it is held
    size_t held_size;
    uint8_t held[HELD_BYTES];
    uint64_t number;
    uint64_t size;
    SHA256_CTX hash;
};

static void finish_hash(SHA256_CTX *hash, char sha256[SHA256_HEX_SIZE + 1]) {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, hash);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(sha256 + 2 * i, 3, "%02x", digest[i]);
}

static void staged_name(char name[NAME_SIZE], uint64_t number) {
    snprintf(name, NAME_SIZE, "%llu", (unsigned long long)number);
}

// A folder's descriptor, made first where it is missing.
static int open_folder(int at, const char *name, bool make, bool *made) {
    if (made) *made = false;
    if (make && mkdirat(at, name, 0700) == 0) {
        if (made) *made = true;
    } else if (make && errno != EEXIST) {
        return -1;
    }
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Calls `each` for the entries of a folder, not for "." and ".."; takes over `fd`.
static int each_entry(int fd, int (*each)(void *context, int folder, const char *name), void *context) {
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return -1;
    }
    int status = 0;
    const struct dirent *entry;
    while (status == 0 && (errno = 0, entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        status = each(context, dirfd(folder), entry->d_name);
    }
    if (!entry && errno != 0) status = -1;
    closedir(folder);
    return status;
}

// ---- Staging ----

static int remove_entry(void *context, int folder, const char *name) {
    (void)context;
    unlinkat(folder, name, 0);
    return 0;
}

static void remove_staging(int staging, const char *name) {
    int fd = openat(staging, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) each_entry(fd, remove_entry, NULL);
    unlinkat(staging, name, AT_REMOVEDIR);
}

// A folder whose lock can be had has no owner any more. Called with the staging lock held, so that none is
// half made.
static int reap_entry(void *context, int staging, const char *name) {
    (void)context;
    if (strcmp(name, lock_name) == 0) return 0;
    int folder = openat(staging, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0;
    int lock = openat(folder, lock_name, O_RDWR | O_CLOEXEC);
    close(folder);
    if (lock < 0 ? errno == ENOENT : flock(lock, LOCK_EX | LOCK_NB) == 0) remove_staging(staging, name);
    if (lock >= 0) close(lock);
    return 0;
}

static int make_own_folder(struct body_store *store) {
    for (unsigned i = 0;; i++) {
        snprintf(store->own_name, sizeof store->own_name, "%ld-%u", (long)getpid(), i);
        if (mkdirat(store->staging, store->own_name, 0700) == 0) break;
        if (errno != EEXIST) return -1;
    }
    store->own = openat(store->staging, store->own_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->own < 0) return -1;
    store->own_lock = openat(store->own, lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return store->own_lock < 0 ? -1 : flock(store->own_lock, LOCK_EX | LOCK_NB);
}

static int open_staging(struct body_store *store, const char *home) {
    int home_fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (home_fd < 0) return -1;
    bool made;
    store->bodies = open_folder(home_fd, "bodies", true, &made);
    if (store->bodies >= 0 && made) fsync(home_fd);
    close(home_fd);
    if (store->bodies < 0) return -1;
    store->staging = open_folder(store->bodies, "staging", true, NULL);
    if (store->staging < 0) return -1;
    int lock = openat(store->staging, lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return -1;
    int status = flock(lock, LOCK_EX);
    if (status == 0) {
        int listed = openat(store->bodies, "staging", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (listed >= 0) each_entry(listed, reap_entry, NULL);
        status = make_own_folder(store);
    }
    int error = errno;
    close(lock);
    errno = error;
    return status;
}

int body_store_open(struct body_store **out, const char *home, struct archive_error *error) {
    struct body_store *store = calloc(1, sizeof *store);
    if (!store) return archive_fail_memory(error);
    store->bodies = store->staging = store->own = store->own_lock = -1;
    snprintf(store->path, sizeof store->path, "%s/bodies", home);
    if (open_staging(store, home) < 0) {
        archive_fail_errno(error, store->path);
        body_store_close(store);
        return -1;
    }
    *out = store;
    return 0;
}

void body_store_close(struct body_store *store) {
    if (!store) return;
    if (store->own >= 0) close(store->own);
    if (store->staging >= 0 && store->own_name[0]) remove_staging(store->staging, store->own_name);
    if (store->own_lock >= 0) close(store->own_lock);
    if (store->staging >= 0) close(store->staging);
    if (store->bodies >= 0) close(store->bodies);
    free(store);
}

// ---- Uploads ----

int body_upload_open(struct body_upload **out, struct body_store *store, struct archive_error *error) {
    struct body_upload *upload = malloc(sizeof *upload);
    if (!upload) return archive_fail_memory(error);
    upload->store = store;
    upload->number = ++store->next_number;
    upload->size = upload->held_size = 0;
    upload->fd = -1;
    SHA256_Init(&upload->hash);
    *out = upload;
    return 0;
}

static int write_staged(struct body_upload *upload, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(upload->fd, at, size);
        if (written < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

// What is held goes to the file.
static int open_staged(struct body_upload *upload) {
    char name[NAME_SIZE];
    staged_name(name, upload->number);
    upload->fd = openat(upload->store->own, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return upload->fd < 0 ? -1 : write_staged(upload, upload->held, upload->held_size);
}

int body_upload_add(struct body_upload *upload, const void *bytes, size_t size, struct archive_error *error) {
    SHA256_Update(&upload->hash, bytes, size);
    upload->size += size;
    if (upload->fd < 0 && size <= sizeof upload->held - upload->held_size) {
        memcpy(upload->held + upload->held_size, bytes, size);
        upload->held_size += size;
        return 0;
    }
    if ((upload->fd < 0 && open_staged(upload) < 0) || write_staged(upload, bytes, size) < 0)
        return archive_fail_errno(error, upload->store->path);
    return 0;
}

void body_upload_abort(struct body_upload *upload) {
    if (!upload) return;
    struct staged_body body = {.number = upload->number};
    if (upload->fd >= 0) {
        close(upload->fd);
        body_store_discard(upload->store, &body);
    }
    free(upload);
}

// Now, or with all others in body_store_sync_staged.
static int sync_upload(const struct body_upload *upload) {
    if (upload->store->synced_singly == SYNCED_SINGLY) {
        upload->store->staged_unsynced = true;
        return 0;
    }
    upload->store->synced_singly++;
    return fsync(upload->fd);
}

static int finish_staged(struct body_upload *upload) {
    if (upload->fd < 0 && open_staged(upload) < 0) return -1;
    // Some file systems (quotas, networks) report a failed write only when the file is synced or closed.
    if (sync_upload(upload) < 0) return -1;
    const int fd = upload->fd;
    upload->fd = -1;
    if (close(fd) == 0) return 0;
    const int reason = errno;
    body_store_discard(upload->store, &(struct staged_body){.number = upload->number});
    errno = reason;
    return -1;
}

int body_upload_finish(struct body_upload *upload, struct staged_body *body, struct archive_error *error) {
    struct staged_body *last = &upload->store->last_small;
    if (upload->size == 0) {
        *body = (struct staged_body){0};
        body_upload_abort(upload);
        return 0;
    }
    *body = (struct staged_body){.size = upload->size, .number = upload->number};
    finish_hash(&upload->hash, body->sha256);
    const bool is_small = upload->fd < 0;
    int status = 0;
    if (is_small && last->number > 0 && last->size == body->size && strcmp(last->sha256, body->sha256) == 0) {
        body->number = BODY_PUBLISHED; // by then: the first one of these goes before it
    } else {
        status = finish_staged(upload);
        if (is_small && status == 0) *last = *body;
    }
    if (status < 0) {
        archive_fail_errno(error, upload->store->path);
        *body = (struct staged_body){0};
        body_upload_abort(upload);
    } else {
        free(upload);
    }
    return status;
}

void body_store_discard(struct body_store *store, const struct staged_body *body) {
    if (body->number == BODY_PUBLISHED) return;
    if (body->number == store->last_small.number) store->last_small.number = 0;
    char name[NAME_SIZE];
    staged_name(name, body->number);
    unlinkat(store->own, name, 0);
}

// ---- Publishing ----

// Whether the file's content is what its name says; one that cannot be read is not.
static bool is_whole(int shelf, const struct staged_body *body) {
    int fd = openat(shelf, body->sha256, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    SHA256_CTX hash;
    SHA256_Init(&hash);
    uint8_t bytes[CHECK_BYTES];
    ssize_t size;
    while ((size = read(fd, bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR))
        if (size > 0) SHA256_Update(&hash, bytes, (size_t)size);
    close(fd);
    char sha256[SHA256_HEX_SIZE + 1];
    finish_hash(&hash, sha256);
    return size == 0 && strcmp(sha256, body->sha256) == 0;
}

static unsigned shelf_number(const struct staged_body *body) {
    char name[3] = {body->sha256[0], body->sha256[1]};
    return (unsigned)strtoul(name, NULL, 16);
}

// Under the lock, what is there now stays: no sweep can take it before the rows name it.
static int check_published(struct body_store *store, const struct staged_body *body,
                           struct archive_error *error) {
    char path[NAME_SIZE + SHA256_HEX_SIZE];
    struct stat there;
    snprintf(path, sizeof path, "%.2s/%s", body->sha256, body->sha256);
    if (fstatat(store->bodies, path, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(there.st_mode) &&
        (uint64_t)there.st_size == body->size) {
        store->unsynced[shelf_number(body)] = true;
        return 0;
    }
    return archive_fail(error, ARCHIVE_NOT_FOUND,
                        "the recording that had it was removed meanwhile: try again",
                        "body %s: not in the archive", body->sha256);
}

int body_store_publish(struct body_store *store, const struct staged_body *body,
                       struct archive_error *error) {
    char from[NAME_SIZE], shelf_name[3] = {body->sha256[0], body->sha256[1]};
    if (body->number == BODY_PUBLISHED) return check_published(store, body, error);
    staged_name(from, body->number);
    int shelf = open_folder(store->bodies, shelf_name, true, NULL);
    if (shelf < 0) return archive_fail_errno(error, store->path);
    struct stat there;
    int status = 0;
    // One that is there and whole may be in use. Of another size or content it was damaged from outside, and
    // is replaced.
    if (fstatat(shelf, body->sha256, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(there.st_mode) &&
        (uint64_t)there.st_size == body->size && is_whole(shelf, body)) {
        body_store_discard(store, body);
    } else {
        status = renameat(store->own, from, shelf, body->sha256);
    }
    store->unsynced[shelf_number(body)] = true;
    if (status < 0) archive_fail_errno(error, store->path);
    close(shelf);
    return status;
}

int body_store_sync_staged(struct body_store *store, struct archive_error *error) {
    if (store->staged_unsynced && syncfs(store->own) < 0) return archive_fail_errno(error, store->path);
    store->staged_unsynced = false;
    return 0;
}

int body_store_sync(struct body_store *store, struct archive_error *error) {
    bool any = false;
    for (unsigned i = 0; i < SHELF_COUNT; i++) {
        if (!store->unsynced[i]) continue;
        char name[3];
        snprintf(name, sizeof name, "%02x", i);
        int shelf = open_folder(store->bodies, name, false, NULL);
        int status = shelf < 0 ? -1 : fsync(shelf);
        if (status < 0) archive_fail_errno(error, store->path);
        if (shelf >= 0) close(shelf);
        if (status < 0) return -1;
        any = true;
    }
    if (any && fsync(store->bodies) < 0) return archive_fail_errno(error, store->path);
    memset(store->unsynced, 0, sizeof store->unsynced);
    return 0;
}

// ---- Sweeping ----

struct sweep {
    int (*named)(void *context, const char *sha256);
    void *context;
    size_t removed;
    bool stopped; // by `named`, which has set its own error
};

static bool is_hex(const char *text, size_t size) {
    return strlen(text) == size && strspn(text, "0123456789abcdef") == size;
}

static int sweep_body(void *context, int shelf, const char *name) {
    struct sweep *sweep = context;
    if (!is_hex(name, SHA256_HEX_SIZE)) return 0;
    int named = sweep->named(sweep->context, name);
    if (named < 0) sweep->stopped = true;
    if (named != 0) return named < 0 ? -1 : 0;
    if (unlinkat(shelf, name, 0) < 0) return errno == ENOENT ? 0 : -1;
    sweep->removed++;
    return 0;
}

static int sweep_shelf(void *context, int bodies, const char *name) {
    if (!is_hex(name, 2)) return 0;
    int shelf = open_folder(bodies, name, false, NULL);
    if (shelf < 0) return errno == ENOTDIR || errno == ENOENT ? 0 : -1;
    if (each_entry(shelf, sweep_body, context) < 0) return -1;
    // Fails where bodies are left on it; that is how to know. Publishing has the same lock, so none is about
    // to come.
    unlinkat(bodies, name, AT_REMOVEDIR);
    return 0;
}

int body_store_sweep(const char *home, int (*named)(void *context, const char *sha256), void *context,
                     size_t *removed, struct archive_error *error) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/bodies", home);
    struct sweep sweep = {.named = named, .context = context};
    int bodies = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = 0;
    if (bodies >= 0)
        status = each_entry(bodies, sweep_shelf, &sweep);
    else if (errno != ENOENT)
        status = -1;
    *removed = sweep.removed;
    if (status < 0 && !sweep.stopped) archive_fail_errno(error, path);
    return status;
}
