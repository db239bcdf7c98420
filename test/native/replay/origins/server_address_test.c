// A twin is told apart from every other address, and is text of the address that it stands for.
#include "replay/origins/server_address.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>

static void expect_text(const char *address, const char *expected) {
    struct in6_addr bytes;
    char text[INET6_ADDRSTRLEN];
    assert_int_equal(inet_pton(AF_INET6, address, &bytes), 1);
    server_address_text(&bytes, text);
    assert_string_equal(text, expected);
}

UNIT_TEST(addresses_are_told_as_recorded) {
    char twin[INET6_ADDRSTRLEN];
    assert_true(server_address_twin_text("192.0.2.7", twin));
    assert_string_equal(twin, "fd00:7472:4::c000:207");
    expect_text(twin, "192.0.2.7");
    expect_text("::ffff:192.0.2.7", "192.0.2.7");
    expect_text("2001:db8::7", "2001:db8::7");
    expect_text("fd00:7472:4::1:c000:207", "fd00:7472:4::1:c000:207");
    assert_false(server_address_twin_text("2001:db8::7", twin));
}

UNIT_TEST(names_are_no_addresses) {
    assert_true(server_address_is("192.0.2.7"));
    assert_true(server_address_is("::1"));
    assert_false(server_address_is("192.0.2.7.example"));
    assert_false(server_address_is(""));
}
