// The small parts of h2 and h3: connection ids, the order of responses, header fields, bursts.
#include "quic_io/burst.h"
#include "replay/exchange/fields.h"
#include "replay/exchange/priority_scheduler.h"
#include "replay/h2/h2.h"
#include "replay/h3/cid_table.h"
#include "test/native/cmocka_unit.h"

// --- connection ids

static struct cid cid_of(unsigned number) {
    struct cid cid = {.size = (uint8_t)(number % 2 ? 16 : 8)};
    memcpy(cid.bytes, &number, sizeof number);
    return cid;
}

UNIT_TEST(finds_what_was_added) {
    enum { IDS = 500 };
    struct cid_table table = {0};
    char owners[IDS];
    bool in[IDS] = {false};
    srand(1);
    for (int step = 0; step < 20000; step++) {
        unsigned i = (unsigned)rand() % IDS;
        struct cid cid = cid_of(i);
        assert_ptr_equal(cid_table_find(&table, &cid), in[i] ? &owners[i] : NULL);
        if (in[i])
            cid_table_remove(&table, &cid);
        else
            assert_int_equal(cid_table_add(&table, &cid, &owners[i]), 0);
        in[i] = !in[i];
    }
    for (unsigned i = 0; i < IDS; i++) {
        struct cid cid = cid_of(i);
        assert_ptr_equal(cid_table_find(&table, &cid), in[i] ? &owners[i] : NULL);
        cid_table_remove(&table, &cid);
    }
    assert_int_equal(table.count, 0);
    cid_table_free(&table);
}

// --- the order of responses

UNIT_TEST(goes_by_urgency_then_arrival) {
    struct priority_scheduler order = {0};
    struct send_item late = {.urgency = 5}, first = {.urgency = 3}, second = {.urgency = 3},
                     urgent = {.urgency = 0};
    priority_scheduler_add(&order, &late);
    priority_scheduler_add(&order, &first);
    priority_scheduler_add(&order, &second);
    priority_scheduler_add(&order, &urgent);
    struct send_item *expected[] = {&urgent, &first, &second, &late};
    struct send_item *item = priority_scheduler_first(&order);
    for (size_t i = 0; i < 4; i++, item = priority_scheduler_next(&order, item))
        assert_ptr_equal(item, expected[i]);
    assert_null(item);
    priority_scheduler_turn(&order, &first); // not incremental: it stays
    assert_ptr_equal(priority_scheduler_next(&order, &urgent), &first);
    priority_scheduler_change(&order, &late, 0, false);
    assert_ptr_equal(priority_scheduler_next(&order, &urgent), &late);
    priority_scheduler_change(&order, &late, 200, false); // as 7
    assert_ptr_equal(priority_scheduler_next(&order, &second), &late);
    priority_scheduler_remove(&order, &first);
    priority_scheduler_remove(&order, &first);
    assert_ptr_equal(priority_scheduler_next(&order, &urgent), &second);
}

UNIT_TEST(turns_among_the_incremental) {
    struct priority_scheduler order = {0};
    struct send_item a = {.urgency = 3, .incremental = true}, b = a, c = a;
    priority_scheduler_add(&order, &a);
    priority_scheduler_add(&order, &b);
    priority_scheduler_add(&order, &c);
    struct send_item *expected[] = {&a, &b, &c, &a, &b};
    for (size_t i = 0; i < 5; i++) {
        struct send_item *item = priority_scheduler_first(&order);
        assert_ptr_equal(item, expected[i]);
        priority_scheduler_turn(&order, item);
    }
}

UNIT_TEST(reads_priorities) {
    const struct {
        const char *value;
        int result;
        uint8_t urgency;
        bool incremental;
    } cases[] = {{"u=0", 0, 0, false},  {"u=5, i", 0, 5, true}, {"i", 0, 3, true},
                 {"", 0, 3, false},     {"i=?0", 0, 3, false},  {"x=1, u=7", 0, 7, false},
                 {"u=9", -1, 3, false}, {"u=\"", -1, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t urgency = 3;
        bool incremental = false;
        assert_int_equal(h2_parse_priority(cases[i].value, strlen(cases[i].value), &urgency, &incremental),
                         cases[i].result);
        assert_int_equal(urgency, cases[i].urgency);
        assert_int_equal(incremental, cases[i].incremental);
    }
}

// --- header fields

static int request_of(const char *const *pairs, struct fields *fields, struct exchange_request *request) {
    *fields = (struct fields){0};
    for (; pairs[0]; pairs += 2)
        assert_int_equal(fields_add(fields, pairs[0], strlen(pairs[0]), pairs[1], strlen(pairs[1])), 0);
    return fields_request(fields, request);
}

UNIT_TEST(takes_a_request) {
    const char *pairs[] = {":method", "GET",    ":scheme", "https",    ":authority", "a.test", ":path",
                           "/x?y=1",  "accept", "*/*",     "priority", "u=1",        NULL,     NULL};
    struct fields fields;
    struct exchange_request request;
    assert_int_equal(request_of(pairs, &fields, &request), 0);
    assert_int_equal(request.method_size, 3);
    assert_memory_equal(request.method, "GET", 3);
    assert_string_equal(request.scheme, "https");
    assert_memory_equal(request.authority, "a.test", request.authority_size);
    assert_memory_equal(request.path, "/x?y=1", request.path_size);
    assert_int_equal(request.header_count, 2);
    assert_string_equal(request.headers[0].name, "accept");
    assert_string_equal(fields_find(&request, "priority")->value, "u=1");
    assert_null(fields_find(&request, "prioritx"));
    fields_free(&fields);

    const char *host[] = {":method", "GET", ":scheme", "http", ":path", "/", "host", "b.test", NULL, NULL};
    assert_int_equal(request_of(host, &fields, &request), 0);
    assert_memory_equal(request.authority, "b.test", request.authority_size);
    fields_free(&fields);
}

UNIT_TEST(refuses_what_is_malformed) {
#define START ":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/"
    const char *cases[][16] = {
        {":method", "GET", ":scheme", "https", ":authority", "a", NULL},             // no path
        {":scheme", "https", ":authority", "a", ":path", "/", NULL},                 // no method
        {":method", "GET", ":scheme", "ftp", ":authority", "a", ":path", "/", NULL}, // not ours
        {":method", "GET", ":scheme", "https", ":path", "/", NULL},                  // no authority
        {START, ":path", "/2", NULL},                                                // twice
        {START, ":what", "x", NULL},                                                 // unknown
        {":method", "GET", "a", "b", ":scheme", "https", ":authority", "a", ":path", "/",
         NULL}, // behind a field
        {START, "Accept", "x", NULL},
        {START, "a b", "x", NULL},
        {START, "", "x", NULL},
        {START, "connection", "close", NULL},
        {START, "transfer-encoding", "chunked", NULL},
        {START, "te", "gzip", NULL},
        {START, "a", "x\ny", NULL},
        {START, "a", "x\r\ny: z", NULL},
        {START, "a", "x\x7f", NULL},
        {START, "a", " x", NULL},
        {START, "a", "x\t", NULL},
        {START, "host", "b", NULL},
        {START, "host", "", NULL},
        {START, "host", "a:80", NULL},
        {START, "host", "ab", NULL},
        {START, "host", "a", "host", "b", NULL},
        {":method", "GET", ":scheme", "https", ":path", "/", "host", "a", "host", "b", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fields fields;
        struct exchange_request request;
        assert_int_equal(request_of(cases[i], &fields, &request), -1);
        fields_free(&fields);
    }
    const char *odd[][16] = {
        {START, "te", "trailers", NULL}, {START, "a", "x\ty \xc3\xbc", NULL},         {START, "a", "", NULL},
        {START, "host", "A", NULL},      {START, "host", "a:443", "host", "a", NULL},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct fields fields;
        struct exchange_request request;
        assert_int_equal(request_of(odd[i], &fields, &request), 0);
        fields_free(&fields);
    }
}

UNIT_TEST(bounds_a_request) {
    struct fields fields = {0};
    static char value[FIELDS_SIZE_MAX / 4];
    memset(value, 'v', sizeof value);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fields_add(&fields, "a", 1, value, sizeof value), 0);
    assert_int_equal(fields_add(&fields, "a", 1, value, sizeof value), -1);
    fields_free(&fields);
}

// --- bursts

struct sink {
    struct udp_link link;
    int room;
    size_t bursts;
    size_t sizes[64];
    size_t segment_sizes[64];
    uint8_t first_bytes[64];
};

static int take_burst(void *context, const struct udp_burst *burst) {
    struct sink *sink = context;
    if (sink->room == 0) return 0;
    sink->sizes[sink->bursts] = burst->size;
    sink->segment_sizes[sink->bursts] = burst->segment_size;
    sink->first_bytes[sink->bursts++] = burst->bytes[0];
    return 1;
}

static void add_packet(struct burst *burst, uint8_t mark, size_t size, uint16_t port, uint64_t due_ns) {
    uint8_t *place = burst_place(burst, 1350);
    assert_non_null(place);
    memset(place, mark, size);
    struct udp_burst packet = {.size = size, .segment_size = size, .peer = {.sin6_port = port}};
    burst_add(burst, &packet, due_ns);
}

UNIT_TEST(gathers_equal_packets) {
    static struct burst burst;
    struct sink sink = {.room = 1};
    sink.link = (struct udp_link){take_burst, &sink};
    burst = (struct burst){0};
    for (int i = 0; i < 5; i++)
        add_packet(&burst, 1, 1350, 1, 0);
    add_packet(&burst, 2, 700, 1, 0);
    assert_null(burst_place(&burst, 1350)); // a shorter one is the last
    assert_true(burst_flush(&burst, &sink.link, 0));
    add_packet(&burst, 3, 700, 1, 0);
    add_packet(&burst, 4, 1350, 1, 0); // larger: a burst of its own
    assert_null(burst_place(&burst, 1350));
    assert_true(burst_flush(&burst, &sink.link, 0));
    add_packet(&burst, 5, 1350, 1, 0);
    add_packet(&burst, 6, 1350, 2, 0); // to another peer
    assert_true(burst_flush(&burst, &sink.link, 0));
    const size_t sizes[] = {5 * 1350 + 700, 700, 1350, 1350, 1350};
    const uint8_t marks[] = {1, 3, 4, 5, 6};
    assert_int_equal(sink.bursts, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(sink.sizes[i], sizes[i]);
        assert_int_equal(sink.first_bytes[i], marks[i]);
    }
    size_t count = 0;
    while (burst_place(&burst, 1350)) {
        add_packet(&burst, 7, 1350, 1, 0);
        count++;
    }
    assert_int_equal(count, UDP_BURST_PACKETS_MAX);
}

UNIT_TEST(keeps_packets_for_later) {
    static struct burst burst;
    struct sink sink = {.room = 1};
    sink.link = (struct udp_link){take_burst, &sink};
    burst = (struct burst){0};
    add_packet(&burst, 1, 1350, 1, 0);
    add_packet(&burst, 2, 1350, 1, 500); // leaves at 500
    assert_false(burst_flush(&burst, &sink.link, 499));
    assert_int_equal(sink.bursts, 1);
    assert_null(burst_place(&burst, 1350));
    assert_true(burst_flush(&burst, &sink.link, 500));
    assert_int_equal(sink.bursts, 2);
    assert_int_equal(sink.first_bytes[1], 2);

    sink.room = 0;
    add_packet(&burst, 3, 700, 1, 0);
    add_packet(&burst, 4, 1350, 1, 0);
    assert_false(burst_flush(&burst, &sink.link, 600));
    assert_true(burst.no_room);
    sink.room = 1;
    assert_true(burst_flush(&burst, &sink.link, 600));
    assert_false(burst.no_room);
    assert_int_equal(sink.bursts, 4);
    assert_int_equal(sink.first_bytes[2], 3);
    assert_int_equal(sink.first_bytes[3], 4);
}
