#include "guard/debugging.h"

#include "base/handover.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char option[] = "--remote-debugging-port=";
static const char variable[] = "TRILANE_DEBUGGING"; // the Unix socket's path

static char **find_option(char **argv) {
    for (; *argv; argv++)
        if (strncmp(*argv, option, strlen(option)) == 0) return argv;
    return NULL;
}

static int port_of(int fd) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &size) < 0 ? 0 : ntohs(address.sin_port);
}

static int open_port(const char *text) {
    struct door door;
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%.10s", text);
    if (door_parse_address(address, &door.at) < 0)
        die(EXIT_BAD_INPUT, "%s%s: write a port, or 0 for any", option, text);
    int fd = door_listen(&door);
    if (fd < 0) die(EXIT_BAD_INPUT, "%s%s: %s: choose another, or 0 for any", option, text, strerror(errno));
    return fd;
}

// A browser that chooses its port writes it here, and chromedriver reads it; ours was chosen for it, so it
// does not.
static void write_active_port(char **argv, int port) {
    static const char folder[] = "--user-data-dir=";
    char path[4096];
    for (; *argv; argv++) {
        if (strncmp(*argv, folder, strlen(folder)) != 0) continue;
        snprintf(path, sizeof path, "%s/DevToolsActivePort", *argv + strlen(folder));
        FILE *file = fopen(path, "we");
        if (!file) return; // the browser is to make that folder: no program waits for a file in it
        fprintf(file, "%d\n/devtools/browser\n", port);
        fclose(file);
    }
}

static struct sockaddr_un unix_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return address;
}

void debugging_open_outside(struct debugging *debugging, char **argv) {
    char **word = find_option(argv);
    if (!word) return;
    bool is_any = strcmp(*word + strlen(option), "0") == 0;
    debugging->port_fd = open_port(*word + strlen(option));
    if (is_any) write_active_port(argv, port_of(debugging->port_fd));
    if (asprintf(word, "%s%d", option, port_of(debugging->port_fd)) < 0)
        die(EXIT_RUN_FAILED, "not enough memory");
    snprintf(debugging->folder, sizeof debugging->folder, "/tmp/trilane-debugging-XXXXXX");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || !mkdtemp(debugging->folder))
        die(EXIT_RUN_FAILED, "%s: %s", debugging->folder, strerror(errno));
    snprintf(debugging->path, sizeof debugging->path, "%s/port", debugging->folder);
    struct sockaddr_un address = unix_address(debugging->path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 1) < 0 ||
        setenv(variable, debugging->path, 1) < 0) {
        int error = errno;
        unlink(debugging->path);
        rmdir(debugging->folder);
        die(EXIT_RUN_FAILED, "%s: %s", debugging->path, strerror(error));
    }
    debugging->watch.fd = fd;
}

void debugging_close(struct debugging *debugging) {
    if (debugging->watch.fd < 0) return;
    if (debugging->loop) loop_remove(debugging->loop, &debugging->watch);
    close(debugging->watch.fd);
    close(debugging->port_fd);
    debugging->watch.fd = -1;
    unlink(debugging->path);
    rmdir(debugging->folder);
}

static void give_port(void *context, uint32_t events) {
    struct debugging *debugging = context;
    (void)events;
    int to = accept4(debugging->watch.fd, NULL, NULL, SOCK_CLOEXEC);
    if (to < 0) return;
    if (handover_send(to, "", 1, &debugging->port_fd, 1) < 0) log_line("debugging port: %s", strerror(errno));
    close(to);
    debugging_close(debugging);
    debugging->handed_over();
}

int debugging_watch(struct debugging *debugging, struct loop *loop) {
    if (debugging->watch.fd < 0) return 0;
    debugging->loop = loop;
    debugging->watch.ready = give_port;
    debugging->watch.context = debugging;
    return loop_add(loop, &debugging->watch, EPOLLIN);
}

int debugging_enter(struct doors *doors) {
    const char *path = getenv(variable);
    if (!path) return 0;
    struct sockaddr_un address = unix_address(path);
    unsetenv(variable);
    int port = -1, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    char none;
    size_t count = 1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        handover_receive(fd, &none, 1, &port, &count) <= 0)
        count = 0;
    int error = errno;
    close(fd);
    errno = error;
    if (count == 0) return -1;
    char text[32];
    struct door_target target = {.count = 1, .awaited = true};
    snprintf(text, sizeof text, "127.0.0.1:%d", port_of(port));
    if (door_parse_address(text, &target.all[0]) < 0) return -1;
    return doors_add(doors, port, &target);
}
