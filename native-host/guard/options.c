// The command line of trilane-guard: its help, what it prints without running anything, and what main.c runs.
#include "guard/options.h"

#include "base/command_line.h"
#include "base/log.h"
#include "base/walls.h"

#include <arpa/inet.h>
#include <errno.h>
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
    "Runs a command that cannot connect to this machine or its networks; `trilane record` runs browsers in\n"
    "it.\n"
    "\n"
    "  --nearest SPACE  what it may reach, with all that is farther: public (the default), local (private\n"
    "                   and link-local addresses), or loopback (all addresses)\n"
    "  --own NETWORKS   what is near besides this network's interfaces: in a lab, what --networks printed\n"
    "                   on the machine\n"
    "  --new-network    run it in a new, empty network in which it may make a lab, and filter no calls;\n"
    "                   with --nearest what comes over the lab's link is refused there\n"
    "  --door AT=HERE   with --new-network: TCP to AT in there comes out at HERE on this machine, as\n"
    "                   127.0.0.1:80=127.0.0.1:3000\n"
    "  --name NAME=ADDRESS  and names are answered in there: this one so, no other\n"
    "  --debugging      the port of a --remote-debugging-port=N in COMMAND is this machine's, too, if in\n"
    "                   the lab a `trilane-guard --inside -- BROWSER...` starts the browser\n"
    "  --die-with-parent  be killed when the process that started trilane-guard dies\n"
    "  --space ADDRESS  print which of the three an IPv4 or IPv6 address is in: this machine's own\n"
    "                   addresses are loopback, and their networks local, also where they are public ones\n"
    "  --networks       print this machine's own addresses and networks, as --own takes them\n"
    "  --walls          print what of a program of ours this kernel walls in once it serves: capabilities,\n"
    "                   system calls, files\n"
    "  --help, --version\n"
    "\n"
    "The name servers of /etc/resolv.conf can be asked in any case, this machine's sockets with names of\n"
    "their own (AF_UNIX) in none.\n"
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

static void take_nearest(void *context, const struct option_row *row, const char *text) {
    struct options *options = context;
    const int nearest = address_space_named(text);
    if (nearest < 0) die(EXIT_BAD_INPUT, "--%s \"%s\": write public, local or loopback", row->name, text);
    options->nearest = (enum address_space)nearest;
    options->nearest_given = true;
}

static void take_own(void *context, const struct option_row *row, const char *text) {
    struct options *options = context;
    own_networks_free(&options->own);
    if (own_networks_parse(&options->own, text) < 0)
        die(EXIT_BAD_INPUT, "--%s \"%s\": write what trilane-guard --networks prints", row->name, text);
}

static void take_door(void *options, const struct option_row *row, const char *text) {
    if (door_list_add(&((struct options *)options)->doors, text) < 0)
        die(EXIT_BAD_INPUT, "--%s \"%s\": write it as 127.0.0.1:80=127.0.0.1:3000, at most %d", row->name,
            text, DOORS_MAX);
}

static void take_name(void *options, const struct option_row *row, const char *text) {
    if (door_list_add_name(&((struct options *)options)->doors, text) < 0)
        die(EXIT_BAD_INPUT, "--%s \"%s\": write it as app.test=100.64.1.1, at most %d", row->name, text,
            DOORS_MAX);
}

static void end_with_space(void *options, const struct option_row *row, const char *text) {
    (void)options, (void)row;
    print_space(text);
    exit(0);
}

static void end_with_networks(void *options, const struct option_row *row, const char *none) {
    (void)options, (void)row, (void)none;
    print_networks();
    exit(0);
}

static void end_with_walls(void *options, const struct option_row *row, const char *none) {
    static const struct walls walls = {.capabilities = 0};
    const bool have_files = walls_have_files();
    (void)options, (void)row, (void)none;
    if (walls_raise(&walls) < 0) die(EXIT_RUN_FAILED, "system calls cannot be filtered: %s", strerror(errno));
    puts(have_files ? "capabilities, system calls, files" : "capabilities, system calls");
    exit(0);
}

#define IN(member) OPTION_IN(struct options, member)
static const struct option_row rows[] = {
    {"nearest", OPTION_TAKEN, .take = take_nearest},
    {"own", OPTION_TAKEN, .take = take_own},
    {"new-network", OPTION_ON, IN(new_network)},
    {"door", OPTION_TAKEN, .take = take_door},
    {"name", OPTION_TAKEN, .take = take_name},
    {"debugging", OPTION_ON, IN(debugging)},
    {"inside", OPTION_ON, IN(inside)},
    {"die-with-parent", OPTION_ON, IN(die_with_parent)},
    {"space", OPTION_TAKEN, .take = end_with_space},
    {"walls", OPTION_RUN, .take = end_with_walls},
    {"networks", OPTION_RUN, .take = end_with_networks},
};
static const struct command_line line = {
    .program = "trilane-guard", .help = help, .rows = rows, .count = sizeof rows / sizeof *rows};

void options_read(struct options *options, int argc, char **argv) {
    options->nearest = SPACE_PUBLIC;
    const int words = command_line_read(&line, options, argc, argv);
    if (words == argc) {
        fputs(help, stderr);
        exit(EXIT_BAD_INPUT);
    }
    if (options->doors.count > 0 && !options->new_network)
        die(EXIT_BAD_INPUT, "--door: is into a --new-network: give that too");
    options->command = argv + words;
}

void options_close(struct options *options) {
    own_networks_free(&options->own);
}
