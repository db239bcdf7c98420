// Where a host finds what it needs. Strings are borrowed for the host's life.
#pragma once

struct host_paths {
    const char *home; // the data folder, absolute; made for its walls, and gone again if nothing was stored
    const char *cli;  // the command line's program
    const char *host; // trilane-host itself, which also supervises jobs
};
