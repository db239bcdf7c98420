#include "quic_io/path_change.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>

static json_t *time_or_null(uint64_t time_ns) {
    return time_ns > 0 ? json_integer((json_int_t)time_ns) : json_null();
}

static json_t *change_json(const struct path_change *change) {
    char host[INET6_ADDRSTRLEN], peer[INET6_ADDRSTRLEN + sizeof "[]:65535"];
    const struct in6_addr *address = &change->peer.sin6_addr;
    const bool mapped = IN6_IS_ADDR_V4MAPPED(address);
    inet_ntop(mapped ? AF_INET : AF_INET6, &address->s6_addr[mapped ? 12 : 0], host, sizeof host);
    snprintf(peer, sizeof peer, mapped ? "%s:%u" : "[%s]:%u", host, ntohs(change->peer.sin6_port));
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "peer", peer, "seen_ns", time_or_null(change->seen_ns),
                     "answered_ns", time_or_null(change->answered_ns), "validated_ns",
                     time_or_null(change->validated_ns), "resumed_ns",
                     time_or_null(change->answered_ns > 0 ? change->resumed_ns : 0));
}

json_t *path_changes_json(const struct path_change *changes, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(list, change_json(&changes[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}
