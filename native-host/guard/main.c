// trilane-guard: runs a command that reaches the internet, but not this machine's own services and not its
// networks.
//
// A page that is recorded is anybody's. The browser that loads it has checks of its own (Local Network
// Access), but not for everything: a page may lead it to a private address by a redirect, a form or a name
// that it owns. Here the kernel asks before each connection, whatever began it, and needs no privileges and
// no namespace for that: the browser stays on the network that it is on. The command gets what child.h says,
// and its exit status is ours.
//
// With --new-network it is the other way round: the command gets an empty network, on which nothing is
// filtered, and takes our place. A link to live sites begins so (live_lab.sh): AppArmor may let this program
// make user namespaces and not `unshare`.
#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/namespace.h"
#include "guard/connect_filter.h"
#include "guard/gate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// What the command gets to end by itself after Ctrl-C or SIGTERM.
static const uint64_t grace_ns = 2 * NS_PER_S;

static const char help[] =
    "Usage: trilane-guard [--nearest SPACE] [--own NETWORKS] -- COMMAND [ARGUMENT]...\n"
    "       trilane-guard --new-network -- COMMAND [ARGUMENT]...\n"
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
    "  --new-network    run it in a new, empty network in which it may make a lab, and filter nothing\n"
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

struct guard {
    struct loop *loop;
    struct child child;
    int status;
};

static void child_ended(void *context, int status) {
    struct guard *guard = context;
    guard->status = status;
    loop_stop(guard->loop);
}

static int receive_descriptor(int from) {
    int fd = -1;
    char byte, control[CMSG_SPACE(sizeof fd)];
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t size;
    while ((size = recvmsg(from, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    struct cmsghdr *header = size == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

// In the child: the filter's descriptor goes over a socket to who answers.
static int enter_filter(void *context) {
    int to = *(const int *)context;
    char byte = 0, control[CMSG_SPACE(sizeof(int))];
    memset(control, 0, sizeof control);
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    int fd = connect_filter_install(&message);
    if (fd >= 0) {
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
        return sendmsg(to, &message, 0) == 1 ? 0 : -1;
    }
    log_line("system calls cannot be filtered: %s%s", strerror(errno),
             errno == EBUSY ? " (a container's runtime does so already: run outside it)" : "");
    return -1;
}

static int run(char *const argv[], unsigned inherited, enum address_space nearest,
               const struct own_networks *besides) {
    struct guard guard = {.child = {.ended = child_ended, .context = &guard}, .status = EXIT_RUN_FAILED};
    int ends[2];
    // What the command leaves behind stays ours, so that its memory can be read wherever only a parent may do
    // so.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 || loop_open(&guard.loop) < 0 ||
        child_open(&guard.child, guard.loop) < 0)
        die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
    struct child_options options = {.argv = argv,
                                    .inherited_descriptors = inherited,
                                    .prepare = enter_filter,
                                    .prepare_context = &ends[1],
                                    .grace_ns = grace_ns};
    if (child_start(&guard.child, &options) < 0) die(EXIT_RUN_FAILED, "command: %s", strerror(errno));
    close(ends[1]);
    int fd = receive_descriptor(ends[0]);
    close(ends[0]);
    struct gate gate;
    // Without a filter there is no command: its end is told, with the reason.
    bool asked = fd >= 0;
    if ((asked && gate_open(&gate, guard.loop, fd, nearest, besides) < 0) || loop_run(guard.loop) < 0)
        log_line("event loop: %s", strerror(errno));
    child_close(&guard.child);
    if (asked) gate_close(&gate);
    loop_close(guard.loop);
    return guard.status;
}

static int run_in_new_network(char *const argv[]) {
    namespace_enter_lab();
    execvp(argv[0], argv);
    die(EXIT_BAD_INPUT, "%s: %s", argv[0], strerror(errno));
}

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

int main(int argc, char **argv) {
    log_program("trilane-guard");
    unsigned inherited = child_inherited_descriptors();
    static const struct option known[] = {
        {"nearest", required_argument, NULL, 'n'}, {"new-network", no_argument, NULL, 'w'},
        {"own", required_argument, NULL, 'o'},     {"networks", no_argument, NULL, 'k'},
        {"space", required_argument, NULL, 's'},   {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},       {NULL, 0, NULL, 0}};
    int nearest = SPACE_PUBLIC, option;
    bool new_network = false;
    struct own_networks besides = {0};
    while ((option = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        if (option == 'n') {
            nearest = address_space_named(optarg);
            if (nearest < 0) die(EXIT_BAD_INPUT, "--nearest \"%s\": write public, local or loopback", optarg);
        } else if (option == 'w') {
            new_network = true;
        } else if (option == 'o') {
            own_networks_free(&besides);
            if (own_networks_parse(&besides, optarg) < 0)
                die(EXIT_BAD_INPUT, "--own \"%s\": write what trilane-guard --networks prints", optarg);
        } else if (option == 'k') {
            print_networks();
            return 0;
        } else if (option == 's') {
            print_space(optarg);
            return 0;
        } else if (option == 'h') {
            fputs(help, stdout);
            return 0;
        } else if (option == 'v') {
            puts("trilane-guard " TRILANE_VERSION);
            return 0;
        } else {
            return EXIT_BAD_INPUT;
        }
    }
    if (optind == argc) {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    if (new_network) return run_in_new_network(argv + optind);
    int status = run(argv + optind, inherited, (enum address_space)nearest, &besides);
    own_networks_free(&besides);
    return status;
}
