// Which servers stand for a recording's hosts: as recorded, merged by operator, or one for all.
#include "replay/origins/origins.h"
#include "replay/tls/x509_make.h"
#include "test/native/cmocka_unit.h"

static const char *cdn_names[] = {"shop-cdn.test", "*.shop-cdn.test", "*.shop.co.uk"};
static const struct recorded_certificate cdn = {.names = cdn_names, .name_count = 3, .chain_bytes = 4321};

static const struct recorded_exchange exchanges[] = {
    {.seq = 0, .host = "www.shop.co.uk", .scheme = "https", .address = "192.0.2.1"},
    {.seq = 1, .host = "img.shop.co.uk", .scheme = "https", .address = "192.0.2.2"},
    {.seq = 2, .host = "www.rival.co.uk", .scheme = "https", .address = "192.0.2.3"},
    {.seq = 3, .host = "a.github.io", .scheme = "https", .address = "192.0.2.4"},
    {.seq = 4, .host = "b.github.io", .scheme = "https", .address = "192.0.2.4"},
    {.seq = 5, .host = "x.shop-cdn.test", .scheme = "https", .address = "2001:db8::5"},
    {.seq = 6, .host = "x.shop-cdn.test", .scheme = "https", .address = "2001:db8::6", .certificate = &cdn},
    {.seq = 7, .host = "192.0.2.7", .scheme = "https", .address = "192.0.2.7"},
    {.seq = 8, .host = "shop.co.uk", .scheme = "http", .address = "192.0.2.8"},
};
enum { COUNT = sizeof exchanges / sizeof *exchanges };

struct fixture {
    struct recorded_exchange exchanges[COUNT];
    struct recording recording;
    struct arena arena;
};

static int open_recording(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    memcpy(f->exchanges, exchanges, sizeof exchanges);
    f->recording = (struct recording){.exchanges = f->exchanges, .exchange_count = COUNT};
    *state = f;
    return 0;
}

static int close_recording(void **state) {
    struct fixture *f = *state;
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void assert_addresses(const struct fixture *f, const char *const *wanted) {
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(f->exchanges[i].address, wanted[i]);
}

static bool is_good_for(const struct recorded_exchange *exchange, const char *host) {
    const struct recorded_certificate *certificate = exchange->certificate;
    for (size_t i = 0; certificate && i < certificate->name_count; i++)
        if (x509_name_covers(certificate->names[i], host)) return true;
    return false;
}

UNIT_TEST_OF(test_as_recorded, struct fixture *f, open_recording, close_recording) {
    assert_int_equal(origins_arrange(&f->recording, SERVER_ORIGINS_AS_RECORDED, &f->arena), 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(f->exchanges[i].address, exchanges[i].address);
    assert_null(f->exchanges[0].certificate);
    assert_ptr_equal(f->exchanges[5].certificate, &cdn); // known of its host
    assert_ptr_equal(f->exchanges[6].certificate, &cdn);
}

// One connection was used for several hosts: one certificate was good for them, whatever it was.
UNIT_TEST_OF(test_shared_connections, struct fixture *f, open_recording, close_recording) {
    f->exchanges[0].connection = f->exchanges[1].connection = f->exchanges[2].connection = "7";
    f->exchanges[1].address = "192.0.2.1";                                   // the first host's
    f->exchanges[4].connection = "8";                                        // by itself
    f->exchanges[5].connection = "7", f->exchanges[5].address = "192.0.2.1"; // of a known certificate
    f->exchanges[8].connection = "7", f->exchanges[8].address = "192.0.2.1"; // in clear
    assert_int_equal(origins_arrange(&f->recording, SERVER_ORIGINS_AS_RECORDED, &f->arena), 0);
    assert_true(is_good_for(&f->exchanges[0], "www.shop.co.uk"));
    assert_true(is_good_for(&f->exchanges[0], "img.shop.co.uk"));
    assert_true(is_good_for(&f->exchanges[1], "www.shop.co.uk"));
    assert_false(is_good_for(&f->exchanges[0], "www.rival.co.uk")); // a name used again at another address
    assert_int_equal(f->exchanges[0].certificate->name_count, 2);
    assert_null(f->exchanges[2].certificate);
    assert_null(f->exchanges[4].certificate);
    assert_ptr_equal(f->exchanges[5].certificate, &cdn);
    assert_null(f->exchanges[8].certificate);
    assert_string_equal(f->exchanges[1].address, "192.0.2.1"); // servers stay their own
    assert_string_equal(f->exchanges[2].address, "192.0.2.3");
}

UNIT_TEST_OF(test_ports_are_no_connections, struct fixture *f, open_recording, close_recording) {
    for (size_t i = 0; i < COUNT; i++) {
        f->exchanges[i].connection = "443";
        f->exchanges[i].port = 443;
        f->exchanges[i].address = "192.0.2.1";
    }
    assert_int_equal(origins_arrange(&f->recording, SERVER_ORIGINS_AS_RECORDED, &f->arena), 0);
    for (size_t i = 0; i < 5; i++)
        assert_null(f->exchanges[i].certificate);
}

UNIT_TEST_OF(test_merged, struct fixture *f, open_recording, close_recording) {
    assert_int_equal(origins_arrange(&f->recording, SERVER_ORIGINS_MERGED, &f->arena), 0);
    static const char *const wanted[COUNT] = {"192.0.2.1", "192.0.2.1", "192.0.2.3", "192.0.2.4", "192.0.2.4",
                                              "192.0.2.1", "192.0.2.1", "192.0.2.7", "192.0.2.1"};
    assert_addresses(f, wanted);
    static const char *const together[] = {"www.shop.co.uk", "img.shop.co.uk", "x.shop-cdn.test",
                                           "shop.co.uk"};
    for (size_t i = 0; i < 4; i++)
        if (!is_good_for(&f->exchanges[0], together[i])) fail_msg("not good for %s", together[i]);
    assert_ptr_equal(f->exchanges[6].certificate, f->exchanges[0].certificate);
    // Neighbours under a public suffix are strangers, even at one address.
    assert_false(is_good_for(&f->exchanges[0], "www.rival.co.uk"));
    assert_true(is_good_for(&f->exchanges[3], "a.github.io"));
    assert_false(is_good_for(&f->exchanges[3], "b.github.io"));
}

UNIT_TEST_OF(test_single, struct fixture *f, open_recording, close_recording) {
    assert_int_equal(origins_arrange(&f->recording, SERVER_ORIGINS_SINGLE, &f->arena), 0);
    for (size_t i = 0; i < COUNT; i++) {
        bool is_address = strcmp(exchanges[i].host, "192.0.2.7") == 0;
        assert_string_equal(f->exchanges[i].address, is_address ? "192.0.2.7" : "192.0.2.1");
        assert_true(is_address || is_good_for(&f->exchanges[0], exchanges[i].host));
    }
    assert_int_equal(f->exchanges[0].certificate->name_count, 6); // stars where they do not reach too far
}

UNIT_TEST(test_many_shards) {
    enum { HOSTS = 3000 };
    struct recorded_exchange *many = calloc(HOSTS, sizeof *many);
    char(*hosts)[32] = calloc(HOSTS, sizeof *hosts);
    char(*addresses)[32] = calloc(HOSTS, sizeof *addresses);
    for (size_t i = 0; i < HOSTS; i++) {
        snprintf(hosts[i], sizeof hosts[i], "s%zu.shards.test", i);
        snprintf(addresses[i], sizeof addresses[i], "192.0.%zu.%zu", i / 250, i % 250 + 1);
        many[HOSTS - 1 - i] = (struct recorded_exchange){
            .seq = (int64_t)(HOSTS - 1 - i), .host = hosts[i], .scheme = "https", .address = addresses[i]};
    }
    struct recording recording = {.exchanges = many, .exchange_count = HOSTS};
    struct arena arena = {0};
    assert_int_equal(origins_arrange(&recording, SERVER_ORIGINS_MERGED, &arena), 0);
    for (size_t i = 0; i < HOSTS; i++)
        assert_string_equal(many[i].address, addresses[HOSTS - 1]); // the first one asked
    assert_int_equal(many[0].certificate->name_count, 1);
    assert_string_equal(many[0].certificate->names[0], "*.shards.test");
    arena_free(&arena);
    free(many);
    free(hosts);
    free(addresses);
}

UNIT_TEST(test_names_cover) {
    assert_true(x509_name_covers("a.test", "a.test"));
    assert_true(x509_name_covers("*.a.test", "x.a.test"));
    assert_false(x509_name_covers("*.a.test", "a.test"));
    assert_false(x509_name_covers("*.a.test", "x.y.a.test"));
    assert_false(x509_name_covers("*.a.test", ".a.test"));
    assert_false(x509_name_covers("*.a.test", "xa.test"));
    assert_false(x509_name_covers("*", "a"));
}

UNIT_TEST(test_kinds_are_named) {
    static const char *const names[] = {"as-recorded", "merged", "single"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(origins_kind_name((enum server_origins)i), names[i]);
}
