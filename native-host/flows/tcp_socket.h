// The kernel's TCP sockets as flows use them: what TCP_INFO reports, addresses in text form. Does not send or
// receive.
#pragma once

#include "flows/flow.h"

enum { TCP_ADDRESS_SIZE = 64 };

// A non-blocking listener on the port for one client; `control`, which its connection inherits, NULL: as it
// is. The descriptor, or -1 with a line in `error`.
int tcp_socket_listen(uint16_t port, const char *control, char *error, size_t error_size);

// A non-blocking socket on its way to the address. The descriptor, or -1 with a line in `error`.
int tcp_socket_connect(const char *address, uint16_t port, const char *control, char *error,
                       size_t error_size);

// "" if it is unknown.
void tcp_socket_local(int fd, char text[TCP_ADDRESS_SIZE]);
void tcp_socket_peer(int fd, char text[TCP_ADDRESS_SIZE]);

// Has the kernel pace what is sent from now on, at the window over the round-trip time (tcp(7) of Linux
// 4.13 on paces by itself where no fq does). 0, or -1 with errno.
int tcp_socket_pace(int fd);
// Whether it was made to; controllers that pace by themselves (bbr) do so without.
bool tcp_socket_is_paced(int fd);

// What became of the connection since the last call: 0, or an errno.
int tcp_socket_error(int fd);

// How far the two directions' ends have come.
enum tcp_stage {
    TCP_STAGE_OPEN,   // something sent, or its end, is not acknowledged
    TCP_STAGE_SENT,   // all that we sent, and our FIN, is; the peer has not ended its side
    TCP_STAGE_CLOSED, // both are, or the connection was reset
};
// Of a connection whose sending side was shut down.
enum tcp_stage tcp_socket_stage(int fd);

void tcp_socket_sample(int fd, struct flow_sample *sample);

// From now on closing it sends a RST, whatever is unsent or unread.
void tcp_socket_abort_on_close(int fd);
