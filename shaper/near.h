// What the command's side of the bottleneck looks like: its interface, and the files that name its DNS
// server.
#ifndef TRILANE_SHAPER_NEAR_H
#define TRILANE_SHAPER_NEAR_H

// The two ends of the link.
#define NEAR_ADDRESS "100.64.0.2"
#define NEAR_ADDRESS_6 "fd00:7472::2"
#define FAR_ADDRESS "100.64.0.1"
#define FAR_ADDRESS_6 "fd00:7472::1"

// Each opens the TUN device of its side in the current network namespace, gives it its addresses and routes,
// and returns its descriptor. Set-up: dies.
int near_open(void);
int far_open(void);

// Inside the command's mount namespace: puts files of our own over resolv.conf (one nameserver, `address`),
// nsswitch.conf and hosts, so that no name is answered from outside the lab. 0, or -1 after a line.
int near_name_files(const char *address);

#endif
