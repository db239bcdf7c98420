// What the command's mount namespace is made of: call it in there. Neither makes the namespace.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LAB_HIDDEN_MAX = 8, LAB_SHOWN_MAX = 16 };

// A file or folder that is there all the same; only a writable one can be changed.
struct lab_shown {
    const char *path;
    bool is_writable;
};

// Folders that are empty for the command, and what is shown in them.
struct lab_files {
    const char *hidden[LAB_HIDDEN_MAX];
    struct lab_shown shown[LAB_SHOWN_MAX];
    size_t hidden_count, shown_count;
};

// First. What is not there needs no hiding. 0, or -1 after a line.
int lab_hide_files(const struct lab_files *files);

// Puts files of our own over resolv.conf (one nameserver, `address`),
// nsswitch.conf and hosts, so that no name is answered from outside the lab. 0, or -1 after a line.
int lab_name_files(const char *address);
