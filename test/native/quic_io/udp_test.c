// The UDP socket on loopback, with ordinary sockets as peers.
#include "quic_io/udp.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { SEGMENT = 1000, SEGMENTS = 5, LAST = 300 };

struct server {
    struct loop *loop;
    struct udp *udp;
    struct udp_packet got;
    uint8_t bytes[UDP_PACKET_MAX];
    size_t count;
    bool refused;
};

static void on_packets(void *context, struct udp_packet *packets, size_t count) {
    struct server *server = context;
    assert_true(packets[0].size <= sizeof server->bytes);
    server->got = packets[0];
    memcpy(server->bytes, packets[0].bytes, packets[0].size);
    server->count += count;
    loop_stop(server->loop);
}

static void on_writable(void *context) {
    (void)context;
}

static void open_server(struct server *server) {
    char error[200] = "";
    *server = (struct server){0};
    assert_int_equal(loop_open(&server->loop), 0);
    struct udp_handler handler = {.received = on_packets, .writable = on_writable, .context = server};
    if (udp_open(&server->udp, server->loop, 0, &handler, error, sizeof error) < 0) fail_msg("%s", error);
    assert_int_not_equal(udp_port(server->udp), 0);
}

static void close_server(struct server *server) {
    udp_close(server->udp);
    loop_close(server->loop);
}

// A client's socket that accepts packets only from the address it sends to. -1 where the address cannot be
// reached.
static int connect_to(const char *address, uint16_t port) {
    struct sockaddr_storage to = {0};
    socklen_t size;
    if (strchr(address, ':')) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&to;
        *v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
        inet_pton(AF_INET6, address, &v6->sin6_addr);
        size = sizeof *v6;
    } else {
        struct sockaddr_in *v4 = (struct sockaddr_in *)&to;
        *v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
        inet_pton(AF_INET, address, &v4->sin_addr);
        size = sizeof *v4;
    }
    int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = 5};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&to, size) == 0) return fd;
    close(fd);
    return -1;
}

UNIT_TEST(answers_from_the_address_that_was_asked) {
    struct server server;
    open_server(&server);
    struct udp_link link = udp_link(server.udp);
    const char *addresses[] = {"127.0.0.1", "127.0.0.2", "::1"};
    for (size_t i = 0; i < 3; i++) {
        int fd = connect_to(addresses[i], udp_port(server.udp));
        if (fd < 0 && i == 2) {
            print_message("no IPv6 on this machine's loopback\n");
            continue;
        }
        assert_true(fd >= 0);
        assert_int_equal(send(fd, "hello", 5, 0), 5);
        assert_int_equal(loop_run(server.loop), 0);
        assert_int_equal(server.got.size, 5);
        assert_memory_equal(server.bytes, "hello", 5);
        char text[INET6_ADDRSTRLEN], expected[INET6_ADDRSTRLEN];
        inet_ntop(AF_INET6, &server.got.local.sin6_addr, text, sizeof text);
        snprintf(expected, sizeof expected, "%s%s", i < 2 ? "::ffff:" : "", addresses[i]);
        assert_string_equal(text, expected);

        uint8_t bytes[SEGMENTS * SEGMENT + LAST];
        for (size_t at = 0; at < sizeof bytes; at++)
            bytes[at] = (uint8_t)(at / SEGMENT);
        struct udp_burst burst = {server.got.local, server.got.peer, bytes, sizeof bytes, SEGMENT};
        static const enum udp_batching ways[] = {UDP_BATCHING_GSO, UDP_BATCHING_SENDMMSG, UDP_BATCHING_NONE};
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            udp_set_batching(server.udp, ways[way]);
            assert_int_equal(link.send(link.context, &burst), 1);
            for (int packet = 0; packet <= SEGMENTS; packet++) {
                uint8_t got[UDP_PACKET_MAX];
                ssize_t size = recv(fd, got, sizeof got, 0); // a connected socket: only from that address
                assert_int_equal(size, packet < SEGMENTS ? SEGMENT : LAST);
                assert_int_equal(got[0], packet);
            }
        }
        close(fd);
    }
    close_server(&server);
}

UNIT_TEST(drops_what_is_too_long) {
    struct server server;
    open_server(&server);
    int fd = connect_to("127.0.0.1", udp_port(server.udp));
    static uint8_t bytes[UDP_PACKET_MAX + 1];
    assert_int_equal(send(fd, bytes, sizeof bytes, 0), sizeof bytes);
    assert_int_equal(send(fd, bytes, 100, 0), 100);
    assert_int_equal(loop_run(server.loop), 0);
    assert_int_equal(server.got.size, 100);
    assert_int_equal(server.count, 1);
    close(fd);
    close_server(&server);
}

UNIT_TEST(says_what_buffers_are_granted) {
    struct server server;
    open_server(&server);
    assert_int_equal(udp_set_send_buffer(server.udp, 65536), 65536);
    assert_int_equal(udp_set_receive_buffer(server.udp, 32768), 32768);
    uint32_t most_bytes = udp_set_send_buffer(server.udp, UINT32_MAX);
    assert_true(most_bytes >= 65536 && most_bytes < UINT32_MAX);
    close_server(&server);
}

UNIT_TEST(says_when_the_port_is_taken) {
    struct server server;
    open_server(&server);
    struct udp *second;
    char error[200] = "";
    struct udp_handler handler = {.received = on_packets, .writable = on_writable, .context = &server};
    assert_int_equal(udp_open(&second, server.loop, udp_port(server.udp), &handler, error, sizeof error), -1);
    assert_non_null(strstr(error, "UDP port"));
    close_server(&server);
}

static void on_refused(void *context) {
    struct server *client = context;
    client->refused = true;
    loop_stop(client->loop);
}

UNIT_TEST(a_client_hears_only_its_server_and_that_it_has_gone) {
    struct server server, client = {0};
    struct sockaddr_in6 local, peer = {.sin6_family = AF_INET6};
    char error[200] = "";
    open_server(&server);
    client.loop = server.loop;
    const struct udp_handler handler = {on_packets, on_writable, &client, on_refused};
    assert_int_equal(udp_open(&client.udp, client.loop, 0, &handler, error, sizeof error), 0);
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &peer.sin6_addr);
    peer.sin6_port = htons(udp_port(server.udp));
    assert_int_equal(udp_connect(client.udp, &peer, &local, error, sizeof error), 0);
    assert_memory_equal(&local.sin6_addr, &peer.sin6_addr, sizeof local.sin6_addr);
    assert_int_equal(ntohs(local.sin6_port), udp_port(client.udp));

    const struct udp_link link = udp_link(client.udp), back = udp_link(server.udp);
    const struct udp_burst question = {local, peer, (const uint8_t *)"ask", 3, 3};
    assert_int_equal(link.send(link.context, &question), 1);
    assert_int_equal(loop_run(server.loop), 0);
    assert_int_equal(server.got.size, 3);
    assert_memory_equal(&server.got.peer, &local, sizeof local);

    int stranger = connect_to("127.0.0.1", udp_port(client.udp));
    assert_true(stranger >= 0);
    send(stranger, "strange", 7, 0);
    close(stranger);
    const struct udp_burst answer = {server.got.local, server.got.peer, (const uint8_t *)"reply", 5, 5};
    assert_int_equal(back.send(back.context, &answer), 1);
    udp_receive_now(client.udp); // the loopback has delivered by now
    assert_int_equal(client.got.size, 5);
    assert_int_equal(client.count, 1);
    assert_memory_equal(&client.got.local, &local, sizeof local);

    udp_close(server.udp);
    assert_int_equal(link.send(link.context, &question), 1);
    assert_false(client.refused);
    assert_int_equal(loop_run(client.loop), 0);
    assert_true(client.refused);
    udp_close(client.udp);
    loop_close(client.loop);
}
