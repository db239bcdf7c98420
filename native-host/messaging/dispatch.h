// Messages in, events and answers out. What the messages are stands in schemas/message.schema.json.
// Does not read or write descriptors of its own accord: answers go to `answers`.
#pragma once

#include "messaging/answers.h"
#include "messaging/host_paths.h"

#include <stdbool.h>
#include <stddef.h>

// What a conversation has open: the home's archive, transactions, uploads, questions, followed races.
struct host;

// Touches nothing on disk. NULL when memory is short. Both are borrowed until host_close.
struct host *host_open(const struct host_paths *paths, const struct answers *answers);
void host_close(struct host *host); // aborts what is open; races and labs go on

// All below return 0, or -1 when nothing can be said any more.

// Answers a message, at once or when host_work is called; an error answer for whatever is no message.
int dispatch(struct host *host, const char *bytes, size_t size);
// The answer to a message that is too large to be taken, of which only the start has been read: names its id
// where that stands first.
int dispatch_too_large(struct host *host, const char *start, size_t start_size, size_t size);
// The answer to what is no frame.
int dispatch_unreadable(struct host *host, const char *message);

// Whether something continues beside the conversation, so that host_work has to be called every now and then.
bool host_works(const struct host *host);
int host_work(struct host *host);
