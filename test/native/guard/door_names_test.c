// The names of a far side with doors: known ones have their address, others do not exist, and what is no
// query is not answered.
#include "guard/door_names.h"
#include "guard/doors.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>

static struct door_list list;
static uint8_t answer[DOOR_ANSWER_MAX];

// A query for "app.test" or as long as its labels say.
static size_t write_query(uint8_t *query, const char *labels, size_t size, uint8_t type) {
    static const uint8_t header[12] = {0x12, 0x34, 1, 0, 0, 1};
    memcpy(query, header, sizeof header);
    memcpy(query + sizeof header, labels, size);
    uint8_t end[] = {0, type, 0, 1};
    memcpy(query + sizeof header + size, end, sizeof end);
    return sizeof header + size + sizeof end;
}

static const char app[] = "\3aPp\4tEsT"; // and the root, its final 0

static size_t ask(const uint8_t *query, size_t size) {
    return door_names_answer(list.names, list.name_count, query, size, answer);
}

UNIT_TEST(test_a_name_that_is_known_has_its_address) {
    uint8_t query[64];
    struct in_addr address;
    assert_int_equal(door_list_add_name(&list, "App.test=100.64.1.1"), 0);
    size_t size = write_query(query, app, sizeof app, 1);
    assert_int_equal(ask(query, size), size + 16);
    assert_memory_equal(answer, "\x12\x34\x81\x80\0\1\0\1\0\0\0\0", 12);
    memcpy(&address, answer + size + 12, sizeof address);
    assert_int_equal(ntohl(address.s_addr), 0x64400101);
}

UNIT_TEST(test_of_other_types_there_is_no_record) {
    uint8_t query[64];
    for (int type = 28; type <= 65; type += 37) {
        size_t size = write_query(query, app, sizeof app, (uint8_t)type);
        assert_int_equal(ask(query, size), size);
        assert_memory_equal(answer + 2, "\x81\x80\0\1\0\0", 6);
    }
}

UNIT_TEST(test_another_name_does_not_exist) {
    uint8_t query[64];
    static const char other[] = "\3www\3app\4test";
    size_t size = write_query(query, other, sizeof other, 1);
    assert_int_equal(ask(query, size), size);
    assert_int_equal(answer[3] & 15, 3);
}

UNIT_TEST(test_what_is_no_query_is_dropped) {
    uint8_t query[64];
    size_t size = write_query(query, app, sizeof app, 1);
    // Cut anywhere; in a block of its own, so that a sanitizer sees a read past its end.
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, query, cut);
        uint8_t *exact = realloc(part, cut > 0 ? cut : 1);
        assert_int_equal(ask(exact, cut), 0);
        free(exact);
    }
    query[2] |= 0x80;
    assert_int_equal(ask(query, size), 0);
    query[2] = 1;
    query[12] = 0xc0; // a pointer
    assert_int_equal(ask(query, size), 0);
    uint8_t large[DOOR_QUERY_MAX + 1] = {0};
    assert_int_equal(ask(large, sizeof large), 0);
}

UNIT_TEST(test_doors_are_read_from_words) {
    static struct door_list doors;
    assert_int_equal(door_list_add(&doors, "127.0.0.1:3000=127.0.0.1:3001,[::1]:3001"), 0);
    assert_int_equal(doors.all[0].target.count, 2);
    assert_int_equal(doors.all[0].target.all[1].address.ss_family, AF_INET6);
    static const char *const wrong[] = {
        "",
        "127.0.0.1:3000",
        "=",
        "127.0.0.1:3000=",
        "localhost:1=127.0.0.1:1",
        "127.0.0.1:1=127.0.0.1:65536",
        "127.0.0.1:1=127.0.0.1:-1",
        "127.0.0.1:1=[::1:1",
        "127.0.0.1:1=[]:1",
        "127.0.0.1:1=1.1.1.1:1,1.1.1.2:1,1.1.1.3:1,1.1.1.4:1,1.1.1.5:1",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(door_list_add(&doors, wrong[i]), -1);
    assert_int_equal(doors.count, 1);
    while (doors.count < DOORS_MAX)
        assert_int_equal(door_list_add(&doors, "127.0.0.1:1=127.0.0.1:1"), 0);
    assert_int_equal(door_list_add(&doors, "127.0.0.1:1=127.0.0.1:1"), -1);
}
