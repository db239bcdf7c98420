// One message in, one answer out. What the messages are stands in schemas/message.schema.json.
// Does not read or write descriptors.
#ifndef TRILANE_MESSAGING_DISPATCH_H
#define TRILANE_MESSAGING_DISPATCH_H

#include <stddef.h>

// What a conversation has open: the home's archive, transactions.
struct host;

// Touches nothing on disk. NULL when memory is short.
struct host *host_open(const char *home);
void host_close(struct host *host); // aborts what is open

// The answer as JSON text, to be freed; an error answer for whatever is no message. NULL when memory is
// short.
char *dispatch(struct host *host, const char *bytes, size_t size);
// The answer to a frame that could not be read at all, to be freed.
char *dispatch_unreadable(const char *message);

#endif
