#include "fetch/options.h"

#include "base/clock.h"
#include "base/command_line.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANE_WORDS "h1", "h2", "h2-0rtt", "h3", "h3-0rtt"

const char *const fetch_lane_words[LANES] = {LANE_WORDS};

static const char help[] =
    "Usage: trilane-fetch [OPTION]... URL...\n"
    "Fetches objects (https://) over one lane, one after another, and prints for each a line of JSON: what\n"
    "its name, connection, TLS, first byte and download took, and what crossed the wire\n"
    "(schemas/fetch-record.schema.json). An object that fails has a line that says where and why. `trilane\n"
    "fetch` runs it.\n"
    "\n"
    "  --lane LANE          h1, h2 (default), h2-0rtt, h3 or h3-0rtt. 0rtt: a first connection, untimed,\n"
    "                       gets a ticket, and the request goes in the first flight of the next one\n"
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
    "  --qlog FOLDER        write a qlog of each QUIC connection into it\n"
    "  --urls FILE          also those in FILE, one a line; - is standard input\n"
    "  --help, --version\n"
    "\n"
    "SSLKEYLOGFILE names a file to which TLS keys are added, as other clients have it. The exit status is 0\n"
    "when every URL has its line, whatever it says; 2 for a command line that cannot be taken.\n"
    "\n"
    "Examples:\n"
    "  trilane-fetch --lane h3 https://shop.example/\n"
    "  trilane-fetch --lane h1 --tls 1.2 --ip 6 --connect '[::1]:8443' --ca ca.pem https://shop.example/1MB\n"
    "  trilane-replay --home DIR --recording shop -- trilane-shaper --link 3mbit/50ms -- trilane-fetch \\\n"
    "    --lane h3-0rtt --insecure https://shop.example/\n";

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
    if (port)
        options->server.sin6_port = htons((uint16_t)command_line_number("connect: its port", port, 1, 65535));
    options->has_server = true;
}

static bool is_header_text(const char *text) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') return false;
    return *text != 0;
}

static void take_ip(void *context, const struct option_row *row, const char *word) {
    struct fetch_options *options = context;
    options->ip = strcmp(word, "4") == 0 ? 4 : strcmp(word, "6") == 0 ? 6 : 0;
    if (!options->ip) die(EXIT_BAD_INPUT, "%s: must be 4 or 6 (got \"%s\")", row->name, word);
}

static void take_server(void *options, const struct option_row *row, const char *word) {
    (void)row;
    read_server(options, word);
}

static void take_timeout(void *options, const struct option_row *row, const char *word) {
    ((struct fetch_options *)options)->timeout_ns = seconds(row->name, word);
}

static void take_connect_timeout(void *options, const struct option_row *row, const char *word) {
    ((struct fetch_options *)options)->connect_timeout_ns = seconds(row->name, word);
}

static void take_max_body(void *options, const struct option_row *row, const char *word) {
    ((struct fetch_options *)options)->max_body_bytes = command_line_number(row->name, word, 1, INT64_MAX);
}

static void take_user_agent(void *options, const struct option_row *row, const char *word) {
    if (!is_header_text(word)) die(EXIT_BAD_INPUT, "%s: must be printable ASCII", row->name);
    ((struct fetch_options *)options)->user_agent = word;
}

#define IN(member) OPTION_IN(struct fetch_options, member)
static const struct option_row rows[] = {
    {"lane", OPTION_CHOICE, IN(lane), OPTION_WORDS(LANE_WORDS)},
    {"tls", OPTION_EITHER, IN(tls_1_2), OPTION_WORDS("1.3", "1.2")},
    {"ip", OPTION_TAKEN, .take = take_ip},
    {"connect", OPTION_TAKEN, .take = take_server},
    {"ca", OPTION_TEXT, IN(authorities)},
    {"insecure", OPTION_OFF, IN(verify)},
    {"reuse", OPTION_ON, IN(reuse)},
    {"follow", OPTION_NUMBER, IN(follow), OPTION_RANGE(0, 50)},
    {"timeout", OPTION_TAKEN, .take = take_timeout},
    {"connect-timeout", OPTION_TAKEN, .take = take_connect_timeout},
    {"max-body", OPTION_TAKEN, .take = take_max_body},
    {"user-agent", OPTION_TAKEN, .take = take_user_agent},
    {"no-https-record", OPTION_OFF, IN(https_records)},
    {"qlog", OPTION_TEXT, IN(qlog_folder)},
    {"urls", OPTION_TEXT, IN(urls_file)},
};
static const struct command_line line = {.program = "trilane-fetch",
                                         .help = help,
                                         .dashes = "",
                                         .order = WORDS_ANYWHERE,
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};

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
    const int words = command_line_read(&line, options, argc, argv);
    options->key_log_path = getenv("SSLKEYLOGFILE");
    if (options->key_log_path && !*options->key_log_path) options->key_log_path = NULL;
    options->urls = argv + words;
    options->url_count = (size_t)(argc - words);
    check(options);
}
