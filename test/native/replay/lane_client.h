// One client for HTTP/2 and HTTP/3, so that a test says once what both lanes do alike. What only one of them
// has is asked of h2_client and h3_client.
#pragma once

#include "h2_client.h"
#include "h3_client.h"
#include "lane_site.h"

enum { LANE_CLIENT_WINDOW_BYTES = 16 * 1024 * 1024 };

enum lane_client_kind { LANE_CLIENT_H2, LANE_CLIENT_H3, LANE_CLIENT_KINDS };

struct lane_client {
    enum lane_client_kind kind;
    // Called with each piece of body, if set.
    void (*on_body)(struct lane_client *client, struct seen *seen);
    struct h2_client h2;
    struct h3_client h3; // its link takes a millisecond each way
};

// OVER_BOTH(name, set_up, tear_down) { ... }: a test of each `kind`.
#define OVER_BOTH(name, set_up, tear_down)                                                                   \
    static void name(enum lane_client_kind kind);                                                            \
    static void name##_over_h2(void **state) {                                                               \
        name(LANE_CLIENT_H2);                                                                                \
    }                                                                                                        \
    static void name##_over_h3(void **state) {                                                               \
        name(LANE_CLIENT_H3);                                                                                \
    }                                                                                                        \
    __attribute__((constructor)) static void name##_added(void) {                                            \
        unit_test_add(&(struct CMUnitTest){#name "_over_h2", name##_over_h2, set_up, tear_down, NULL});      \
        unit_test_add(&(struct CMUnitTest){#name "_over_h3", name##_over_h3, set_up, tear_down, NULL});      \
    }                                                                                                        \
    static void name(enum lane_client_kind kind)

const char *lane_client_name(enum lane_client_kind kind);
// window_bytes: of each stream.
void lane_client_open(struct lane_client *client, enum lane_client_kind kind, struct lane_site *site,
                      uint32_t window_bytes);
void lane_client_close(struct lane_client *client);
struct seen *lane_client_request(struct lane_client *client, const char *method, const char *path,
                                 const char *priority, size_t upload_bytes);
// The requests to come have this field, too; NULL: they have not.
void lane_client_extra(struct lane_client *client, const char *name, const char *value);
// Until so many responses have finished since it was opened.
void lane_client_run(struct lane_client *client, size_t wanted);
unsigned lane_client_finished(const struct lane_client *client);
// PRIORITY_UPDATE (RFC 9218, 7).
void lane_client_update(struct lane_client *client, const struct seen *seen, unsigned urgency,
                        bool incremental);
void lane_client_cancel(struct lane_client *client, struct seen *seen);
