// What a fuzz target is: one function, given any bytes, which ends, leaves nothing behind, and aborts where a
// promise does not hold.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// libFuzzer's name for it. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A promise: holds also where assert() is compiled out.
#define PROMISE(holds)                                                                                       \
    do {                                                                                                     \
        if (!(holds)) abort();                                                                               \
    } while (0)
