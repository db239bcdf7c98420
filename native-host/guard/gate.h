// Answers what the filter asks: a call that addresses somebody nearer than is allowed fails with EACCES, and
// so do addresses of other families than IPv4, IPv6 and netlink's kernel: D-Bus, X11 and what else listens at
// a name of this machine (AF_UNIX) is reached by no call that names it. The machine's name servers
// (/etc/resolv.conf) may be asked at port 53, wherever they are. Sockets that are connected already, as a
// browser's between its processes, name nobody.
//
// The address is read from the caller's memory before the kernel reads it again. Who can change it in between
// has taken the calling process over, which a page is not to be able to; against such a process this is no
// wall.
#ifndef TRILANE_GUARD_GATE_H
#define TRILANE_GUARD_GATE_H

#include "base/loop.h"
#include "guard/address_space.h"

struct gate {
    enum address_space nearest;         // what is allowed, with all that is farther
    const struct own_networks *besides; // near, too, whatever the interfaces here say
    struct loop *loop;
    struct loop_watch watch; // of the filter's descriptor
    struct seccomp_notif *question;
    struct seccomp_notif_resp *answer;
};

// Answers at `fd`, which becomes the gate's. `besides` must outlive it. 0, or -1 with errno.
int gate_open(struct gate *gate, struct loop *loop, int fd, enum address_space nearest,
              const struct own_networks *besides);

// From now on every call that the filter asks about fails.
void gate_close(struct gate *gate);

#endif
