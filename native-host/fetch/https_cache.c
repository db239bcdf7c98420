#include "fetch/https_cache.h"

#include "base/clock.h"
#include "fetch/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The resolver has its own, shorter ones; this is for one that is set up to wait for longer.
static const uint64_t patience_ns = 8 * NS_PER_S;

struct entry {
    struct entry *next;
    char host[256];
    uint16_t port;
    uint64_t took_ns;
    struct https_answer answer;
};

struct https_cache {
    struct entry *first;
};

struct waiting {
    struct loop *loop;
    bool answered, late;
};

struct https_cache *https_cache_open(void) {
    return calloc(1, sizeof(struct https_cache));
}

void https_cache_close(struct https_cache *cache) {
    if (!cache) return;
    for (struct entry *entry = cache->first, *next; entry; entry = next) {
        next = entry->next;
        json_decref(entry->answer.records);
        free(entry);
    }
    free(cache);
}

static void on_answer(void *context) {
    struct waiting *waiting = context;
    waiting->answered = true;
    loop_stop(waiting->loop);
}

static void on_late(void *context, uint64_t now_ns) {
    struct waiting *waiting = context;
    (void)now_ns;
    waiting->late = true;
    loop_stop(waiting->loop);
}

static void look_up(struct entry *entry, struct loop *loop) {
    struct waiting waiting = {.loop = loop};
    struct loop_timer late = {.due = on_late, .context = &waiting};
    struct names_lookup *lookup = names_https(loop, entry->host, entry->port, on_answer, &waiting);
    loop_timer_set(loop, &late, clock_now_ns() + patience_ns);
    while (lookup && !waiting.answered && !waiting.late)
        loop_run(loop);
    loop_timer_clear(loop, &late);
    entry->answer.state = HTTPS_FAILED;
    snprintf(entry->answer.reason, sizeof entry->answer.reason, "no answer in time");
    if (waiting.answered) {
        entry->answer = *names_https_found(lookup);
        json_incref(entry->answer.records);
        entry->took_ns = names_took_ns(lookup);
    }
    names_leave(lookup);
}

const struct https_answer *https_cache_ask(struct https_cache *cache, struct loop *loop, const char *host,
                                           uint16_t port, uint64_t *took_ns) {
    struct entry *entry = cache->first;
    while (entry && (entry->port != port || strcmp(entry->host, host) != 0))
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry) return NULL;
        snprintf(entry->host, sizeof entry->host, "%s", host);
        entry->port = port;
        entry->next = cache->first;
        cache->first = entry;
        look_up(entry, loop);
    }
    *took_ns = entry->took_ns;
    return &entry->answer;
}
