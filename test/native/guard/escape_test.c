// Native code in the browser's place tries what there is on this machine, from a lab and from where a page is
// recorded: table-driven, way by place. The machine is one of the test's own: a network with addresses of
// each kind, and a /run and /tmp with the sockets of D-Bus, Docker and X11, the session's bus and the display
// with their servers where these are installed. What a page itself can try is in
// test/e2e/record_local_network.test.ts. The program is also what it runs: by words as its arguments.
#include "base/namespace.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

enum kind { ADDRESS, ABSTRACT, PATH, DATA, PROCESSES, PROGRAMS, KINDS };

// A server of another's, which answers what a client says first.
struct server {
    const char *program, *at, *hello;
    size_t hello_size;
    char *words[7];
};
enum { SERVERS = 2 };
#define DISPLAY "7391"
#define X11_SOCKET "/tmp/.X11-unix/X" DISPLAY
#define BUS_SOCKET "/run/user/1000/bus"
static const struct server servers[SERVERS] = {
    {"Xvfb",
     X11_SOCKET,
     "l\0\x0b\0\0\0\0\0\0\0\0",
     12,
     {"Xvfb", ":" DISPLAY, "-ac", "-noreset", "-nolisten", "tcp", NULL}},
    {"dbus-daemon",
     BUS_SOCKET,
     "\0AUTH EXTERNAL 31303030\r\n",
     25,
     {"dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=" BUS_SOCKET, NULL}},
};

struct way {
    const char *name;
    enum kind kind;
    const char *at; // a path below the home, if it is not absolute
};

static const struct way ways[] = {
    {"loopback", ADDRESS, "127.0.0.1"},
    {"another loopback address", ADDRESS, "127.8.8.8"},
    {"this host", ADDRESS, "0.0.0.0"},
    {"loopback, IPv6", ADDRESS, "::1"},
    {"loopback, IPv4 in IPv6", ADDRESS, "::ffff:127.0.0.1"},
    {"private", ADDRESS, "10.9.9.9"},
    {"private, IPv6", ADDRESS, "fd99::9"},
    {"link-local", ADDRESS, "169.254.7.7"},
    {"link-local, IPv6", ADDRESS, "fe80::9"},
    {"X11, abstract", ABSTRACT, X11_SOCKET},
    {"X11", PATH, X11_SOCKET},
    {"D-Bus, system", PATH, "/run/dbus/system_bus_socket"},
    {"D-Bus, session", PATH, BUS_SOCKET},
    {"Docker", PATH, "/run/docker.sock"},
    {"an agent in the home", PATH, "agent"},
    {"a key in the home", DATA, ".ssh/id_ed25519"},
    {"the key by another process", PROCESSES, ".ssh/id_ed25519"},
    {"writing to the lab's programs", PROGRAMS, TRILANE_ROOT "/build"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static char self[4096], home[] = "/var/tmp/trilane-escape-XXXXXX", port[16], running[64];

#define LAB_WITH_HIDING                                                                                      \
    PROGRAM_TRILANE_SHAPER, "--link", "10mbit/2ms", "--hide", "/run", "--hide", "/tmp", "--hide", home,      \
        "--hide", TRILANE_ROOT, "--show", TRILANE_ROOT "/build", "--"

static const struct place {
    const char *name;
    char *words[24]; // before the command
    bool reaches[KINDS];
} places[] = {
    {"unguarded", {NULL}, {true, true, true, true, true, true}},
    {"recording", {PROGRAM_TRILANE_GUARD, "--"}, {[DATA] = true, [PROCESSES] = true, [PROGRAMS] = true}},
    {"a load's lab", {LAB_WITH_HIDING}, {false}},
    // As in a container that hides a part of /proc.
    {"a load's lab without a /proc of its own",
     {"unshare", "--mount", "sh", "-c", "mount --bind /dev/null /proc/uptime && exec \"$@\"", "sh",
      LAB_WITH_HIDING},
     {false}},
    // What runs there is the user's.
    {"a shell's lab",
     {PROGRAM_TRILANE_SHAPER, "--link", "10mbit/2ms", "--"},
     {[PATH] = true, [DATA] = true, [PROCESSES] = true, [PROGRAMS] = true}},
};

static const char *path_of(const struct way *way) {
    static char path[256];
    snprintf(path, sizeof path, "%s%s%s", *way->at == '/' ? "" : home, *way->at == '/' ? "" : "/", way->at);
    return path;
}

static socklen_t unix_address(struct sockaddr_un *to, const struct way *way) {
    const bool abstract = way->kind == ABSTRACT;
    const char *name = abstract ? way->at : path_of(way);
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(to->sun_path + abstract, name, strlen(name));
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name) + !abstract);
}

static bool is_answered(int fd, const struct server *server) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    char byte;
    return send(fd, server->hello, server->hello_size, MSG_NOSIGNAL) == (ssize_t)server->hello_size &&
           poll(&watched, 1, 10000) == 1 && recv(fd, &byte, 1, 0) == 1;
}

// NULL: no server, but a socket of this test.
static const struct server *server_of(const struct way *way) {
    for (int i = 0; i < SERVERS; i++)
        if (strcmp(servers[i].at, way->at) == 0)
            return strstr(running, servers[i].program) ? &servers[i] : NULL;
    return NULL;
}

// What is reached answers at once; over a lab's link nobody refuses.
static bool connects(int family, const void *address, socklen_t size, const struct server *server) {
    const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd watched = {.fd = fd, .events = POLLOUT};
    int error = connect(fd, address, size) < 0 ? errno : 0;
    socklen_t error_size = sizeof error;
    if (error == EINPROGRESS && poll(&watched, 1, 500) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
    const bool reached = error == 0 && (!server || is_answered(fd, server));
    close(fd);
    return reached;
}

static bool can_read(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

// By what each process, ours too, has as its root.
static bool can_read_by_processes(const char *path) {
    DIR *processes = opendir("/proc");
    bool found = false;
    for (const struct dirent *each; !found && processes && (each = readdir(processes));) {
        char there[PATH_MAX];
        snprintf(there, sizeof there, "/proc/%s/root%s", each->d_name, path);
        found = each->d_name[0] >= '0' && each->d_name[0] <= '9' && can_read(there);
    }
    if (processes) closedir(processes);
    return found;
}

static bool reaches(const struct way *way) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = four.sin_port, .sin6_scope_id = if_nametoindex("lo")};
    struct sockaddr_un name;
    if (way->kind == DATA) return can_read(path_of(way));
    if (way->kind == PROCESSES) return can_read_by_processes(path_of(way));
    if (way->kind == PROGRAMS) return access(way->at, W_OK) == 0;
    if (way->kind != ADDRESS) return connects(AF_UNIX, &name, unix_address(&name, way), server_of(way));
    if (inet_pton(AF_INET, way->at, &four.sin_addr) == 1) return connects(AF_INET, &four, sizeof four, NULL);
    return inet_pton(AF_INET6, way->at, &six.sin6_addr) == 1 && connects(AF_INET6, &six, sizeof six, NULL);
}

static int try_all(void) {
    for (size_t i = 0; i < WAYS; i++)
        if (reaches(&ways[i])) puts(ways[i].name);
    return 0;
}

static void run_in_shell(const char *script) {
    struct run run;
    run_words(&run, "sh", "-ec", script, NULL);
    if (run.status != 0) print_message("%s", run.err);
    assert_int_equal(run.status, 0);
}

static int listening[WAYS];

static void listen_at(size_t i, int family, const void *address, socklen_t size) {
    listening[i] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening[i], address, size), 0);
    assert_int_equal(listen(listening[i], 1024), 0);
}

static pid_t started[SERVERS];

static void start_servers(void) {
    for (int i = 0; i < SERVERS; i++) {
        char command[64];
        snprintf(command, sizeof command, "command -v %s >/dev/null", servers[i].program);
        if (system(command) != 0) {
            print_message("%s is not installed: a socket of ours stands in\n", servers[i].program);
            continue;
        }
        strcat(running, servers[i].program);
        const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
        started[i] = start_program((char **)(uintptr_t)servers[i].words, none);
        close(none);
    }
}

// A server takes a while to start, and the kernel to use an address of IPv6 that it has taken.
static void wait_until_reached(const struct way *way) {
    for (int left = 3000; !reaches(way); left--) {
        if (left == 0) fail_msg("%s", way->name);
        nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static int set_up(void **state) {
    (void)state;
    assert_non_null(mkdtemp(home));
    run_in_shell(
        "ip link set lo up; for a in 10.9.9.9/32 169.254.7.7/32 fd99::9/128 fe80::9/64; do ip address add $a "
        "dev lo nodad 2>/dev/null || ip address add $a dev lo; done; mkdir -p /run/dbus /run/user/1000; "
        "mkdir -m 1777 /tmp/.X11-unix");
    start_servers();
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    socklen_t size = sizeof any;
    listen_at(0, AF_INET6, &any, size);
    getsockname(listening[0], (struct sockaddr *)&any, &size);
    snprintf(port, sizeof port, "%d", ntohs(any.sin6_port));
    for (size_t i = 0; i < WAYS; i++) {
        struct sockaddr_un name;
        if (server_of(&ways[i])) continue;
        if (ways[i].kind == PATH || ways[i].kind == ABSTRACT)
            listen_at(i, AF_UNIX, &name, unix_address(&name, &ways[i]));
    }
    char script[256];
    snprintf(script, sizeof script, "mkdir %s/.ssh; echo secret >%s/.ssh/id_ed25519", home, home);
    run_in_shell(script);
    for (size_t i = 0; i < WAYS; i++)
        wait_until_reached(&ways[i]);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char script[128];
    for (size_t i = 0; i < WAYS; i++)
        if (listening[i] > 0) close(listening[i]);
    for (int i = 0; i < SERVERS; i++)
        if (started[i] > 0) assert_true(kill(started[i], SIGTERM) == 0 && waitpid(started[i], NULL, 0) > 0);
    snprintf(script, sizeof script, "rm -rf %s", home);
    run_in_shell(script);
    return 0;
}

UNIT_TEST(test_native_code_reaches_nothing_here) {
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct run run;
        char *argv[32], expected[1024] = "";
        int count = 0;
        for (int j = 0; places[i].words[j]; j++)
            argv[count++] = places[i].words[j];
        argv[count++] = self;
        argv[count++] = port;
        argv[count++] = home;
        argv[count++] = running;
        argv[count] = NULL;
        run_program(&run, argv);
        for (size_t j = 0; j < WAYS; j++)
            if (places[i].reaches[ways[j].kind]) strcat(strcat(expected, ways[j].name), "\n");
        print_message("%s: %s\n", places[i].name, run.out);
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, expected);
    }
}

// The checkout stays, if it lies in there.
static bool empty_folder(const char *folder) {
    const int root = open(TRILANE_ROOT, O_PATH | O_CLOEXEC);
    char again[PATH_MAX + 64];
    if (root < 0 || mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0) return false;
    snprintf(again, sizeof again, "mkdir -p %s && mount --bind /proc/%d/fd/%d %s", TRILANE_ROOT, getpid(),
             root, TRILANE_ROOT);
    const bool is_there = access(TRILANE_ROOT, F_OK) == 0 || system(again) == 0;
    close(root);
    return is_there;
}

// A network, a /run and a /tmp of our own; what is run makes labs of its own in turn.
static bool enter_own_machine(void) {
    namespace_enter_lab();
    return unsetenv(NAMESPACE_TOKEN) == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && empty_folder("/run") &&
           empty_folder("/tmp");
}

GROUP_FIXTURE(set_up, tear_down)

int main(int argc, char **argv) {
    if (argc == 4) {
        snprintf(port, sizeof port, "%s", argv[1]);
        snprintf(home, sizeof home, "%s", argv[2]);
        snprintf(running, sizeof running, "%s", argv[3]);
        end_run(try_all());
    }
    if (!realpath("/proc/self/exe", self) || !enter_own_machine()) return 1;
    return unit_tests_run();
}
