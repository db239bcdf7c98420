#include "replay/options.h"

#include "base/command_line.h"
#include "base/folders.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: trilane-replay --recording NAME [OPTIONS] [-- COMMAND [ARGUMENT...]]\n"
    "\n"
    "Serves a recording in a network namespace of its own, without root: every recorded server address\n"
    "exists there, with HTTP/1.1, HTTP/2 (TCP 443, and TCP 80 in clear), HTTP/3 (UDP 443) and DNS\n"
    "(100.64.0.53). Runs COMMAND in that namespace and ends with its exit status; without COMMAND it serves\n"
    "until interrupted.\n"
    "\n"
    "  --home DIR             folder of the archive (default: $TRILANE_HOME, else ~/.local/share/trilane)\n"
    "  --recording NAME       the recording to serve\n"
    "  --report FILE          write what was served as JSON (trilane/replay-report/1)\n"
    "  --qlog FOLDER          write a qlog of each QUIC connection into it\n"
    "  --tcp-info FILE        write what the kernel knows of each TCP connection every 5 ms, as lines of\n"
    "                         JSON\n"
    "  --https-alpn LIST      what HTTPS records in DNS offer (default h2,h3; \"\": no HTTPS records)\n"
    "  --think TIME           how long a request waits for its answer: none (default), recorded (as the\n"
    "                         recorded server took, where that is known), or milliseconds, as 20\n"
    "  --chain SIZE           certificate chains: recorded (default; 3243 bytes where that is not known),\n"
    "                         small, or so many bytes\n" SERVER_HELP
    "  --behind FOLDER        leave the ports of https:// to another server: write each host's certificate\n"
    "                         into FOLDER, and answer it in clear on 127.0.0.1:8099 as if it had come by\n"
    "                         TLS\n"
    "  --http-origins HOW     what was recorded over http://: clear (default), or upgraded to https:// with\n"
    "                         documents that make the browser ask so\n"
    "  --tls-min VERSION, --tls-max VERSION\n"
    "                         over TCP: 1.2 (the default's lowest) or 1.3 (its highest)\n"
    "  --early-data           let resumed connections send requests in their first flight (0-RTT)\n"
    "  --ipv6-twins           what was recorded over IPv4 is there over IPv6, too, with AAAA records\n"
    "  --alt-svc on|off       whether responses over every protocol say that their origin has h3; off\n"
    "                         (default): those over h3 do, others as recorded\n"
    "  --clear                serve https://HOST as http://HOST.clear.test, on port 80 for 443\n"
    "  --print-spki           print the key hashes for Chromium's --ignore-certificate-errors-spki-list and\n"
    "                         stop\n"
    "  --print-congestion     print what --quic-congestion may name here and stop\n"
    "  --version, --help\n"
    "\n"
    "How TCP (the lanes h1 and h2) and QUIC (h3) carry it; these are sizes and switches of the "
    "servers:\n" TRANSPORT_HELP "\n"
    "The signal USR1 says that a new visit begins: repeated requests get the answer recorded first again.\n"
    "\n"
    "Examples:\n"
    "  trilane-replay --recording carlucci-small -- \\\n"
    "    curl --cacert ~/.local/share/trilane/ca/ca.pem --resolve HOST:443:ADDRESS https://HOST/\n"
    "  trilane-replay --recording amazon --report replay.json -- trilane-shaper --link 3mbit/50ms -- "
    "chromium\n";

static void take_both_windows(void *options, const struct option_row *row, const char *value) {
    struct transport *transport = &((struct options *)options)->transport;
    transport->tcp.initial_window_packets = transport->quic.initial_window_packets =
        (uint32_t)command_line_number("--initcwnd", value, row->least, row->most);
}

static void take_think(void *context, const struct option_row *row, const char *text) {
    struct options *options = context;
    options->think_text = text;
    if (think_parse(&options->think, text) < 0)
        die(EXIT_BAD_INPUT, "--%s: must be none, recorded, or milliseconds up to an hour (got \"%s\")",
            row->name, text);
}

static void take_chain(void *options, const struct option_row *row, const char *text) {
    struct chain_size *chain = &((struct options *)options)->chain;
    if (strcmp(text, "recorded") == 0) {
        *chain = (struct chain_size){.kind = CHAIN_AS_RECORDED};
        return;
    }
    if (strcmp(text, "small") == 0) {
        *chain = (struct chain_size){.kind = CHAIN_SMALLEST};
        return;
    }
    char *end;
    errno = 0;
    unsigned long bytes = strtoul(text, &end, 10);
    if (errno || *end || end == text || text[0] == '-' || bytes < 1 || bytes > CHAIN_BYTES_MAX)
        die(EXIT_BAD_INPUT, "--%s: must be recorded, small, or 1 to %d bytes (got \"%s\")", row->name,
            CHAIN_BYTES_MAX, text);
    *chain = (struct chain_size){.kind = CHAIN_FIXED, .bytes = (uint32_t)bytes};
}

#define IN(member) OPTION_IN(struct options, member)
static const struct option_row rows[] = {
    {"home", OPTION_TEXT, IN(home_option)},
    {"recording", OPTION_TEXT, IN(recording)},
    {"report", OPTION_TEXT, IN(report)},
    {"qlog", OPTION_TEXT, IN(qlog_folder)},
    {"tcp-info", OPTION_TEXT, IN(tcp_info)},
    {"behind", OPTION_TEXT, IN(behind)},
    {"https-alpn", OPTION_TEXT, IN(https_alpn)},
    {"think", OPTION_TAKEN, .take = take_think},
    {"chain", OPTION_TAKEN, .take = take_chain},
    {"http-origins", OPTION_EITHER, IN(upgrades_clear), OPTION_WORDS("clear", "upgraded")},
    {"tls-min", OPTION_CHOICE, IN(tls_lowest), OPTION_WORDS("1.2", "1.3")},
    {"tls-max", OPTION_CHOICE, IN(tls_highest), OPTION_WORDS("1.2", "1.3")},
    {"early-data", OPTION_ON, IN(early_data)},
    {"ipv6-twins", OPTION_ON, IN(ipv6_twins)},
    {"alt-svc", OPTION_EITHER, IN(offer_h3), OPTION_WORDS("off", "on")},
    {"clear", OPTION_ON, IN(clear)},
    {"print-spki", OPTION_ON, IN(print_spki)},
    {"print-congestion", OPTION_ON, IN(print_congestion)},
    SERVER_OPTION_ROWS(struct options, server) // of schemas/serving.schema.json, as the next ones
    TRANSPORT_OPTION_ROWS(struct options, transport){"initcwnd", OPTION_TAKEN, .take = take_both_windows,
                                                     TCP_INITCWND_RANGE},
    {"congestion", OPTION_TEXT, IN(transport.tcp.congestion_control)},
};
static const struct command_line line = {.program = "trilane-replay",
                                         .help = help,
                                         .dashes = "--",
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};

void options_parse(struct options *options, int argc, char *const *argv) {
    *options = (struct options){.transport = transport_stock,
                                .tls_lowest = OPTIONS_TLS_1_2,
                                .tls_highest = OPTIONS_TLS_1_3,
                                .https_alpn = "h2,h3",
                                .think_text = "none"};
    const int words = command_line_read(&line, options, argc, argv);
    if (words < argc) {
        if (strcmp(argv[words - 1], "--") != 0)
            die(EXIT_BAD_INPUT, "%s: unexpected; a command comes after \"--\" (see --help)", argv[words]);
        options->command = argv + words;
    }
    if (options->tls_lowest > options->tls_highest)
        die(EXIT_BAD_INPUT, "--tls-min is above --tls-max: leave one of them away");
    folders_home(options->home_option, options->home);
    if (!options->recording && !options->print_spki && !options->print_congestion)
        die(EXIT_BAD_INPUT, "--recording NAME is missing (see --help)");
}
