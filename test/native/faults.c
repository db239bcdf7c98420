// Preloaded into a program of ours: of one C library function the call with a given number, and with
// TRILANE_FAULT_STAYS each after it, fails as if the disk were full, memory short or the table of files
// without room. Calls count from just before the program's main. TRILANE_FAULT=FUNCTION:NUMBER;
// TRILANE_FAULT_DONE=FILE, which has a byte: that becomes an x if a call fails.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

extern char *program_invocation_short_name;
extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size),
    *__libc_realloc(void *old, size_t size);

static const char *wanted;
// The one byte of a file: later the program may have closed all files, or be in a place without this one.
static char *done;
static long number, count;
static bool stays;

static char *map_byte(const char *name) {
    if (!name) return NULL;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *byte = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    return byte == MAP_FAILED ? NULL : byte;
}

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("TRILANE_FAULT"), *program = getenv("TRILANE_FAULT_PROGRAM");
    const char *colon = fault ? strchr(fault, ':') : NULL;
    if (!colon || (program && strcmp(program, program_invocation_short_name) != 0)) return;
    number = strtol(colon + 1, NULL, 10);
    done = map_byte(getenv("TRILANE_FAULT_DONE"));
    stays = getenv("TRILANE_FAULT_STAYS") != NULL;
    wanted = fault; // last: from here on calls count
}

static bool fails(const char *name, int error) {
    size_t size = strlen(name);
    if (!wanted || strncmp(wanted, name, size) != 0 || wanted[size] != ':') return false;
    long at = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (at < number || (at > number && !stays)) return false;
    if (done) *done = 'x';
    errno = error;
    return true;
}

// The C library itself always gets memory: without it, it crashes as it looks names up (nss_database.c).
static bool is_from_library(void *caller) {
    Dl_info place;
    return dladdr(caller, &place) && place.dli_fname && strstr(place.dli_fname, "/libc.so");
}

#define NO_MEMORY (wanted && !is_from_library(__builtin_return_address(0)) && fails("malloc", ENOMEM))

void *malloc(size_t size) {
    return NO_MEMORY ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    return NO_MEMORY ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
    return NO_MEMORY ? NULL : __libc_realloc(old, size);
}

// BoringSSL's memory never fails: without it, it crashes as it reads a certificate (x509_name_get_cache reads
// what it did not get), which is its own fault. It takes these if they are there.
void *OPENSSL_memory_alloc(size_t size);
void OPENSSL_memory_free(void *memory);
size_t OPENSSL_memory_get_size(void *memory);

void *OPENSSL_memory_alloc(size_t size) {
    return __libc_malloc(size);
}

void OPENSSL_memory_free(void *memory) {
    free(memory);
}

size_t OPENSSL_memory_get_size(void *memory) {
    return malloc_usable_size(memory);
}

// RETURN NAME(PARAMETERS), which fails with ERROR if it MAY, or is the C library's, given ARGUMENTS.
#define FAULT_IF(may, result, name, error, parameters, arguments)                                            \
    result name parameters {                                                                                 \
        static result(*real) parameters;                                                                     \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                                                \
        return (may) && fails(#name, error) ? -1 : real arguments;                                           \
    }
#define FAULT(...) FAULT_IF(true, __VA_ARGS__)

FAULT(ssize_t, write, ENOSPC, (int fd, const void *bytes, size_t size), (fd, bytes, size))
FAULT(ssize_t, pwrite64, ENOSPC, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
FAULT(int, fsync, EIO, (int fd), (fd))
FAULT(int, fdatasync, EIO, (int fd), (fd))
FAULT(int, syncfs, EIO, (int fd), (fd))
FAULT(int, renameat, EIO, (int from, const char *name, int to, const char *other), (from, name, to, other))
FAULT(int, mkdirat, ENOSPC, (int at, const char *name, mode_t mode), (at, name, mode))
FAULT(int, socket, EMFILE, (int family, int type, int protocol), (family, type, protocol))
FAULT(ssize_t, sendmsg, ENOBUFS, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
FAULT(ssize_t, send, ENOBUFS, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags))
FAULT(ssize_t, recv, EIO, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags))
FAULT(int, accept4, EMFILE, (int fd, struct sockaddr *from, socklen_t *size, int flags),
      (fd, from, size, flags))
FAULT(int, recvmmsg, ENOMEM,
      (int fd, struct mmsghdr *messages, unsigned most, int flags, struct timespec *limit),
      (fd, messages, most, flags, limit))

FAULT(int, sendmmsg, ENOBUFS, (int fd, struct mmsghdr *messages, unsigned most, int flags),
      (fd, messages, most, flags))
FAULT(ssize_t, recvmsg, ENOMEM, (int fd, struct msghdr *message, int flags), (fd, message, flags))
FAULT(int, rename, EIO, (const char *name, const char *other), (name, other))
FAULT(int, epoll_create1, EMFILE, (int flags), (flags))
// What is watched can always be left (epoll_ctl(2)), and who does so relies on it.
FAULT_IF(what != EPOLL_CTL_DEL, int, epoll_ctl, ENOSPC, (int fd, int what, int of, struct epoll_event *event),
         (fd, what, of, event))
FAULT(int, pipe2, EMFILE, (int fds[2], int flags), (fds, flags))
FAULT(int, signalfd, EMFILE, (int fd, const sigset_t *set, int flags), (fd, set, flags))
FAULT(int, timerfd_create, EMFILE, (clockid_t clock, int flags), (clock, flags))
FAULT(int, fflush, ENOSPC, (FILE * file), (file))
FAULT(pid_t, fork, EAGAIN, (void), ())

// It is closed all the same.
int fclose(FILE *file) {
    static int (*real)(FILE * file);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fclose");
    int status = real(file);
    return fails("fclose", ENOSPC) ? EOF : status;
}

// Names of the same call.
#define OPENS(name)                                                                                          \
    int name(const char *path, int flags, ...) {                                                             \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                            \
        va_end(more);                                                                                        \
        return fails("open", EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);           \
    }
OPENS(open)
OPENS(open64)

#define FOPENS(name)                                                                                         \
    FILE *name(const char *path, const char *mode) {                                                         \
        static FILE *(*real)(const char *path, const char *mode);                                            \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                                                \
        return fails("fopen", EMFILE) ? NULL : real(path, mode);                                             \
    }
FOPENS(fopen)
FOPENS(fopen64)

int openat(int at, const char *name, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("openat", EMFILE) ? -1 : (int)syscall(SYS_openat, at, name, flags, mode);
}
