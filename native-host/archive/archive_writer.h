// The one writer of the archive (schemas/archive.sql). A recording is gathered aside, its bodies in a staging
// folder and its rows in memory, and becomes visible in one transaction or not at all; a process killed at
// any moment leaves the archive as it was before or as it is after. Does not check what its caller has
// checked already: field syntax is messaging's (schemas/message.schema.json).
#pragma once

#include "archive/archive_error.h"
#include "archive/body_store.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_new_recording {
    const char *name;
    const char *url;
    const char *source;
    const char *recorded_at; // when the page load began that was recorded: ISO 8601, UTC; NULL: unknown
    const json_t *notes;     // object
    bool replace;            // a recording of that name is removed in the same transaction
};

// Without bodies. Headers: arrays of [name, value], names in lower case.
struct archive_exchange {
    const char *method;
    const char *scheme;
    const char *host;
    uint16_t port;
    const char *path;
    const json_t *request_headers;
    const char *address;
    uint16_t status;
    const json_t *response_headers;
    const char *body_origin; // "recorded", "recompressed", "filled", "empty"
    const json_t *recorded;  // object
};

struct archive_transaction;

// Everything below returns 0, or -1 with *error.

// Copies what it needs. Fails early where the name is taken.
int archive_begin(struct archive_transaction **out, const char *home,
                  const struct archive_new_recording *recording, struct archive_error *error);
// The store to upload bodies into; finished ones are given to archive_add.
struct body_store *archive_bodies(struct archive_transaction *transaction);
// Adds the next exchange in order. Takes over both staged bodies (size 0: none), in failure too.
int archive_add(struct archive_transaction *transaction, const struct archive_exchange *exchange,
                const struct staged_body *request_body, const struct staged_body *body,
                struct archive_error *error);
// `notes`: instead of those given at the start; NULL keeps them. *recording: what was stored, as archive_show
// has it. Frees the transaction, in failure too, when it leaves the archive as it was.
int archive_commit(struct archive_transaction *transaction, const json_t *notes, json_t **recording,
                   struct archive_error *error);
void archive_abort(struct archive_transaction *transaction);

// Removes the recording, then every body that no exchange names (also those that crashes left behind) with
// an error where one of them stays.
int archive_remove(const char *home, const char *name, struct archive_error *error);
