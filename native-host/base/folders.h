// `mkdir -p`, private to the user: what is kept here holds cookies. Removes nothing.
#pragma once

// Makes the folder and those above it where they are missing. 0, or -1 with errno.
int folders_make(const char *path);
