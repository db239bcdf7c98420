#include "shaper/options.h"

#include "shaper/language/link_answers.h"
#include "shaper/language/link_quantity.h"
#include "shaper/nodes/queue.h"

#include "base/clock.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/namespace.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_before_disciplines[] =
    "Usage: trilane-shaper [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "Runs COMMAND in a network namespace of its own, behind one emulated bottleneck, without root.\n"
    "\n"
    "The bottleneck lies between a far namespace and COMMAND's. down is towards COMMAND. The far one is\n"
    "trilane-replay's, or one made by `unshare -U -n --keep-caps` if TRILANE_LAB is what `readlink\n"
    "/proc/self/ns/net` prints in it; else an empty one is made.\n"
    "\n"
    "  --link FORM             the whole link in short form, as 3mbit/50ms or\n"
    "                          down=8mbit,up=1mbit,rtt=60ms,queue=1bdp,loss=1%, or a link's name from\n"
    "                          `trilane links`, as 3g or 3g,loss=1%\n"
    "The settings of a link, in a form as KEY=VALUE or each as an option, which replaces the form's; all\n"
    "but --rtt, --udp, --seed, --rebind and --switch also for one direction, as --loss-down and --loss-up\n"
    "(rates: --down and --up, delays: --delay-down and --delay-up):\n"
    "  --rate RATE             as 750kbit, 3mbit, 1gbit, unlimited (the default), of IP packets; in steps\n"
    "                          as 8mbit:1mbit@10s:8mbit@20s\n"
    "  --trace FILE            in place of a rate: Mahimahi's format, a line for each 1500 bytes with its\n"
    "                          millisecond; --trace-end wrap (begin again) or once\n"
    "  --rtt TIME              both ways together, as 500us, 50ms, 1s; in steps as 50ms:200ms@10s\n"
    "  --jitter TIME           added to the delay: 5ms (evenly from -5 to 5), normal:5ms (standard\n"
    "                          deviation), pareto:5ms (mean), file:FILE (milliseconds); --jitter-order\n"
    "                          keep, or free to let packets overtake each other\n"
    "  --queue SIZE            as 1bdp, 100p (packets), 64kB, 50ms, unlimited. bdp: rate times rtt, but\n"
    "                          never less than 10 packets of 1500 bytes. Default 1bdp; 1000p where the rate\n"
    "                          is unlimited, the rtt 0, or an algorithm keeps the queue short\n";

static const char help_after_disciplines[] =
    "  --loss SHARE            as 1%; ge:P:R[:H[:G]] (Gilbert-Elliott: good to bad, bad to good, loss in\n"
    "                          bad, loss in good), every:N, file:FILE (lost where a number is not 0)\n"
    "  --loss-slot TIME        decide by slot of time instead of by packet\n"
    "  --duplicate SHARE       --reorder SHARE:DISTANCE, as 1%:3\n"
    "  --onoff ON:OFF          as 10s:1s, or exp:10s:1s for random periods of these means\n"
    "  --fec N                 a parity packet after every N UDP datagrams of a flow repairs one loss among\n"
    "                          them\n"
    "  --udp POLICY            what the network does to UDP, but for DNS: blocked; throttled:RATE (policed\n"
    "                          each way, burst 100 ms of it); mtu=BYTES (drops larger packets without\n"
    "                          ICMP); late:TIME (each way); open (the default)\n"
    "  --seed NUMBER           decides all that is random. Default 1\n"
    "  --rebind TIME           a NAT between the link and the far end loses its bindings every TIME, as 5s:\n"
    "                          flows go on from other ports; 5s:address: from another address. At least\n"
    "                          100ms\n"
    "  --switch TIME:LINK      from then on another link and another address, as 8s:wpt-lte or\n"
    "                          8s:3mbit/120ms+loss=1% (a plus for each comma). What is under way is lost\n"
    "\n"
    "  --extra-rtt ADDRESS=TIME,...\n"
    "                          how much farther away than the link's other end a server is, as\n"
    "                          192.0.2.1=20ms, or those of a network, as 192.0.2.0/24=20ms: half of it is\n"
    "                          added each way, after the link\n"
    "  --nameserver ADDRESS    COMMAND's DNS server. Default 100.64.0.53, trilane-replay's\n"
    "  --far-port PORT,...     TCP to these ports of 127.0.0.1 goes over the link, to 127.0.0.1 of the far\n"
    "                          side\n"
    "  --hide FOLDER           is empty for COMMAND, sockets and all; --show PATH is there all the same, to\n"
    "                          read; --show-writable PATH to write, too\n"
    "  --report FILE           write a report in JSON at the end\n"
    "  --log FILE              write FILE.down and FILE.up, each packet's arrival, departure or drop, in\n"
    "                          mm-link's format\n"
    "  --pcapng FILE           write a capture of both directions; why a packet was dropped is its comment\n"
    "  --tls-keys FILE         put the keys that programs write to FILE (SSLKEYLOGFILE) into the capture\n"
    "  --flow-counters FILE    write counters of each flow, goodput, utilization and loss ratio in JSON at\n"
    "                          the end\n"
    "  --flow-bins FILE        with --flow-counters: write over time, for each flow, direction and bin,\n"
    "                          bytes, queue, delay, drops and marks; --flow-bin TIME, a bin's length (1ms\n"
    "                          to 1s). Default 50ms\n"
    "  --control PATH          a Unix socket that takes a line {\"command\":\"stats\"} or\n"
    "                          {\"command\":\"steer\",\"link\":\"down=1mbit,loss=2%\"} and answers with one\n"
    "  --keep-capabilities     COMMAND is a part of the lab, and may configure its network as we do:\n"
    "                          trilane-flows needs it to choose any congestion controller\n"
    "  --die-with-parent       be killed when the process that started trilane-shaper dies\n"
    "  --links                 run nothing: for each line of standard input, as {\"form\":\"3g,loss=1%\"},\n"
    "                          print a line of JSON with the link's profile, canonical form and name, or\n"
    "                          its error\n"
    "  --is-lab                run nothing: exit with 0 if this network is a far namespace as above, else\n"
    "                          with 1\n"
    "  --help, --version\n"
    "\n"
    "COMMAND gets stdin, stdout, stderr and descriptors 3 and 4. Its exit status is ours; 128 + N if signal\n"
    "N ended it. It can reach nothing but the other side: 100.64.0.1, fd00:7472::1 and what is served\n"
    "there.\n"
    "\n"
    "Examples:\n"
    "  trilane-shaper --link 3mbit/50ms -- ping -c 3 100.64.0.1\n"
    "  trilane-replay --home DIR --recording NAME -- trilane-shaper --link 10mbit/50ms,loss=1% -- curl "
    "https://HOST/\n";

static void print_help(void) {
    fputs(help_before_disciplines, stdout);
    printf("  --aqm ALGORITHM         %s (the default)", queue_words[0].word);
    for (size_t d = 1; d < QUEUE_DISCIPLINES; d++)
        printf(", %s", queue_words[d].word);
    puts("; --ecn on to mark");
    fputs(help_after_disciplines, stdout);
}

// What is read: the link's settings beside the options.
struct reading {
    struct options options;
    struct link_settings settings;
};

static void check(int result, const struct link_error *error) {
    if (result < 0) die(EXIT_BAD_INPUT, "%s", error->line);
}

// One of the link's keys, which are options, too: delay_down is --delay-down. The row's offset is its key.
static void take_key(void *reading, const struct option_row *row, const char *text) {
    struct link_error error;
    check(link_settings_set(&((struct reading *)reading)->settings, (enum link_key)row->offset, text, &error),
          &error);
}

static void take_link(void *reading, const struct option_row *row, const char *text) {
    struct link_error error;
    (void)row;
    check(link_settings_read(&((struct reading *)reading)->settings, text, &error), &error);
}

static void take_extra_rtt(void *reading, const struct option_row *row, const char *text) {
    struct link_error error;
    (void)row;
    check(origin_delays_read(&((struct reading *)reading)->options.origin_delays, text, &error), &error);
}

static void take_nameserver(void *reading, const struct option_row *row, const char *text) {
    unsigned char address[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, text, address) != 1 && inet_pton(AF_INET6, text, address) != 1)
        die(EXIT_BAD_INPUT, "%s: \"%s\" is not an address: write it as 100.64.0.53", row->name, text);
    ((struct reading *)reading)->options.nameserver = text;
}

static void take_bin(void *reading, const struct option_row *row, const char *text) {
    struct link_error error;
    uint64_t bin_ns;
    check(link_read_time(row->name, text, &bin_ns, &error), &error);
    if (bin_ns < NS_PER_MS || bin_ns > NS_PER_S)
        die(EXIT_BAD_INPUT, "%s: %s: name a time from 1ms to 1s", row->name, text);
    ((struct reading *)reading)->options.evidence.flow_bin_ns = bin_ns;
}

static void take_far_ports(void *reading, const struct option_row *row, const char *text) {
    struct lab_far_ports *ports = &((struct reading *)reading)->options.far_ports;
    for (char *end; *text; text = end + (*end == ',')) {
        unsigned long port = strtoul(text, &end, 10);
        if (end == text || (*end && *end != ',') || port < 1 || port > 65535 ||
            ports->count == LAB_FAR_PORTS_MAX)
            die(EXIT_BAD_INPUT, "%s: \"%s\": write ports, as 3000,5173, at most %d", row->name, text,
                LAB_FAR_PORTS_MAX);
        ports->all[ports->count++] = (uint16_t)port;
    }
}

static void take_hidden(void *reading, const struct option_row *row, const char *text) {
    struct lab_files *files = &((struct reading *)reading)->options.files;
    if (*text != '/' || !text[1] || files->hidden_count == LAB_HIDDEN_MAX)
        die(EXIT_BAD_INPUT, "%s: \"%s\": write a folder's whole path, at most %d of them", row->name, text,
            LAB_HIDDEN_MAX);
    files->hidden[files->hidden_count++] = text;
}

static void take_shown(void *reading, const struct option_row *row, const char *text) {
    struct lab_files *files = &((struct reading *)reading)->options.files;
    if (*text != '/' || files->shown_count == LAB_SHOWN_MAX)
        die(EXIT_BAD_INPUT, "%s: \"%s\": write a whole path, at most %d of them", row->name, text,
            LAB_SHOWN_MAX);
    files->shown[files->shown_count++] =
        (struct lab_shown){.path = text, .is_writable = strcmp(row->name, "show-writable") == 0};
}

static void answer_links(void *reading, const struct option_row *row, const char *none) {
    (void)reading, (void)row, (void)none;
    exit(link_answers_run());
}

static void answer_is_lab(void *reading, const struct option_row *row, const char *none) {
    (void)reading, (void)row, (void)none;
    exit(namespace_is_lab() ? 0 : EXIT_RUN_FAILED);
}

#define IN(member) OPTION_IN(struct reading, options.member)
static const struct option_row own_rows[] = {
    {"link", OPTION_TAKEN, .take = take_link},
    {"extra-rtt", OPTION_TAKEN, .take = take_extra_rtt},
    {"nameserver", OPTION_TAKEN, .take = take_nameserver},
    {"far-port", OPTION_TAKEN, .take = take_far_ports},
    {"hide", OPTION_TAKEN, .take = take_hidden},
    {"show", OPTION_TAKEN, .take = take_shown},
    {"show-writable", OPTION_TAKEN, .take = take_shown},
    {"report", OPTION_TEXT, IN(report)},
    {"log", OPTION_TEXT, IN(evidence.log)},
    {"pcapng", OPTION_TEXT, IN(evidence.pcapng)},
    {"tls-keys", OPTION_TEXT, IN(evidence.tls_keys)},
    {"flow-counters", OPTION_TEXT, IN(evidence.flow_counters)},
    {"flow-bins", OPTION_TEXT, IN(evidence.flow_bins)},
    {"flow-bin", OPTION_TAKEN, .take = take_bin},
    {"control", OPTION_TEXT, IN(control)},
    {"keep-capabilities", OPTION_ON, IN(keep_capabilities)},
    {"die-with-parent", OPTION_ON, IN(die_with_parent)},
    {"links", OPTION_RUN, .take = answer_links},
    {"is-lab", OPTION_RUN, .take = answer_is_lab},
};

enum { OWN_ROWS = sizeof own_rows / sizeof *own_rows, NAME_SIZE = 32 };

static void list_rows(struct option_row *rows, char names[LINK_KEYS][NAME_SIZE]) {
    for (int key = 0; key < LINK_KEYS; key++) {
        snprintf(names[key], NAME_SIZE, "%s", link_key_names[key]);
        for (char *c = names[key]; *c; c++)
            if (*c == '_') *c = '-';
        rows[key] = (struct option_row){names[key], OPTION_TAKEN, .offset = (size_t)key, .take = take_key};
    }
    memcpy(rows + LINK_KEYS, own_rows, sizeof own_rows);
}

void options_read(struct options *options, int argc, char **argv) {
    struct option_row rows[LINK_KEYS + OWN_ROWS];
    char names[LINK_KEYS][NAME_SIZE];
    list_rows(rows, names);
    const struct command_line line = {.program = "trilane-shaper",
                                      .print_help = print_help,
                                      .rows = rows,
                                      .count = sizeof rows / sizeof *rows};
    struct reading reading = {.options = {.nameserver = "100.64.0.53"}};
    const int words = command_line_read(&line, &reading, argc, argv);
    *options = reading.options;
    if (options->evidence.flow_bin_ns > 0 && !options->evidence.flow_bins)
        die(EXIT_BAD_INPUT, "flow-bin: is the length of --flow-bins' bins: give that too");
    struct link_error error;
    check(link_profile_read(&options->profile, &reading.settings, &error), &error);
    if (words >= argc)
        die(EXIT_BAD_INPUT, "no command: write it after --, as `trilane-shaper --link 3mbit/50ms -- bash`");
    options->command = argv + words;
}
