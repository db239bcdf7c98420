#include "shaper/control.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    PEEK_BYTES = 4096,
    WAITING_CLIENTS = 16,
    LOCK_PATIENCE_S = 5,
    LOCK_LOOK_NS = 5000000,
};

__attribute__((format(printf, 2, 3))) static int fail(struct control_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->line, sizeof error->line, format, arguments);
    va_end(arguments);
    return -1;
}

// Whether a shaper answers there.
static bool somebody_listens(const struct sockaddr_un *address) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return true;
    bool refused =
        connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 && errno == ECONNREFUSED;
    close(fd);
    return !refused;
}

static bool is_same_file(int fd, const char *path) {
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

// A lock beside the socket, PATH.lock: between a look at a socket and its replacement no other shaper makes
// one there. Not on the folder: in one that all share, any user could keep that. -1 with errno EWOULDBLOCK if
// another shaper of this user keeps it; -1 and errno 0 if there is no lock to be had (another user's file has
// its name, a file system without locks): then the socket is made without.
static int lock_beside(const char *path) {
    uint64_t until_ns = clock_now_ns() + LOCK_PATIENCE_S * NS_PER_S;
    for (;;) {
        int fd = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        struct stat status;
        bool usable =
            fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
        bool locked = usable && flock(fd, LOCK_EX | LOCK_NB) == 0;
        // Who had it before may have removed it meanwhile.
        if (locked && is_same_file(fd, path)) return fd;
        bool kept = usable && (locked || errno == EWOULDBLOCK);
        if (fd >= 0) close(fd);
        if (!kept || clock_now_ns() >= until_ns) {
            errno = kept ? EWOULDBLOCK : 0;
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOCK_LOOK_NS}, NULL);
    }
}

// Leaves no file behind, unless it is somebody's that has this name.
static void unlock(int fd, const char *path) {
    struct stat status;
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && status.st_size == 0) unlink(path);
    close(fd);
}

static int bind_or_replace(int fd, const struct sockaddr_un *address) {
    mode_t mask = umask(0177);
    int result = bind(fd, (const struct sockaddr *)address, sizeof *address);
    struct stat status;
    if (result < 0 && errno == EADDRINUSE && lstat(address->sun_path, &status) == 0) {
        errno = EADDRINUSE;
        if (S_ISSOCK(status.st_mode) && !somebody_listens(address) && unlink(address->sun_path) == 0)
            result = bind(fd, (const struct sockaddr *)address, sizeof *address);
        else
            errno = EADDRINUSE;
    }
    umask(mask);
    return result;
}

// The socket under its name, listening. -1 with errno.
static int listen_at(struct control *control, const struct sockaddr_un *address) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    bool bound = bind_or_replace(fd, address) == 0;
    if (bound && listen(fd, WAITING_CLIENTS) == 0 && lstat(address->sun_path, &control->made) == 0) return fd;
    int why = errno;
    if (bound) unlink(address->sun_path);
    close(fd);
    errno = why;
    return -1;
}

int control_open(struct control *control, const char *path, struct control_error *error) {
    *control = (struct control){.path = path, .listen_watch = {.fd = -1}};
    for (int i = 0; i < CONTROL_CLIENTS; i++)
        control->clients[i].watch.fd = -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) == 0 || strlen(path) >= sizeof address.sun_path)
        return fail(error, "control: %s: a socket's path has 1 to %zu bytes: give a shorter one", path,
                    sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    char lock_path[sizeof address.sun_path + sizeof ".lock"];
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    int lock = lock_beside(lock_path);
    if (lock < 0 && errno == EWOULDBLOCK)
        return fail(error, "control: %s: another process keeps %s locked: give another path", path,
                    lock_path);
    int fd = listen_at(control, &address), why = errno;
    unlock(lock, lock_path);
    control->listen_watch.fd = fd;
    if (fd >= 0) return 0;
    if (why == EADDRINUSE) return fail(error, "control: %s: exists and is in use: give another path", path);
    return fail(error, "control: %s: %s", path, strerror(why));
}

static void drop(struct control_client *client) {
    if (client->watch.fd < 0) return;
    loop_remove(client->control->loop, &client->watch);
    close(client->watch.fd);
    client->watch.fd = -1;
    buf_free(&client->request);
    buf_free(&client->answer);
    client->request = (struct buf){0};
    client->answer = (struct buf){0};
    client->begun = 0;
}

// Sends what can be sent now. While something is left no further request is read.
static void send_answer(struct control_client *client) {
    size_t before = buf_size(&client->answer);
    ssize_t n = 1;
    while (buf_size(&client->answer) > 0 && n > 0) {
        n = send(client->watch.fd, buf_bytes(&client->answer), buf_size(&client->answer),
                 MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) buf_drain(&client->answer, (size_t)n);
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        drop(client);
        return;
    }
    bool left = buf_size(&client->answer) > 0;
    if ((!left && client->last) ||
        (before > 0 && loop_modify(client->control->loop, &client->watch, left ? EPOLLOUT : EPOLLIN) < 0))
        drop(client);
}

static void answer(struct control_client *client, json_t *document) {
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;
    json_decref(document);
    bool put =
        text && buf_add(&client->answer, text, strlen(text)) == 0 && buf_add(&client->answer, "\n", 1) == 0;
    free(text);
    if (put)
        send_answer(client);
    else
        drop(client); // memory is short
}

static void answer_error(struct control_client *client, const char *line) {
    // What the request held may be no text: then the answer does not quote it.
    json_t *text = json_string(line);
    if (!text) text = json_string("control: the request cannot be taken, and is not valid UTF-8");
    answer(client, json_pack("{s:b, s:o}", "ok", 0, "error", text));
}

static void answer_members(struct control_client *client, json_t *members, const char *error_line) {
    if (members) {
        json_object_set_new(members, "ok", json_true());
        answer(client, members);
    } else {
        answer_error(client, error_line);
    }
}

// What a request may hold beside its command.
static bool is_member(const char *command, const char *key) {
    return strcmp(key, "command") == 0 || (strcmp(command, "steer") == 0 && strcmp(key, "link") == 0);
}

// 0 and the command, or -1 with the error's line.
static int check(const json_t *request, const char **command, struct control_error *error) {
    *command = json_string_value(json_object_get(request, "command"));
    if (!*command)
        return fail(error, "control: a request is an object with a command: write {\"command\":\"stats\"}");
    if (strcmp(*command, "stats") != 0 && strcmp(*command, "steer") != 0)
        return fail(error, "control: no command \"%.100s\": there are stats and steer", *command);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)request, key, value) {
        if (!is_member(*command, key))
            return fail(error, "control: %s has no member \"%.100s\": leave it out", *command, key);
    }
    return 0;
}

static int begin_to_steer(struct control_client *client, const json_t *request, struct control_error *error) {
    struct control *control = client->control;
    const char *form = json_string_value(json_object_get(request, "link"));
    if (!form)
        return fail(error,
                    "control: steer needs a link: write {\"command\":\"steer\",\"link\":\"loss=2%%\"}");
    uint64_t number = ++control->requests;
    if (control->actions.steer(control->actions.context, form, number, error) < 0) return -1;
    client->begun = number;
    if (loop_modify(control->loop, &client->watch, 0) < 0) drop(client); // it has one request at a time
    return 0;
}

static void serve(struct control_client *client, const char *line, size_t size) {
    struct control *control = client->control;
    json_error_t json_error;
    json_t *request = json_loadb(line, size, JSON_REJECT_DUPLICATES, &json_error);
    struct control_error error = {"control: memory is short"};
    const char *command;
    if (!request) fail(&error, "control: a request is one line of JSON: %s", json_error.text);
    bool is_request = request && check(request, &command, &error) == 0;
    if (is_request && strcmp(command, "stats") == 0)
        answer_members(client, control->actions.stats(control->actions.context, &error), error.line);
    else if (!is_request || begin_to_steer(client, request, &error) < 0)
        answer_error(client, error.line);
    json_decref(request);
}

void control_answer(struct control *control, uint64_t request, json_t *members, const char *error_line) {
    for (int i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &control->clients[i];
        if (client->watch.fd < 0 || client->begun != request) continue;
        client->begun = 0;
        if (loop_modify(control->loop, &client->watch, EPOLLIN) < 0) break;
        answer_members(client, members, error_line);
        return;
    }
    json_decref(members); // the client has gone
}

// Takes no more than one line from the socket: the kernel keeps the rest, and the client waits.
static void read_request(struct control_client *client) {
    char bytes[PEEK_BYTES];
    ssize_t n = recv(client->watch.fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        drop(client);
        return;
    }
    client->active_ns = clock_now_ns();
    char *end = memchr(bytes, '\n', (size_t)n);
    size_t take = end ? (size_t)(end + 1 - bytes) : (size_t)n;
    if (recv(client->watch.fd, bytes, take, MSG_DONTWAIT) != (ssize_t)take ||
        buf_add(&client->request, bytes, take) < 0) {
        drop(client);
        return;
    }
    if (buf_size(&client->request) > CONTROL_REQUEST_MAX) {
        client->last = true;
        answer_error(client, "control: a request has at most 65536 bytes: end it with a line's end");
        return;
    }
    if (!end) return;
    struct buf request = client->request; // the client may be gone before it is served
    client->request = (struct buf){0};
    if (buf_size(&request) > 1) serve(client, (const char *)buf_bytes(&request), buf_size(&request) - 1);
    buf_free(&request);
}

static void client_ready(void *context, uint32_t events) {
    struct control_client *client = context;
    if (client->begun > 0) { // only its end is waited for
        drop(client);
        return;
    }
    if (buf_size(&client->answer) > 0) {
        if (events & (EPOLLERR | EPOLLHUP))
            drop(client);
        else
            send_answer(client);
        return;
    }
    read_request(client);
}

// A free place, or that of the client that has been silent for longest: a hung one does not keep others out.
static struct control_client *place_for_client(struct control *control) {
    struct control_client *oldest = &control->clients[0];
    for (int i = 0; i < CONTROL_CLIENTS; i++) {
        struct control_client *client = &control->clients[i];
        if (client->watch.fd < 0) return client;
        if (client->active_ns < oldest->active_ns) oldest = client;
    }
    drop(oldest);
    return oldest;
}

static void client_comes(void *context, uint32_t events) {
    struct control *control = context;
    (void)events;
    int fd = accept4(control->listen_watch.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    struct control_client *client = place_for_client(control);
    *client = (struct control_client){.control = control, .active_ns = clock_now_ns()};
    client->watch = (struct loop_watch){.fd = fd, .ready = client_ready, .context = client};
    if (loop_add(control->loop, &client->watch, EPOLLIN) < 0) {
        close(fd);
        client->watch.fd = -1;
    }
}

int control_serve(struct control *control, struct loop *loop, const struct control_actions *actions) {
    control->loop = loop;
    control->actions = *actions;
    control->listen_watch.ready = client_comes;
    control->listen_watch.context = control;
    return loop_add(loop, &control->listen_watch, EPOLLIN);
}

void control_close(struct control *control) {
    if (!control->path || control->listen_watch.fd < 0) return;
    for (int i = 0; i < CONTROL_CLIENTS; i++)
        drop(&control->clients[i]);
    if (control->loop) loop_remove(control->loop, &control->listen_watch);
    // Somebody may have removed ours and another shaper taken the path. As long as we listen at ours, its
    // number is not given to another and no shaper replaces it.
    struct stat there;
    if (lstat(control->path, &there) == 0 && there.st_dev == control->made.st_dev &&
        there.st_ino == control->made.st_ino)
        unlink(control->path);
    close(control->listen_watch.fd);
    control->listen_watch.fd = -1;
}
