// trilane-flows at both ends of a real lab: what it counts is what the link carried, sizes are exact, each
// flow has its controller, and nothing is left of it, however it ends.
#include "../shaper/run.h"

#include "../needs.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

// Runs a script in the test's folder: "$F" is trilane-flows, "$S" trilane-shaper, `lab LINK [COMMAND...]`
// runs run.json over a link, with COMMAND before the near end's program.
static void script(struct run *run, const char *text) {
    char whole[8192];
    snprintf(
        whole, sizeof whole,
        "cd %s; F=%s; S=%s\n"
        "lab() { l=$1; shift; $F far run.json --report far.json --samples far.records -- $S "
        "--keep-capabilities --link $l --report shaper.json -- \"$@\" $F near run.json --report near.json "
        "--samples near.records; }\n%s",
        unit_folder(), PROGRAM_TRILANE_FLOWS, PROGRAM_TRILANE_SHAPER, text);
    run_words(run, "bash", "-c", whole, NULL);
}

// `flows` are "TRANSPORT CONTROLLER DIRECTION START_MS DURATION_MS SIZE_BYTES", "-" for null, by commas.
// "CONTROLLER+paced": paced by the kernel.
static void write_run(int for_ms, const char *ping_ms, const char *flows) {
    char path[256], words[2048];
    json_t *list = json_array();
    snprintf(words, sizeof words, "%s", flows);
    char *rest = NULL;
    for (char *flow = strtok_r(words, ",", &rest); flow; flow = strtok_r(NULL, ",", &rest)) {
        char transport[16], congestion[32], direction[8], duration[16], size[24];
        int start_ms;
        assert_int_equal(sscanf(flow, "%15s %31s %7s %d %15s %23s", transport, congestion, direction,
                                &start_ms, duration, size),
                         6);
        char *paced = strchr(congestion, '+');
        if (paced) *paced = 0;
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:i,s:o,s:o}", "transport", transport, "congestion", congestion,
                            "direction", direction, "start_ms", start_ms, "duration_ms",
                            duration[0] == '-' ? json_null() : json_integer(atoll(duration)), "size_bytes",
                            size[0] == '-' ? json_null() : json_integer(atoll(size))));
        if (paced) json_object_set_new(json_array_get(list, json_array_size(list) - 1), "paced", json_true());
    }
    json_t *run =
        json_pack("{s:s,s:i,s:i,s:o,s:o}", "schema", "trilane/flow-run/1", "for_ms", for_ms, "sample_ms", 5,
                  "ping_ms", ping_ms ? json_integer(atoll(ping_ms)) : json_null(), "flows", list);
    snprintf(path, sizeof path, "%s/run.json", unit_folder());
    assert_int_equal(json_dump_file(run, path, 0), 0);
    json_decref(run);
}

static json_t *read_json(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", unit_folder(), name);
    json_t *document = json_load_file(path, 0, NULL);
    if (!document) fail_msg("%s is not there", name);
    return document;
}

static json_int_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s is no number", key);
    return json_integer_value(value);
}

static const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "null";
}

static const json_t *flow_of(const json_t *report, size_t place) {
    const json_t *flow = json_array_get(json_object_get(report, "flows"), place);
    assert_int_equal(number(flow, "flow"), place);
    return flow;
}

// What left the link, but for each packet's headers, is what the application read: no more than what was on
// its way at the end, and sent twice, lies between.
static void holds_goodput(const char *transport, const char *direction, double payload_share) {
    char flows[64];
    struct run run;
    const bool down = strcmp(direction, "down") == 0;
    snprintf(flows, sizeof flows, "%s cubic %s 0 - -", transport, direction);
    write_run(3000, NULL, flows);
    script(&run, "lab 20mbit/20ms");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    json_t *near = read_json("near.json"), *far = read_json("far.json"), *shaper = read_json("shaper.json");
    const json_t *receiver = flow_of(down ? near : far, 0), *sender = flow_of(down ? far : near, 0);
    const double received = (double)number(receiver, "received_bytes");
    const double carried = (double)number(json_object_get(shaper, direction), "bytes_out") * payload_share;
    if (received < 0.98 * carried || received > 1.02 * carried)
        fail_msg("%s %s: %.0f bytes read, %.0f carried", transport, direction, received, carried);
    assert_string_equal(text(sender, "congestion"), "cubic");
    assert_string_equal(text(receiver, "congestion"), "null");
    assert_string_equal(text(sender, "state"), "cut");
    assert_string_equal(text(receiver, "state"), "cut");
    assert_true(number(sender, "sent_bytes") >= number(receiver, "received_bytes"));
    assert_int_equal(number(receiver, "sent_bytes"), 0);
    assert_true(number(near, "start_ns") >= number(far, "start_ns"));
    json_decref(near);
    json_decref(far);
    json_decref(shaper);
}

static const double tcp_share = 1448. / 1500; // with time stamps
static const double tls_share = 16384. / (16384 + 5 + 1 + 16) * 1448 / 1500;

UNIT_TEST(goodput_is_what_the_link_carried) {
    holds_goodput("tcp", "down", tcp_share);
    holds_goodput("tcp", "up", tcp_share);
    holds_goodput("tls", "down", tls_share);
    holds_goodput("tls", "up", tls_share);
}

UNIT_TEST(sizes_are_exact_and_controllers_each_flows_own) {
    struct run run;
    write_run(
        30000, NULL,
        "tcp reno down 0 - 1000003,tcp cubic+paced up 0 - 777777,tcp cubic down 100 - 1,tcp reno up 50 - 5,"
        "tls reno+paced down 0 - 1000003,tls cubic up 0 - 777777,tls cubic down 100 - 1,tls reno up 50 - 5,"
        "quic reno down 0 - 1000003,quic cubic up 0 - 777777,quic cubic down 100 - 1,quic reno up 50 - 5");
    script(&run, "lab 20mbit/20ms");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    json_t *near = read_json("near.json"), *far = read_json("far.json");
    static const struct {
        const char *congestion;
        bool down;
        json_int_t size_bytes;
    } expected[] = {
        {"reno", true, 1000003}, {"cubic", false, 777777}, {"cubic", true, 1}, {"reno", false, 5}};
    enum {
        KINDS = sizeof expected / sizeof *expected,
        PACED_TCP = 1,
        PACED_TLS = KINDS,
        PLACE_OF_QUIC = 2 * KINDS
    };
    for (size_t place = 0; place < (size_t)3 * KINDS; place++) {
        const size_t i = place % KINDS;
        const json_t *sender = flow_of(expected[i].down ? far : near, place);
        const json_t *receiver = flow_of(expected[i].down ? near : far, place);
        assert_string_equal(text(sender, "state"), "ended");
        assert_string_equal(text(receiver, "state"), "ended");
        assert_string_equal(text(sender, "congestion"), expected[i].congestion);
        const json_t *paced = json_object_get(sender, "paced");
        assert_true(place < PLACE_OF_QUIC ? json_is_boolean(paced) : json_is_null(paced));
        assert_int_equal(json_is_true(paced), place == PACED_TCP || place == PACED_TLS);
        assert_true(json_is_null(json_object_get(receiver, "paced")));
        assert_int_equal(number(sender, "sent_bytes"), expected[i].size_bytes);
        assert_int_equal(number(receiver, "received_bytes"), expected[i].size_bytes);
        assert_string_equal(text(sender, "local"), text(receiver, "peer"));
        assert_string_equal(text(sender, "peer"), text(receiver, "local"));
        assert_true(number(receiver, "first_byte_ns") > number(sender, "connected_ns"));
        assert_true(number(receiver, "ended_ns") >= number(receiver, "first_byte_ns"));
        assert_true(number(sender, "ended_ns") > number(receiver, "first_byte_ns"));
    }
    // TLS takes a round trip of 20 ms more than TCP until its client is connected.
    const json_int_t tcp_ns =
        number(flow_of(near, 0), "connected_ns") - number(flow_of(near, 0), "connect_begin_ns");
    const json_int_t tls_ns =
        number(flow_of(near, 4), "connected_ns") - number(flow_of(near, 4), "connect_begin_ns");
    assert_true(tcp_ns >= 20000000 && tls_ns >= 40000000);
    // It began when it was to, and not before.
    assert_true(number(flow_of(near, 2), "connect_begin_ns") >= number(near, "start_ns") + 100000000);
    assert_true(number(near, "end_ns") - number(near, "start_ns") < INT64_C(30000000000));
    json_decref(near);
    json_decref(far);
}

// Columns 0 to 3 of a record: time, flow, sent and received bytes.
enum { COLUMNS = 13 };

static size_t read_records(const char *name, uint64_t **records) {
    char path[256], header[512];
    snprintf(path, sizeof path, "%s/%s", unit_folder(), name);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    json_t *parsed = json_loads(header, 0, NULL);
    assert_string_equal(text(parsed, "schema"), "trilane/records/1");
    assert_int_equal(json_array_size(json_object_get(parsed, "columns")), COLUMNS);
    json_decref(parsed);
    enum { MOST = 100000 };
    *records = calloc(MOST, COLUMNS * sizeof **records);
    assert_non_null(*records);
    const size_t count = fread(*records, COLUMNS * sizeof **records, MOST, file);
    fclose(file);
    return count;
}

UNIT_TEST(samples_lie_on_one_grid_and_count_up) {
    struct run run;
    write_run(1500, "50", "tcp cubic down 0 - -,tcp cubic up 300 500 -");
    script(&run, "lab 20mbit/20ms");
    assert_string_equal(run.err, "");
    json_t *near = read_json("near.json");
    uint64_t *records;
    const size_t count = read_records("near.records", &records);
    assert_true(count > 10);
    uint64_t sent = 0, received = 0, last_ns = 0, last_of_second_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * COLUMNS;
        assert_int_equal(record[0] % 5000000, 0);
        assert_true(record[0] >= last_ns);
        last_ns = record[0];
        if (record[1] == 0) {
            assert_true(record[3] >= received);
            received = record[3];
            assert_int_equal(record[4], UINT64_MAX); // a receiver has no window
        } else {
            assert_int_equal(record[1], 1);
            assert_true(record[2] >= sent);
            sent = record[2];
            assert_true(record[4] > 0 && record[4] < 100000000);
            last_of_second_ns = record[0];
        }
    }
    free(records);
    assert_true(received > 0 && received <= (uint64_t)number(flow_of(near, 0), "received_bytes"));
    assert_true(sent > 0 && sent <= (uint64_t)number(flow_of(near, 1), "sent_bytes"));
    // Cut at its time or, on a busy machine, later; and not sampled after that.
    const uint64_t ended_ns = (uint64_t)number(flow_of(near, 1), "ended_ns");
    assert_true(ended_ns >= (uint64_t)number(near, "start_ns") + 800000000);
    assert_true(last_of_second_ns <= ended_ns);
    const json_t *ping = json_object_get(near, "ping"), *replies = json_object_get(ping, "replies");
    assert_true(number(ping, "sent") > 10);
    assert_int_equal(number(ping, "received"), json_array_size(replies));
    assert_true(json_array_size(replies) > 5);
    for (size_t i = 0; i < json_array_size(replies); i++)
        assert_true(number(json_array_get(replies, i), "rtt_ns") >= 20000000);
    json_decref(near);
}

UNIT_TEST(a_peer_that_refuses_is_one_line) {
    struct run run;
    write_run(5000, NULL, "tcp cubic up 0 - 1000,tcp cubic down 0 - 1000");
    script(&run, "$S --keep-capabilities --link 20mbit/20ms -- $F near run.json --report near.json");
    assert_string_equal(run.err, "trilane-flows: 2 of 2 flows failed, first flow 0 (tcp, far port 20001): "
                                 "Connection refused\n");
    assert_int_equal(run.status, 1);
    json_t *near = read_json("near.json");
    assert_string_equal(text(flow_of(near, 1), "state"), "failed");
    assert_string_equal(text(flow_of(near, 1), "error"), "Connection refused");
    json_decref(near);
}

UNIT_TEST(bad_input_is_one_line) {
    struct run run;
    char expected[512];
    write_run(5000, NULL, "tcp cubic up 0 - 1000,tcp nonesuch down 0 - 1000");
    script(&run, "lab 20mbit/20ms");
    static const char begins[] =
        "trilane-flows: flow 1: TCP congestion controller \"nonesuch\": this kernel has ";
    assert_memory_equal(run.err, begins, sizeof begins - 1);
    assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    assert_int_equal(run.status, 2);
    write_run(5000, NULL, "tcp cubic up 0 - 1000");
    static const struct {
        const char *words;
        const char *line;
    } wrong[] = {
        {"", "say which end it is and name the run, as `trilane-flows far run.json` (see --help)"},
        {"near", "say which end it is and name the run, as `trilane-flows far run.json` (see --help)"},
        {"middle run.json", "middle: the first word must be far or near (see --help)"},
        {"near run.json more", "more: unexpected; a command comes after \"--\" (see --help)"},
        {"near run.json --report", "--report: wants a value (see --help)"},
        {"near run.json --nonesuch", "--nonesuch: no such option (see --help)"},
        {"far run.json --begun begun.json -- true",
         "begun: the near end begins the run: give it there (see --help)"},
        {"far run.json", "far: no command: write trilane-shaper after \"--\" (see --help)"},
        {"near none.json", "unable to open none.json: No such file or directory"},
        {"near run.json --report /nonexistent/file", "report /nonexistent/file: No such file or directory"},
        // On the machine's own network the far end's address may be somebody's.
        {"near run.json", "near: not in a lab: trilane-shaper starts it there (see --help)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[256];
        snprintf(words, sizeof words, "$F %s", wrong[i].words);
        script(&run, words);
        snprintf(expected, sizeof expected, "trilane-flows: %s\n", wrong[i].line);
        assert_string_equal(run.err, expected);
        assert_string_equal(run.out, "");
        assert_int_equal(run.status, 2);
    }
    script(&run, "$S --link 20mbit/20ms -- $F near run.json --samples /nonexistent/file");
    assert_string_equal(run.err, "trilane-flows: samples /nonexistent/file: No such file or directory\n");
    assert_int_equal(run.status, 2);
    script(&run, "$F --version; $F --help");
    assert_non_null(strstr(run.out, "trilane-flows " TRILANE_VERSION "\nUsage: trilane-flows far RUN.json "));
    assert_int_equal(run.status, 0);
}

// A file that may grow no more stands for a full disk.
UNIT_TEST(a_full_disk_ends_the_run_in_one_line) {
    struct run run;
    write_run(50000, NULL, "tcp cubic down 0 - -");
    script(&run, "lab 20mbit/20ms bash -c 'trap \"\" XFSZ; ulimit -f 8; exec \"$@\"' -");
    assert_string_equal(
        run.err, "trilane-flows: samples near.records: not all of it could be written: File too large\n");
    assert_int_equal(run.status, 1);
    json_decref(read_json("far.json"));
    json_decref(read_json("near.json"));
    uint64_t *records;
    assert_true(read_records("near.records", &records) > 0);
    free(records);
}

// Waits for the link to carry something, does `deed` to the processes, and counts those that are left.
static void after(struct run *run, const char *deed) {
    char text_of[2048];
    snprintf(
        text_of, sizeof text_of,
        "rm -f *.json.tmp* near.json far.json near.records\n"
        "cp run.json $$.json; lab() { $F far $$.json --report far.json -- $S --keep-capabilities --link "
        "20mbit/20ms -- $F near $$.json --report near.json --samples near.records; }\n"
        "(lab; echo status $?) & for i in $(seq 1000); do [ -s near.records ] && break; sleep 0.01; done\n"
        "far=$(pgrep -f \"^[^ ]*trilane-flows far $$.json\" | head -n1)\n"
        "shaper=$(pgrep -f \"^[^ ]*trilane-shaper .*$$.json\" | head -n1)\n"
        "near=$(pgrep -f \"^[^ ]*trilane-flows near $$.json\" | head -n1)\n"
        "sleep 0.3; %s; wait\n"
        "for i in $(seq 500); do left=$(pgrep -fc \"trilane-.*$$.json\"); [ $left = 0 ] && break; sleep "
        "0.01; done; echo left $left",
        deed);
    script(run, text_of);
}

UNIT_TEST(killed_parts_leave_nothing) {
    struct run run;
    needs_program("pgrep");
    write_run(50000, NULL, "tcp cubic down 0 - -,tcp cubic up 0 - -");
    after(&run, "kill -9 $near");
    assert_string_equal(run.out, "status 137\nleft 0\n");
    json_decref(read_json("far.json"));
    after(&run, "kill -9 $shaper");
    assert_string_equal(run.out, "status 137\nleft 0\n");
    json_decref(read_json("far.json"));
    after(&run, "kill -9 $far");
    assert_non_null(strstr(run.out, "status 137\nleft 0\n"));
}

UNIT_TEST(signals_end_it_with_reports) {
    struct run run;
    write_run(50000, NULL, "tcp cubic down 0 - -,tcp cubic up 0 - -");
    static const struct {
        const char *deed;
        const char *expected;
    } signals[] = {{"kill -TERM $far", "status 143\nleft 0\n"}, {"kill -INT $near", "status 130\nleft 0\n"}};
    for (size_t i = 0; i < 2; i++) {
        after(&run, signals[i].deed);
        assert_string_equal(run.err, "");
        assert_string_equal(run.out, signals[i].expected);
        json_t *near = read_json("near.json"), *far = read_json("far.json");
        assert_string_equal(text(flow_of(near, 0), "state"), "cut");
        assert_string_equal(text(flow_of(far, 1), "state"), "cut");
        assert_true(number(flow_of(near, 0), "received_bytes") > 0);
        json_decref(near);
        json_decref(far);
    }
}

// A command can be timed by the run: when it began is there while it runs, and is what the report says.
UNIT_TEST(a_run_says_when_it_began) {
    struct run run;
    write_run(50000, NULL, "tcp cubic down 40000 - 1000");
    script(&run, "$F far run.json -- $S --keep-capabilities --link 20mbit/20ms -- "
                 "$F near run.json --report near.json --begun begun.json -- "
                 "sh -c 'until [ -e begun.json ]; do sleep 0.01; done; cp begun.json seen.json'");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    json_t *seen = read_json("seen.json"), *near = read_json("near.json");
    assert_int_equal(number(seen, "start_ns"), number(near, "start_ns"));
    json_decref(seen);
    json_decref(near);
}

// A run that has a command ends with it, with its status; a flow whose time has not come has not started.
UNIT_TEST(a_command_ends_the_run) {
    struct run run;
    write_run(50000, NULL, "tcp cubic down 0 - -,tcp cubic down 40000 - -,tcp cubic up 0 - 1000");
    script(&run, "$F far run.json --report far.json -- $S --keep-capabilities --link 20mbit/20ms -- "
                 "$F near run.json --report near.json -- sh -c 'echo there; grep CapEff /proc/self/status; "
                 "sleep 0.5; exit 7'");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "there\nCapEff:\t0000000000000000\n");
    assert_int_equal(run.status, 7);
    json_t *near = read_json("near.json"), *far = read_json("far.json");
    assert_string_equal(text(flow_of(near, 0), "state"), "cut");
    assert_string_equal(text(flow_of(near, 1), "state"), "not-started");
    assert_string_equal(text(flow_of(far, 1), "state"), "not-started");
    assert_string_equal(text(flow_of(near, 2), "state"), "ended");
    assert_string_equal(text(flow_of(far, 2), "state"), "ended");
    json_decref(near);
    json_decref(far);
}
