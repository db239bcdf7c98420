#include "shaper/probe/control.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

bool control_write(int fd, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        ssize_t written = send(fd, at, size, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

bool control_read(int fd, void *bytes, size_t size) {
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}
