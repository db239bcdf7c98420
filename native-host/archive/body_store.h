// Bodies as files, each once by its hash: HOME/bodies/<first 2 hex digits>/<SHA-256, 64 hex digits>.
//
// A body is written aside, in a staging folder of the writing process (HOME/bodies/staging/<name>/), synced
// (alone or, in a large recording, with the others: body_store_sync_staged), and renamed to its hash only
// while the archive's write lock is held (body_store_publish). A sweep removes what no exchange names under
// the same lock. So a body that a writer has staged cannot be swept away before the writer's rows name it,
// and a body that is there under the lock stays until the writer commits. A staging folder holds an flock for
// as long as its process lives; later writers remove those without a holder. Does not know SQLite.
#pragma once

#include "archive/archive_error.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX_SIZE = 64 };

struct body_store;

// A body written aside whole. size 0: no body, nothing is staged.
struct staged_body {
    char sha256[SHA256_HEX_SIZE + 1];
    uint64_t size;
    uint64_t number; // the file's name in the staging folder, or BODY_PUBLISHED
};

// The number of a body that has been in the archive before: nothing of it is staged.
#define BODY_PUBLISHED UINT64_MAX

// Makes the folders, removes what dead processes left in staging.
int body_store_open(struct body_store **out, const char *home, struct archive_error *error);
void body_store_close(struct body_store *store); // with all that is staged

// A body that is being written aside.
struct body_upload;
int body_upload_open(struct body_upload **out, struct body_store *store, struct archive_error *error);
int body_upload_add(struct body_upload *upload, const void *bytes, size_t size, struct archive_error *error);
// Frees the upload, in failure too. The body is whole on disk after body_store_sync_staged.
int body_upload_finish(struct body_upload *upload, struct staged_body *body, struct archive_error *error);
void body_upload_abort(struct body_upload *upload);

// Syncs the bodies that are staged. To be called before the first of them is published, without the lock: it
// may wait for all that the file system has to write.
int body_store_sync_staged(struct body_store *store, struct archive_error *error);

// To be called with the archive's write lock held, before the rows that name the body are committed; then
// once body_store_sync for all. A body that has been published already is read and, where its bytes are still
// those that its name says, left as it is; a damaged one is replaced. One that was to be there and has been
// swept away since is ARCHIVE_NOT_FOUND.
int body_store_publish(struct body_store *store, const struct staged_body *body, struct archive_error *error);
int body_store_sync(struct body_store *store, struct archive_error *error);
// Removes a staged file; one that has been published is not there any more, which is no error.
void body_store_discard(struct body_store *store, const struct staged_body *body);

// Removes each body for which `named` says 0; 1 keeps it, -1 ends the sweep with failure. To be called with
// the archive's write lock held. *removed counts. A home without bodies is swept too.
int body_store_sweep(const char *home, int (*named)(void *context, const char *sha256), void *context,
                     size_t *removed, struct archive_error *error);
