// The networks that a machine is on, whatever addresses they have: its own addresses are loopback's, others
// with the same prefix are local. Read from the interfaces, or from the text of another process's list: a
// lab's interfaces say nothing of the machine around it, so a command in a lab is handed the machine's.
#pragma once

#include <stddef.h>
#include <stdio.h>

// From near to far. Whoever is at one may reach it and all that come after it.
enum address_space { SPACE_LOOPBACK, SPACE_LOCAL, SPACE_PUBLIC };

struct own_network {
    enum address_space space; // loopback or local
    int family;
    int bits;
    unsigned char address[16]; // in network order; of IPv4 the first four
};

struct own_networks {
    size_t count;
    struct own_network *all;
};

// All interfaces' now. 0, or -1 with errno. Free it after 0.
int own_networks_read(struct own_networks *own);

// What own_networks_write wrote. 0, or -1 where the text is not such a list, or memory ends. Free it after 0.
int own_networks_parse(struct own_networks *own, const char *text);

// "loopback:192.0.2.5/32,local:192.0.2.0/24". No newline.
void own_networks_write(const struct own_networks *own, FILE *file);

void own_networks_free(struct own_networks *own);
