// Numbers in packets, most significant byte first, at any address.
#pragma once

#include <stdint.h>

static inline uint32_t read_16(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static inline uint32_t read_32(const uint8_t *bytes) {
    return read_16(bytes) << 16 | read_16(bytes + 2);
}

static inline void write_16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void write_32(uint8_t *bytes, uint32_t value) {
    write_16(bytes, value >> 16);
    write_16(bytes + 2, value & 0xffff);
}
