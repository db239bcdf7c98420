#include "replay/options.h"

#include "base/log.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: trilane-replay --recording NAME [OPTIONS] [-- COMMAND [ARGUMENT...]]\n"
    "\n"
    "Serves a recording in a network namespace of its own, without root: every recorded server address "
    "exists there,\n"
    "with HTTP/1.1, HTTP/2 (TCP 443, and TCP 80 in clear), HTTP/3 (UDP 443) and DNS (100.64.0.53). Runs "
    "COMMAND in\n"
    "that namespace and ends with its exit status; without COMMAND it serves until interrupted.\n"
    "\n"
    "  --home DIR             folder of the archive (default: $TRILANE_HOME, else ~/.local/share/trilane)\n"
    "  --recording NAME       the recording to serve\n"
    "  --report FILE          write what was served as JSON (trilane/replay-report/1)\n"
    "  --qlog FOLDER          write a qlog of each QUIC connection into it\n"
    "  --tcp-info FILE        write what the kernel knows of each TCP connection every 5 ms, as lines of "
    "JSON\n"
    "  --https-alpn LIST      what HTTPS records in DNS offer (default h2,h3; \"\": no HTTPS records)\n"
    "  --think TIME           how long a request waits for its answer: none (default), recorded (as the "
    "recorded\n"
    "                         server took, where that is known), or milliseconds, as 20\n"
    "  --origins KIND         as-recorded (default), merged (the hosts of one operator are one server), "
    "single\n"
    "                         (all are)\n"
    "  --chain SIZE           certificate chains: recorded (default; 3243 bytes where that is not known), "
    "small,\n"
    "                         or so many bytes\n"
    "  --priorities HOW       rfc9218 (default): responses over h2 and h3 are sent in the order of the "
    "browser's "
    "priorities;\n"
    "                         none: all in turns, as many servers send\n"
    "  --early-hints HOW      recorded (default): 103 responses are sent as they came, at their time before "
    "the "
    "answer;\n"
    "                         none: they are not sent\n"
    "  --behind FOLDER        leave the ports of https:// to another server: write each host's certificate "
    "into FOLDER,\n"
    "                         and answer it in clear on 127.0.0.1:8099 as if it had come by TLS\n"
    "  --http-origins HOW     what was recorded over http://: clear (default), or upgraded to https:// with "
    "documents\n"
    "                         that make the browser ask so\n"
    "  --tls-min VERSION, --tls-max VERSION\n"
    "                         over TCP: 1.2 (the default's lowest) or 1.3 (its highest)\n"
    "  --early-data           let resumed connections send requests in their first flight (0-RTT)\n"
    "  --ipv6-twins           what was recorded over IPv4 is there over IPv6, too, with AAAA records\n"
    "  --alt-svc on|off       whether responses over every protocol say that their origin has h3; off "
    "(default): those\n"
    "                         over h3 do, others as recorded\n"
    "  --clear                serve https://HOST as http://HOST.clear.test, on port 80 for 443\n"
    "  --print-spki           print the key hashes for Chromium's --ignore-certificate-errors-spki-list and "
    "stop\n"
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

static void find_home(char home[OPTIONS_PATH_SIZE], const char *option) {
    const char *named = option && *option ? option : getenv("TRILANE_HOME");
    const char *data = getenv("XDG_DATA_HOME");
    const char *user = getenv("HOME");
    int n;
    if (named && *named)
        n = snprintf(home, OPTIONS_PATH_SIZE, "%s", named);
    else if (data && data[0] == '/')
        n = snprintf(home, OPTIONS_PATH_SIZE, "%s/trilane", data);
    else if (user && *user)
        n = snprintf(home, OPTIONS_PATH_SIZE, "%s/.local/share/trilane", user);
    else
        die(EXIT_BAD_INPUT, "no data folder: name one with --home DIR");
    if (n < 0 || n >= OPTIONS_PATH_SIZE) die(EXIT_BAD_INPUT, "--home: the path is too long");
}

static void set_transport(struct transport *transport, const char *option, const char *value) {
    char error[256];
    if (transport_set(transport, option, value, error, sizeof error) < 0) die(EXIT_BAD_INPUT, "%s", error);
}

static uint16_t parse_tls_version(const char *option, const char *text) {
    enum { TLS_1_2 = 0x0303, TLS_1_3 = 0x0304 };
    if (strcmp(text, "1.2") == 0) return TLS_1_2;
    if (strcmp(text, "1.3") == 0) return TLS_1_3;
    die(EXIT_BAD_INPUT, "%s: must be 1.2 or 1.3 (got \"%s\")", option, text);
}

static struct chain_size parse_chain(const char *text) {
    if (strcmp(text, "recorded") == 0) return (struct chain_size){.kind = CHAIN_AS_RECORDED};
    if (strcmp(text, "small") == 0) return (struct chain_size){.kind = CHAIN_SMALLEST};
    char *end;
    errno = 0;
    unsigned long bytes = strtoul(text, &end, 10);
    if (errno || *end || end == text || text[0] == '-' || bytes < 1 || bytes > CHAIN_BYTES_MAX)
        die(EXIT_BAD_INPUT, "--chain: must be recorded, small, or 1 to %d bytes (got \"%s\")",
            CHAIN_BYTES_MAX, text);
    return (struct chain_size){.kind = CHAIN_FIXED, .bytes = (uint32_t)bytes};
}

// The only use of a numbered list of choices is getopt's.
enum choice {
    HOME = 256,
    RECORDING,
    REPORT,
    TRANSPORT, // by its name
    QLOG,
    TCP_INFO,
    BEHIND,
    HTTPS_ALPN,
    THINK,
    ORIGINS,
    CHAIN,
    PRIORITIES,
    EARLY_HINTS,
    HTTP_ORIGINS,
    TLS_MIN,
    TLS_MAX,
    EARLY_DATA,
    IPV6_TWINS,
    ALT_SVC,
    CLEAR,
    PRINT_SPKI,
    PRINT_CONGESTION,
    VERSION,
    HELP
};

#define TRANSPORT_OPTION(name)                                                                               \
    { name, required_argument, NULL, TRANSPORT }
static const struct option choices[] = {
    {"home", required_argument, NULL, HOME},
    {"recording", required_argument, NULL, RECORDING},
    {"report", required_argument, NULL, REPORT},
    {"initcwnd", required_argument, NULL, TRANSPORT},
    {"congestion", required_argument, NULL, TRANSPORT},
    {"qlog", required_argument, NULL, QLOG},
    {"tcp-info", required_argument, NULL, TCP_INFO},
    {"behind", required_argument, NULL, BEHIND},
    {"https-alpn", required_argument, NULL, HTTPS_ALPN},
    {"think", required_argument, NULL, THINK},
    {"origins", required_argument, NULL, ORIGINS},
    {"chain", required_argument, NULL, CHAIN},
    {"priorities", required_argument, NULL, PRIORITIES},
    {"early-hints", required_argument, NULL, EARLY_HINTS},
    {"http-origins", required_argument, NULL, HTTP_ORIGINS},
    {"tls-min", required_argument, NULL, TLS_MIN},
    {"tls-max", required_argument, NULL, TLS_MAX},
    {"early-data", no_argument, NULL, EARLY_DATA},
    {"ipv6-twins", no_argument, NULL, IPV6_TWINS},
    {"alt-svc", required_argument, NULL, ALT_SVC},
    {"clear", no_argument, NULL, CLEAR},
    {"print-spki", no_argument, NULL, PRINT_SPKI},
    {"print-congestion", no_argument, NULL, PRINT_CONGESTION},
    {"version", no_argument, NULL, VERSION},
    {"help", no_argument, NULL, HELP},
    TRANSPORT_OPTIONS(TRANSPORT_OPTION),
    {NULL, 0, NULL, 0},
};

__attribute__((noreturn)) static void print_and_exit(const char *text) {
    fputs(text, stdout);
    exit(fflush(stdout) == 0 ? 0 : EXIT_RUN_FAILED);
}

void options_parse(struct options *options, int argc, char *const *argv) {
    *options = (struct options){.transport = transport_stock,
                                .tls_lowest = parse_tls_version("--tls-min", "1.2"),
                                .tls_highest = parse_tls_version("--tls-max", "1.3"),
                                .https_alpn = "h2,h3",
                                .think_text = "none"};
    const char *home = NULL;
    opterr = 0;
    int index = 0;
    for (int choice; (choice = getopt_long(argc, argv, "+:", choices, &index)) != -1;) {
        switch (choice) {
        case HOME:
            home = optarg;
            break;
        case RECORDING:
            options->recording = optarg;
            break;
        case REPORT:
            options->report = optarg;
            break;
        case TRANSPORT:
            set_transport(&options->transport, choices[index].name, optarg);
            break;
        case QLOG:
            options->qlog_folder = optarg;
            break;
        case TCP_INFO:
            options->tcp_info = optarg;
            break;
        case BEHIND:
            options->behind = optarg;
            break;
        case HTTPS_ALPN:
            options->https_alpn = optarg;
            break;
        case THINK:
            options->think_text = optarg;
            if (think_parse(&options->think, optarg) < 0)
                die(EXIT_BAD_INPUT,
                    "--think: must be none, recorded, or milliseconds up to an hour (got \"%s\")", optarg);
            break;
        case ORIGINS:
            if (origins_kind_named(optarg, &options->origins) < 0)
                die(EXIT_BAD_INPUT, "--origins: must be as-recorded, merged or single (got \"%s\")", optarg);
            break;
        case CHAIN:
            options->chain = parse_chain(optarg);
            break;
        case PRIORITIES:
            options->ignores_priorities = strcmp(optarg, "none") == 0;
            if (!options->ignores_priorities && strcmp(optarg, "rfc9218") != 0)
                die(EXIT_BAD_INPUT, "--priorities: must be rfc9218 or none (got \"%s\")", optarg);
            break;
        case EARLY_HINTS:
            options->sends_no_hints = strcmp(optarg, "none") == 0;
            if (!options->sends_no_hints && strcmp(optarg, "recorded") != 0)
                die(EXIT_BAD_INPUT, "--early-hints: must be recorded or none (got \"%s\")", optarg);
            break;
        case HTTP_ORIGINS:
            options->upgrades_clear = strcmp(optarg, "upgraded") == 0;
            if (!options->upgrades_clear && strcmp(optarg, "clear") != 0)
                die(EXIT_BAD_INPUT, "--http-origins: must be clear or upgraded (got \"%s\")", optarg);
            break;
        case TLS_MIN:
            options->tls_lowest = parse_tls_version("--tls-min", optarg);
            break;
        case TLS_MAX:
            options->tls_highest = parse_tls_version("--tls-max", optarg);
            break;
        case IPV6_TWINS:
            options->ipv6_twins = true;
            break;
        case EARLY_DATA:
            options->early_data = true;
            break;
        case ALT_SVC:
            options->offer_h3 = strcmp(optarg, "on") == 0;
            if (!options->offer_h3 && strcmp(optarg, "off") != 0)
                die(EXIT_BAD_INPUT, "--alt-svc: must be on or off (got \"%s\")", optarg);
            break;
        case CLEAR:
            options->clear = true;
            break;
        case PRINT_SPKI:
            options->print_spki = true;
            break;
        case PRINT_CONGESTION:
            options->print_congestion = true;
            break;
        case VERSION:
            print_and_exit("trilane-replay " TRILANE_VERSION "\n");
        case HELP:
            print_and_exit(help);
        case ':':
            die(EXIT_BAD_INPUT, "%s: wants a value (see --help)", argv[optind - 1]);
        default:
            die(EXIT_BAD_INPUT, "%s: no such option (see --help)", argv[optind - 1]);
        }
    }
    if (optind < argc) {
        if (strcmp(argv[optind - 1], "--") != 0)
            die(EXIT_BAD_INPUT, "%s: unexpected; a command comes after \"--\" (see --help)", argv[optind]);
        options->command = argv + optind;
    }
    if (options->tls_lowest > options->tls_highest)
        die(EXIT_BAD_INPUT, "--tls-min is above --tls-max: leave one of them away");
    find_home(options->home, home);
    if (!options->recording && !options->print_spki && !options->print_congestion)
        die(EXIT_BAD_INPUT, "--recording NAME is missing (see --help)");
}
