#include "flows/transports.h"

#include <stdio.h>
#include <string.h>

const struct flow_transport *const transports[] = {&tcp_transport, &tls_transport, &quic_transport};
const size_t transport_count = sizeof transports / sizeof *transports;

const struct flow_transport *transport_named(const char *name) {
    for (size_t i = 0; i < transport_count; i++)
        if (strcmp(transports[i]->name, name) == 0) return transports[i];
    return NULL;
}

void transports_list(char *text, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < transport_count && at < size; i++) {
        const int n = snprintf(text + at, size - at, "%s%s", i > 0 ? ", " : "", transports[i]->name);
        if (n > 0) at += (size_t)n;
    }
}
