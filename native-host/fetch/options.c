#include "fetch/options.h"

#include "base/clock.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fetch_lane_words[LANES] = {"h1", "h2", "h2-0rtt", "h3", "h3-0rtt"};

static const char help[] =
    "Usage: trilane-fetch [OPTION]... URL...\n"
    "Fetches objects (https://) over one lane, one after another, and prints for each a line of JSON: what "
    "its\n"
    "name, connection, TLS, first byte and download took, and what crossed the wire (schemas/fetch-record.\n"
    "schema.json). An object that fails has a line that says where and why. `trilane fetch` runs it.\n"
    "\n"
    "  --lane LANE          h1, h2 (default), h2-0rtt, h3 or h3-0rtt. 0rtt: a first connection, untimed, "
    "gets a\n"
    "                       ticket, and the request goes in the first flight of the next one\n"
    "  --tls VERSION        1.3 (default) or 1.2; h1 and h2 only\n"
    "  --ip VERSION         4 (default) or 6\n"
    "  --connect ADDRESS[:PORT]\n"
    "                       ask this server for every object; [IPv6] in brackets if a port follows\n"
    "  --ca FILE            trust these certificates (PEM) in place of the system's\n"
    "  --insecure           take any certificate\n"
    "  --reuse              ask over the last connection if it is to the same server\n"
    "  --follow N           follow up to N redirects of each object (default: none)\n"
    "  --timeout SECONDS    for each object, redirects included (default: 30)\n"
    "  --connect-timeout SECONDS\n"
    "                       for each connection to be established (default: 10)\n"
    "  --max-body BYTES     end an object whose body has more (default: none is too large)\n"
    "  --user-agent TEXT    (default: trilane-fetch/" TRILANE_VERSION ")\n"
    "  --no-https-record    do not look up HTTPS records of the names\n"
    "  --urls FILE          also those in FILE, one a line; - is standard input\n"
    "  --help, --version\n"
    "\n"
    "The exit status is 0 when every URL has its line, whatever it says; 2 for a command line that cannot "
    "be\n"
    "taken.\n"
    "\n"
    "Examples:\n"
    "  trilane-fetch --lane h3 https://shop.example/\n"
    "  trilane-fetch --lane h1 --tls 1.2 --ip 6 --connect '[::1]:8443' --ca ca.pem https://shop.example/1MB\n"
    "  trilane-replay --home DIR --recording shop -- trilane-shaper --link 3mbit/50ms -- trilane-fetch \\\n"
    "    --lane h3-0rtt --insecure https://shop.example/\n";

enum {
    LANE = 256,
    TLS,
    IP,
    CONNECT,
    CA,
    INSECURE,
    REUSE,
    FOLLOW,
    TIMEOUT,
    CONNECT_TIMEOUT,
    MAX_BODY,
    USER_AGENT,
    NO_HTTPS_RECORD,
    URLS,
    HELP,
    VERSION
};

static const struct option choices[] = {
    {"lane", required_argument, NULL, LANE},
    {"tls", required_argument, NULL, TLS},
    {"ip", required_argument, NULL, IP},
    {"connect", required_argument, NULL, CONNECT},
    {"ca", required_argument, NULL, CA},
    {"insecure", no_argument, NULL, INSECURE},
    {"reuse", no_argument, NULL, REUSE},
    {"follow", required_argument, NULL, FOLLOW},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"connect-timeout", required_argument, NULL, CONNECT_TIMEOUT},
    {"max-body", required_argument, NULL, MAX_BODY},
    {"user-agent", required_argument, NULL, USER_AGENT},
    {"no-https-record", no_argument, NULL, NO_HTTPS_RECORD},
    {"urls", required_argument, NULL, URLS},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

__attribute__((noreturn)) static void print(const char *text) {
    fputs(text, stdout);
    exit(fflush(stdout) == 0 ? 0 : EXIT_RUN_FAILED);
}

static enum fetch_lane lane_of(const char *word) {
    for (int lane = 0; lane < LANES; lane++)
        if (strcmp(word, fetch_lane_words[lane]) == 0) return (enum fetch_lane)lane;
    die(EXIT_BAD_INPUT, "lane: must be h1, h2, h2-0rtt, h3 or h3-0rtt (got \"%s\")", word);
}

static uint64_t whole_number(const char *name, const char *word, uint64_t least, uint64_t most) {
    char *end;
    const unsigned long long number = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || number < least || number > most)
        die(EXIT_BAD_INPUT, "%s: must be a number from %llu to %llu (got \"%s\")", name,
            (unsigned long long)least, (unsigned long long)most, word);
    return number;
}

static uint64_t seconds(const char *name, const char *word) {
    char *end;
    const double number = strtod(word, &end);
    if (end == word || *end || !isfinite(number) || number < 0.001 || number > 86400)
        die(EXIT_BAD_INPUT, "%s: must be seconds from 0.001 to 86400 (got \"%s\")", name, word);
    return (uint64_t)(number * (double)NS_PER_S);
}

// ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT.
static void read_server(struct fetch_options *options, const char *word) {
    char text[128], mapped[160];
    const char *port = NULL;
    snprintf(text, sizeof text, "%s", word);
    char *host = text, *colon = strchr(text, ':');
    if (*text == '[') {
        char *close = strchr(text, ']');
        host = text + 1;
        if (close && close[1] == ':') port = close + 2;
        if (close) *close = 0;
    } else if (colon && !strchr(colon + 1, ':')) {
        port = colon + 1;
        *colon = 0;
    }
    snprintf(mapped, sizeof mapped, "%s%s", strchr(host, ':') ? "" : "::ffff:", host);
    options->server = (struct sockaddr_in6){.sin6_family = AF_INET6};
    if (strlen(word) >= sizeof text || inet_pton(AF_INET6, mapped, &options->server.sin6_addr) != 1)
        die(EXIT_BAD_INPUT, "connect: must be an address, ADDRESS:PORT or [ADDRESS]:PORT (got \"%s\")", word);
    if (port) options->server.sin6_port = htons((uint16_t)whole_number("connect: its port", port, 1, 65535));
    options->has_server = true;
}

static bool is_header_text(const char *text) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') return false;
    return *text != 0;
}

static void take(struct fetch_options *options, int choice, const char *word) {
    switch (choice) {
    case LANE:
        options->lane = lane_of(word);
        break;
    case TLS:
        options->tls_1_2 = strcmp(word, "1.2") == 0;
        if (!options->tls_1_2 && strcmp(word, "1.3") != 0)
            die(EXIT_BAD_INPUT, "tls: must be 1.2 or 1.3 (got \"%s\")", word);
        break;
    case IP:
        options->ip = strcmp(word, "4") == 0 ? 4 : strcmp(word, "6") == 0 ? 6 : 0;
        if (!options->ip) die(EXIT_BAD_INPUT, "ip: must be 4 or 6 (got \"%s\")", word);
        break;
    case CONNECT:
        read_server(options, word);
        break;
    case CA:
        options->authorities = word;
        break;
    case INSECURE:
        options->verify = false;
        break;
    case REUSE:
        options->reuse = true;
        break;
    case FOLLOW:
        options->follow = (unsigned)whole_number("follow", word, 0, 50);
        break;
    case TIMEOUT:
        options->timeout_ns = seconds("timeout", word);
        break;
    case CONNECT_TIMEOUT:
        options->connect_timeout_ns = seconds("connect-timeout", word);
        break;
    case MAX_BODY:
        options->max_body_bytes = whole_number("max-body", word, 1, INT64_MAX);
        break;
    case USER_AGENT:
        options->user_agent = word;
        if (!is_header_text(word)) die(EXIT_BAD_INPUT, "user-agent: must be printable ASCII");
        break;
    case NO_HTTPS_RECORD:
        options->https_records = false;
        break;
    default:
        options->urls_file = word;
    }
}

static void check(const struct fetch_options *options) {
    if (options->tls_1_2 && (lane_is_quic(options->lane) || lane_resumes(options->lane)))
        die(EXIT_BAD_INPUT, "tls: lane %s has 1.3 only: leave --tls out", fetch_lane_words[options->lane]);
    if (options->has_server && (options->ip == 4) != (bool)IN6_IS_ADDR_V4MAPPED(&options->server.sin6_addr))
        die(EXIT_BAD_INPUT, "connect: the address is none of IPv%d: give --ip %d, or another address",
            options->ip, options->ip == 4 ? 6 : 4);
    if (options->authorities && !options->verify)
        die(EXIT_BAD_INPUT, "ca: --insecure trusts everything: leave one of them out");
    if (options->url_count == 0 && !options->urls_file)
        die(EXIT_BAD_INPUT, "no URL: name one, or a file of them by --urls (see --help)");
}

void options_read(struct fetch_options *options, int argc, char **argv) {
    *options = (struct fetch_options){.lane = LANE_H2,
                                      .ip = 4,
                                      .verify = true,
                                      .https_records = true,
                                      .timeout_ns = 30 * NS_PER_S,
                                      .connect_timeout_ns = 10 * NS_PER_S,
                                      .max_body_bytes = UINT64_MAX,
                                      .user_agent = "trilane-fetch/" TRILANE_VERSION};
    opterr = 0;
    for (int choice; (choice = getopt_long(argc, argv, ":", choices, NULL)) != -1;) {
        switch (choice) {
        case HELP:
            print(help);
        case VERSION:
            print("trilane-fetch " TRILANE_VERSION "\n");
        case ':':
            die(EXIT_BAD_INPUT, "%s: wants a value (see --help)", argv[optind - 1]);
        case '?':
            die(EXIT_BAD_INPUT, "%s: no such option (see --help)", argv[optind - 1]);
        default:
            take(options, choice, optarg);
        }
    }
    options->urls = argv + optind;
    options->url_count = (size_t)(argc - optind);
    check(options);
}
