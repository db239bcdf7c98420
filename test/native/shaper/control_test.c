// The control socket against clients of every kind: the loop runs in a process of its own, as the link does,
// and its timer tells whether anything held it up.
#include "shaper/control.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static char path[64];

// Seen by both processes.
struct shared {
    uint64_t ticks;
    uint64_t longest_pause_ns; // between ticks a millisecond apart
};

struct server {
    struct shared *shared;
    struct control control;
    struct loop *loop;
    struct loop_timer tick;
    uint64_t last_ns;
    uint64_t request; // begun, and answered from the next tick; 0: none
    char form[64];
    pid_t pid;
};

static json_t *stats(void *context, struct control_error *error) {
    (void)context;
    (void)error;
    return json_pack("{s:{s:i}}", "stats", "packets", 7);
}

static int steer(void *context, const char *form, uint64_t request, struct control_error *error) {
    struct server *server = context;
    if (strcmp(form, "never") == 0) return 0;
    if (strncmp(form, "loss=", 5) == 0 || strcmp(form, "bad file") == 0) {
        server->request = request;
        snprintf(server->form, sizeof server->form, "%s", form);
        return 0;
    }
    snprintf(error->line, sizeof error->line, "link: no setting \"%.50s\"", form);
    return -1;
}

static void tick(void *context, uint64_t now_ns) {
    struct server *server = context;
    if (now_ns - server->last_ns > server->shared->longest_pause_ns)
        server->shared->longest_pause_ns = now_ns - server->last_ns;
    server->last_ns = now_ns;
    server->shared->ticks++;
    if (server->request > 0) {
        uint64_t request = server->request;
        bool good = server->form[0] == 'l';
        server->request = 0;
        control_answer(&server->control, request, good ? json_pack("{s:s}", "link", server->form) : NULL,
                       "link: trace: bad file");
    }
    loop_timer_set(server->loop, &server->tick, now_ns + NS_PER_MS);
}

static int start(void **state) {
    static struct server server;
    struct control_error error;
    snprintf(path, sizeof path, "%s/socket", unit_folder());
    if (control_open(&server.control, path, &error) < 0) return -1;
    server.shared =
        mmap(NULL, sizeof *server.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (server.shared == MAP_FAILED) return -1;
    *server.shared = (struct shared){0};
    server.pid = fork();
    if (server.pid == 0) {
        struct control_actions actions = {.stats = stats, .steer = steer, .context = &server};
        if (loop_open(&server.loop) < 0 || control_serve(&server.control, server.loop, &actions) < 0)
            _exit(9);
        server.tick = (struct loop_timer){.due = tick, .context = &server};
        server.last_ns = clock_now_ns();
        tick(&server, server.last_ns);
        loop_run(server.loop);
        _exit(9);
    }
    close(server.control.listen_watch.fd);
    *state = &server;
    return 0;
}

static int stop(void **state) {
    struct server *server = *state;
    int status;
    bool alive = waitpid(server->pid, NULL, WNOHANG) == 0;
    kill(server->pid, SIGKILL);
    waitpid(server->pid, &status, 0);
    munmap(server->shared, sizeof *server->shared);
    unlink(path);
    return alive ? 0 : -1;
}

#define SERVER_TEST(name) UNIT_TEST_OF(name, struct server *server, start, stop)

static int connected(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = 10};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static char *line_from(int fd) {
    static char line[70000];
    size_t size = 0;
    while (size < sizeof line - 1 && recv(fd, line + size, 1, 0) == 1)
        if (line[size++] == '\n') break;
    line[size] = 0;
    return line;
}

static const char *answer_to(int fd, const char *request) {
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return line_from(fd);
}

SERVER_TEST(requests_are_answered_in_order) {
    int fd = connected();
    assert_string_equal(
        answer_to(fd, "{\"command\":\"stats\"}\n{\"command\":\"steer\",\"link\":\"loss=2%\"}\n\n"),
        "{\"stats\":{\"packets\":7},\"ok\":true}\n");
    assert_string_equal(line_from(fd), "{\"link\":\"loss=2%\",\"ok\":true}\n");
    assert_string_equal(answer_to(fd, "{\"command\":\"steer\",\"link\":\"colour=red\"}\n"),
                        "{\"ok\":false,\"error\":\"link: no setting \\\"colour=red\\\"\"}\n");
    close(fd);
}

// Changes are answered later; until then the client's next request waits, and others are served.
SERVER_TEST(answers_that_come_later_keep_their_order) {
    int fd = connected(), hanging = connected(), other = connected();
    static const char never[] = "{\"command\":\"steer\",\"link\":\"never\"}\n{\"command\":\"stats\"}\n";
    assert_int_equal(send(hanging, never, strlen(never), MSG_NOSIGNAL), strlen(never));
    for (int i = 0; i < 20; i++) {
        assert_string_equal(
            answer_to(fd, "{\"command\":\"steer\",\"link\":\"loss=2%\"}\n{\"command\":\"stats\"}\n"),
            "{\"link\":\"loss=2%\",\"ok\":true}\n");
        assert_string_equal(answer_to(other, "{\"command\":\"stats\"}\n"),
                            "{\"stats\":{\"packets\":7},\"ok\":true}\n");
        assert_string_equal(line_from(fd), "{\"stats\":{\"packets\":7},\"ok\":true}\n");
    }
    assert_string_equal(answer_to(fd, "{\"command\":\"steer\",\"link\":\"bad file\"}\n"),
                        "{\"ok\":false,\"error\":\"link: trace: bad file\"}\n");
    char byte;
    assert_int_equal(recv(hanging, &byte, 1, MSG_DONTWAIT), -1);
    close(hanging);
    // One that goes away before its answer comes, again and again: whoever has its place gets nothing of it.
    for (int i = 0; i < 50; i++) {
        int gone = connected();
        send(gone, "{\"command\":\"steer\",\"link\":\"loss=9%\"}\n", 37, MSG_NOSIGNAL);
        close(gone);
        int next = connected();
        assert_string_equal(answer_to(next, "{\"command\":\"stats\"}\n"),
                            "{\"stats\":{\"packets\":7},\"ok\":true}\n");
        close(next);
    }
    close(fd);
    close(other);
}

SERVER_TEST(bad_requests_are_answered_with_one_line) {
    static const char *const requests[] = {
        "hello\n",
        "{\"command\":\n",
        "[]\n",
        "7\n",
        "null\n",
        "{}\n",
        "{\"command\":7}\n",
        "{\"command\":\"stop\"}\n",
        "{\"command\":\"stats\",\"command\":\"stats\"}\n",
        "{\"command\":\"stats\",\"link\":\"loss=1%\"}\n",
        "{\"command\":\"steer\"}\n",
        "{\"command\":\"steer\",\"link\":null}\n",
        "{\"command\":\"steer\",\"link\":{\"loss\":1}}\n",
        "{\"command\":\"steer\",\"link\":\"\xff\xfe\"}\n",
        "\xff\xfe\n",
        "{\"command\":\"steer\",\"link\":\"a\\nb\"}\n",
        "{\"command\":\"st\\u0000ats\"}\n",
    };
    int fd = connected();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const char *line = answer_to(fd, requests[i]);
        assert_memory_equal(line, "{\"ok\":false,\"error\":\"", 21);
        assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    }
    assert_string_equal(answer_to(fd, "{\"command\":\"stats\"}\n"),
                        "{\"stats\":{\"packets\":7},\"ok\":true}\n");
    close(fd);
}

SERVER_TEST(endless_request_is_refused) {
    int fd = connected();
    static char a[70000];
    memset(a, 'a', sizeof a);
    send(fd, a, sizeof a, MSG_NOSIGNAL);
    const char *line = line_from(fd);
    assert_non_null(strstr(line, "at most 65536 bytes"));
    assert_string_equal(line_from(fd), ""); // and closed
    close(fd);
    fd = connected();
    assert_non_null(strstr(answer_to(fd, "{\"command\":\"stats\"}\n"), "true"));
    close(fd);
}

SERVER_TEST(deep_and_random_requests_do_no_harm) {
    static char deep[60002];
    memset(deep, '[', 60000);
    deep[60000] = '\n';
    int fd = connected();
    assert_non_null(strstr(answer_to(fd, deep), "\"ok\":false"));
    close(fd);
    srand(11);
    static const char words[][12] = {"{", "}",        "\"command\"", ":", "\"steer\"",
                                     ",", "\"link\"", "\"loss=\"",   "[", "1e9"};
    for (int i = 0; i < 300; i++) {
        fd = connected();
        for (int k = 0; k < 20; k++) {
            char bytes[100];
            size_t size = 1 + (size_t)rand() % sizeof bytes;
            for (size_t n = 0; n < size; n++)
                bytes[n] = (char)rand();
            const char *word = words[rand() % 10];
            if (i % 2)
                send(fd, word, strlen(word), MSG_NOSIGNAL);
            else
                send(fd, bytes, size, MSG_NOSIGNAL);
        }
        close(fd);
    }
    fd = connected();
    assert_non_null(strstr(answer_to(fd, "{\"command\":\"stats\"}\n"), "true"));
    close(fd);
}

// Clients that send and never read, that connect and say nothing, that hang half-way: the loop's ticks go on,
// and a further client is served. (The pause allows for a busy machine; a loop that waited would never end.)
SERVER_TEST(hung_clients_hold_up_nobody) {
    static const char request[] = "{\"command\":\"stats\"}\n";
    int clients[40];
    for (int i = 0; i < 40; i++) {
        clients[i] = connected();
        if (i % 3 == 0)
            for (int k = 0; k < 20000; k++)
                if (send(clients[i], request, sizeof request - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) break;
        if (i % 3 == 1) send(clients[i], request, 5, MSG_NOSIGNAL);
    }
    uint64_t ticks = server->shared->ticks;
    int fd = connected();
    for (int i = 0; i < 100; i++)
        assert_non_null(strstr(answer_to(fd, request), "true"));
    usleep(200000);
    assert_true(server->shared->ticks > ticks + 20);
    assert_true(server->shared->longest_pause_ns < NS_PER_S);
    for (int i = 0; i < 40; i++)
        close(clients[i]);
    close(fd);
}

UNIT_TEST(socket_of_a_killed_shaper_is_replaced) {
    struct control control, second;
    struct control_error error;
    const char *other = unit_path("other");
    assert_int_equal(control_open(&control, other, &error), 0);
    struct stat status;
    assert_int_equal(stat(other, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(control_open(&second, other, &error), -1);
    assert_non_null(strstr(error.line, "in use: give another path"));
    close(control.listen_watch.fd); // as a kill would
    assert_int_equal(control_open(&second, other, &error), 0);
    control_close(&second);
    assert_int_equal(stat(other, &status), -1);
    FILE *file = fopen(other, "we");
    fclose(file);
    assert_int_equal(control_open(&second, other, &error), -1); // a file of somebody's stays
    assert_int_equal(stat(other, &status), 0);
    unlink(other);
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(control_open(&second, longer, &error), -1);
    assert_non_null(strstr(error.line, "give a shorter one"));
    assert_int_equal(control_open(&second, "/no/such/folder/socket", &error), -1);
    assert_non_null(strstr(error.line, "No such file or directory"));
}

// A socket file that nobody listens at.
static void leave_socket(const char *at, int *fd) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, at);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&address, sizeof address), 0);
}

// Another shaper replaces a left socket: it has bound, and does not listen yet, so that its own looks left
// too. Who comes meanwhile waits until it listens. (The pause gives one that does not wait the time to show
// it.)
UNIT_TEST(shapers_at_once_do_not_replace_each_other) {
    char folder[64], at[80], lock_path[96];
    snprintf(at, sizeof at, "%s/socket", unit_new_folder(folder));
    snprintf(lock_path, sizeof lock_path, "%s.lock", at);
    int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), other;
    assert_int_equal(flock(lock, LOCK_EX), 0);
    leave_socket(at, &other);
    pid_t child = fork();
    if (child == 0) {
        close(lock);
        struct control control;
        struct control_error error;
        int opened = control_open(&control, at, &error);
        _exit(opened == 0 ? 1 : strstr(error.line, "in use: give another path") ? 0 : 2);
    }
    usleep(100000);
    assert_int_equal(listen(other, 1), 0);
    close(lock);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(other);
    unlink(at);
    assert_int_equal(rmdir(folder), 0); // no lock is left
}

// In a folder that all users share, as the one of temporary files is.
UNIT_TEST(nobody_else_can_keep_a_socket_from_being_made) {
    char folder[64], at[80], lock_path[96];
    snprintf(at, sizeof at, "%s/socket", unit_new_folder(folder));
    snprintf(lock_path, sizeof lock_path, "%s.lock", at);
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    struct control control;
    struct control_error error;
    uint64_t begin_ns = clock_now_ns();
    assert_int_equal(control_open(&control, at, &error), 0);
    control_close(&control);
    // What has the lock's name is no file, or (where we may make it so) another user's.
    assert_int_equal(mkfifo(lock_path, 0600), 0);
    assert_int_equal(control_open(&control, at, &error), 0);
    control_close(&control);
    unlink(lock_path);
    int others = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fchown(others, 12345, 12345) == 0) {
        assert_int_equal(flock(others, LOCK_EX), 0);
        assert_int_equal(control_open(&control, at, &error), 0);
        control_close(&control);
    }
    assert_true(clock_now_ns() - begin_ns < 5 * NS_PER_S); // LOCK_PATIENCE_S: none of them waited
    close(others);
    close(lock);
    unlink(lock_path);
    assert_int_equal(rmdir(folder), 0);
}

UNIT_TEST(socket_of_another_shaper_outlasts_ours) {
    struct control ours, theirs;
    struct control_error error;
    const char *at = unit_path("both");
    assert_int_equal(control_open(&ours, at, &error), 0);
    unlink(at); // by somebody's hand
    assert_int_equal(control_open(&theirs, at, &error), 0);
    control_close(&ours);
    assert_int_equal(access(at, F_OK), 0);
    control_close(&theirs);
    assert_int_equal(access(at, F_OK), -1);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    return unit_tests_run();
}
