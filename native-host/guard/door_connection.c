// Two ends, a buffer for what was read from each. Interest in events follows from the buffers alone, so that
// a slow reader slows its writer down.
#include "guard/door_connection.h"

#include "base/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, TRIES = 400, ROUNDS_PER_TURN = 16 };
static const uint64_t retry_ns = 50 * NS_PER_MS;

struct end {
    struct loop_watch watch;
    struct door_connection *connection;
    uint32_t events;
    bool ended;      // nothing more comes from it
    bool shut;       // nothing more goes to it
    size_t at, size; // of what came from it and is not yet with the other
    char bytes[BUFFER_BYTES];
};

struct door_connection {
    struct door_connections *all;
    struct door_connection *next, **link;
    struct door_target target;
    struct loop_timer retry;
    int tries;
    size_t place; // of the address that is tried
    struct end client, server;
};

static void close_end(struct end *end, bool reset) {
    struct linger at_once = {.l_onoff = 1};
    if (end->watch.fd < 0) return;
    loop_remove(end->connection->all->loop, &end->watch);
    if (reset) setsockopt(end->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(end->watch.fd);
    end->watch.fd = -1;
}

static void close_connection(struct door_connection *connection, bool reset) {
    struct door_connections *all = connection->all;
    loop_timer_clear(all->loop, &connection->retry);
    close_end(&connection->client, reset);
    close_end(&connection->server, reset);
    *connection->link = connection->next;
    if (connection->next) connection->next->link = connection->link;
    free(connection);
    all->count--;
    if (all->closed) all->closed(all->context);
}

static bool is_for_later(void) {
    return errno == EAGAIN || errno == EINTR;
}

// What is left after some rounds comes in the next turn: other connections have theirs. False: this one is
// lost.
static bool move_bytes(struct end *from, struct end *to) {
    bool moved = true;
    for (int round = 0; moved && round < ROUNDS_PER_TURN; round++) {
        moved = false;
        if (from->size == 0 && !from->ended) {
            ssize_t n = read(from->watch.fd, from->bytes, sizeof from->bytes);
            if (n < 0 && !is_for_later()) return false;
            from->at = 0;
            from->size = n > 0 ? (size_t)n : 0;
            from->ended = n == 0;
        }
        if (from->size > 0) {
            ssize_t n = send(to->watch.fd, from->bytes + from->at, from->size, MSG_NOSIGNAL);
            if (n < 0 && !is_for_later()) return false;
            if (n > 0) {
                from->at += (size_t)n;
                from->size -= (size_t)n;
                moved = from->size == 0;
            }
        }
    }
    if (from->ended && from->size == 0 && !to->shut) {
        to->shut = true;
        if (shutdown(to->watch.fd, SHUT_WR) < 0) return false;
    }
    return true;
}

// An end with nothing to wait for is not watched: its hang-up would be reported for ever.
static int watch_end(struct end *end, const struct end *other) {
    struct loop *loop = end->connection->all->loop;
    uint32_t events =
        (end->size == 0 && !end->ended ? EPOLLIN : 0) | (other->size > 0 ? (uint32_t)EPOLLOUT : 0);
    if (events == end->events) return 0;
    int result = 0;
    if (end->events == 0)
        result = loop_add(loop, &end->watch, events);
    else if (events == 0)
        loop_remove(loop, &end->watch);
    else
        result = loop_modify(loop, &end->watch, events);
    end->events = events;
    return result;
}

static void end_ready(void *context, uint32_t events) {
    struct door_connection *connection = ((struct end *)context)->connection;
    struct end *client = &connection->client, *server = &connection->server;
    (void)events;
    if (!move_bytes(client, server) || !move_bytes(server, client)) {
        close_connection(connection, true);
        return;
    }
    if (client->shut && server->shut)
        close_connection(connection, false);
    else if (watch_end(client, server) < 0 || watch_end(server, client) < 0)
        close_connection(connection, true);
}

static void try_target(struct door_connection *connection);

static void retry(void *context, uint64_t now_ns) {
    (void)now_ns;
    try_target(context);
}

static void not_connected(struct door_connection *connection) {
    struct loop *loop = connection->all->loop;
    if (connection->server.watch.fd >= 0) {
        loop_remove(loop, &connection->server.watch);
        close(connection->server.watch.fd);
        connection->server.watch.fd = -1;
    }
    bool is_last = ++connection->place >= connection->target.count;
    bool again = !is_last || (connection->target.awaited && ++connection->tries < TRIES);
    uint64_t wait_ns = is_last ? retry_ns : 0;
    if (is_last) connection->place = 0;
    connection->retry = (struct loop_timer){.due = retry, .context = connection};
    if (!again || loop_timer_set(loop, &connection->retry, clock_now_ns() + wait_ns) < 0)
        close_connection(connection, true);
}

static void set_up(int fd) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void connected(struct door_connection *connection) {
    struct loop *loop = connection->all->loop;
    connection->server.events = EPOLLIN;
    connection->client.events = EPOLLIN;
    connection->server.watch.ready = end_ready;
    if (loop_modify(loop, &connection->server.watch, EPOLLIN) < 0 ||
        loop_add(loop, &connection->client.watch, EPOLLIN) < 0)
        close_connection(connection, true);
    else
        end_ready(&connection->client, 0);
}

static void target_ready(void *context, uint32_t events) {
    struct door_connection *connection = ((struct end *)context)->connection;
    int error = 0;
    socklen_t size = sizeof error;
    (void)events;
    if (getsockopt(connection->server.watch.fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error != 0)
        not_connected(connection);
    else
        connected(connection);
}

static void try_target(struct door_connection *connection) {
    const struct door_address *target = &connection->target.all[connection->place];
    int fd = socket(target->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        not_connected(connection);
        return;
    }
    set_up(fd);
    connection->server.watch =
        (struct loop_watch){.fd = fd, .ready = target_ready, .context = &connection->server};
    bool begun =
        connect(fd, (const struct sockaddr *)&target->address, target->size) == 0 || errno == EINPROGRESS;
    if (loop_add(connection->all->loop, &connection->server.watch, EPOLLOUT) < 0 || !begun)
        not_connected(connection);
}

void door_connection_open(struct door_connections *all, int accepted_fd, const struct door_target *target) {
    struct door_connection *connection = malloc(sizeof *connection);
    if (!connection) {
        close(accepted_fd);
        return;
    }
    // Not the buffers.
    connection->all = all;
    connection->target = *target;
    connection->retry = (struct loop_timer){0};
    connection->tries = 0;
    connection->place = 0;
    for (int i = 0; i < 2; i++) {
        struct end *end = i == 0 ? &connection->client : &connection->server;
        end->connection = connection;
        end->events = 0;
        end->ended = end->shut = false;
        end->at = end->size = 0;
        end->watch = (struct loop_watch){.fd = i == 0 ? accepted_fd : -1, .ready = end_ready, .context = end};
    }
    set_up(accepted_fd);
    connection->next = all->first;
    connection->link = &all->first;
    if (all->first) all->first->link = &connection->next;
    all->first = connection;
    all->count++;
    try_target(connection);
}

void door_connections_close(struct door_connections *all) {
    all->closed = NULL;
    while (all->first)
        close_connection(all->first, true);
}
