// What a run leaves behind: files written beside the link, Mahimahi's log, and captures that tshark reads.
#include "../wire_packet.h"
#include "shaper/evidence/evidence.h"
#include "shaper/evidence/pcapng_block.h"

#include "base/clock.h"

#include "../../needs.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char *contents_of(const char *name, size_t *size) {
    FILE *file = fopen(unit_path(name), "re");
    assert_non_null(file);
    static char text[8 << 20];
    *size = fread(text, 1, sizeof text - 1, file);
    text[*size] = 0;
    fclose(file);
    return text;
}

static char *output_of(const char *format, ...) {
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    static char text[65536];
    FILE *pipe = popen(command, "re");
    assert_non_null(pipe);
    size_t size = fread(text, 1, sizeof text - 1, pipe);
    text[size] = 0;
    assert_int_equal(pclose(pipe), 0);
    return text;
}

static struct file_writer *open_writer(const char *path, size_t capacity) {
    struct file_writer *writer;
    struct file_writer_options options = {.name = "log", .path = path, .capacity_bytes = capacity};
    assert_int_equal(file_writer_open(&writer, &options), 0);
    return writer;
}

// Standard error of what is between, into a file that the test reads.
static int silence(void) {
    fflush(stderr);
    int saved = dup(2), fd = open(unit_path("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 2);
    close(fd);
    return saved;
}

static char *speak(int saved) {
    size_t size;
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    return contents_of("stderr", &size);
}

// A ring much smaller than what passes through it, records of all sizes across its end.
UNIT_TEST(records_come_out_whole_and_in_order) {
    struct file_writer *writer = open_writer(unit_path("ring"), 5000);
    assert_int_equal(file_writer_start(writer), 0);
    char line[600];
    uint32_t number = 0;
    size_t expected = 0;
    while (number < 20000) {
        int n = snprintf(line, sizeof line, "%u %.*s\n", number, (int)(number % 500),
                         "................................................................................"
                         "................................................................................");
        uint64_t before = file_writer_left_out(writer);
        struct iovec parts[] = {{line, 3}, {NULL, 0}, {line + 3, (size_t)n - 3}};
        file_writer_add(writer, parts, 3);
        if (file_writer_left_out(writer) > before) {
            usleep(100);
            continue;
        }
        expected += (size_t)n;
        number++;
    }
    int saved = silence();
    assert_int_equal(file_writer_close(writer), -1); // some were left out, and are told of
    assert_non_null(strstr(speak(saved), "records are missing: the disk was slower than the link"));
    size_t size;
    char *text = contents_of("ring", &size);
    assert_int_equal(size, expected);
    for (uint32_t i = 0; i < number; i++) {
        assert_int_equal(strtoul(text, NULL, 10), i);
        text = strchr(text, '\n') + 1;
    }
}

UNIT_TEST(nobody_waits_for_a_pipe_that_nobody_reads) {
    const char *path = unit_path("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct file_writer *writer = open_writer(path, 200000);
    assert_false(file_writer_is_regular(writer));
    assert_int_equal(file_writer_start(writer), 0);
    static char record[1000];
    for (int i = 0; i < 2000; i++) {
        // Whoever waited would wait for ever.
        file_writer_add(writer, &(struct iovec){record, sizeof record}, 1);
        usleep(10);
    }
    assert_true(file_writer_left_out(writer) > 1000);
    int saved = silence();
    close(reader); // now writing fails, and the end need not be waited for
    assert_int_equal(file_writer_close(writer), -1);
    assert_non_null(strstr(speak(saved), "Broken pipe: it ends here, the link continues\n"));
}

UNIT_TEST(full_disk_ends_a_file_with_a_whole_record) {
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    struct file_writer *writer = open_writer(unit_path("full"), 65536);
    assert_int_equal(file_writer_start(writer), 0);
    int saved = silence();
    for (int i = 0; i < 400; i++) {
        file_writer_add(writer, &(struct iovec){"0123456789\n", 11}, 1);
        file_writer_add(writer,
                        &(struct iovec){"a much longer record than the one before it was, "
                                        "and as long as this one is now\n",
                                        80},
                        1);
        usleep(500);
        for (int k = 0; k < 10; k++)
            file_writer_add(writer, &(struct iovec){"0123456789\n", 11}, 1);
        for (int k = 0; k < 10; k++)
            file_writer_add(writer, &(struct iovec){"0123456789\n", 11}, 1);
    }
    assert_int_equal(file_writer_close(writer), -1);
    char *said = speak(saved);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(said, "File too large: it ends here, the link continues\n"));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); // once
    size_t size;
    char *text = contents_of("full", &size);
    assert_in_range(size, 50000, 100000);
    assert_int_equal(text[size - 1], '\n');
}

static void packet_at(struct packet *packet, uint64_t arrived_ns) {
    packet->arrived_ns = arrived_ns;
}

static const uint64_t start_ns = UINT64_C(777) * NS_PER_S + 250000;

static struct rate_settings rate = {.kind = RATE_STEPS, .steps_bps = {.count = 1, .step = {{0, 3000000}}}};

static struct evidence_run run_of(void) {
    return (struct evidence_run){.link = "3mbit/0ms",
                                 .command_line = "trilane-shaper -- sh -c 'a\nb'",
                                 .down_rate = &rate,
                                 .up_rate = &rate,
                                 .start_ns = start_ns};
}

// 5 ms of packets by the watcher's own calls.
static void record(const struct evidence_options *options, struct evidence *evidence) {
    struct loop *loop;
    assert_int_equal(loop_open(&loop), 0);
    struct evidence_error error;
    assert_int_equal(evidence_open(evidence, options, &error), 0);
    struct evidence_run run = run_of();
    assert_int_equal(evidence_begin(evidence, loop, &run), 0);
    assert_int_equal(evidence_start_writing(evidence), 0);
    struct packet_watcher *down = evidence_watcher(evidence, true), *up = evidence_watcher(evidence, false);
    struct packet packet;
    wire_packet_tcp(&packet, 4, false, 100, WIRE_SYN, 0);
    packet_at(&packet, start_ns + 400000);
    up->arrived(up, &packet, start_ns + 400000);
    up->sent(up, &packet, start_ns + 506667);
    up->delivered(up, &packet, start_ns + 506667);
    wire_packet_tcp(&packet, 6, true, 1, WIRE_ACK, 1440);
    packet_at(&packet, start_ns + 900000);
    down->arrived(down, &packet, start_ns + 900000);
    down->sent(down, &packet, start_ns + 4900123);
    down->dropped(down, &packet, DROP_LOSS, start_ns + 4900123);
    evidence_change(evidence, "loss=2%", &rate, &rate, start_ns + 5 * NS_PER_MS);
    wire_packet_udp(&packet, 4, true, 101);
    packet_at(&packet, start_ns + 5100000);
    down->arrived(down, &packet, start_ns + 5100000);
    down->dropped(down, &packet, DROP_QUEUE, start_ns + 5100000);
    assert_int_equal(evidence_close(evidence, &run, start_ns + 6 * NS_PER_MS), 0);
    loop_close(loop);
}

UNIT_TEST(log_is_mahimahis) {
    struct evidence evidence;
    record(&(struct evidence_options){.log = unit_path("log")}, &evidence);
    size_t size;
    char expected[1024];
    snprintf(expected, sizeof expected,
             "# mahimahi mm-link (Downlink) [3mbit/0ms] > %s/log.down\n"
             "# command line: trilane-shaper -- sh -c 'a b'\n"
             "# written by: trilane-shaper " TRILANE_VERSION "\n"
             "# monotonic start: 777000250000 ns\n"
             "# init timestamp: ",
             unit_folder());
    char *text = contents_of("log.down", &size);
    assert_memory_equal(text, expected, strlen(expected));
    // A millisecond at 3 Mbit/s carries 375 bytes. Each 0.x ms is rounded down.
    const char *rest = strstr(text, "# base timestamp: 0\n");
    assert_non_null(rest);
    assert_string_equal(rest,
                        "# base timestamp: 0\n0 + 1500\n0 # 374\n1 # 375\n2 # 375\n3 # 375\n4 - 1500 4\n"
                        "# 4 loss 1 1500\n4 # 375\n# 5 steer loss=2%\n5 + 129\n5 d 1 129\n5 # 375\n");
    text = contents_of("log.up", &size);
    assert_non_null(strstr(text, "(Uplink)"));
    assert_non_null(strstr(text, "\n0 + 40\n0 - 40 0\n0 # 374\n"));
}

// Whole blocks from beginning to end: each as long as both of its lengths say.
static void assert_blocks(const char *name, uint32_t *types, int most) {
    size_t size, at = 0;
    const char *bytes = contents_of(name, &size);
    int count = 0;
    while (at < size) {
        uint32_t head[2], tail;
        assert_true(size - at >= 12);
        memcpy(head, bytes + at, 8);
        assert_true(head[1] % 4 == 0 && head[1] <= size - at);
        memcpy(&tail, bytes + at + head[1] - 4, 4);
        assert_int_equal(tail, head[1]);
        if (count < most) types[count] = head[0];
        count++;
        at += head[1];
    }
    assert_int_equal(count, most);
}

UNIT_TEST(capture_is_read_by_tshark) {
    struct evidence evidence;
    record(&(struct evidence_options){.pcapng = unit_path("capture")}, &evidence);
    uint32_t types[8];
    assert_blocks("capture", types, 8);
    const uint32_t expected[8] = {PCAPNG_SECTION, PCAPNG_INTERFACE, PCAPNG_INTERFACE,  PCAPNG_PACKET,
                                  PCAPNG_PACKET,  PCAPNG_PACKET,    PCAPNG_STATISTICS, PCAPNG_STATISTICS};
    assert_memory_equal(types, expected, sizeof expected);
    needs_program("tshark");
    const char *text =
        output_of("tshark -r %s -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -T fields "
                  "-E separator=';' -e frame.interface_name -e frame.time_relative -e frame.len "
                  "-e ip.version -e tcp.checksum.status -e frame.comment 2>/dev/null",
                  unit_path("capture"));
    static const char wanted[] =
        "up;0.000000000;40;4;1;\n"
        "down;0.004393456;1500;6;1;trilane: dropped (loss): lost on the link, as configured\n"
        "down;0.004593333;129;4;;trilane: dropped (queue): the queue was full,trilane: link changed at ";
    assert_memory_equal(text, wanted, sizeof wanted - 1);
    assert_non_null(strstr(text + sizeof wanted - 1, ": loss=2%\n"));
}

UNIT_TEST(keys_stand_before_the_packets) {
    FILE *keys = fopen(unit_path("keys"), "we");
    for (int i = 0; i < 3; i++)
        fprintf(keys, "CLIENT_RANDOM %064d %096d\n", i, i);
    fputs("CLIENT_RANDOM unfinis", keys);
    fclose(keys);
    struct evidence evidence;
    record(&(struct evidence_options){.pcapng = unit_path("capture"), .tls_keys = unit_path("keys")},
           &evidence);
    uint32_t types[10];
    assert_blocks("capture", types, 10);
    assert_int_equal(types[3], PCAPNG_SECRETS);
    assert_int_equal(types[4], PCAPNG_FILLER);
    assert_int_equal(types[5], PCAPNG_PACKET);
    size_t size;
    char *bytes = contents_of("capture", &size);
    char *found = memmem(bytes, size, "CLIENT_RANDOM", 13);
    uint32_t length;
    memcpy(&length, found - 4, 4);
    assert_int_equal(length, 3 * (14 + 64 + 1 + 96 + 1));
    needs_program("tshark");
    assert_string_equal(output_of("tshark -r %s 2>/dev/null | wc -l", unit_path("capture")), "3\n");
}

// More keys than the place holds: the rest comes where it comes, and nothing is torn.
UNIT_TEST(keys_beyond_the_place_are_not_lost) {
    FILE *keys = fopen(unit_path("keys"), "we");
    const int lines = 10000;
    for (int i = 0; i < lines; i++)
        fprintf(keys, "CLIENT_RANDOM %064d %096d\n", i, i);
    fclose(keys);
    struct evidence evidence;
    int saved = silence();
    record(&(struct evidence_options){.pcapng = unit_path("capture"), .tls_keys = unit_path("keys")},
           &evidence);
    assert_non_null(strstr(speak(saved), "more TLS keys than"));
    uint32_t types[11];
    assert_blocks("capture", types, 11);
    size_t size;
    char *bytes = contents_of("capture", &size), *end = bytes + size;
    int found = 0;
    while ((bytes = memmem(bytes, (size_t)(end - bytes), "CLIENT_RANDOM", 13))) {
        found++;
        bytes += 13;
    }
    assert_int_equal(found, lines);
}

UNIT_TEST(nothing_asked_for_is_nothing_watched) {
    struct evidence evidence;
    struct evidence_error error;
    assert_int_equal(evidence_open(&evidence, &(struct evidence_options){0}, &error), 0);
    assert_null(evidence_watcher(&evidence, true));
    assert_null(evidence_watcher(&evidence, false));
    struct evidence_run run = run_of();
    assert_int_equal(evidence_close(&evidence, &run, start_ns), 0);
}

static int ignore_broken_pipes(void **state) {
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

GROUP_FIXTURE(ignore_broken_pipes, NULL)
