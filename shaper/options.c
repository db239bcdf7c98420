#include "shaper/options.h"

#include "base/log.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: trilane-shaper [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "Runs COMMAND in a network namespace of its own, behind one emulated bottleneck, without root.\n"
    "\n"
    "The bottleneck lies between the namespace that trilane-shaper is started in (trilane-replay's, or one "
    "made by\n"
    "`unshare -U -n --keep-caps`; else an empty one is made) and COMMAND's. Per direction a packet meets a "
    "drop-tail\n"
    "queue, the link, random loss, and a delay. down is towards COMMAND.\n"
    "\n"
    "  --link FORM             the whole link in short form, as 3mbit/50ms or\n"
    "                          down=8mbit,up=1mbit,rtt=60ms,queue=1bdp,loss=1%\n"
    "  --rate RATE             both directions; --down RATE, --up RATE: one. As 750kbit, 3mbit, 1gbit, "
    "unlimited\n"
    "                          (the default), of IP packets\n"
    "  --rtt TIME              both ways together; --delay-down TIME, --delay-up TIME: one. As 500us, 50ms, "
    "1s\n"
    "  --queue SIZE            as 1bdp, 100p (packets), 64kB, unlimited; --queue-down SIZE, --queue-up SIZE\n"
    "                          bdp: rate times rtt, but never less than 10 packets of 1500 bytes. Default "
    "1bdp, or\n"
    "                          1000p where the rate is unlimited or the rtt 0\n"
    "  --loss SHARE            as 1%; --loss-down SHARE, --loss-up SHARE. Default 0\n"
    "  --seed NUMBER           decides which packets are lost. Default 1\n"
    "  --nameserver ADDRESS    COMMAND's DNS server. Default 100.64.0.53, trilane-replay's\n"
    "  --report FILE           write a report in JSON at the end\n"
    "  --die-with-parent       be killed when the process that started trilane-shaper dies\n"
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

// Long options beyond the keys of a link, whose value is their enum link_key.
enum { OPTION_LINK = LINK_KEYS, OPTION_NAMESERVER, OPTION_REPORT, OPTION_DIE, OPTION_HELP, OPTION_VERSION };

static const struct option long_options[] = {
    {"rate", required_argument, NULL, LINK_RATE},
    {"down", required_argument, NULL, LINK_DOWN},
    {"up", required_argument, NULL, LINK_UP},
    {"rtt", required_argument, NULL, LINK_RTT},
    {"delay-down", required_argument, NULL, LINK_DELAY_DOWN},
    {"delay-up", required_argument, NULL, LINK_DELAY_UP},
    {"queue", required_argument, NULL, LINK_QUEUE},
    {"queue-down", required_argument, NULL, LINK_QUEUE_DOWN},
    {"queue-up", required_argument, NULL, LINK_QUEUE_UP},
    {"loss", required_argument, NULL, LINK_LOSS},
    {"loss-down", required_argument, NULL, LINK_LOSS_DOWN},
    {"loss-up", required_argument, NULL, LINK_LOSS_UP},
    {"seed", required_argument, NULL, LINK_SEED},
    {"link", required_argument, NULL, OPTION_LINK},
    {"nameserver", required_argument, NULL, OPTION_NAMESERVER},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"die-with-parent", no_argument, NULL, OPTION_DIE},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void check(int result, const struct link_error *error) {
    if (result < 0) die(EXIT_BAD_INPUT, "%s", error->line);
}

static void read_one(struct options *options, struct link_settings *settings, int option) {
    struct link_error error;
    unsigned char address[sizeof(struct in6_addr)];
    switch (option) {
    case OPTION_LINK:
        check(link_settings_read(settings, optarg, &error), &error);
        break;
    case OPTION_NAMESERVER:
        if (inet_pton(AF_INET, optarg, address) != 1 && inet_pton(AF_INET6, optarg, address) != 1)
            die(EXIT_BAD_INPUT, "nameserver: \"%s\" is not an address: write it as 100.64.0.53", optarg);
        options->nameserver = optarg;
        break;
    case OPTION_REPORT:
        options->report = optarg;
        break;
    case OPTION_DIE:
        options->die_with_parent = true;
        break;
    case OPTION_HELP:
        fputs(help, stdout);
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

void options_read(struct options *options, int argc, char **argv) {
    *options = (struct options){.nameserver = "100.64.0.53"};
    struct link_settings settings = {0};
    int option;
    while ((option = getopt_long(argc, argv, "+", long_options, NULL)) != -1)
        read_one(options, &settings, option);
    struct link_error error;
    check(link_profile_read(&options->profile, &settings, &error), &error);
    if (optind >= argc)
        die(EXIT_BAD_INPUT, "no command: write it after --, as `trilane-shaper --link 3mbit/50ms -- bash`");
    options->command = argv + optind;
}
