#include "replay/origins/server_address.h"

#include <arpa/inet.h>
#include <string.h>

// fd00:7472:4::/96, beside the lab's own networks (base/lab_addresses.h).
static const uint8_t twins[12] = {0xfd, 0x00, 0x74, 0x72, 0x00, 0x04};

bool server_address_is(const char *text) {
    uint8_t bytes[16];
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

void server_address_twin(const uint8_t recorded[4], uint8_t twin[16]) {
    memcpy(twin, twins, sizeof twins);
    memcpy(twin + sizeof twins, recorded, 4);
}

bool server_address_twin_text(const char *recorded, char text[INET6_ADDRSTRLEN]) {
    uint8_t bytes[4], twin[16];
    if (inet_pton(AF_INET, recorded, bytes) != 1) return false;
    server_address_twin(bytes, twin);
    return inet_ntop(AF_INET6, twin, text, INET6_ADDRSTRLEN) != NULL;
}

void server_address_text(const struct in6_addr *address, char text[INET6_ADDRSTRLEN]) {
    if (IN6_IS_ADDR_V4MAPPED(address) || memcmp(address->s6_addr, twins, sizeof twins) == 0)
        inet_ntop(AF_INET, &address->s6_addr[12], text, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
}
