// trilane-shaper with evidence and a control socket, as people run it: what is in the files of a real run,
// what a change to the running link does, and what happens where files cannot be written.
#include "run.h"

#include "../needs.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#define SHAPER PROGRAM_TRILANE_SHAPER

// Runs a script in the test's folder: "$S" is trilane-shaper.
static void script(struct run *run, const char *text) {
    char whole[4096];
    snprintf(whole, sizeof whole, "cd %s && S=%s; %s", unit_folder(), SHAPER, text);
    run_words(run, "bash", "-c", whole, NULL);
}

UNIT_TEST(nothing_is_written_unasked) {
    struct run run;
    script(
        &run,
        "mkdir empty && cd empty && $S --link 3mbit/50ms -- ping -c 1 100.64.0.1 >/dev/null; ls -A | wc -l");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "0\n");
}

// Every packet of the run is in log, capture and counters, and they agree: arrivals = departures + drops, and
// what the log calls lost is what did not answer.
UNIT_TEST(files_of_a_run_agree) {
    struct run run;
    script(&run, "$S --link 3mbit/20ms,loss_down=20%,seed=4 --log log --pcapng capture --flow-counters flows "
                 "--report report "
                 "-- ping -q -c 100 -i 0.002 -s 972 100.64.0.1 | grep -o '[0-9]* received'");
    assert_string_equal(run.err, "");
    int received = atoi(run.out);
    assert_in_range(received, 60, 95);
    script(&run, "for d in down up; do grep -c ' + 1000$' log.$d; grep -c ' - 1000 [0-9]*$' log.$d; "
                 "grep -c '^# [0-9]* loss 1 1000$' log.$d; done");
    int numbers[6], at = 0;
    for (char *line = run.out; at < 6 && *line; line = strchr(line, '\n') + 1)
        numbers[at++] = atoi(line);
    assert_int_equal(at, 6);
    assert_int_equal(numbers[0], 100); // down: arrived, left the link, lost on the wire
    assert_int_equal(numbers[1], 100);
    assert_int_equal(numbers[2], 100 - received);
    assert_int_equal(numbers[3], 100);
    assert_int_equal(numbers[4], 100);
    assert_int_equal(numbers[5], 0);
    char path[256];
    json_error_t error;
    snprintf(path, sizeof path, "%s/flows", unit_folder());
    json_t *flows = json_load_file(path, 0, &error);
    const json_t *down = json_object_get(flows, "down");
    assert_int_equal(json_integer_value(json_object_get(down, "sent_packets")), 100);
    assert_int_equal(json_integer_value(json_object_get(down, "received_packets")), received);
    assert_int_equal(json_integer_value(json_object_get(down, "link_bytes")), 100000);
    double utilization = json_number_value(json_object_get(down, "utilization"));
    assert_true(utilization > 0 && utilization <= 1);
    assert_int_equal(json_array_size(json_object_get(flows, "flows")), 1);
    json_decref(flows);
    needs_program("tshark");
    script(
        &run,
        "tshark -r capture -T fields -e frame.interface_name -e frame.comment 2>/dev/null | sort | uniq -c | "
        "sed 's/^ *//;s/\\t/;/;s/;$//'");
    char expected[256];
    snprintf(expected, sizeof expected,
             "%d down\n%d down;trilane: dropped (loss): lost on the link, as configured\n100 up\n", received,
             100 - received);
    assert_string_equal(run.out, expected);
}

// What mm-throughput-graph and mm-delay-graph demand of each line, and that the link's capacity is all there.
UNIT_TEST(log_is_as_mahimahis_plotters_take_it) {
    struct run run;
    script(&run, "$S --link down=12mbit,up=1mbit,rtt=10ms --log plot -- sh -c 'ping -q -c 20 -i 0.02 "
                 "100.64.0.1 >/dev/null; "
                 "sleep 0.6'; awk '/^# base timestamp: [0-9]+$/ {base++; next} /^#/ {next}"
                 " $1 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+$/ {bad++} $2 == \"#\" {capacity += $3; last = $1}"
                 " $2 == \"-\" && ($4 == \"\" || $1 - $4 < 0) {bad++} $2 !~ /^[-+#d]$/ {bad++}"
                 " END {print base + 0, bad + 0, int(capacity / (last + 1) + 0.5)}' plot.down");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "1 0 1500\n"); // 12 Mbit/s is 1500 bytes a millisecond
}

static int connected(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", unit_folder(), name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int i = 0; i < 500; i++) {
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
        usleep(10000);
    }
    fail();
    return -1;
}

static json_t *asked(int fd, const char *request) {
    char line[65536];
    size_t size = 0;
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    while (size < sizeof line && recv(fd, line + size, 1, 0) == 1)
        if (line[size++] == '\n') break;
    json_error_t error;
    json_t *answer = json_loadb(line, size, 0, &error);
    assert_non_null(answer);
    return answer;
}

static bool steered(int fd, const char *form) {
    char request[256];
    snprintf(request, sizeof request, "{\"command\":\"steer\",\"link\":\"%s\"}\n", form);
    json_t *answer = asked(fd, request);
    bool ok = json_is_true(json_object_get(answer, "ok"));
    json_decref(answer);
    return ok;
}

static double packets_out(int fd) {
    json_t *answer = asked(fd, "{\"command\":\"stats\"}\n");
    const json_t *down = json_object_get(json_object_get(answer, "stats"), "down");
    double packets = json_number_value(json_object_get(down, "packets_out"));
    json_decref(answer);
    return packets;
}

// Pings through a link whose delay and loss change under way; the command does not notice, its packets do.
UNIT_TEST(running_link_changes_and_its_log_says_so) {
    char text[1024], socket_path[256];
    snprintf(socket_path, sizeof socket_path, "%s/socket", unit_folder());
    snprintf(text, sizeof text,
             "cd %s && exec %s --link 10mbit/20ms --control socket --log steered --pcapng steered.pcapng -- "
             "ping -D -i 0.02 100.64.0.1 >pings",
             unit_folder(), SHAPER);
    int ends[2];
    assert_int_equal(pipe2(ends, 0), 0);
    pid_t pid = start_program((char *[]){"bash", "-c", text, NULL}, ends[1]);
    close(ends[1]);
    int fd = connected("socket");
    usleep(500000);
    assert_true(packets_out(fd) > 5);
    assert_true(steered(fd, "rtt=120ms"));
    usleep(700000);
    assert_true(steered(fd, "loss_down=100%"));
    usleep(400000);
    double before = packets_out(fd);
    usleep(400000);
    assert_true(packets_out(fd) == before);
    assert_false(steered(fd, "rtt=-1ms"));
    assert_false(steered(fd, "seed=2"));
    assert_false(steered(fd, "down=0mbit"));
    assert_false(steered(fd, ""));
    assert_true(steered(fd, "rtt=20ms,loss_down=0%"));
    usleep(400000);
    assert_true(packets_out(fd) > before + 5);
    // Faster than packets come, and with none after it: each is told of all the same.
    assert_true(steered(fd, "loss=1%"));
    assert_true(steered(fd, "loss=2%"));
    kill(pid, SIGTERM);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(fd);
    struct stat gone;
    assert_int_equal(stat(socket_path, &gone), -1);
    close(ends[0]);
    struct run run;
    script(&run, "grep -h -o 'steer .*' steered.down; grep -c '^# [0-9]* steer' steered.up; "
                 "awk -F'time=' '/time=/ {t = $2 + 0; if (t < 30) short++; if (t > 115 && t < 150) long++; "
                 "else if (t >= 30) "
                 "between++} END {print (short > 10), (long > 10), between + 0 < 30}' pings");
    assert_string_equal(run.out, "steer rtt=120ms\nsteer loss_down=100%\nsteer rtt=20ms,loss_down=0%\nsteer "
                                 "loss=1%\nsteer loss=2%\n5\n1 1 1\n");
    script(&run, "grep -a -o 'link changed at [0-9.]*: [a-z0-9=_%,]*' steered.pcapng | sed 's/.*: //' | sort "
                 "| uniq -c "
                 "| sed 's/^ *//'");
    assert_string_equal(run.out,
                        "2 loss=1%\n2 loss=2%\n2 loss_down=100%\n2 rtt=120ms\n2 rtt=20ms,loss_down=0%\n");
    needs_program("tshark");
    script(&run,
           "tshark -r steered.pcapng -Y 'frame.comment contains \"link changed\"' -T fields -e frame.comment "
           "2>/dev/null | grep -o 'rtt=120ms' | sort -u");
    assert_string_equal(run.out, "rtt=120ms\n");
}

// A running link with a trace whose file is gone, and a seed of its own, takes any change.
UNIT_TEST(steering_wants_neither_files_nor_seed_again) {
    char text[1024];
    snprintf(text, sizeof text,
             "cd %s && printf '1\\n2\\n' >trace && exec %s --link trace=trace,trace_end=once,rtt=20ms,seed=7 "
             "--control kept --log kept -- sleep 60",
             unit_folder(), SHAPER);
    int ends[2];
    assert_int_equal(pipe2(ends, 0), 0);
    pid_t pid = start_program((char *[]){"bash", "-c", text, NULL}, ends[1]);
    close(ends[1]);
    int fd = connected("kept");
    snprintf(text, sizeof text, "%s/trace", unit_folder());
    assert_int_equal(unlink(text), 0);
    assert_true(steered(fd, "loss=1%"));
    assert_false(steered(fd, "trace=trace"));
    assert_true(steered(fd, "down=3mbit"));
    assert_true(steered(fd, "rate=3mbit"));
    assert_true(steered(fd, "3g,loss=2%"));
    assert_true(steered(fd, "seed=7"));
    assert_false(steered(fd, "3g,seed=8"));
    assert_true(steered(fd, " 5mbit/30ms "));
    json_t *answer = asked(fd, "{\"command\":\"stats\"}\n");
    assert_string_equal(json_string_value(json_object_get(json_object_get(answer, "stats"), "link")),
                        "rate=5mbit,rtt=30ms,seed=7");
    json_decref(answer);
    kill(pid, SIGTERM);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(fd);
    close(ends[0]);
}

UNIT_TEST(files_that_cannot_be_made_are_bad_input) {
    static const char *const cases[][2] = {
        {"--log /no/such/folder/log",
         "trilane-shaper: log: /no/such/folder/log.down: No such file or directory\n"},
        {"--pcapng /no/such/folder/c",
         "trilane-shaper: pcapng: /no/such/folder/c: No such file or directory\n"},
        {"--tls-keys keys", "trilane-shaper: tls-keys: keys: keys go into a capture: give --pcapng too\n"},
        {"--control /no/such/folder/s",
         "trilane-shaper: control: /no/such/folder/s: No such file or directory\n"},
        {"--flow-counters /dev/full/flows",
         "trilane-shaper: flow-counters: /dev/full/flows: Not a directory\n"},
        {"--flow-bins bins",
         "trilane-shaper: flow-bins: bins: bins name flows by their place in the counters: "
         "give --flow-counters too\n"},
        {"--flow-bins /no/such/folder/b --flow-counters c",
         "trilane-shaper: flow-bins: /no/such/folder/b: No such file or directory\n"},
        {"--flow-bin 10ms", "trilane-shaper: flow-bin: is the length of --flow-bins' bins: give that too\n"},
        {"--flow-bin 2s", "trilane-shaper: flow-bin: 2s: name a time from 1ms to 1s\n"},
        {"--report /no/such/folder/r --control s",
         "trilane-shaper: report /no/such/folder/r: No such file or directory\n"},
        {"--control .", "trilane-shaper: control: .: exists and is in use: give another path\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run run;
        char text[256];
        snprintf(text, sizeof text, "$S %s -- echo started", cases[i][0]);
        script(&run, text);
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
        assert_string_equal(run.err, cases[i][1]);
    }
}

// Neither the running shaper's files nor its socket suffer from one that is refused.
UNIT_TEST(second_shaper_leaves_the_first_ones_files) {
    struct run run;
    script(&run,
           "$S --control one --log one -- sh -c \"$S --control one --log one -- true; echo \\$?; "
           "$S --control two --log /no/such/folder/log -- true; echo \\$?; ls two 2>/dev/null; ls one\"; "
           "head -c 10 one.down; ls one two 2>/dev/null");
    assert_string_equal(run.out, "2\n2\none\n# mahimahi");
}

// The link carries on, and the exit status says that what was asked for is not there.
UNIT_TEST(full_disk_is_told_and_the_link_goes_on) {
    struct run run;
    script(&run, "$S --link 3mbit/20ms --pcapng /dev/full -- sh -c 'ping -q -c 20 -i 0.02 100.64.0.1 | "
                 "grep -o \"[0-9]* received\"'");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "20 received\n");
    assert_string_equal(run.err,
                        "trilane-shaper: pcapng: /dev/full: No space left on device: it ends here, the link "
                        "continues\n");
}

// Of bins a full disk leaves whole records, as of captures.
UNIT_TEST(full_disk_ends_bins_too) {
    struct run run;
    script(&run,
           "$S --link 3mbit/20ms --flow-counters counters --flow-bins /dev/full -- sh -c 'ping -q -c 20 -i "
           "0.02 100.64.0.1 | grep -o \"[0-9]* received\"'; echo $?; ls counters");
    assert_string_equal(run.out, "20 received\n1\ncounters\n");
    assert_string_equal(run.err,
                        "trilane-shaper: flow-bins: /dev/full: No space left on device: it ends here, "
                        "the link continues\n");
}

// Bins of a real run: a header that names the columns, and bytes that add up to the counters'.
UNIT_TEST(bins_of_a_run_add_up) {
    struct run run;
    script(
        &run,
        "$S --link 3mbit/20ms,loss_down=20%,seed=4 --flow-counters counted --flow-bins bins --flow-bin 20ms "
        "-- "
        "ping -q -c 50 -i 0.01 -s 972 100.64.0.1 >/dev/null; head -n 1 bins | grep -c '\"bin_ns\":20000000'; "
        "tail -n +2 bins | od -An -v -t u8 -w88 | awk '{ if ($1 % 20000000) bad++; if ($3 == 0) { arrived += "
        "$4; "
        "left += $8; lost += $11 } else up += $5 } END { print bad + 0, arrived, left, up, (lost > 2) }'");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "1\n0 50000 50 50000 1\n");
}

UNIT_TEST(capture_of_a_killed_shaper_is_whole) {
    needs_program("tshark");
    struct run run;
    script(&run,
           "touch keys; $S --link 3mbit/20ms --pcapng killed --tls-keys keys --control killed.socket -- "
           "ping -q -i 0.02 100.64.0.1 >/dev/null & for i in $(seq 200); do [ ! -S killed.socket ] || break; "
           "sleep 0.05; done; sleep 1; kill -9 $!; wait 2>/dev/null; "
           "tshark -r killed 2>tshark.err | wc -l; cat tshark.err | grep -ci 'cut short\\|appears to be'; "
           "$S --control killed.socket -- echo replaced");
    int packets = atoi(run.out);
    assert_true(packets > 20);
    assert_non_null(strstr(run.out, "\n0\nreplaced\n"));
}

// A TLS 1.3 exchange through the link, opened by tshark with nothing but the capture.
UNIT_TEST(capture_opens_tls) {
    needs_program("tshark");
    struct run run;
    script(&run,
           "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem "
           "-days 2 "
           "-subj /CN=x 2>/dev/null; rm -f tls.keys; "
           "unshare -U --map-user=1000 --map-group=1000 -n --keep-caps bash -c '"
           "openssl s_server -accept 443 -cert c.pem -key k.pem -www -quiet >/dev/null 2>&1 & "
           "TRILANE_LAB=$(readlink /proc/self/ns/net) $0 --link 3mbit/20ms --pcapng tls --tls-keys tls.keys "
           "-- sh -c \"for i in 1 2 3 4 5 6 7 8 9; do "
           "printf \\\"GET /opened HTTP/1.0\\r\\n\\r\\n\\\" | openssl s_client -connect 100.64.0.1:443 "
           "-keylogfile tls.keys "
           "-ign_eof >/dev/null 2>&1 && break; sleep 0.2; done\"; kill %1' $S; "
           "tshark -r tls -Y http.request -T fields -e http.request.uri 2>/dev/null");
    assert_string_equal(run.out, "/opened\n");
}
