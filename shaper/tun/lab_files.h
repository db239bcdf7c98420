// What the command's mount namespace is made of: call it in there. Neither makes the namespace.
#pragma once

#include <stddef.h>

enum { LAB_HIDDEN_MAX = 8, LAB_SHOWN_MAX = 16 };

// Folders that are empty for the command, and files and folders that are there all the same.
struct lab_files {
    const char *hidden[LAB_HIDDEN_MAX];
    const char *shown[LAB_SHOWN_MAX];
    size_t hidden_count, shown_count;
};

// First. What is not there needs no hiding. 0, or -1 after a line.
int lab_hide_files(const struct lab_files *files);

// Puts files of our own over resolv.conf (one nameserver, `address`),
// nsswitch.conf and hosts, so that no name is answered from outside the lab. 0, or -1 after a line.
int lab_name_files(const char *address);
