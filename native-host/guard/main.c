// trilane-guard: runs a command that reaches what it may, and of this machine no more.
//
// A page that is recorded is anybody's. The browser that loads it has checks of its own (Local Network
// Access), but not for everything: a page may lead it to a private address by a redirect, a form or a name
// that it owns. Here the kernel asks before each connection, whatever began it, and needs no privileges and
// no namespace for that: the browser stays on the network that it is on. The command gets what child.h says,
// and its exit status is ours.
//
// With --new-network the command gets an empty network: trilane-shaper's, which makes it the far side of its
// link (AppArmor may let this program make user namespaces, and not `unshare`). What comes over the link then
// reaches only what is there: servers of this machine through doors, or what pasta brings (live_lab.sh), and
// if --nearest says so not the addresses that are nearer.
#include "base/child.h"
#include "base/clock.h"
#include "base/handover.h"
#include "base/log.h"
#include "base/namespace.h"
#include "base/walls.h"
#include "guard/connect_filter.h"
#include "guard/debugging.h"
#include "guard/far_side.h"
#include "guard/gate.h"
#include "guard/options.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the command gets to end by itself after Ctrl-C or SIGTERM.
static const uint64_t grace_ns = 2 * NS_PER_S;

struct guard {
    const struct options *options;
    struct loop *loop;
    struct child child;
    pid_t own_pid;
    int to; // in the child: where descriptors go
    int status;
};

static void child_ended(void *context, int status) {
    struct guard *guard = context;
    guard->status = status;
    loop_stop(guard->loop);
}

// In the child: says which descriptor the filter's is, and waits until it was taken. It is not sent, as
// sending is what asks.
static int enter_filter(void *context) {
    const struct guard *guard = context;
    char taken;
    const int fd = connect_filter_install();
    if (fd >= 0)
        return write(guard->to, &fd, sizeof fd) == sizeof fd && read(guard->to, &taken, 1) == 1 ? 0 : -1;
    log_line("system calls cannot be filtered: %s%s", strerror(errno),
             errno == EBUSY ? " (a container's runtime does so already: run outside it)" : "");
    return -1;
}

// How many: none if there is no filter.
static size_t take_filter(const struct guard *guard, int from, int *filter) {
    int fd;
    if (read(from, &fd, sizeof fd) != sizeof fd) return 0;
    const int child = (int)syscall(SYS_pidfd_open, guard->child.pid, 0);
    *filter = child < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, child, fd, 0);
    if (*filter < 0) log_line("the filter cannot be taken over: %s", strerror(errno));
    if (child >= 0) close(child);
    return *filter >= 0 && write(from, "", 1) == 1;
}

// In the child: the far side's sockets go to who stays on this machine's network.
static int enter_far_side(void *context) {
    const struct guard *guard = context;
    int descriptors[DOORS_MAX + 1];
    namespace_enter_lab();
    child_die_with_parent(guard->own_pid);
    size_t count = far_side_listen(&guard->options->doors, descriptors);
    return handover_send(guard->to, "", 1, descriptors, count);
}

// Dies.
static void open_guard(struct guard *guard) {
    guard->own_pid = getpid();
    guard->child = (struct child){.ended = child_ended, .context = guard};
    guard->status = EXIT_RUN_FAILED;
    if (loop_open(&guard->loop) < 0 || child_open(&guard->child, guard->loop) < 0)
        die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
}

// Starts the command; the number of descriptors that it sent.
static size_t start(struct guard *guard, struct child_options *options, int *descriptors, size_t max) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        die(EXIT_RUN_FAILED, "socket: %s", strerror(errno));
    guard->to = ends[1];
    options->argv = guard->options->command;
    options->inherited_descriptors = guard->options->inherited_descriptors;
    options->prepare_context = guard;
    options->grace_ns = grace_ns;
    if (child_start(&guard->child, options) < 0) die(EXIT_RUN_FAILED, "command: %s", strerror(errno));
    close(ends[1]);
    size_t count = 0;
    if (options->prepare == enter_filter) {
        count = take_filter(guard, ends[0], descriptors);
    } else if (options->prepare) {
        char none;
        count = max;
        handover_receive(ends[0], &none, 1, descriptors, &count);
    }
    close(ends[0]);
    return count;
}

// Its connections are those of the command, and so are the processes that it looks into.
static void raise_walls(bool any_file) {
    static const unsigned calls[] = {WALLS_NETWORK, __NR_pidfd_open, __NR_pidfd_getfd, __NR_process_vm_readv,
                                     __NR_process_vm_writev};
    const struct walls walls = {
        .calls = calls, .call_count = sizeof calls / sizeof calls[0], .any_file = any_file};
    walls_raise_or_say(&walls);
}

static void raise_walls_with_doors(void) {
    raise_walls(false);
}

static int run_filtered(struct guard *guard) {
    const struct options *options = guard->options;
    struct child_options child_options = {.prepare = enter_filter};
    struct gate gate;
    int fd = -1;
    // What the command leaves behind stays ours, so that its memory can be read wherever only a parent may do
    // so.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // Without a filter there is no command: its end is reported with the reason.
    bool filtered = start(guard, &child_options, &fd, 1) == 1;
    const bool opened = !filtered || gate_open(&gate, guard->loop, fd, options->nearest, &options->own) == 0;
    if (opened) raise_walls(true);
    if (!opened || loop_run(guard->loop) < 0) log_line("event loop: %s", strerror(errno));
    child_close(&guard->child);
    if (filtered) gate_close(&gate);
    return guard->status;
}

// 0, or -1 with errno. The first descriptor is that of names.
static int open_doors(struct doors *doors, const struct door_list *list, const int *descriptors,
                      size_t count) {
    if (count == 0) return 0;
    if (doors_answer_names(doors, descriptors[0]) < 0) return -1;
    for (size_t i = 1; i < count; i++)
        if (doors_add(doors, descriptors[i], &list->all[i - 1].target) < 0) return -1;
    return 0;
}

// The command in a new network with doors, or in this one; with a debugging port to what is inside.
static int run_with_doors(struct guard *guard) {
    const struct options *options = guard->options;
    struct child_options child_options = {.prepare = options->new_network ? enter_far_side : NULL,
                                          .keep_capabilities = true};
    struct debugging debugging = {.watch = {.fd = -1}, .port_fd = -1, .handed_over = raise_walls_with_doors};
    struct doors doors;
    int descriptors[DOORS_MAX + 1];
    doors_open(&doors, guard->loop, &options->doors);
    if (options->debugging) debugging_open_outside(&debugging, options->command);
    if (options->inside && debugging_enter(&doors) < 0) log_line("debugging port: %s", strerror(errno));
    size_t count = start(guard, &child_options, descriptors, DOORS_MAX + 1);
    // The folder of a debugging port's socket is still to be removed, and until it is, no browser has begun.
    if (debugging.watch.fd < 0) raise_walls(false);
    if (open_doors(&doors, &options->doors, descriptors, count) < 0 ||
        debugging_watch(&debugging, guard->loop) < 0 || loop_run(guard->loop) < 0)
        log_line("event loop: %s", strerror(errno));
    child_close(&guard->child);
    debugging_close(&debugging);
    doors_close(&doors);
    return guard->status;
}

// It takes our place.
static int run_in_new_network(const struct options *options) {
    namespace_enter_lab();
    if (options->nearest_given) far_side_refuse(options->nearest, &options->own);
    execvp(options->command[0], options->command);
    die(EXIT_BAD_INPUT, "%s: %s", options->command[0], strerror(errno));
}

int main(int argc, char **argv) {
    pid_t parent = getppid();
    log_program("trilane-guard");
    struct options options = {.inherited_descriptors = child_inherited_descriptors()};
    options_read(&options, argc, argv);
    if (options.die_with_parent) child_die_with_parent(parent);
    bool has_doors = options.doors.count > 0 || options.debugging;
    if (options.new_network && !has_doors) return run_in_new_network(&options);
    struct guard guard = {.options = &options};
    open_guard(&guard);
    int status = has_doors || options.inside ? run_with_doors(&guard) : run_filtered(&guard);
    loop_close(guard.loop);
    options_close(&options);
    return status;
}
