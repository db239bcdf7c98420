#include "h1_client.h"

#include "base/clock.h"
#include "replay/h1/h1.h"
#include "replay/tcp/stream.h"
#include "test/native/cmocka_unit.h"

#include <sys/epoll.h>
#include <sys/socket.h>

static void client_stop(struct h1_client *client) {
    loop_remove(client->site->loop, &client->watch);
    loop_stop(client->site->loop);
}

static void client_ready(void *context, uint32_t events) {
    struct h1_client *client = context;
    (void)events;
    if (client->sent < client->input_size) {
        size_t left = client->input_size - client->sent;
        size_t size = left < client->step_bytes ? left : client->step_bytes;
        ssize_t n = send(client->watch.fd, client->input + client->sent, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) client->sent += (size_t)n;
        if (n < 0 && errno != EAGAIN)
            client->sent = client->input_size; // refused: the answer may still be there
        if (client->sent == client->input_size) {
            if (client->finish) shutdown(client->watch.fd, SHUT_WR);
            loop_modify(client->site->loop, &client->watch, EPOLLIN);
        }
    }
    uint8_t bytes[65536];
    ssize_t n = recv(client->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) assert_int_equal(buf_add(&client->answer, bytes, (size_t)n), 0);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        client->ended = true;
        client_stop(client);
    } else if (client->stop_after > 0 && buf_size(&client->answer) >= client->stop_after) {
        client_stop(client);
    }
}

static struct stream_set *streams_of(struct lane_site *site) {
    static struct stream_set set;
    assert_int_equal(stream_set_open(&set, site->loop), 0);
    return &set;
}

void h1_client_converse(struct h1_client *client) {
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    struct stream_set *set = streams_of(client->site);
    struct stream *stream = stream_open(set, fds[0], NULL, "192.0.2.1", 80);
    struct exchange_connection *connection =
        exchange_connection_open(client->site->site, LANE_H1, "192.0.2.1", 80, clock_now_ns());
    assert_int_equal(h1_open(stream, connection), 0);
    client->watch = (struct loop_watch){.fd = fds[1], .ready = client_ready, .context = client};
    loop_add(client->site->loop, &client->watch, EPOLLIN | EPOLLOUT);
    lane_site_run(client->site);
    close(fds[1]);
    stream_set_close(set);
    assert_int_equal(buf_add(&client->answer, "", 1), 0); // so that it can be searched as text
    client->answer.end--;
}

struct h1_client h1_client_ask(struct lane_site *site, const char *input) {
    struct h1_client client = {
        .site = site, .input = input, .input_size = strlen(input), .step_bytes = SIZE_MAX, .finish = true};
    h1_client_converse(&client);
    return client;
}

size_t h1_client_count(const struct h1_client *client, const char *text) {
    size_t count = 0;
    const char *at = (const char *)client->answer.data + client->answer.start;
    while ((at = strstr(at, text)) != NULL) {
        count++;
        at += strlen(text);
    }
    return count;
}
