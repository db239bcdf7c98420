#include "messaging/queries.h"

#include "base/clock.h"
#include "messaging/child_command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUERIES_MAX = 8 };

// A doctor that looks at everything takes a few seconds; a long race's document some more.
static const uint64_t time_limit_ns = 120 * NS_PER_S;

struct query {
    struct query *next;
    json_t *id;
    const char *what;
    pid_t pid;
    int out, err; // files in memory
    uint64_t end_ns;
};

struct queries {
    const struct answers *answers;
    struct starter *starter;
    struct query *first;
    int count;
};

struct queries *queries_open(const struct answers *answers, const struct host_paths *paths) {
    struct queries *queries = calloc(1, sizeof *queries);
    if (!queries) return NULL;
    queries->answers = answers;
    if ((queries->starter = starter_open(paths))) return queries;
    free(queries);
    return NULL;
}

struct starter *queries_starter(const struct queries *queries) {
    return queries->starter;
}

static void free_query(struct query *query) {
    if (query->out >= 0) close(query->out);
    if (query->err >= 0) close(query->err);
    json_decref(query->id);
    free(query);
}

// Its exit status as a shell has it, or -1 while it is running.
static int reap(const struct query *query, bool wait) {
    siginfo_t info = {0};
    int flags = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
    while (waitid(P_PID, (id_t)query->pid, &info, flags) < 0)
        if (errno != EINTR) return EXIT_FAILURE;
    if (info.si_pid == 0) return -1;
    // What it left behind, while its number, the group's too, is still its own.
    kill(-query->pid, SIGKILL);
    int status;
    while (waitpid(query->pid, &status, 0) < 0)
        if (errno != EINTR) return EXIT_FAILURE;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void queries_close(struct queries *queries) {
    while (queries->first) {
        struct query *query = queries->first;
        queries->first = query->next;
        kill(-query->pid, SIGKILL);
        reap(query, true);
        free_query(query);
    }
    starter_close(queries->starter);
    free(queries);
}

int queries_ask(struct queries *queries, json_t *id, const char *what, char *const *argv,
                struct message_error *error) {
    if (child_command_check(argv[0], error) < 0) return -1;
    if (queries->count == QUERIES_MAX)
        return message_fail(error, "too-many", "wait for the answers", "%s: %d questions are under way", what,
                            QUERIES_MAX);
    struct query *query = calloc(1, sizeof *query);
    if (!query) return message_fail_memory(error);
    *query = (struct query){.next = queries->first,
                            .id = json_incref(id),
                            .what = what,
                            .out = memfd_create("answer", MFD_CLOEXEC),
                            .err = memfd_create("error", MFD_CLOEXEC),
                            .end_ns = clock_now_ns() + time_limit_ns};
    if (query->out < 0 || query->err < 0 ||
        (query->pid = starter_query(queries->starter, argv, query->out, query->err)) < 0) {
        message_fail_errno(error, argv[0]);
        free_query(query);
        return -1;
    }
    queries->first = query;
    queries->count++;
    return 0;
}

bool queries_under_way(const struct queries *queries) {
    return queries->first != NULL;
}

// A document that was printed counts, whatever the exit status: `doctor` ends with 1 where something is
// missing.
static int answer(const struct queries *queries, const struct query *query) {
    struct message_error error;
    struct stat printed;
    child_command_error(query->err, query->what, &error);
    if (fstat(query->out, &printed) < 0 || printed.st_size == 0)
        return answers_error(queries->answers, query->id, &error);
    return answers_document(queries->answers, query->id, query->out, &error);
}

int queries_work(struct queries *queries) {
    int said = 0;
    for (struct query **link = &queries->first; *link && said == 0;) {
        struct query *query = *link;
        if (reap(query, false) < 0) {
            // Its end shows at the next look.
            if (clock_now_ns() > query->end_ns) kill(-query->pid, SIGKILL);
            link = &query->next;
            continue;
        }
        *link = query->next;
        queries->count--;
        said = answer(queries, query);
        free_query(query);
    }
    return said;
}
