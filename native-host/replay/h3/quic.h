// What quiche does without a connection: the settings that all connections of a server share, the outside of
// packets, its version. Does not send or receive: h3.c, its parts and h3_server.c do.
#pragma once

#include "quic_io/udp.h"
#include "replay/h3/cid_table.h"
#include "replay/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    QUIC_IDLE_TIMEOUT_MS = 30 * 1000,
    QUIC_CONCURRENT_STREAMS =
        100, // that a client may open: requests, of which a connection remembers the heads
};

struct quic_settings {
    const struct server_parts *parts;
    struct quiche_config *quic;
    struct quiche_h3_config *http;
    bool paced; // by pacer.h; BBR brings its own, and some controllers want none
};
// `parts` must outlive it. 0, or -1 with a line in `error`.
int quic_settings_open(struct quic_settings **settings, const struct server_parts *parts, char *error,
                       size_t error_size);
void quic_settings_close(struct quic_settings *settings);

enum quic_packet {
    QUIC_PACKET_BAD,
    QUIC_PACKET_FIRST,           // begins a connection, if it belongs to none
    QUIC_PACKET_UNKNOWN_VERSION, // is to be answered with quic_negotiate_version, if it belongs to none
    QUIC_PACKET_OTHER,
};
// What the outside of a packet says. Our connection ids have `cid_size` bytes.
enum quic_packet quic_packet_head(const struct udp_packet *packet, size_t cid_size, struct cid *dcid,
                                  struct cid *scid);
// The answer's size, or below 0 when it does not fit.
ssize_t quic_negotiate_version(const struct cid *dcid, const struct cid *scid, uint8_t *bytes, size_t size);

// The library's version, for the report.
const char *quic_library_version(void);
enum { QUIC_CONGESTION_LIST_SIZE = 256 };
// What congestion controls there are, in words.
void quic_list_congestion_controls(char list[QUIC_CONGESTION_LIST_SIZE]);
// 0, or -1 with what there is in `error` if there is no congestion control of that name.
int quic_check_congestion_control(const char *name, char *error, size_t error_size);
