#include "lane_site.h"

#include "base/clock.h"
#include "replay/report.h"
#include "replay/tls/certificate.h"
#include "test/native/cmocka_unit.h"

static const uint64_t FNV_START = UINT64_C(14695981039346656037);
static const uint64_t LIMIT_NS = 20 * NS_PER_S;

static struct header headers[] = {
    {"content-type", "application/octet-stream", 12, 24},
    {"connection", "keep-alive", 10, 10},
    {"keep-alive", "timeout=5", 10, 9},
    {"x-last", "1", 6, 1},
};

static void add(struct lane_site *site, const char *path, uint16_t status, size_t size, size_t header_count) {
    struct recording *recording = &site->recording;
    size_t seq = recording->exchange_count++;
    uint8_t *body = malloc(size + 1);
    uint64_t state = seq + 1;
    for (size_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        body[i] = (uint8_t)(state >> 56);
    }
    recording->exchanges[seq] = (struct recorded_exchange){
        .seq = (int64_t)seq,
        .method = "GET",
        .scheme = "https",
        .host = "a.test",
        .port = 443,
        .path = strdup(path),
        .address = "192.0.2.1",
        .status = status,
        .headers = headers,
        .header_count = header_count,
        .body = body,
        .body_size = size,
    };
}

static void give_headers(struct lane_site *site, struct header *list, size_t count) {
    struct recorded_exchange *exchange = &site->recording.exchanges[site->recording.exchange_count - 1];
    exchange->headers = list;
    exchange->header_count = count;
}

static void add_large_heads(struct lane_site *site) {
    enum { HUGE_COUNT = 300 };
    site->long_value = malloc(LONG_HEADER_BYTES + 1);
    memset(site->long_value, 'a', LONG_HEADER_BYTES);
    site->long_value[LONG_HEADER_BYTES] = '\0';
    site->many_headers = calloc(1 + MANY_HEADERS + HUGE_COUNT, sizeof *site->many_headers);
    const struct header long_header = {"x-long", site->long_value, 6, LONG_HEADER_BYTES};
    site->many_headers[0] = long_header;
    for (size_t i = 1; i <= MANY_HEADERS; i++)
        site->many_headers[i] = (struct header){"x-small", site->long_value, 7, i % 40};
    for (size_t i = 0; i < HUGE_COUNT; i++)
        site->many_headers[1 + MANY_HEADERS + i] = long_header;
    add(site, "/long-header", 200, SMALL_BYTES, 0);
    give_headers(site, site->many_headers, 1);
    add(site, "/many-headers", 200, LARGE_BYTES, 0);
    give_headers(site, site->many_headers + 1, MANY_HEADERS);
    add(site, "/long-empty", 204, 0, 0);
    give_headers(site, site->many_headers, 1);
    add(site, "/huge-head", 200, SMALL_BYTES, 0);
    give_headers(site, site->many_headers + 1 + MANY_HEADERS, HUGE_COUNT);
}

int lane_site_open(struct lane_site *site) {
    *site = (struct lane_site){.recording = {.name = "lanes", .url = "https://a.test/small", .digest = "0"}};
    site->recording.exchanges = calloc(MANY + 16, sizeof *site->recording.exchanges);
    add(site, "/small", 200, SMALL_BYTES, 1);
    add(site, "/large", 200, LARGE_BYTES, 1);
    add(site, "/large2", 200, LARGE_BYTES, 1);
    add(site, "/empty", 204, 0, 1);
    add(site, "/headers", 200, 10, 4);
    for (int i = 0; i < MANY; i++) {
        char path[24];
        snprintf(path, sizeof path, "/many/%d", i);
        add(site, path, 200, 500 + (size_t)i * 997, 1);
    }
    add_large_heads(site);
    static const char notes[] = "{\"failed_urls\": [\"https://a.test/failing\"]}";
    if (recorded_failures_open(&site->recording.failures, notes, sizeof notes - 1) < 0) return -1;
    char error[256];
    strcpy(site->home, "/tmp/trilane-test-XXXXXX");
    if (!mkdtemp(site->home) || loop_open(&site->loop) < 0) return -1;
    site->report = report_open(&site->recording, true, clock_now_ns());
    site->site = exchange_site_open(&site->recording, site->report);
    if (certificates_open(&site->certificates, site->home, error, sizeof error) < 0 ||
        tls_open(&site->tls, site->certificates, error, sizeof error) < 0) {
        print_error("%s\n", error);
        return -1;
    }
    return 0;
}

void lane_site_close(struct lane_site *site) {
    tls_close(site->tls);
    certificates_close(site->certificates);
    exchange_site_close(site->site);
    report_close(site->report);
    loop_close(site->loop);
    for (size_t i = 0; i < site->recording.exchange_count; i++) {
        free((void *)(uintptr_t)site->recording.exchanges[i].body);
        free((void *)(uintptr_t)site->recording.exchanges[i].path);
    }
    free(site->recording.exchanges);
    recorded_failures_close(site->recording.failures);
    free(site->many_headers);
    free(site->long_value);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", site->home);
    if (system(command) != 0) print_error("cannot remove %s\n", site->home);
}

json_t *lane_site_report(struct lane_site *site) {
    char path[96], error[256];
    snprintf(path, sizeof path, "%s/report.json", site->home);
    struct report_setting setting = {.quiche_version = "-",
                                     .nghttp2_version = "-",
                                     .transport = &transport_stock,
                                     .scheduling = "-",
                                     .think = "none",
                                     .origins = "as-recorded"};
    assert_int_equal(report_write(site->report, &setting, path, error, sizeof error), 0);
    json_t *report = json_load_file(path, 0, NULL);
    assert_non_null(report);
    return report;
}

static void too_late(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(((struct lane_site *)context)->loop);
    ((struct lane_site *)context)->limit.due_ns = 0;
}

void lane_site_run(struct lane_site *site) {
    site->limit.due = too_late;
    site->limit.context = site;
    loop_timer_set(site->loop, &site->limit, clock_now_ns() + LIMIT_NS);
    assert_int_equal(loop_run(site->loop), 0);
    if (site->limit.due_ns == 0) fail_msg("nothing came to an end in time");
    loop_timer_clear(site->loop, &site->limit);
}

const struct recorded_exchange *lane_site_exchange(const struct lane_site *site, const char *path) {
    for (size_t i = 0; i < site->recording.exchange_count; i++)
        if (strcmp(site->recording.exchanges[i].path, path) == 0) return &site->recording.exchanges[i];
    return NULL;
}

static uint64_t hash(uint64_t state, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        state = (state ^ bytes[i]) * UINT64_C(1099511628211);
    return state;
}

void seen_field(struct seen *seen, const void *name, size_t name_size, const void *value, size_t value_size) {
    char n[64], v[64];
    snprintf(n, sizeof n, "%.*s", (int)name_size, (const char *)name);
    snprintf(v, sizeof v, "%.*s", (int)value_size, (const char *)value);
    if (strcmp(n, ":status") == 0) {
        seen->hints += seen->status == 103;
        seen->status = atoi(v);
        seen->field_count = seen->field_bytes = 0;
        seen->content_length = -1;
        seen->body_hash = FNV_START;
    }
    if (n[0] != ':') {
        seen->field_count++;
        seen->field_bytes += value_size;
    }
    if (strcmp(n, "content-length") == 0) seen->content_length = atoll(v);
    if (strcmp(n, "connection") == 0 || strcmp(n, "keep-alive") == 0 || strcmp(n, "transfer-encoding") == 0)
        seen->forbidden_field = true;
}

void seen_body(struct seen *seen, const uint8_t *bytes, size_t size) {
    seen->body_size += size;
    seen->body_hash = hash(seen->body_hash, bytes, size);
}

void assert_whole(const struct lane_site *site, const struct seen *seen, const char *path) {
    const struct recorded_exchange *exchange = lane_site_exchange(site, path);
    assert_non_null(exchange);
    assert_int_equal(seen->status, exchange->status);
    assert_int_not_equal(seen->place, 0);
    assert_false(seen->reset);
    assert_false(seen->forbidden_field);
    assert_int_equal(seen->body_size, exchange->body_size);
    assert_true(seen->body_hash == hash(FNV_START, exchange->body, exchange->body_size));
    if (exchange->status == 200) assert_int_equal(seen->content_length, exchange->body_size);
}
