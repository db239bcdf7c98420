// Addresses of servers in text form, and their twins: with --ipv6-twins a server that was recorded at an IPv4
// address is also at an IPv6 address of ours, so that one recording can be loaded over either version.
// Everything but the sockets and the DNS knows the recorded address only. Does not bind or resolve.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

// Of either version, in text form.
bool server_address_is(const char *text);

// The twin of an IPv4 address (its 4 bytes): in a network of ours, with the address at its end.
void server_address_twin(const uint8_t recorded[4], uint8_t twin[16]);
// Of a recorded address in text form. False: it has none.
bool server_address_twin_text(const char *recorded, char text[INET6_ADDRSTRLEN]);

// As it was recorded: IPv4 as such though it came through an IPv6 socket, a twin as the address that it is
// of.
void server_address_text(const struct in6_addr *address, char text[INET6_ADDRSTRLEN]);
