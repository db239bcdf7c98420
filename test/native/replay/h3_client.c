#include "h3_client.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <openssl/rand.h>

static struct sockaddr_in6 address(const char *text, uint16_t port) {
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET6, text, &a.sin6_addr), 1);
    return a;
}

static unsigned draw(struct h3_client *client, unsigned below) {
    client->random = client->random * 1103515245u + 12345u;
    return (client->random >> 16) % below;
}

// --- the link

enum { SCID_BYTES = 8, NAT_FIRST_PORT = 40000, PACKET_NUMBER_BYTES_MAX = 4, AEAD_TAG_BYTES = 16 };

// A client cannot read a packet that is too short for the sample of its header protection (RFC 9001, 5.4.2):
// it would be lost, and no link to blame.
static void assert_long_enough(const struct h3_client *client, const uint8_t *bytes, size_t size) {
    const size_t id_bytes = client->options.without_ids ? 0 : SCID_BYTES;
    const bool is_short_header = !(bytes[0] & 0x80);
    if (is_short_header) assert_true(size >= 1 + id_bytes + PACKET_NUMBER_BYTES_MAX + AEAD_TAG_BYTES);
}

static void link_put(struct h3_client *client, bool to_server, const uint8_t *bytes, size_t size) {
    if (client->options.lose_of_1000 > draw(client, 1000)) return;
    assert_true(client->count < H3_LINK_PACKETS);
    assert_true(size <= H3_CLIENT_BYTES_MAX);
    struct h3_link_packet *packet = &client->packets[(client->first + client->count++) % H3_LINK_PACKETS];
    *packet = (struct h3_link_packet){.due_ns = clock_now_ns() + client->options.delay_ns,
                                      .to_server = to_server,
                                      .local = address("::ffff:192.0.2.1", 443),
                                      .peer = address("::ffff:100.64.0.2", client->nat_port),
                                      .size = size};
    memcpy(packet->bytes, bytes, size);
    if (to_server && client->options.mutate_of_1000 > draw(client, 1000))
        packet->bytes[draw(client, (unsigned)size)] ^= (uint8_t)(1u << draw(client, 8));
    if (client->count == 1) loop_timer_set(client->site->loop, &client->link_timer, packet->due_ns);
}

// Sent to a port that the NAT has for it no more.
static void lose(struct h3_client *client, size_t size) {
    client->lost_to_old_port++;
    client->bytes_to_old_port += size;
}

static int link_send(void *context, const struct udp_burst *burst) {
    struct h3_client *client = context;
    if (client->refuse) return 0;
    assert_int_equal(burst->local.sin6_port, htons(443));
    assert_true(burst->size > 0 && burst->segment_size <= burst->size);
    for (size_t at = 0; at < burst->size; at += burst->segment_size) {
        size_t size = burst->size - at < burst->segment_size ? burst->size - at : burst->segment_size;
        assert_long_enough(client, burst->bytes + at, size);
        if (burst->peer.sin6_port == htons(client->nat_port))
            link_put(client, false, burst->bytes + at, size);
        else
            lose(client, size);
        client->packets_to_client++;
        client->bytes_to_client += size;
        uint64_t now_ns = clock_now_ns();
        if (now_ns - client->burst_ns > NS_PER_MS) {
            client->burst_ns = now_ns;
            client->burst = 0;
        }
        if (++client->burst > client->most_to_client_at_once) client->most_to_client_at_once = client->burst;
    }
    return 1;
}

static void client_receive(struct h3_client *client, struct h3_link_packet *packet);

static void link_due(void *context, uint64_t now_ns) {
    struct h3_client *client = context;
    while (client->count > 0 && client->packets[client->first].due_ns <= now_ns) {
        // What is due together arrives together, as recvmmsg has it.
        struct h3_link_packet batch[8];
        struct udp_packet to_server[8];
        size_t count = 0, servers = 0;
        while (count < 8 && client->count > 0 && client->packets[client->first].due_ns <= now_ns) {
            batch[count++] = client->packets[client->first];
            client->first = (client->first + 1) % H3_LINK_PACKETS;
            client->count--;
        }
        for (size_t i = 0; i < count; i++) {
            if (batch[i].to_server)
                to_server[servers++] =
                    (struct udp_packet){batch[i].local, batch[i].peer, batch[i].bytes, batch[i].size};
            else if (batch[i].peer.sin6_port == htons(client->nat_port))
                client_receive(client, &batch[i]);
            else
                lose(client, batch[i].size);
        }
        if (servers > 0) h3_server_receive(client->server, to_server, servers);
        h3_client_send(client);
    }
    if (client->count > 0)
        loop_timer_set(client->site->loop, &client->link_timer, client->packets[client->first].due_ns);
}

// --- the client

static int on_field(uint8_t *name, size_t name_size, uint8_t *value, size_t value_size, void *seen) {
    seen_field(seen, name, name_size, value, value_size);
    return 0;
}

static struct seen *find(struct h3_client *client, int64_t id) {
    for (size_t i = 0; i < client->sent_count; i++)
        if (client->seen[i].id == (uint64_t)id) return &client->seen[i];
    return NULL;
}

static void finish(struct h3_client *client, struct seen *seen) {
    if (!seen || seen->place) return;
    seen->place = ++client->finished;
    if (client->finished == client->wanted) loop_stop(client->site->loop);
}

static void poll_events(struct h3_client *client) {
    quiche_h3_event *event;
    int64_t id;
    while ((id = quiche_h3_conn_poll(client->http, client->quic, &event)) >= 0) {
        struct seen *seen = find(client, id);
        uint8_t bytes[4096];
        ssize_t n;
        switch (quiche_h3_event_type(event)) {
        case QUICHE_H3_EVENT_HEADERS:
            if (seen) quiche_h3_event_for_each_header(event, on_field, seen);
            break;
        case QUICHE_H3_EVENT_DATA:
            while ((n = quiche_h3_recv_body(client->http, client->quic, (uint64_t)id, bytes, sizeof bytes)) >
                   0) {
                seen_body(seen, bytes, (size_t)n);
                if (client->on_body) client->on_body(client, seen);
            }
            break;
        case QUICHE_H3_EVENT_RESET:
            if (seen) seen->reset = true;
            finish(client, seen);
            break;
        case QUICHE_H3_EVENT_FINISHED:
            finish(client, seen);
            break;
        case QUICHE_H3_EVENT_GOAWAY:
        case QUICHE_H3_EVENT_PRIORITY_UPDATE:
            break;
        }
        quiche_h3_event_free(event);
    }
}

static void client_receive(struct h3_client *client, struct h3_link_packet *packet) {
    if (packet->size > 5 && (packet->bytes[0] & 0x80) && memcmp(packet->bytes + 1, "\0\0\0\0", 4) == 0)
        client->version_negotiation = true;
    packet->peer.sin6_port = htons(NAT_FIRST_PORT); // its own, which never changes
    quiche_recv_info info = {(struct sockaddr *)&packet->local, sizeof packet->local,
                             (struct sockaddr *)&packet->peer, sizeof packet->peer};
    if (client->quic) quiche_conn_recv(client->quic, packet->bytes, packet->size, &info);
    if (client->http) poll_events(client); // at once: so responses finish in the order of their packets
}

#define FIELD(n, v) ((quiche_h3_header){(const uint8_t *)(n), strlen(n), (const uint8_t *)(v), strlen(v)})

static void send_requests(struct h3_client *client) {
    while (client->sent_count < client->seen_count) {
        size_t i = client->sent_count;
        quiche_h3_header fields[6] = {FIELD(":method", client->asked[i].method), FIELD(":scheme", "https"),
                                      FIELD(":authority", "a.test"), FIELD(":path", client->asked[i].path)};
        size_t count = 4;
        if (client->asked[i].priority[0]) fields[count++] = FIELD("priority", client->asked[i].priority);
        const bool trailers = client->asked[i].trailers;
        if (client->asked[i].extra_name && !trailers)
            fields[count++] = FIELD(client->asked[i].extra_name, client->asked[i].extra_value);
        int64_t id = quiche_h3_send_request(client->http, client->quic, fields, count,
                                            client->asked[i].upload_left == 0 && !trailers);
        if (id < 0) break;

        if (trailers) {
            quiche_h3_header trailer = FIELD(client->asked[i].extra_name, client->asked[i].extra_value);
            assert_int_equal(quiche_h3_send_additional_headers(client->http, client->quic, (uint64_t)id,
                                                               &trailer, 1, true, true),
                             0);
        }
        client->seen[i].id = (uint64_t)id;
        client->sent_count++;
    }
    static const uint8_t bytes[16384];
    for (size_t i = 0; i < client->sent_count; i++) {
        while (client->asked[i].upload_left > 0) {
            size_t size =
                client->asked[i].upload_left < sizeof bytes ? client->asked[i].upload_left : sizeof bytes;
            ssize_t n = quiche_h3_send_body(client->http, client->quic, client->seen[i].id, bytes, size,
                                            size == client->asked[i].upload_left);
            if (n <= 0) break;
            client->asked[i].upload_left -= (size_t)n;
        }
    }
}

void h3_client_send(struct h3_client *client) {
    if (!client->quic || client->stopped) return;
    const bool established = quiche_conn_is_established(client->quic);
    if (established && client->options.on_turn)
        client->options.on_turn(client);
    else if (established && !client->http)
        client->http = quiche_h3_conn_new_with_transport(client->quic, client->http_config);
    if (client->http) {
        poll_events(client);
        send_requests(client);
    }
    uint8_t bytes[H3_CLIENT_BYTES_MAX];
    quiche_send_info info;
    ssize_t n;
    while ((n = quiche_conn_send(client->quic, bytes, 1350, &info)) > 0)
        link_put(client, true, bytes, (size_t)n);
    if (quiche_conn_is_closed(client->quic)) {
        client->stopped = true;
        loop_timer_clear(client->site->loop, &client->timer);
        loop_stop(client->site->loop);
        return;
    }
    uint64_t timeout_ns = quiche_conn_timeout_as_nanos(client->quic);
    if (timeout_ns != UINT64_MAX)
        loop_timer_set(client->site->loop, &client->timer, clock_now_ns() + timeout_ns);
}

static void client_due(void *context, uint64_t now_ns) {
    struct h3_client *client = context;
    (void)now_ns;
    quiche_conn_on_timeout(client->quic);
    h3_client_send(client);
}

static void connect_client(struct h3_client *client) {
    uint8_t scid[SCID_BYTES];
    RAND_bytes(scid, sizeof scid);
    struct sockaddr_in6 local = address("::ffff:100.64.0.2", NAT_FIRST_PORT),
                        peer = address("::ffff:192.0.2.1", 443);
    client->quic = quiche_connect("a.test", scid, client->options.without_ids ? 0 : sizeof scid,
                                  (struct sockaddr *)&local, sizeof local, (struct sockaddr *)&peer,
                                  sizeof peer, client->config);
    assert_non_null(client->quic);
}

void h3_client_reconnect(struct h3_client *client) {
    if (client->http) quiche_h3_conn_free(client->http);
    quiche_conn_free(client->quic);
    client->http = NULL;
    client->stopped = false;
    client->seen_count = client->sent_count = client->finished = 0;
    memset(client->seen, 0, sizeof client->seen);
    connect_client(client);
}

void h3_client_open(struct h3_client *client, struct lane_site *site,
                    const struct h3_client_options *options) {
    *client = (struct h3_client){.site = site, .options = *options, .nat_port = NAT_FIRST_PORT, .random = 1};
    client->packets = calloc(H3_LINK_PACKETS, sizeof *client->packets);
    client->link_timer = (struct loop_timer){.due = link_due, .context = client};
    client->timer = (struct loop_timer){.due = client_due, .context = client};
    client->transport = transport_stock;
    if (options->congestion) client->transport.quic.congestion_control = options->congestion;
    client->transport.quic.pacing = !options->unpaced;
    client->parts = (struct server_parts){.loop = site->loop,
                                          .site = site->site,
                                          .report = site->report,
                                          .tls = site->tls,
                                          .transport = &client->transport};
    char error[256] = "";
    struct udp_link link = {link_send, client};
    if (h3_server_open_on(&client->server, &client->parts, &link, error, sizeof error) < 0)
        fail_msg("%s", error);

    quiche_config *config = client->config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    quiche_config_set_application_protos(config, (const uint8_t *)QUICHE_H3_APPLICATION_PROTOCOL, 3);
    quiche_config_verify_peer(config, false);
    quiche_config_set_max_idle_timeout(config, 30000);
    quiche_config_set_initial_max_data(config, options->window_bytes * 4);
    quiche_config_set_initial_max_stream_data_bidi_local(config, options->window_bytes);
    quiche_config_set_initial_max_stream_data_uni(config, 100000);
    quiche_config_set_initial_max_streams_uni(config, 10);
    quiche_config_set_max_stream_window(config, options->window_bytes);
    quiche_config_set_max_connection_window(config, options->window_bytes * 4);
    client->http_config = quiche_h3_config_new();
    quiche_h3_config_set_max_field_section_size(client->http_config, 1024 * 1024);
    connect_client(client);
}

void h3_client_close(struct h3_client *client) {
    h3_server_close(client->server);
    loop_timer_clear(client->site->loop, &client->timer);
    loop_timer_clear(client->site->loop, &client->link_timer);
    if (client->http) quiche_h3_conn_free(client->http);
    quiche_conn_free(client->quic);
    quiche_config_free(client->config);
    quiche_h3_config_free(client->http_config);
    free(client->packets);
}

struct seen *h3_client_request(struct h3_client *client, const char *method, const char *path,
                               const char *priority, size_t upload_bytes) {
    size_t i = client->seen_count++;
    assert_true(i < H3_CLIENT_RESPONSES);
    snprintf(client->asked[i].method, sizeof client->asked[i].method, "%s", method);
    snprintf(client->asked[i].path, sizeof client->asked[i].path, "%s", path);
    snprintf(client->asked[i].priority, sizeof client->asked[i].priority, "%s", priority ? priority : "");
    client->asked[i].upload_left = upload_bytes;
    client->asked[i].trailers = client->extra_in_trailers;
    client->asked[i].extra_name = client->extra_name;
    client->asked[i].extra_value = client->extra_value;
    return &client->seen[i];
}

void h3_client_inject(struct h3_client *client, const uint8_t *bytes, size_t size) {
    link_put(client, true, bytes, size);
}

void h3_client_rebind(struct h3_client *client) {
    client->nat_port++;
}

void h3_client_run(struct h3_client *client, size_t wanted) {
    client->wanted = wanted;
    h3_client_send(client);
    if (client->finished < wanted && !client->stopped) lane_site_run(client->site);
}
