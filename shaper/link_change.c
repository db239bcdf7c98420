#include "shaper/link_change.h"

#include "base/schedule.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *read_form(void *context) {
    struct link_change *change = context;
    schedule_ordinarily(); // the link's priority is not for files
    struct link_profile *next = malloc(sizeof *next);
    if (!next)
        link_fail(&change->error, "link: memory is short");
    else if (link_profile_change(next, change->now, change->form, &change->error) == 0)
        change->next = next;
    else
        free(next);
    uint64_t one = 1;
    if (write(change->done_watch.fd, &one, sizeof one) < 0) return NULL; // an eventfd takes a first one
    return NULL;
}

// The thread has ended, or is about to.
static void take_over(struct link_change *change) {
    pthread_join(change->thread, NULL);
    free(change->form);
    change->form = NULL;
    change->busy = false;
}

static void done(void *context, uint32_t events) {
    struct link_change *change = context;
    uint64_t count;
    (void)events;
    if (read(change->done_watch.fd, &count, sizeof count) < 0) return;
    take_over(change);
    change->read(change->context, change->next, change->error.line);
}

int link_change_open(struct link_change *change, struct loop *loop) {
    change->loop = loop;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    change->done_watch = (struct loop_watch){.fd = fd, .ready = done, .context = change};
    return fd < 0 ? -1 : loop_add(loop, &change->done_watch, EPOLLIN);
}

void link_change_close(struct link_change *change) {
    if (!change->loop) return;
    if (change->busy) {
        take_over(change);
        if (change->next) link_profile_close(change->next);
        free(change->next);
    }
    loop_remove(change->loop, &change->done_watch);
    close(change->done_watch.fd);
    change->loop = NULL;
}

int link_change_begin(struct link_change *change, const struct link_profile *now, const char *form) {
    change->now = now;
    change->next = NULL;
    change->form = strdup(form);
    if (!change->form) return -1;
    sigset_t all, before; // signals are the loop's
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&change->thread, NULL, read_form, change);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    change->busy = error == 0;
    if (error == 0) return 0;
    free(change->form);
    change->form = NULL;
    errno = error;
    return -1;
}
