// The resolver blocks: each lookup is a thread of its own, whose end is reported on the loop. Whoever waits
// may give up: the thread then ends in its own time, and cleans up after itself.
#include "fetch/names.h"

#include "base/clock.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// What the thread and who waits for it share: whoever is the last to leave frees it.
struct task {
    atomic_int owners;
    int done_fd;
    void (*find)(struct task *task); // in the thread
    char host[256];
    int family;
    uint16_t port;
    uint64_t begin_ns, end_ns;
    int error; // of getaddrinfo
    struct in6_addr address;
    struct https_answer https;
};

struct names_lookup {
    struct task *task;
    struct loop *loop;
    struct loop_watch watch;
    void (*done)(void *context);
    void *context;
};

static void find_address(struct task *task) {
    const struct addrinfo wanted = {.ai_family = task->family, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    task->error = getaddrinfo(task->host, NULL, &wanted, &found);
    if (task->error == 0 && found->ai_family == AF_INET6) {
        const struct sockaddr_in6 *name = (const void *)found->ai_addr;
        task->address = name->sin6_addr;
    } else if (task->error == 0) {
        const struct sockaddr_in *name = (const void *)found->ai_addr;
        task->address = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
        memcpy(&task->address.s6_addr[12], &name->sin_addr, sizeof name->sin_addr);
    }
    if (found) freeaddrinfo(found);
}

static void find_https(struct task *task) {
    https_record_ask(&task->https, task->host, task->port);
}

static void leave(struct task *task) {
    if (atomic_fetch_sub(&task->owners, 1) > 1) return;
    json_decref(task->https.records);
    close(task->done_fd);
    free(task);
}

static void *run(void *context) {
    struct task *task = context;
    task->find(task);
    task->end_ns = clock_now_ns();
    eventfd_write(task->done_fd, 1);
    leave(task);
    return NULL;
}

static int start_thread(struct task *task) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return -1;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&task->owners, 1);
    const int failed = pthread_create(&thread, &attributes, run, task);
    pthread_attr_destroy(&attributes);
    if (failed) atomic_fetch_sub(&task->owners, 1);
    return failed ? -1 : 0;
}

static void on_done(void *context, uint32_t events) {
    struct names_lookup *lookup = context;
    (void)events;
    loop_remove(lookup->loop, &lookup->watch);
    lookup->watch.fd = -1;
    lookup->done(lookup->context);
}

static struct names_lookup *start(struct loop *loop, const struct task *wanted, const char *host,
                                  void (*done)(void *context), void *context) {
    struct names_lookup *lookup = calloc(1, sizeof *lookup);
    struct task *task = malloc(sizeof *task);
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!lookup || !task || fd < 0) {
        if (fd >= 0) close(fd);
        free(lookup);
        free(task);
        return NULL;
    }
    *task = *wanted;
    task->done_fd = fd;
    atomic_init(&task->owners, 1);
    snprintf(task->host, sizeof task->host, "%s", host);
    task->begin_ns = clock_now_ns();
    *lookup = (struct names_lookup){
        .task = task,
        .loop = loop,
        .watch = {.fd = fd, .ready = on_done, .context = lookup},
        .done = done,
        .context = context,
    };
    if (loop_add(loop, &lookup->watch, EPOLLIN) == 0) {
        if (start_thread(task) == 0) return lookup;
    } else {
        lookup->watch.fd = -1;
    }
    names_leave(lookup);
    return NULL;
}

struct names_lookup *names_address(struct loop *loop, const char *host, int version,
                                   void (*done)(void *context), void *context) {
    const struct task task = {.find = find_address, .family = version == 6 ? AF_INET6 : AF_INET};
    return start(loop, &task, host, done, context);
}

struct names_lookup *names_https(struct loop *loop, const char *host, uint16_t port,
                                 void (*done)(void *context), void *context) {
    const struct task task = {.find = find_https, .port = port};
    return start(loop, &task, host, done, context);
}

void names_leave(struct names_lookup *lookup) {
    if (!lookup) return;
    if (lookup->watch.fd >= 0) loop_remove(lookup->loop, &lookup->watch);
    leave(lookup->task);
    free(lookup);
}

const struct in6_addr *names_found(const struct names_lookup *lookup, const char **why) {
    if (lookup->task->error == 0) return &lookup->task->address;
    *why = gai_strerror(lookup->task->error);
    return NULL;
}

const struct https_answer *names_https_found(const struct names_lookup *lookup) {
    return &lookup->task->https;
}

uint64_t names_took_ns(const struct names_lookup *lookup) {
    return lookup->task->end_ns - lookup->task->begin_ns;
}
