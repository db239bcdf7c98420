// What a host may have started: commands of a list with their options, and files of its data folder only. The
// values are those of a command line, which trilane itself reads: a link can name a file of the user's.
#pragma once

#include "messaging/host_paths.h"

#include <stdbool.h>

bool starter_allows(const struct host_paths *paths, char *const *argv);
// A job's folder in the data folder.
bool starter_allows_folder(const struct host_paths *paths, const char *folder);
