// The DNS messages: what is answered to what, byte by byte where it matters. Any bytes:
// test/fuzz/dns_query.c. All on one reader of answers.
#include "replay/dns/dns_zone.h"
#include "replay/origins/unrecorded_hosts.h"
#include "test/native/cmocka_unit.h"

enum { TYPE_TXT = 16, TYPE_ANY = 255, CLASS_IN = 1, CLASS_CHAOS = 3 };
enum { QR = 0x80, AA = 0x04, TC = 0x02, RD = 0x01 };

static const struct recorded_exchange exchanges[] = {
    {.seq = 0, .scheme = "https", .host = "www.example.org", .port = 443, .address = "192.0.2.10"},
    {.seq = 1, .scheme = "https", .host = "cdn.example.net", .port = 443, .address = "2001:db8::7"},
    {.seq = 2, .scheme = "https", .host = "www.example.org", .port = 443, .address = "192.0.2.9"},
    {.seq = 3, .scheme = "https", .host = "www.example.org", .port = 443, .address = "192.0.2.10"},
    {.seq = 4, .scheme = "https", .host = "www.example.org", .port = 443, .address = "2001:db8::10"},
    {.seq = 5, .scheme = "http", .host = "plain.example.org", .port = 80, .address = "192.0.2.11"},
    {.seq = 6, .scheme = "https", .host = "alt.example.org", .port = 8443, .address = "192.0.2.12"},
    {.seq = 7, .scheme = "https", .host = "192.0.2.13", .port = 443, .address = "192.0.2.13"},
    {.seq = 8, .scheme = "https", .host = "2001:db8::14", .port = 443, .address = "2001:db8::14"},
    {.seq = 9, .scheme = "http", .host = "both.example.org", .port = 80, .address = "192.0.2.15"},
    {.seq = 10, .scheme = "https", .host = "both.example.org", .port = 443, .address = "192.0.2.15"},
    {.seq = 11, .scheme = "https", .host = "localhost", .port = 3000, .address = "198.18.0.1"},
    {.seq = 12, .scheme = "https", .host = "app.localhost", .port = 443, .address = "198.18.0.2"},
    {.seq = 13, .scheme = "https", .host = "127.0.0.1", .port = 443, .address = "198.18.0.3"},
    {.seq = 14, .scheme = "https", .host = "::1", .port = 443, .address = "198.18.0.4"},
};

static const struct recording recording = {.name = "test",
                                           .exchanges = (struct recorded_exchange *)exchanges,
                                           .exchange_count = sizeof exchanges / sizeof *exchanges};

static struct dns_zone *open_zone(const struct recording *of, const char *https_alpn, bool twins) {
    struct dns_zone *zone;
    char error[256];
    assert_int_equal(dns_zone_open(&zone, of, https_alpn, twins, error, sizeof error), 0);
    return zone;
}

// A query in an allocation of exactly its size, so that the sanitizer sees a byte read beyond it.
struct query {
    uint8_t *bytes;
    size_t size;
};

static void query_add(struct query *query, const void *bytes, size_t size) {
    query->bytes = realloc(query->bytes, query->size + size);
    assert_non_null(query->bytes);
    memcpy(query->bytes + query->size, bytes, size);
    query->size += size;
}

static void query_add_u16(struct query *query, unsigned value) {
    query_add(query, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static struct query begin_query(void) {
    struct query query = {0};
    query_add(&query, (uint8_t[]){0xab, 0xcd, RD, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 12);
    return query;
}

// Three labels as long as may be, and one of `last` bytes; each byte is `byte`.
static struct query make_long_query(uint8_t last, uint8_t byte) {
    struct query query = begin_query();
    for (int label = 0; label < 4; label++) {
        const uint8_t bytes = label < 3 ? 63 : last;
        query_add(&query, &bytes, 1);
        for (int i = 0; i < bytes; i++)
            query_add(&query, &byte, 1);
    }
    query_add(&query, "", 1);
    query_add_u16(&query, DNS_TYPE_A);
    query_add_u16(&query, CLASS_IN);
    return query;
}

// `name` as dotted text; each label as it is.
static struct query make_query(const char *name, unsigned type, unsigned class) {
    struct query query = begin_query();
    while (*name) {
        size_t size = strcspn(name, ".");
        query_add(&query, &(uint8_t){(uint8_t)size}, 1);
        query_add(&query, name, size);
        name += size + (name[size] == '.');
    }
    query_add(&query, "", 1);
    query_add_u16(&query, type);
    query_add_u16(&query, class);
    return query;
}

static void add_edns(struct query *query, unsigned udp_size, unsigned version) {
    query->bytes[11]++; // additional records
    query_add(query, "", 1);
    query_add_u16(query, 41);
    query_add_u16(query, udp_size);
    query_add_u16(query, version);
    query_add_u16(query, 0);
    query_add_u16(query, 0);
}

struct answer {
    uint8_t bytes[DNS_MESSAGE_MAX];
    size_t size;
    struct dns_question question;
    bool asked;
};

// Frees the query.
static struct answer *ask(const struct dns_zone *zone, struct query query, bool tcp) {
    static struct answer answer;
    memset(&answer, 0, sizeof answer);
    answer.size =
        dns_answer(zone, query.bytes, query.size, tcp, answer.bytes, &answer.question, &answer.asked);
    free(query.bytes);
    return &answer;
}

// Over UDP, of the class IN.
static struct answer *ask_for(const struct dns_zone *zone, const char *name, unsigned type) {
    return ask(zone, make_query(name, type, CLASS_IN), false);
}

static unsigned u16_at(const struct answer *answer, size_t at) {
    return (unsigned)answer->bytes[at] << 8 | answer->bytes[at + 1];
}

static unsigned rcode_of(const struct answer *answer) {
    return answer->bytes[3] & 0xf;
}

static unsigned answer_count_of(const struct answer *answer) {
    return u16_at(answer, 6);
}

// The last record of the answer ends with `data`.
static void assert_ends(const struct answer *answer, const void *data, size_t size) {
    assert_true(answer->size >= size);
    assert_memory_equal(answer->bytes + answer->size - size, data, size);
}

UNIT_TEST_OF(test_addresses_in_recorded_order, struct dns_zone *zone, NULL, NULL) {
    struct answer *answer = ask_for(zone, "WWW.Example.org", DNS_TYPE_A);
    static const char expected[] = "\xab\xcd\x85\x80\0\1\0\2\0\0\0\0" // header: one question, two answers
                                   "\3WWW\7Example\3org\0\0\1\0\1"    // with the asker's capitals
                                   "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\x0a"  // 192.0.2.10, for 300 s
                                   "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\x09"; // 192.0.2.9
    assert_int_equal(answer->size, sizeof expected - 1);
    assert_memory_equal(answer->bytes, expected, sizeof expected - 1);
    assert_true(answer->asked);
    assert_string_equal(answer->question.name, "www.example.org");
    assert_int_equal(answer->question.type, DNS_TYPE_A);
    assert_int_equal(answer->question.outcome, DNS_OK);

    answer = ask_for(zone, "www.example.org", DNS_TYPE_AAAA);
    assert_int_equal(answer_count_of(answer), 1);
    static const uint8_t address[] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10};
    assert_ends(answer, address, 16);
}

UNIT_TEST(test_twins) {
    struct dns_zone *zone = open_zone(&recording, "h3", true);
    struct answer *answer = ask_for(zone, "www.example.org", DNS_TYPE_A);
    assert_int_equal(answer_count_of(answer), 2);
    answer = ask_for(zone, "www.example.org", DNS_TYPE_AAAA);
    assert_int_equal(answer_count_of(answer), 3); // the recorded one, and those of two A records
    answer = ask_for(zone, "both.example.org", DNS_TYPE_AAAA);
    static const uint8_t twin[] = {0xfd, 0, 0x74, 0x72, 0, 4, 0, 0, 0, 0, 0, 0, 192, 0, 2, 15};
    assert_int_equal(answer_count_of(answer), 1);
    assert_ends(answer, twin, 16);
    dns_zone_close(zone);
}

UNIT_TEST_OF(test_https_record, struct dns_zone *zone, NULL, NULL) {
    struct answer *answer = ask_for(zone, "cdn.example.net", DNS_TYPE_HTTPS);
    static const char record[] = "\xc0\x0c\0\x41\0\1\0\0\1\x2c\0\x0d" // type 65, 300 s, 13 bytes
                                 "\0\1\0\0\1\0\6\2h2\2h3";            // priority 1, target ".", alpn
    assert_int_equal(answer_count_of(answer), 1);
    assert_ends(answer, record, 25);
    assert_int_equal(answer->question.outcome, DNS_OK);
}

UNIT_TEST_OF(test_https_record_of_another_port, struct dns_zone *zone, NULL, NULL) {
    struct answer *answer = ask_for(zone, "alt.example.org", DNS_TYPE_HTTPS);
    assert_int_equal(answer->question.outcome, DNS_NODATA); // nothing on 443
    answer = ask_for(zone, "_8443._https.alt.example.org", DNS_TYPE_HTTPS);
    static const char data[] = "\0\1\3alt\7example\3org\0\0\1\0\6\2h2\2h3" // the host is the target
                               "\0\3\0\2\x20\xfb";                         // port 8443
    size_t data_size = sizeof data - 1;
    assert_int_equal(answer_count_of(answer), 1);
    assert_ends(answer, data, data_size);
    assert_int_equal(u16_at(answer, answer->size - data_size - 2), data_size);

    static const char *const absent[] = {"_8444._https.alt.example.org",  "_443._https.www.example.org",
                                         "_08443._https.alt.example.org", "_+8443._https.alt.example.org",
                                         "_8443._https.www.example.org",  "_8443._https."};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_int_equal(ask_for(zone, absent[i], DNS_TYPE_HTTPS)->question.outcome, DNS_NXDOMAIN);
    answer = ask_for(zone, "_8443._https.alt.example.org", DNS_TYPE_A);
    assert_int_equal(answer->question.outcome, DNS_NODATA); // the host has the address, not this name
}

// Browsers never ask for localhost itself.
UNIT_TEST_OF(test_local_names, struct dns_zone *zone, NULL, NULL) {
    static const struct {
        const char *name;
        uint8_t last;
    } known[] = {{"localhost.test", 1},
                 {"app.localhost.test", 2},
                 {"localhost", 1},
                 {"127.0.0.1.localhost.test", 3},
                 {"--1.localhost.test", 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint8_t address[] = {198, 18, 0, known[i].last};
        const struct answer *answer = ask_for(zone, known[i].name, DNS_TYPE_A);
        assert_int_equal(answer_count_of(answer), 1);
        assert_ends(answer, address, 4);
    }
    struct answer *answer = ask_for(zone, "_3000._https.localhost.test", DNS_TYPE_HTTPS);
    static const char data[] = "\0\1\x09localhost\4test\0\0\1\0\6\2h2\2h3\0\3\0\2\x0b\xb8";
    assert_int_equal(answer_count_of(answer), 1);
    assert_memory_equal(answer->bytes + answer->size - (sizeof data - 1), data, sizeof data - 1);
    answer = ask_for(zone, "other.localhost.test", DNS_TYPE_A);
    assert_int_equal(answer->question.outcome, DNS_OK); // as any name that is not recorded
}

UNIT_TEST(test_no_https_records) {
    struct dns_zone *zone = open_zone(&recording, "", false);
    struct answer *answer = ask_for(zone, "www.example.org", DNS_TYPE_HTTPS);
    assert_int_equal(answer->question.outcome, DNS_NODATA);
    dns_zone_close(zone);
    char error[256];
    static const char *const wrong[] = {",", "h2,", ",h2", "h2,,h3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(dns_zone_open(&zone, &recording, wrong[i], false, error, sizeof error), -1);
        assert_non_null(strstr(error, wrong[i]));
    }
}

UNIT_TEST_OF(test_nodata, struct dns_zone *zone, NULL, NULL) {
    static const struct {
        const char *name;
        unsigned type;
    } questions[] = {{"www.example.org", TYPE_TXT},
                     {"www.example.org", TYPE_ANY},
                     {"plain.example.org", DNS_TYPE_AAAA},
                     {"plain.example.org", DNS_TYPE_HTTPS},
                     {"both.example.org", DNS_TYPE_HTTPS}}; // http:// was asked for: nothing told of https
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct answer *answer = ask_for(zone, questions[i].name, questions[i].type);
        assert_int_equal(rcode_of(answer), 0);
        assert_int_equal(answer_count_of(answer), 0);
        assert_true(answer->asked);
        assert_int_equal(answer->question.outcome, DNS_NODATA);
    }
}

UNIT_TEST_OF(test_nxdomain, struct dns_zone *zone, NULL, NULL) {
    static const char *const names[] = {"update.googleapis.com", "",    "192.0.2.13",
                                        "2001:db8::14",          "org", "_dns.example.org"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct answer *answer = ask_for(zone, names[i], DNS_TYPE_A);
        assert_int_equal(rcode_of(answer), 3);
        assert_int_equal(answer_count_of(answer), 0);
        assert_int_equal(answer->question.outcome, DNS_NXDOMAIN);
    }
}

UNIT_TEST_OF(test_unrecorded_hosts, struct dns_zone *zone, NULL, NULL) {
    struct answer *answer = ask_for(zone, "Fonts.example.com", DNS_TYPE_A);
    assert_int_equal(answer->question.outcome, DNS_OK);
    assert_int_equal(answer_count_of(answer), 1);
    uint8_t address[4];
    unrecorded_host_address("fonts.example.com", address);
    assert_ends(answer, address, 4);
    answer = ask_for(zone, "fonts.example.com", DNS_TYPE_AAAA);
    assert_int_equal(answer->question.outcome, DNS_NODATA);
    // Something of this recording was in clear.
    answer = ask_for(zone, "fonts.example.com", DNS_TYPE_HTTPS);
    assert_int_equal(answer->question.outcome, DNS_NODATA);
}

// All of the recording is https; a recorded server has the address that the host would have.
UNIT_TEST(test_unrecorded_hosts_beside_https) {
    uint8_t address[4];
    unrecorded_host_address("fonts.example.com", address);
    char taken[16];
    snprintf(taken, sizeof taken, "%u.%u.%u.%u", address[0], address[1], address[2], address[3]);
    struct recorded_exchange only = {.scheme = "https", .host = "a.test", .port = 443, .address = taken};
    const struct recording secure = {.name = "test", .exchanges = &only, .exchange_count = 1};
    struct dns_zone *zone = open_zone(&secure, "h2,h3", false);
    struct answer *answer = ask_for(zone, "fonts.example.com", DNS_TYPE_HTTPS);
    assert_int_equal(answer->question.outcome, DNS_OK);
    assert_int_equal(answer_count_of(answer), 1);
    answer = ask_for(zone, "fonts.example.com", DNS_TYPE_A);
    assert_int_equal(answer_count_of(answer), 1);
    assert_memory_not_equal(answer->bytes + answer->size - 4, address, 4);
    dns_zone_close(zone);
}

// A label may hold any byte: one with a dot in it is another name than the two labels it looks like.
UNIT_TEST_OF(test_escaped_names, struct dns_zone *zone, NULL, NULL) {
    struct query query = begin_query();
    query_add(&query, "\013www.example\003org", 17);
    query_add_u16(&query, DNS_TYPE_A);
    query_add_u16(&query, CLASS_IN);
    struct answer *answer = ask(zone, query, false);
    assert_int_equal(answer->question.outcome, DNS_NXDOMAIN);
    assert_string_equal(answer->question.name, "www\\046example.org");

    // The longest name there is, each byte escaped: 255 bytes on the wire.
    query = make_long_query(61, 0xff);
    answer = ask(zone, query, false);
    assert_int_equal(answer->question.outcome, DNS_NXDOMAIN);
    assert_int_equal(strlen(answer->question.name), 4 * (3 * 63 + 61) + 3);
}

UNIT_TEST_OF(test_edns, struct dns_zone *zone, NULL, NULL) {
    struct query query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    add_edns(&query, 4096, 0);
    struct answer *answer = ask(zone, query, false);
    assert_int_equal(answer_count_of(answer), 2);
    assert_int_equal(u16_at(answer, 10), 1);
    static const uint8_t edns[] = {0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0};
    assert_ends(answer, edns, sizeof edns);

    query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    add_edns(&query, 4096, 1);
    answer = ask(zone, query, false);
    assert_int_equal(rcode_of(answer), 0);
    assert_int_equal(answer->bytes[answer->size - 6],
                     1); // BADVERS is 16: its upper bits stand in the EDNS record
    assert_false(answer->asked);

    query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    add_edns(&query, 4096, 0);
    add_edns(&query, 4096, 0);
    assert_int_equal(rcode_of(ask(zone, query, false)), 1);
}

UNIT_TEST_OF(test_refused, struct dns_zone *zone, NULL, NULL) {
    struct answer *answer = ask(zone, make_query("www.example.org", DNS_TYPE_A, CLASS_CHAOS), false);
    assert_int_equal(rcode_of(answer), 5);
    assert_false(answer->asked);

    struct query query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    query.bytes[2] |= 2 << 3; // STATUS
    answer = ask(zone, query, false);
    assert_int_equal(rcode_of(answer), 4);
    assert_int_equal(answer->bytes[2] >> 3 & 0xf, 2);

    query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    query.bytes[5] = 2; // two questions
    assert_int_equal(rcode_of(ask(zone, query, false)), 1);
}

UNIT_TEST_OF(test_dropped, struct dns_zone *zone, NULL, NULL) {
    struct query query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
    query.bytes[2] |= QR; // an answer: answering it could go on for ever
    assert_int_equal(ask(zone, query, false)->size, 0);
    for (size_t size = 0; size < 12; size++) {
        query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
        query.bytes = realloc(query.bytes, size ? size : 1);
        query.size = size;
        assert_int_equal(ask(zone, query, false)->size, 0);
    }
}

UNIT_TEST_OF(test_malformed, struct dns_zone *zone, NULL, NULL) {
    // Cut anywhere after the header, and with names that lead nowhere.
    size_t whole = 12 + 17 + 4;
    for (size_t size = 12; size < whole; size++) {
        struct query query = make_query("www.example.org", DNS_TYPE_A, CLASS_IN);
        query.bytes = realloc(query.bytes, size);
        query.size = size;
        struct answer *answer = ask(zone, query, false);
        assert_int_equal(rcode_of(answer), 1);
        assert_int_equal(answer->size, 12);
        assert_false(answer->asked);
    }
    static const char *const names[] = {"\xc0\x0c", "\x40", "\x80", "\xc0", "\x3fshort"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct query query = begin_query();
        query_add(&query, names[i], strlen(names[i]));
        query_add_u16(&query, DNS_TYPE_A);
        query_add_u16(&query, CLASS_IN);
        assert_int_equal(rcode_of(ask(zone, query, false)), 1);
    }
    // 256 bytes on the wire: one too many.
    assert_int_equal(rcode_of(ask(zone, make_long_query(62, 'a'), false)), 1);
}

// More addresses than a datagram takes: cut with TC set, and whole over TCP.
UNIT_TEST(test_truncated) {
    enum { COUNT = 200 };
    static struct recorded_exchange many[COUNT];
    static char addresses[COUNT][24];
    for (int i = 0; i < COUNT; i++) {
        snprintf(addresses[i], sizeof addresses[i], "192.0.2.%d", i);
        many[i] = (struct recorded_exchange){
            .seq = i, .scheme = "https", .host = "many.example", .port = 443, .address = addresses[i]};
    }
    struct recording large = {.name = "large", .exchanges = many, .exchange_count = COUNT};
    struct dns_zone *zone = open_zone(&large, "h3", false);
    static const unsigned udp_sizes[] = {0, 100, 512, 1232, 65535};
    for (size_t i = 0; i < sizeof udp_sizes / sizeof *udp_sizes; i++) {
        struct query query = make_query("many.example", DNS_TYPE_A, CLASS_IN);
        if (udp_sizes[i] > 0) add_edns(&query, udp_sizes[i], 0);
        struct answer *answer = ask(zone, query, false);
        assert_true(answer->bytes[2] & TC);
        assert_int_equal(answer_count_of(answer), 0);
        assert_int_equal(answer->question.outcome, DNS_OK);
        assert_in_range(answer->size, 12, 512);
    }
    struct answer *answer = ask(zone, make_query("many.example", DNS_TYPE_A, CLASS_IN), true);
    assert_false(answer->bytes[2] & TC);
    assert_int_equal(answer_count_of(answer), COUNT);
    assert_int_equal(answer->bytes[answer->size - 1], COUNT - 1);
    dns_zone_close(zone);
}

UNIT_TEST(test_bad_address) {
    struct recorded_exchange bad = {
        .scheme = "https", .host = "a.example", .port = 443, .address = "not.an.address"};
    struct recording broken = {.name = "broken", .exchanges = &bad, .exchange_count = 1};
    struct dns_zone *zone;
    char error[256];
    assert_int_equal(dns_zone_open(&zone, &broken, "h3", false, error, sizeof error), -1);
    assert_non_null(strstr(error, "broken"));
    assert_non_null(strstr(error, "not.an.address"));
}

UNIT_TEST(test_names_for_reports) {
    char text[16];
    assert_string_equal(dns_type_name(DNS_TYPE_HTTPS, text), "HTTPS");
    assert_string_equal(dns_type_name(65535, text), "TYPE65535");
    assert_string_equal(dns_outcome_name(DNS_OK), "ok");
    assert_string_equal(dns_outcome_name(DNS_NODATA), "nodata");
    assert_string_equal(dns_outcome_name(DNS_NXDOMAIN), "nxdomain");
}

static int set_up(void **state) {
    *state = open_zone(&recording, "h2,h3", false);
    return 0;
}

static int tear_down(void **state) {
    dns_zone_close(*state);
    return 0;
}

GROUP_FIXTURE(set_up, tear_down)
