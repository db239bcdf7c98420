// Why a message was refused: goes into the answer's `error`.
#pragma once

struct message_error {
    const char *code; // a literal: "malformed", "not-found", ...
    char message[600];
    char remedy[200];
};

// Fills *error and returns -1. What is quoted in the message may be anything: it comes out as one line of
// UTF-8.
__attribute__((format(printf, 4, 5))) int message_fail(struct message_error *error, const char *code,
                                                       const char *remedy, const char *format, ...);
// For what the sender got wrong: code "malformed".
__attribute__((format(printf, 2, 3))) int message_malformed(struct message_error *error, const char *format,
                                                            ...);
// For errno, with the path that it is about.
int message_fail_errno(struct message_error *error, const char *path);
int message_fail_memory(struct message_error *error);
