// Reads the values of a link's short form into its profile: those of the table (link_table.h), and steps.
#pragma once

#include "shaper/language/link_profile.h"

// All return 0, or -1 with the error's line; `name` is the setting's.

typedef int link_read_quantity(const char *name, const char *text, uint64_t *value, struct link_error *error);

// 8mbit, or 8mbit:1mbit@10s:8mbit@20s, each value read by `read`.
int link_read_steps(const char *name, const char *text, const char *example, link_read_quantity *read,
                    struct steps *steps, struct link_error *error);

// All settings of the table for one direction; for the whole path. Files are opened unless
// profile->files_unread says otherwise; one that `before` has (NULL: none) and no form has named since is
// taken over.
int link_read_direction(struct link_profile *profile, const struct link_profile *before, enum link_side side,
                        struct link_error *error);
int link_read_path(struct link_profile *profile, struct link_error *error);

// The setting for one direction, or the one for both.
enum link_key link_key_of(const struct link_profile *profile, enum link_key both, enum link_side side);
// Whether it names the file that `before` has, and no form has named it since.
bool link_keeps_file(const struct link_profile *profile, enum link_key both, enum link_side side,
                     const char *path, const char *path_before);
// What stands behind "file:" in a setting; NULL: it has no such value.
const char *link_file_path(const struct link_profile *profile, enum link_key both, enum link_side side);

// "a, b or c", with `before` each.
void link_list(char listed[200], const char *before, const char *const *words, size_t count);
