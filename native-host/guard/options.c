// The command line of trilane-guard: its help, what it prints without running anything, and what main.c runs.
#include "guard/options.h"

#include "base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: trilane-guard [--nearest SPACE] [--own NETWORKS] -- COMMAND [ARGUMENT]...\n"
    "       trilane-guard --new-network [--nearest SPACE] [--own NETWORKS] [--door DOOR]... -- COMMAND "
    "[ARGUMENT]...\n"
    "       trilane-guard --space ADDRESS\n"
    "       trilane-guard --networks\n"
    "Runs a command that cannot connect to this machine or its networks; `trilane "
    "record` runs browsers in it.\n"
    "\n"
    "  --nearest SPACE  what it may reach, with all that is farther: public (the "
    "default), local (private and\n"
    "                   link-local addresses), or loopback (all addresses)\n"
    "  --own NETWORKS   what is near besides this network's interfaces: in a lab, what --networks printed on "
    "the machine\n"
    "  --new-network    run it in a new, empty network in which it may make a lab, and filter no calls; "
    "with --nearest\n"
    "                   what comes over the lab's link is refused there\n"
    "  --door AT=HERE   with --new-network: TCP to AT in there comes out at HERE on this machine, as "
    "127.0.0.1:80=127.0.0.1:3000\n"
    "  --name NAME=ADDRESS  and names are answered in there: this one so, no other\n"
    "  --debugging      the port of a --remote-debugging-port=N in COMMAND is this machine's, too, if in the "
    "lab a\n"
    "                   `trilane-guard --inside -- BROWSER...` starts the browser\n"
    "  --die-with-parent  be killed when the process that started trilane-guard dies\n"
    "  --space ADDRESS  print which of the three an IPv4 or IPv6 address is in: this machine's own "
    "addresses are\n"
    "                   loopback, and their networks local, also where they are "
    "public ones\n"
    "  --networks       print this machine's own addresses and networks, as --own takes them\n"
    "  --help, --version\n"
    "\n"
    "The name servers of /etc/resolv.conf can be asked in any case, this machine's sockets with names of "
    "their own\n"
    "(AF_UNIX) in none.\n"
    "\n"
    "Example:\n"
    "  trilane-guard -- curl http://localhost/\n";

static void print_space(const char *text) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    const struct sockaddr *address = NULL;
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        address = (const struct sockaddr *)&four;
    else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
        address = (const struct sockaddr *)&six;
    else
        die(EXIT_BAD_INPUT, "--space \"%s\": write an IPv4 or IPv6 address", text);
    enum address_space space;
    if (address_space_here(address, NULL, &space) < 0)
        die(EXIT_RUN_FAILED, "interfaces of this machine: %s", strerror(errno));
    puts(address_space_name(space));
}

static void print_networks(void) {
    struct own_networks own;
    if (own_networks_read(&own) < 0) die(EXIT_RUN_FAILED, "interfaces of this machine: %s", strerror(errno));
    own_networks_write(&own, stdout);
    putchar('\n');
    own_networks_free(&own);
}

enum { NEAREST, OWN, NEW_NETWORK, DOOR, NAME, DEBUGGING, INSIDE, DIE, SPACE, NETWORKS, HELP, VERSION };

static const struct option known[] = {{"nearest", required_argument, NULL, NEAREST},
                                      {"own", required_argument, NULL, OWN},
                                      {"new-network", no_argument, NULL, NEW_NETWORK},
                                      {"door", required_argument, NULL, DOOR},
                                      {"name", required_argument, NULL, NAME},
                                      {"debugging", no_argument, NULL, DEBUGGING},
                                      {"inside", no_argument, NULL, INSIDE},
                                      {"die-with-parent", no_argument, NULL, DIE},
                                      {"space", required_argument, NULL, SPACE},
                                      {"networks", no_argument, NULL, NETWORKS},
                                      {"help", no_argument, NULL, HELP},
                                      {"version", no_argument, NULL, VERSION},
                                      {NULL, 0, NULL, 0}};

static void read_nearest(struct options *options, const char *text) {
    int nearest = address_space_named(text);
    if (nearest < 0) die(EXIT_BAD_INPUT, "--nearest \"%s\": write public, local or loopback", text);
    options->nearest = (enum address_space)nearest;
    options->nearest_given = true;
}

static void read_one(struct options *options, int option) {
    switch (option) {
    case NEAREST:
        read_nearest(options, optarg);
        break;
    case OWN:
        own_networks_free(&options->own);
        if (own_networks_parse(&options->own, optarg) < 0)
            die(EXIT_BAD_INPUT, "--own \"%s\": write what trilane-guard --networks prints", optarg);
        break;
    case NEW_NETWORK:
        options->new_network = true;
        break;
    case DOOR:
        if (door_list_add(&options->doors, optarg) < 0)
            die(EXIT_BAD_INPUT, "--door \"%s\": write it as 127.0.0.1:80=127.0.0.1:3000, at most %d", optarg,
                DOORS_MAX);
        break;
    case NAME:
        if (door_list_add_name(&options->doors, optarg) < 0)
            die(EXIT_BAD_INPUT, "--name \"%s\": write it as app.test=100.64.1.1, at most %d", optarg,
                DOORS_MAX);
        break;
    case DEBUGGING:
        options->debugging = true;
        break;
    case INSIDE:
        options->inside = true;
        break;
    case DIE:
        options->die_with_parent = true;
        break;
    case SPACE:
        print_space(optarg);
        exit(0);
    case NETWORKS:
        print_networks();
        exit(0);
    case HELP:
        fputs(help, stdout);
        exit(0);
    case VERSION:
        puts("trilane-guard " TRILANE_VERSION);
        exit(0);
    default:
        exit(EXIT_BAD_INPUT);
    }
}

void options_read(struct options *options, int argc, char **argv) {
    options->nearest = SPACE_PUBLIC;
    for (int option; (option = getopt_long(argc, argv, "+", known, NULL)) != -1;)
        read_one(options, option);
    if (optind == argc) {
        fputs(help, stderr);
        exit(EXIT_BAD_INPUT);
    }
    if (options->doors.count > 0 && !options->new_network)
        die(EXIT_BAD_INPUT, "--door: is into a --new-network: give that too");
    options->command = argv + optind;
}

void options_close(struct options *options) {
    own_networks_free(&options->own);
}
