// Answers the filter's questions: a call that addresses what is nearer than allowed fails with EACCES, and
// so do addresses of other families than IPv4, IPv6 and netlink's kernel: D-Bus, X11 and what else listens at
// a name of this machine (AF_UNIX) is reached by no call that names it. The machine's name servers
// (/etc/resolv.conf) may be asked at port 53, wherever they are. Sockets that are connected already, as a
// browser's between its processes, name no one.
//
// What is allowed the gate does itself (call.h): the caller's memory and descriptors can change after they
// were looked at. A caller continues by itself only if nothing that it could change would lead it anywhere
// else.
#pragma once

#include "base/loop.h"
#include "guard/address_space.h"
#include "guard/call.h"

struct waiting; // a call that waits for its socket

struct gate {
    enum address_space nearest;         // what is allowed, with all that is farther
    const struct own_networks *besides; // near, too, whatever the interfaces here say
    struct loop *loop;
    struct loop_watch watch;  // of the filter's descriptor
    struct loop_timer patrol; // looks for calls that wait, and whose caller is gone
    struct waiting *waiting;
    struct call_room *room;
    struct seccomp_notif *question;
    struct seccomp_notif_resp *answer;
};

// Answers at `fd`, which becomes the gate's. `besides` must outlive it. 0, or -1 with errno.
int gate_open(struct gate *gate, struct loop *loop, int fd, enum address_space nearest,
              const struct own_networks *besides);

// From now on every call that the filter asks about fails.
void gate_close(struct gate *gate);
