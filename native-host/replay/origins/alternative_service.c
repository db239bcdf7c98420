#include "replay/origins/alternative_service.h"

#include <stdio.h>
#include <string.h>

static const char field_name[] = "alt-svc";

void alternative_service_value(char value[ALTERNATIVE_SERVICE_SIZE], uint16_t port) {
    snprintf(value, ALTERNATIVE_SERVICE_SIZE, "h3=\":%u\"; ma=86400", port);
}

// The exchange's headers but for alt-svc, then that; their number.
static size_t put_headers(struct header *to, const struct recorded_exchange *exchange, const char *value) {
    size_t count = 0;
    for (size_t i = 0; i < exchange->header_count; i++)
        if (strcmp(exchange->headers[i].name, field_name) != 0) to[count++] = exchange->headers[i];
    to[count++] = (struct header){field_name, value, sizeof field_name - 1, strlen(value)};
    return count;
}

int alternative_service_offer(struct recording *recording, struct arena *arena) {
    for (size_t i = 0; i < recording->exchange_count; i++) {
        struct recorded_exchange *exchange = &recording->exchanges[i];
        if (strcmp(exchange->scheme, "https") != 0) continue;
        char *value = arena_take(arena, ALTERNATIVE_SERVICE_SIZE);
        struct header *headers = arena_take(arena, (exchange->header_count + 1) * sizeof *headers);
        if (!value || !headers) return -1;
        alternative_service_value(value, exchange->port);
        exchange->header_count = put_headers(headers, exchange, value);
        exchange->headers = headers;
    }
    return 0;
}
