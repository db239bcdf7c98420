// The data folder, and `mkdir -p`, private to the user: what is kept here holds cookies.
#pragma once

#include <limits.h>
#include <stddef.h>

// Makes the folder and those above it where they are missing. 0, or -1 with errno.
int folders_make(const char *path);

// How much of the path names folders that exist, in bytes.
size_t folders_existing(const char *path);
// Removes the folder and those above it, down to a path of `kept` bytes, as long as they are empty.
void folders_remove_empty(const char *path, size_t kept);

// The data folder, as cli/base/home.ts has it: --home's `option` (NULL: not given), TRILANE_HOME, the XDG
// data folder (a relative one does not count), in that order. With some room for the names of what is in it.
// Set-up: dies if there is none.
void folders_home(const char *option, char home[PATH_MAX]);
