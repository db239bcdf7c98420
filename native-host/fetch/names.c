#include "fetch/names.h"

#include "base/clock.h"
#include "fetch/background.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct task {
    char host[256];
    int family;
    uint16_t port;
    uint64_t begin_ns, end_ns;
    int error; // of getaddrinfo
    struct in6_addr address;
    struct https_answer https;
};

struct names_lookup {
    struct background *background;
    const struct task *task; // the background's
};

static void find_address(void *context) {
    struct task *task = context;
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
    task->end_ns = clock_now_ns();
}

static void find_https(void *context) {
    struct task *task = context;
    https_record_ask(&task->https, task->host, task->port);
    task->end_ns = clock_now_ns();
}

static void release(void *context) {
    struct task *task = context;
    json_decref(task->https.records);
    free(task);
}

static const struct background_job address_job = {find_address, release};
static const struct background_job https_job = {find_https, release};

static struct names_lookup *start(struct loop *loop, const struct background_job *job,
                                  const struct task *wanted, const char *host, void (*done)(void *context),
                                  void *context) {
    struct names_lookup *lookup = calloc(1, sizeof *lookup);
    struct task *task = malloc(sizeof *task);
    if (!lookup || !task) {
        free(lookup);
        free(task);
        return NULL;
    }
    *task = *wanted;
    snprintf(task->host, sizeof task->host, "%s", host);
    task->begin_ns = clock_now_ns();
    lookup->task = task;
    lookup->background = background_start(loop, job, task, done, context);
    if (lookup->background) return lookup;
    free(lookup);
    return NULL;
}

struct names_lookup *names_address(struct loop *loop, const char *host, int version,
                                   void (*done)(void *context), void *context) {
    const struct task task = {.family = version == 6 ? AF_INET6 : AF_INET};
    return start(loop, &address_job, &task, host, done, context);
}

struct names_lookup *names_https(struct loop *loop, const char *host, uint16_t port,
                                 void (*done)(void *context), void *context) {
    const struct task task = {.port = port};
    return start(loop, &https_job, &task, host, done, context);
}

void names_leave(struct names_lookup *lookup) {
    if (!lookup) return;
    background_leave(lookup->background);
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
