#include "fetch/background.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// What the thread and who waits for it share: whoever is the last to leave frees it.
struct shared {
    atomic_int owners;
    int done_fd;
    const struct background_job *job;
    void *task;
};

struct background {
    struct shared *shared;
    struct loop *loop;
    struct loop_watch watch;
    void (*done)(void *context);
    void *context;
};

static void leave(struct shared *shared) {
    if (atomic_fetch_sub(&shared->owners, 1) > 1) return;
    shared->job->release(shared->task);
    close(shared->done_fd);
    free(shared);
}

static void *run(void *context) {
    struct shared *shared = context;
    shared->job->work(shared->task);
    eventfd_write(shared->done_fd, 1);
    leave(shared);
    return NULL;
}

static void ready(void *context, uint32_t events) {
    struct background *background = context;
    (void)events;
    loop_remove(background->loop, &background->watch);
    background->watch.fd = -1;
    background->done(background->context);
}

static int start_thread(struct shared *shared) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return -1;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&shared->owners, 1);
    const int failed = pthread_create(&thread, &attributes, run, shared);
    pthread_attr_destroy(&attributes);
    if (failed) atomic_fetch_sub(&shared->owners, 1);
    return failed ? -1 : 0;
}

struct background *background_start(struct loop *loop, const struct background_job *job, void *task,
                                    void (*done)(void *context), void *context) {
    struct background *background = calloc(1, sizeof *background);
    struct shared *shared = calloc(1, sizeof *shared);
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!background || !shared || fd < 0) {
        if (fd >= 0) close(fd);
        job->release(task);
        free(shared);
        free(background);
        return NULL;
    }
    *shared = (struct shared){.done_fd = fd, .job = job, .task = task};
    atomic_init(&shared->owners, 1);
    *background = (struct background){
        .shared = shared,
        .loop = loop,
        .watch = {.fd = fd, .ready = ready, .context = background},
        .done = done,
        .context = context,
    };
    if (loop_add(loop, &background->watch, EPOLLIN) == 0) {
        if (start_thread(shared) == 0) return background;
    } else {
        background->watch.fd = -1;
    }
    background_leave(background);
    return NULL;
}

void background_leave(struct background *background) {
    if (!background) return;
    if (background->watch.fd >= 0) loop_remove(background->loop, &background->watch);
    leave(background->shared);
    free(background);
}
