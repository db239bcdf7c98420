// Questions that the command line answers with one JSON document: `trilane doctor --json`. They run beside
// the conversation; work is done when queries_work is called. Does not know what is asked.
#pragma once

#include "messaging/answers.h"
#include "messaging/host_paths.h"
#include "messaging/message_error.h"
#include "messaging/starter.h"

#include <jansson.h>
#include <stdbool.h>

struct queries;

// NULL with errno. Begins the process that starts programs, which is everybody's who starts one for this
// host.
struct queries *queries_open(const struct answers *answers, const struct host_paths *paths);
struct starter *queries_starter(const struct queries *queries);
void queries_close(struct queries *queries); // ends those under way

// Starts argv (argv[0] the program's path) to answer the message of this id with what it prints. `what` names
// it in errors; a literal. 0, or -1 with *error.
int queries_ask(struct queries *queries, json_t *id, const char *what, char *const *argv,
                struct message_error *error);

bool queries_under_way(const struct queries *queries);
// Answers those that have ended. 0, or -1 when nothing can be said any more.
int queries_work(struct queries *queries);
