#include "archive/body_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef OPENSSL_IS_BORINGSSL
#error "the include path lacks BoringSSL: these are the system's OpenSSL headers"
#endif

enum { NAME_SIZE = 2 * SHA256_DIGEST_LENGTH, CHECK_BYTES = 64 * 1024 };

bool body_is_name(const char *sha256) {
    return strlen(sha256) == NAME_SIZE && strspn(sha256, "0123456789abcdef") == NAME_SIZE;
}

// Its descriptor, with what stat says of it; -1 with errno.
static int open_body(const char *home, const char *sha256, struct stat *info) {
    char path[PATH_MAX];
    if (!body_is_name(sha256) ||
        (size_t)snprintf(path, sizeof path, "%s/bodies/%.2s/%s", home, sha256, sha256) >= sizeof path) {
        errno = ENOENT;
        return -1;
    }
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, info) == 0 && S_ISREG(info->st_mode)) return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

static int fail_open(const char *home, const char *sha256, struct archive_error *error) {
    if (errno == ENOENT || errno == ENOTDIR)
        return archive_fail(error, ARCHIVE_NOT_FOUND,
                            "try again; `trilane recording verify` says which are there",
                            "body %.64s: not in the archive", sha256);
    return archive_fail_errno(error, home);
}

int body_read(const char *home, const char *sha256, uint64_t from, void *bytes, size_t capacity, size_t *size,
              uint64_t *total, struct archive_error *error) {
    struct stat info;
    int fd = open_body(home, sha256, &info);
    if (fd < 0) return fail_open(home, sha256, error);
    *total = (uint64_t)info.st_size;
    *size = 0;
    int status = 0;
    while (*size < capacity && from + *size < *total) {
        ssize_t got = pread(fd, (char *)bytes + *size, capacity - *size, (off_t)(from + *size));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = archive_fail_errno(error, home);
        if (got <= 0) break;
        *size += (size_t)got;
    }
    close(fd);
    return status;
}

int body_size(const char *home, const char *sha256, uint64_t *size, struct archive_error *error) {
    struct stat info;
    int fd = open_body(home, sha256, &info);
    if (fd < 0) return fail_open(home, sha256, error);
    close(fd);
    *size = (uint64_t)info.st_size;
    return 0;
}

enum body_state body_check(const char *home, const char *sha256, uint64_t expected_size) {
    struct stat info;
    int fd = open_body(home, sha256, &info);
    if (fd < 0) return BODY_MISSING;
    if ((uint64_t)info.st_size != expected_size) {
        close(fd);
        return BODY_OF_OTHER_SIZE;
    }
    SHA256_CTX hash;
    SHA256_Init(&hash);
    uint8_t bytes[CHECK_BYTES];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) SHA256_Update(&hash, bytes, (size_t)got);
    close(fd);
    if (got < 0) return BODY_MISSING;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    char name[NAME_SIZE + 1];
    SHA256_Final(digest, &hash);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    return strcmp(name, sha256) == 0 ? BODY_WHOLE : BODY_DAMAGED;
}
