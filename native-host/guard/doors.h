// Doors: TCP ports in one network namespace that lead to a port in this one. A socket stays in the namespace
// that it was made in, so who stays here can accept there once it has the descriptor. The names of a far side
// are answered the same way. Opens no namespace.
#pragma once

#include "base/loop.h"
#include "guard/door_connection.h"
#include "guard/door_names.h"

#include <stdbool.h>
#include <stddef.h>

enum { DOORS_MAX = 64, DOOR_DNS_PORT = 53 };

struct door {
    struct door_address at;    // where it is, in the other namespace
    struct door_target target; // where it leads, in this one
};

struct door_list {
    struct door all[DOORS_MAX];
    size_t count;
    struct door_name names[DOORS_MAX];
    size_t name_count;
};

// "127.0.0.1:3000" or "[::1]:3000". 0, or -1.
int door_parse_address(const char *text, struct door_address *address);
// "ADDRESS:PORT=ADDRESS:PORT,..." and "NAME=ADDRESS". 0, or -1 where the text is none, or there are too many.
int door_list_add(struct door_list *list, const char *text);
int door_list_add_name(struct door_list *list, const char *text);

// In the namespace that the door is in. A descriptor, or -1 with errno.
int door_listen(const struct door *door);

struct open_door {
    struct doors *doors;
    struct loop_watch watch;
    struct door_target target;
};

struct doors {
    struct loop *loop;
    struct open_door open[DOORS_MAX];
    size_t open_count;
    size_t connections_max;
    bool paused; // as many connections as descriptors suffice for
    struct door_connections connections;
    struct loop_watch names_watch; // fd -1: none
    const struct door_list *list;
};

// `list` must outlive it.
void doors_open(struct doors *doors, struct loop *loop, const struct door_list *list);
// Takes the listening descriptor over. 0, or -1 with errno.
int doors_add(struct doors *doors, int listening_fd, const struct door_target *target);
// Answers questions for the list's names at a UDP socket, taken over. 0, or -1 with errno.
int doors_answer_names(struct doors *doors, int fd);
void doors_close(struct doors *doors);
