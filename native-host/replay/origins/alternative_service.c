#include "replay/origins/alternative_service.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char field_name[] = "alt-svc";

// An exchange's value and headers live in one stretch of each list.
struct alternative_service {
    char (*values)[ALTERNATIVE_SERVICE_SIZE];
    struct header *headers;
};

void alternative_service_value(char value[ALTERNATIVE_SERVICE_SIZE], uint16_t port) {
    snprintf(value, ALTERNATIVE_SERVICE_SIZE, "h3=\":%u\"; ma=86400", port);
}

static bool is_offered(const struct recorded_exchange *exchange) {
    return strcmp(exchange->scheme, "https") == 0;
}

// The exchange's headers but for alt-svc, then that; their number.
static size_t put_headers(struct header *to, const struct recorded_exchange *exchange, const char *value) {
    size_t count = 0;
    for (size_t i = 0; i < exchange->header_count; i++)
        if (strcmp(exchange->headers[i].name, field_name) != 0) to[count++] = exchange->headers[i];
    to[count++] = (struct header){field_name, value, sizeof field_name - 1, strlen(value)};
    return count;
}

int alternative_service_offer(struct alternative_service **out, struct recording *recording) {
    size_t headers = 0;
    for (size_t i = 0; i < recording->exchange_count; i++)
        headers += recording->exchanges[i].header_count + 1;
    struct alternative_service *service = calloc(1, sizeof *service);
    if (service) {
        service->values = calloc(recording->exchange_count + 1, sizeof *service->values);
        service->headers = calloc(headers + 1, sizeof *service->headers);
    }
    if (!service || !service->values || !service->headers) {
        alternative_service_close(service);
        return -1;
    }
    struct header *free_place = service->headers;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        struct recorded_exchange *exchange = &recording->exchanges[i];
        if (!is_offered(exchange)) continue;
        alternative_service_value(service->values[i], exchange->port);
        exchange->header_count = put_headers(free_place, exchange, service->values[i]);
        exchange->headers = free_place;
        free_place += exchange->header_count;
    }
    *out = service;
    return 0;
}

void alternative_service_close(struct alternative_service *service) {
    if (!service) return;
    free(service->values);
    free(service->headers);
    free(service);
}
