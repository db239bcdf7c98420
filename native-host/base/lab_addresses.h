// The two ends of a lab's link: the near one is the command's, the far one the servers'. Their interfaces are
// the shaper's (shaper/tun/lab.h).
#ifndef TRILANE_BASE_LAB_ADDRESSES_H
#define TRILANE_BASE_LAB_ADDRESSES_H

#define LAB_NEAR_ADDRESS "100.64.0.2"
#define LAB_NEAR_ADDRESS_6 "fd00:7472::2"
#define LAB_FAR_ADDRESS "100.64.0.1"
#define LAB_FAR_ADDRESS_6 "fd00:7472::1"

#endif
