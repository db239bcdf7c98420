// The pcapng blocks that we write, by their numbers.
#pragma once

#include <stdint.h>

#define PCAPNG_SECTION UINT32_C(0x0A0D0D0A)
#define PCAPNG_INTERFACE UINT32_C(1)
#define PCAPNG_STATISTICS UINT32_C(5)
#define PCAPNG_PACKET UINT32_C(6)
#define PCAPNG_SECRETS UINT32_C(10)
#define PCAPNG_FILLER UINT32_C(0x80000001) // for local use: readers skip it
