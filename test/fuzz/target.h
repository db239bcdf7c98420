// What a fuzz target is: one function, given any bytes, which ends, leaves nothing behind, and aborts where a
// promise does not hold.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// libFuzzer's name for it. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Of so many inputs in a row that find what others left, as opening it anew takes long. With
// TRILANE_FUZZ_FRESH=1 (`npm run fuzz -- TARGET --fresh`) each begins anew: a finding that needs others
// before it is not one of its input alone.
static inline unsigned runs_kept(unsigned usual) {
    static int fresh = -1;
    if (fresh < 0) fresh = getenv("TRILANE_FUZZ_FRESH") != NULL;
    return fresh ? 1 : usual;
}

// A promise: holds also where assert() is compiled out.
#define PROMISE(holds)                                                                                       \
    do {                                                                                                     \
        if (!(holds)) abort();                                                                               \
    } while (0)
