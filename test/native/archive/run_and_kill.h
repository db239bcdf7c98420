// A process killed at any of its system calls that change what is on disk.
#pragma once

#include <stdbool.h>

// Runs `child` in a process of its own and kills it before the system call number `calls`, from 0, of those
// that change the disk. True if it ended by itself before.
bool run_and_kill(int (*child)(const char *home), const char *home, unsigned calls);
