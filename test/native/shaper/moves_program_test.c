// Paths that move, in a real lab: what the far end sees of UDP and TCP, what becomes of connections, and what
// the report says of it. Nothing here is held to a time: each run ends when it has seen what it waits for.
#include "run.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

static char report_path[64], log_path[64];

// What the near end saw of a link; `report`: the link's.
static json_t *talk(const char *link, const char *version, const char *peers, json_t **report) {
    struct run run;
    run_words(&run, PROGRAM_MOVING_PEER, "far", PROGRAM_TRILANE_SHAPER, "--link", link, "--report",
              report_path, "--log", log_path, "--", PROGRAM_MOVING_PEER, "near", version, peers, NULL);
    if (run.status != 0) fail_msg("%s: status %d: %s", link, run.status, run.err);
    json_t *result = json_loads(run.out, 0, NULL);
    *report = json_load_file(report_path, 0, NULL);
    if (!result || !*report) fail_msg("%s: %s", link, run.out);
    return result;
}

static const char *peer(const json_t *seen, size_t n) {
    return json_string_value(json_array_get(json_object_get(seen, "peers"), n));
}

static int port_of(const char *peer) {
    return atoi(strchr(peer, ' ') + 1);
}

static void assert_address(const char *peer, const char *address) {
    size_t size = strlen(address);
    if (strncmp(peer, address, size) != 0 || peer[size] != ' ') fail_msg("%s is not of %s", peer, address);
}

static bool has(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

static json_t *moves_of(const json_t *report) {
    json_t *moves = json_object_get(report, "moves");
    if (!moves) fail_msg("the report has no moves");
    return moves;
}

static bool log_says(const char *text) {
    char path[80], line[400];
    snprintf(path, sizeof path, "%s.up", log_path);
    FILE *file = fopen(path, "re");
    bool found = false;
    if (!file) fail_msg("%s cannot be read", path);
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, text) != NULL;
    fclose(file);
    return found;
}

static bool is_listed(const json_t *bindings, int port) {
    size_t index;
    json_t *binding;
    bool found = false;
    json_array_foreach((json_t *)bindings, index, binding) found =
        found || (strcmp(json_string_value(json_object_get(binding, "protocol")), "udp") == 0 &&
                  json_integer_value(json_object_get(binding, "after")) == port);
    return found;
}

// The place of the peer's address among those that the moves led to, from 1 on; 0: it is the command's own.
static size_t place_of(const char *peer, const json_t *moves, const char *own, const char *key) {
    const json_t *list = json_object_get(moves, "list");
    size_t size = strcspn(peer, " ");
    if (strlen(own) == size && memcmp(peer, own, size) == 0) return 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *address =
            json_string_value(json_object_get(json_object_get(json_array_get(list, i), "after"), key));
        if (address && strlen(address) == size && memcmp(peer, address, size) == 0) return i + 1;
    }
    fail_msg("%s is no address that the path moved to", peer);
    return 0;
}

UNIT_TEST(ports_are_seen_to_change) {
    static const char *const versions[] = {"4", "6"}, *const addresses[] = {"100.64.0.2", "fd00:7472::2"};
    for (int v = 0; v < 2; v++) {
        json_t *report, *seen = talk("20mbit/10ms,rebind=400ms", versions[v], "3", &report);
        const json_t *bindings = json_object_get(moves_of(report), "bindings");
        int ports[3];
        for (size_t i = 0; i < 3; i++) {
            assert_non_null(peer(seen, i));
            assert_address(peer(seen, i), addresses[v]);
            ports[i] = port_of(peer(seen, i));
        }
        assert_true(ports[0] != ports[1] && ports[1] != ports[2] && ports[0] != ports[2]);
        assert_true(has(seen, "reset")); // the server does not know the connection by its new port
        assert_true(has(seen, "again"));
        // The report has the ports that the far end saw.
        for (int i = 1; i < 3; i++)
            assert_true(is_listed(bindings, ports[i]));
        assert_true(log_says(" rebind port"));
        json_decref(seen);
        json_decref(report);
    }
}

UNIT_TEST(addresses_are_seen_to_change) {
    static const char *const versions[] = {"4", "6"};
    static const char *const own[] = {"100.64.0.2", "fd00:7472::2"}, *const keys[] = {"address", "address_6"};
    for (int v = 0; v < 2; v++) {
        json_t *report, *seen = talk("20mbit/10ms,rebind=400ms:address", versions[v], "3", &report);
        size_t before = 0;
        for (size_t i = 0; i < 3; i++) {
            assert_non_null(peer(seen, i));
            size_t place = place_of(peer(seen, i), moves_of(report), own[v], keys[v]);
            assert_true(i == 0 || place > before);
            before = place;
            assert_int_equal(port_of(peer(seen, i)), port_of(peer(seen, 0)));
        }
        assert_true(has(seen, "reset") && has(seen, "again"));
        json_decref(seen);
        json_decref(report);
    }
}

UNIT_TEST(a_switch_changes_link_and_address_at_its_time) {
    json_t *report, *seen = talk("20mbit/10ms,switch=2s:5mbit/40ms+queue=20p", "4", "2", &report);
    const json_t *moves = moves_of(report), *move = json_array_get(json_object_get(moves, "list"), 0);
    assert_non_null(peer(seen, 1));
    assert_address(peer(seen, 0), "100.64.0.2");
    assert_address(peer(seen, 1), "100.65.0.1");
    assert_true(has(seen, "reset") && has(seen, "again"));
    assert_int_equal(json_integer_value(json_object_get(moves, "count")), 1);
    assert_string_equal(json_string_value(json_object_get(move, "kind")), "switch");
    assert_string_equal(json_string_value(json_object_get(json_object_get(move, "after"), "address")),
                        "100.65.0.1");
    json_int_t after_ns = json_integer_value(json_object_get(move, "at_ns")) -
                          json_integer_value(json_object_get(report, "start_ns"));
    // The link's time 0 is a moment after the report's: it is opened in between.
    assert_true(after_ns >= 2000000000 && after_ns < 3000000000);
    assert_true(log_says(" switch rate=5mbit,rtt=40ms,queue=20p"));
    json_decref(seen);
    json_decref(report);
}

UNIT_TEST(an_idle_link_moves_too) {
    struct run run;
    run_words(&run, PROGRAM_TRILANE_SHAPER, "--link", "20mbit/10ms,rebind=100ms,switch=150ms:3g", "--report",
              report_path, "--log", log_path, "--", "sleep", "2", NULL);
    assert_int_equal(run.status, 0);
    json_t *report = json_load_file(report_path, 0, NULL);
    assert_non_null(report);
    const json_t *list = json_object_get(moves_of(report), "list");
    static const char *const kinds[] = {"port", "switch", "port"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "kind")), kinds[i]);
    assert_true(log_says("# 150 switch "));
    json_decref(report);
}

static int find_places(void **state) {
    snprintf(report_path, sizeof report_path, "%s/report.json", unit_folder());
    snprintf(log_path, sizeof log_path, "%s/log", unit_folder());
    return 0;
}

GROUP_FIXTURE(find_places, NULL)
