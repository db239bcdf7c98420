#include "shaper/options.h"

#include "shaper/language/link_answers.h"
#include "shaper/language/link_quantity.h"
#include "shaper/nodes/queue.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/namespace.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_before_disciplines[] =
    "Usage: trilane-shaper [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "Runs COMMAND in a network namespace of its own, behind one emulated bottleneck, without root.\n"
    "\n"
    "The bottleneck lies between a far namespace and COMMAND's. down is towards COMMAND. The far one is "
    "trilane-replay's,\n"
    "or one made by `unshare -U -n --keep-caps` if TRILANE_LAB is what `readlink /proc/self/ns/net` prints "
    "in it;\n"
    "else an empty one is made.\n"
    "\n"
    "  --link FORM             the whole link in short form, as 3mbit/50ms or\n"
    "                          down=8mbit,up=1mbit,rtt=60ms,queue=1bdp,loss=1%, or a link's name from "
    "`trilane links`,\n"
    "                          as 3g or 3g,loss=1%\n"
    "The settings of a link, in a form as KEY=VALUE or each as an option, which replaces the form's; all but "
    "--rtt,\n"
    "--udp, --seed, --rebind and --switch also for one direction, as --loss-down and --loss-up (rates: "
    "--down and "
    "--up, delays: "
    "--delay-down\n"
    "and --delay-up):\n"
    "  --rate RATE             as 750kbit, 3mbit, 1gbit, unlimited (the default), of IP packets; in steps "
    "as\n"
    "                          8mbit:1mbit@10s:8mbit@20s\n"
    "  --trace FILE            in place of a rate: Mahimahi's format, a line for each 1500 bytes with its\n"
    "                          millisecond; --trace-end wrap (begin again) or once\n"
    "  --rtt TIME              both ways together, as 500us, 50ms, 1s; in steps as 50ms:200ms@10s\n"
    "  --jitter TIME           added to the delay: 5ms (evenly from -5 to 5), normal:5ms (standard "
    "deviation),\n"
    "                          pareto:5ms (mean), file:FILE (milliseconds); --jitter-order keep, or free to\n"
    "                          let packets overtake each other\n"
    "  --queue SIZE            as 1bdp, 100p (packets), 64kB, 50ms, unlimited. bdp: rate times rtt, but "
    "never "
    "less\n"
    "                          than 10 packets of 1500 bytes. Default 1bdp; 1000p where the rate is "
    "unlimited, "
    "the\n"
    "                          rtt 0, or an algorithm keeps the queue short\n";

static const char help_after_disciplines[] =
    "  --loss SHARE            as 1%; ge:P:R[:H[:G]] (Gilbert-Elliott: good to bad, bad to good, loss in "
    "bad,\n"
    "                          loss in good), every:N, file:FILE (lost where a number is not 0)\n"
    "  --loss-slot TIME        decide by slot of time instead of by packet\n"
    "  --duplicate SHARE       --reorder SHARE:DISTANCE, as 1%:3\n"
    "  --onoff ON:OFF          as 10s:1s, or exp:10s:1s for random periods of these means\n"
    "  --fec N                 a parity packet after every N UDP datagrams of a flow repairs one loss among "
    "them\n"
    "  --udp POLICY            what the network does to UDP, but for DNS: blocked; throttled:RATE (policed "
    "each "
    "way,\n"
    "                          burst 100 ms of it); mtu=BYTES (drops larger packets without ICMP); late:TIME "
    "(each\n"
    "                          way); open (the default)\n"
    "  --seed NUMBER           decides all that is random. Default 1\n"
    "  --rebind TIME           a NAT between the link and the far end loses its bindings every TIME, as 5s: "
    "flows go\n"
    "                          on from other ports; 5s:address: from another address. At least 100ms\n"
    "  --switch TIME:LINK      from then on another link and another address, as 8s:wpt-lte or\n"
    "                          8s:3mbit/120ms+loss=1% (a plus for each comma). What is under way is lost\n"
    "\n"
    "  --extra-rtt ADDRESS=TIME,...\n"
    "                          how much farther away than the link's other end a server is, as "
    "192.0.2.1=20ms, or\n"
    "                          those of a network, as 192.0.2.0/24=20ms: half of it is added each way, after "
    "the link\n"
    "  --nameserver ADDRESS    COMMAND's DNS server. Default 100.64.0.53, trilane-replay's\n"
    "  --far-port PORT,...     TCP to these ports of 127.0.0.1 goes over the link, to 127.0.0.1 of the far "
    "side\n"
    "  --report FILE           write a report in JSON at the end\n"
    "  --log FILE              write FILE.down and FILE.up, each packet's arrival, departure or drop, in "
    "mm-link's format\n"
    "  --pcapng FILE           write a capture of both directions; why a packet was dropped is its comment\n"
    "  --tls-keys FILE         put the keys that programs write to FILE (SSLKEYLOGFILE) into the capture\n"
    "  --flow-counters FILE    write counters of each flow, goodput, utilization and loss ratio in JSON at "
    "the "
    "end\n"
    "  --flow-bins FILE        with --flow-counters: write over time, for each flow, direction and bin, "
    "bytes, "
    "queue,\n"
    "                          delay, drops and marks; --flow-bin TIME, a bin's length (1ms to 1s). Default "
    "50ms\n"
    "  --control PATH          a Unix socket that takes a line {\"command\":\"stats\"} or\n"
    "                          {\"command\":\"steer\",\"link\":\"down=1mbit,loss=2%\"} and answers with "
    "one\n"
    "  --keep-capabilities     COMMAND is a part of the lab, and may configure its network as we do: "
    "trilane-flows\n"
    "                          needs it to choose any congestion controller\n"
    "  --die-with-parent       be killed when the process that started trilane-shaper dies\n"
    "  --links                 run nothing: for each line of standard input, as {\"form\":\"3g,loss=1%\"}, "
    "print a\n"
    "                          line of JSON with the link's profile, canonical form and name, or its error\n"
    "  --is-lab                run nothing: exit with 0 if this network is a far namespace as above, else "
    "with 1\n"
    "  --help, --version\n"
    "\n"
    "COMMAND gets stdin, stdout, stderr and descriptors 3 and 4. Its exit status is ours; 128 + N if signal "
    "N ended\n"
    "it. It can reach nothing but the other side: 100.64.0.1, fd00:7472::1 and what is served there.\n"
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

// Long options beyond the keys of a link, whose value is their enum link_key.
enum {
    OPTION_LINK = LINK_KEYS,
    OPTION_EXTRA_RTT,
    OPTION_NAMESERVER,
    OPTION_FAR_PORT,
    OPTION_REPORT,
    OPTION_LOG,
    OPTION_PCAPNG,
    OPTION_TLS_KEYS,
    OPTION_FLOW_COUNTERS,
    OPTION_FLOW_BINS,
    OPTION_FLOW_BIN,
    OPTION_CONTROL,
    OPTION_KEEP_CAPABILITIES,
    OPTION_DIE,
    OPTION_LINKS,
    OPTION_IS_LAB,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option other_options[] = {
    {"link", required_argument, NULL, OPTION_LINK},
    {"extra-rtt", required_argument, NULL, OPTION_EXTRA_RTT},
    {"nameserver", required_argument, NULL, OPTION_NAMESERVER},
    {"far-port", required_argument, NULL, OPTION_FAR_PORT},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"log", required_argument, NULL, OPTION_LOG},
    {"pcapng", required_argument, NULL, OPTION_PCAPNG},
    {"tls-keys", required_argument, NULL, OPTION_TLS_KEYS},
    {"flow-counters", required_argument, NULL, OPTION_FLOW_COUNTERS},
    {"flow-bins", required_argument, NULL, OPTION_FLOW_BINS},
    {"flow-bin", required_argument, NULL, OPTION_FLOW_BIN},
    {"control", required_argument, NULL, OPTION_CONTROL},
    {"keep-capabilities", no_argument, NULL, OPTION_KEEP_CAPABILITIES},
    {"die-with-parent", no_argument, NULL, OPTION_DIE},
    {"links", no_argument, NULL, OPTION_LINKS},
    {"is-lab", no_argument, NULL, OPTION_IS_LAB},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void check(int result, const struct link_error *error) {
    if (result < 0) die(EXIT_BAD_INPUT, "%s", error->line);
}

static void read_bin(struct options *options, const char *text) {
    struct link_error error;
    uint64_t bin_ns;
    check(link_read_time("flow-bin", text, &bin_ns, &error), &error);
    if (bin_ns < NS_PER_MS || bin_ns > NS_PER_S)
        die(EXIT_BAD_INPUT, "flow-bin: %s: name a time from 1ms to 1s", text);
    options->evidence.flow_bin_ns = bin_ns;
}

static void read_far_ports(struct lab_far_ports *ports, const char *text) {
    for (char *end; *text; text = end + (*end == ',')) {
        unsigned long port = strtoul(text, &end, 10);
        if (end == text || (*end && *end != ',') || port < 1 || port > 65535 ||
            ports->count == LAB_FAR_PORTS_MAX)
            die(EXIT_BAD_INPUT, "far-port: \"%s\": write ports, as 3000,5173, at most %d", text,
                LAB_FAR_PORTS_MAX);
        ports->all[ports->count++] = (uint16_t)port;
    }
}

static void read_one(struct options *options, struct link_settings *settings, int option) {
    struct link_error error;
    unsigned char address[sizeof(struct in6_addr)];
    switch (option) {
    case OPTION_LINK:
        check(link_settings_read(settings, optarg, &error), &error);
        break;
    case OPTION_EXTRA_RTT:
        check(origin_delays_read(&options->origin_delays, optarg, &error), &error);
        break;
    case OPTION_NAMESERVER:
        if (inet_pton(AF_INET, optarg, address) != 1 && inet_pton(AF_INET6, optarg, address) != 1)
            die(EXIT_BAD_INPUT, "nameserver: \"%s\" is not an address: write it as 100.64.0.53", optarg);
        options->nameserver = optarg;
        break;
    case OPTION_FAR_PORT:
        read_far_ports(&options->far_ports, optarg);
        break;
    case OPTION_REPORT:
        options->report = optarg;
        break;
    case OPTION_LOG:
        options->evidence.log = optarg;
        break;
    case OPTION_PCAPNG:
        options->evidence.pcapng = optarg;
        break;
    case OPTION_TLS_KEYS:
        options->evidence.tls_keys = optarg;
        break;
    case OPTION_FLOW_COUNTERS:
        options->evidence.flow_counters = optarg;
        break;
    case OPTION_FLOW_BINS:
        options->evidence.flow_bins = optarg;
        break;
    case OPTION_FLOW_BIN:
        read_bin(options, optarg);
        break;
    case OPTION_CONTROL:
        options->control = optarg;
        break;
    case OPTION_KEEP_CAPABILITIES:
        options->keep_capabilities = true;
        break;
    case OPTION_DIE:
        options->die_with_parent = true;
        break;
    case OPTION_LINKS:
        exit(link_answers_run());
    case OPTION_IS_LAB:
        exit(namespace_is_lab() ? 0 : EXIT_RUN_FAILED);
    case OPTION_HELP:
        print_help();
        exit(0);
    case OPTION_VERSION:
        puts("trilane-shaper " TRILANE_VERSION);
        exit(0);
    default:
        if (option >= 0 && option < LINK_KEYS)
            check(link_settings_set(settings, (enum link_key)option, optarg, &error), &error);
        else // getopt has printed which option and why
            die(EXIT_BAD_INPUT, "run `trilane-shaper --help` for the options");
    }
}

enum { OTHER_OPTIONS = sizeof other_options / sizeof other_options[0], NAME_SIZE = 32 };

// The keys of a link are options too: delay_down is --delay-down.
static void list_options(struct option *list, char names[LINK_KEYS][NAME_SIZE]) {
    for (int key = 0; key < LINK_KEYS; key++) {
        snprintf(names[key], NAME_SIZE, "%s", link_key_names[key]);
        for (char *c = names[key]; *c; c++)
            if (*c == '_') *c = '-';
        list[key] = (struct option){names[key], required_argument, NULL, key};
    }
    memcpy(list + LINK_KEYS, other_options, sizeof other_options);
}

void options_read(struct options *options, int argc, char **argv) {
    struct option long_options[LINK_KEYS + OTHER_OPTIONS];
    char names[LINK_KEYS][NAME_SIZE];
    list_options(long_options, names);
    *options = (struct options){.nameserver = "100.64.0.53"};
    struct link_settings settings = {0};
    int option;
    while ((option = getopt_long(argc, argv, "+", long_options, NULL)) != -1)
        read_one(options, &settings, option);
    if (options->evidence.flow_bin_ns > 0 && !options->evidence.flow_bins)
        die(EXIT_BAD_INPUT, "flow-bin: is the length of --flow-bins' bins: give that too");
    struct link_error error;
    check(link_profile_read(&options->profile, &settings, &error), &error);
    if (optind >= argc)
        die(EXIT_BAD_INPUT, "no command: write it after --, as `trilane-shaper --link 3mbit/50ms -- bash`");
    options->command = argv + optind;
}
