// The two ends of a lab's link: the near one is the command's, the far one the servers'. Their interfaces are
// the shaper's (shaper/tun/lab.h).
#pragma once

#define LAB_NEAR_ADDRESS "100.64.0.2"
#define LAB_NEAR_ADDRESS_6 "fd00:7472::2"
// Where the near end seems to be after its address has changed (shaper/nat.h): the networks' addresses from 1
// on. The far end reaches them over the link too.
#define LAB_MOVED_NETWORK "100.65.0.0"
#define LAB_MOVED_BITS 16
#define LAB_MOVED_NETWORK_6 "fd00:7472:1::"
#define LAB_MOVED_BITS_6 112

#define LAB_FAR_ADDRESS "100.64.0.1"
#define LAB_FAR_ADDRESS_6 "fd00:7472::1"
