// The server is the leader of a session of its own, by which its processes are found and ended. It dies with
// us in any case: the process namespace of the lab ends with us.
#include "origin_server/serve.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/schedule.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- What /proc says: which ports of the network namespace are listened on ----

enum { TCP_LISTEN = 0x0a, LINE_SIZE = 512 };

typedef bool (*visitor)(void *context, uint16_t port); // false: seen enough

static bool each_of(const char *table, bool is_tcp, visitor visit, void *context) {
    char path[32], line[LINE_SIZE];
    snprintf(path, sizeof path, "/proc/net/%s", table);
    FILE *file = fopen(path, "re");
    bool wants_more = true;
    while (file && wants_more && fgets(line, sizeof line, file)) {
        unsigned local_port, remote_port, state;
        if (sscanf(line, " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%x %x", &local_port, &remote_port, &state) != 3)
            continue;
        if (is_tcp ? state == TCP_LISTEN : remote_port == 0)
            wants_more = visit(context, (uint16_t)local_port);
    }
    if (file) fclose(file);
    return wants_more;
}

static bool is_other(void *context, uint16_t port) {
    return port != *(const uint16_t *)context;
}

// Of TCP ("tcp"): a listener. Of UDP ("udp"): a socket that is bound and not connected.
static bool listening_on(const char *protocol, uint16_t port) {
    const bool is_tcp = strcmp(protocol, "tcp") == 0;
    return !each_of(is_tcp ? "tcp" : "udp", is_tcp, is_other, &port) ||
           !each_of(is_tcp ? "tcp6" : "udp6", is_tcp, is_other, &port);
}

struct list {
    char *text;
    size_t size, used;
};

static bool add(void *context, uint16_t port) {
    struct list *list = context;
    int written =
        snprintf(list->text + list->used, list->size - list->used, "%s%u", list->used > 0 ? ", " : "", port);
    if (written < 0 || (size_t)written >= list->size - list->used) return false;
    list->used += (size_t)written;
    return true;
}

// "80, 8443" of TCP, for people; "no port" if there are none.
static void listening_list(char *text, size_t size) {
    struct list list = {.text = text, .size = size};
    if (each_of("tcp", true, add, &list)) each_of("tcp6", true, add, &list);
    if (list.used == 0) snprintf(text, size, "no port");
}

// ---- And the CPU time of a session's processes ----

enum { PATH_SIZE = 300 };

static uint64_t thread_ns(const char *process, const char *thread) {
    char path[2 * PATH_SIZE];
    uint64_t ns = 0;
    snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", process, thread);
    FILE *file = fopen(path, "re");
    if (!file) return 0; // it has ended
    if (fscanf(file, "%" SCNu64, &ns) != 1) ns = 0;
    fclose(file);
    return ns;
}

static uint64_t process_ns(const char *process) {
    char path[PATH_SIZE];
    uint64_t sum_ns = 0;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.') sum_ns += thread_ns(process, entry->d_name);
    if (threads) closedir(threads);
    return sum_ns;
}

// Of /proc/PID/stat: after the name, which may have anything in it, come state, parent, group and session.
static pid_t session_of(const char *process) {
    char path[PATH_SIZE], text[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *after_name = strrchr(text, ')');
    int session;
    return after_name && sscanf(after_name + 1, " %*c %*d %*d %d", &session) == 1 ? session : -1;
}

// As the scheduler counts it. Not of threads that have ended.
static uint64_t used_cpu_ns(pid_t session) {
    uint64_t sum_ns = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        const char *name = entry->d_name;
        if (name[0] >= '1' && name[0] <= '9' && session_of(name) == session) sum_ns += process_ns(name);
    }
    if (processes) closedir(processes);
    return sum_ns;
}

// ---- The server ----

enum { TAIL_SIZE = 4096, LINE_MAX_BYTES = 300 };
static const struct timespec between_looks = {.tv_nsec = 2000000};
static const uint64_t stop_patience_ns = NS_PER_S;

__attribute__((noreturn)) static void be_server(const struct serve *serve, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int empty = open("/dev/null", O_RDONLY);
    int output = open(serve->output, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || setsid() < 0 || dup2(empty, 0) < 0 ||
        dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(EXIT_RUN_FAILED);
    close_range(3, ~0U, 0);
    schedule_behind_link();
    execl("/bin/sh", "sh", "-c", serve->command, (char *)NULL);
    _exit(EXIT_RUN_FAILED);
}

// The last line that says something, made fit for a terminal; "" if there is none.
static const char *last_line(const char *path, char text[TAIL_SIZE]) {
    FILE *file = fopen(path, "re");
    if (!file) return "";
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > TAIL_SIZE - 1 ? size - (TAIL_SIZE - 1) : 0, SEEK_SET);
    size_t got = fread(text, 1, TAIL_SIZE - 1, file);
    fclose(file);
    while (got > 0 && strchr(" \t\r\n", text[got - 1]))
        got--;
    text[got] = '\0';
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (strlen(line) > LINE_MAX_BYTES) line[LINE_MAX_BYTES] = '\0';
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    return line;
}

__attribute__((noreturn)) static void fail_ended(const struct serve *serve) {
    char text[TAIL_SIZE];
    const char *line = last_line(serve->output, text);
    if (WIFSIGNALED(serve->wait_status))
        die(EXIT_BAD_INPUT, "server %s was ended by signal %d before it listened: %s", serve->name,
            WTERMSIG(serve->wait_status), line);
    die(EXIT_BAD_INPUT, "server %s ended before it listened (exit status %d): %s", serve->name,
        WEXITSTATUS(serve->wait_status), line);
}

__attribute__((noreturn)) static void fail_late(struct serve *serve, const struct serve_port *missing) {
    char text[TAIL_SIZE], ports[256];
    listening_list(ports, sizeof ports);
    const char *line = last_line(serve->output, text);
    serve_stop(serve);
    die(EXIT_BAD_INPUT, "server %s does not listen on %s port %u (it does on TCP %s)%s%s", serve->name,
        strcmp(missing->protocol, "tcp") == 0 ? "TCP" : "UDP", missing->port, ports, *line ? ": " : "", line);
}

static const struct serve_port *missing_port(const struct serve *serve) {
    for (unsigned i = 0; i < serve->port_count; i++)
        if (!listening_on(serve->ports[i].protocol, serve->ports[i].port)) return &serve->ports[i];
    return NULL;
}

void serve_start(struct serve *serve) {
    const pid_t self = getpid();
    const uint64_t until_ns = clock_now_ns() + serve->patience_ns;
    serve->pid = fork();
    if (serve->pid < 0) die(EXIT_RUN_FAILED, "no process for the server: %s", strerror(errno));
    if (serve->pid == 0) be_server(serve, self);
    serve->pidfd = (int)syscall(SYS_pidfd_open, serve->pid, 0);
    if (serve->pidfd < 0) die(EXIT_RUN_FAILED, "pidfd_open: %s", strerror(errno));
    fcntl(serve->pidfd, F_SETFD, FD_CLOEXEC);
    for (const struct serve_port *missing; (missing = missing_port(serve));) {
        if (waitpid(serve->pid, &serve->wait_status, WNOHANG) == serve->pid) fail_ended(serve);
        if (clock_now_ns() > until_ns) fail_late(serve, missing);
        nanosleep(&between_looks, NULL);
    }
    serve->ready_ns = clock_now_ns();
    serve->cpu_at_ready_ns = used_cpu_ns(serve->pid);
}

void serve_note_end(struct serve *serve, uint64_t now_ns) {
    if (serve->has_ended || waitpid(serve->pid, &serve->wait_status, WNOHANG) != serve->pid) return;
    serve->has_ended = true;
    serve->ended_ns = now_ns;
}

uint64_t serve_cpu_ns(const struct serve *serve) {
    uint64_t now_ns = used_cpu_ns(serve->pid);
    return now_ns > serve->cpu_at_ready_ns ? now_ns - serve->cpu_at_ready_ns : 0;
}

void serve_stop(struct serve *serve) {
    const uint64_t until_ns = clock_now_ns() + stop_patience_ns;
    bool is_gone = serve->has_ended;
    if (!is_gone) kill(-serve->pid, SIGTERM);
    while (!is_gone && clock_now_ns() < until_ns) {
        is_gone = waitpid(serve->pid, NULL, WNOHANG) == serve->pid;
        if (!is_gone) nanosleep(&between_looks, NULL);
    }
    kill(-serve->pid, SIGKILL);
    if (!is_gone) waitpid(serve->pid, NULL, 0);
    close(serve->pidfd);
}
