// What the archive's tests share: homes to throw away, recordings made from a number, and the check that an
// archive is whole.
#pragma once

#include "archive/archive_writer.h"

#include <stdbool.h>
#include <stddef.h>

// A new folder, freed and removed with all in it by fixture_remove_home.
char *fixture_make_home(void);
void fixture_remove_home(char *home);
void fixture_empty(const char *folder); // all that is in it

// The same for cmocka: *state is a home.
int fixture_set_up(void **state);
int fixture_tear_down(void **state);
#define HOME_TEST(name) UNIT_TEST_OF(name, const char *home, fixture_set_up, fixture_tear_down)

// A recording whose `count` exchanges and bodies of `body_size` bytes follow from `seed`. Exchange 0 has a
// request body, and its response body is "shared" whatever the seed; the last one has none if `count` is
// above 2.
struct fixture_recording {
    const char *name;
    unsigned seed;
    unsigned count;
    size_t body_size;
    bool replace;
};
int fixture_write(const char *home, const struct fixture_recording *recording, struct archive_error *error);
void fixture_must_write(const char *home, const struct fixture_recording *recording); // fails the test
// FIXTURE_WRITE(home, .name = "a", .count = 1)
#define FIXTURE_WRITE(home, ...) fixture_must_write(home, &(struct fixture_recording){__VA_ARGS__})
// The same, but the caller goes on with the open transaction.
int fixture_begin(struct archive_transaction **out, const char *home,
                  const struct fixture_recording *recording, struct archive_error *error);
int fixture_fill(struct archive_transaction *transaction, const struct fixture_recording *recording,
                 struct archive_error *error);
// archive_commit without its answer.
int fixture_commit(struct archive_transaction *transaction, const json_t *notes, struct archive_error *error);

// Fails the test unless each recording opens for replay and each body is the bytes that its name says.
// Returns how many recordings there are.
size_t fixture_check_whole(const char *home);
// How many body files there are, in place and staged.
size_t fixture_count_bodies(const char *home);
size_t fixture_count_staged(const char *home);

// A path in the home, in a static buffer.
const char *fixture_path(const char *home, const char *name);
void fixture_write_file(const char *path, const void *bytes, size_t size);
