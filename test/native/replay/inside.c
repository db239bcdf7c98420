#include "inside.h"

#include "page_archive.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOBS = 60, BLOB_BYTES_MAX = 40000, DATAGRAMS = 400, VANISHING = 40, CROWDS = 6, CROWD = 30 };

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "inside: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

static int open_socket(const char *address, uint16_t port, int type) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    if (!is_v4) inet_pton(AF_INET6, address, &v6.sin6_addr);
    int fd = socket(is_v4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = 20}; // whatever hangs fails the test
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    if (fd < 0 || connect(fd, is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6,
                          is_v4 ? sizeof v4 : sizeof v6) < 0)
        give_up("%s port %u: %m", address, port);
    return fd;
}

static void get_in_clear(void) {
    int fd = open_socket(PAGE_ADDRESS, 80, SOCK_STREAM);
    static const char request[] = "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
    if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0) give_up("send: %m");
    char answer[4096];
    size_t size = 0;
    ssize_t n;
    while ((n = recv(fd, answer + size, sizeof answer - 1 - size, 0)) > 0)
        size += (size_t)n;
    answer[size] = '\0';
    if (n < 0 || strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) != 0 || !strstr(answer, "\r\n\r\n" PAGE_BODY))
        give_up("port 80: no page but \"%.100s\" (%m)", answer);
    close(fd);
}

static SSL *open_tls(const char *home, const char *name, const char *address, uint16_t port) {
    char authority[256];
    snprintf(authority, sizeof authority, "%s/ca/ca.pem", home);
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    if (SSL_CTX_load_verify_locations(context, authority, NULL) != 1) give_up("%s: unreadable", authority);
    SSL *ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    SSL_set_tlsext_host_name(ssl, name);
    SSL_set1_host(ssl, name);
    SSL_set_fd(ssl, open_socket(address, port, SOCK_STREAM));
    if (SSL_connect(ssl) != 1) give_up("%s port %u: no TLS", address, port);
    return ssl;
}

static void close_tls(SSL *ssl) {
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
}

static void get_by_tls(const char *home, const char *name, const char *address, uint16_t port,
                       const char *path, size_t body_size) {
    SSL *ssl = open_tls(home, name, address, port);
    char request[256], port_text[8] = "";
    if (port != 443) snprintf(port_text, sizeof port_text, ":%u", port);
    int request_size =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s%s\r\nConnection: close\r\n\r\n", path,
                 name, port_text);
    SSL_write(ssl, request, request_size);
    static char answer[PAGE_LARGE_BYTES + 4096];
    size_t size = 0;
    int n;
    while ((n = SSL_read(ssl, answer + size, (int)(sizeof answer - size))) > 0)
        size += (size_t)n;
    if (SSL_get_error(ssl, n) != SSL_ERROR_ZERO_RETURN) give_up("%s%s: not ended in order", name, path);
    const char *body = memmem(answer, size, "\r\n\r\n", 4);
    if (!body || strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) != 0 ||
        size - (size_t)(body + 4 - answer) != body_size)
        give_up("%s%s: no whole page but %zu bytes", name, path, size);
    close_tls(ssl);
}

static void still_serves(const char *home) {
    get_in_clear();
    get_by_tls(home, "a.test", PAGE_ADDRESS, 443, "/", strlen(PAGE_BODY));
}

static void serves(const char *home) {
    still_serves(home);
    get_by_tls(home, "a.test", PAGE_ADDRESS_6, 443, "/large", PAGE_LARGE_BYTES);
    get_by_tls(home, "b.test", PAGE_ADDRESS, 8443, "/", strlen(PAGE_BODY));
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    const char *before = getenv("TEST_DESCRIPTORS");
    if (before && limit.rlim_cur != strtoul(before, NULL, 10))
        give_up("the command has another descriptor limit");
    if (!getenv("SSL_CERT_FILE") || strcmp(getenv("SSL_CERT_FILE"), "/kept") != 0)
        give_up("SSL_CERT_FILE not kept");
    for (int fd = 3; fd < 64; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0) give_up("descriptor %d came with the command", fd);
    }
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static size_t make_blob(uint64_t *random, uint8_t *blob, size_t size_max) {
    static const char *const starts[] = {"", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                         "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                         "GET / HTTP/1.1\r\nHost: ", "\xc3\x00\x00\x00\x01\x08"};
    static const size_t start_sizes[] = {0, 11, 24, 22, 6};
    size_t start = next_random(random) % 5;
    size_t size = start_sizes[start] + next_random(random) % (size_max - 64);
    for (size_t i = 0; i < size; i++)
        blob[i] = (uint8_t)next_random(random);
    memcpy(blob, starts[start], start_sizes[start]);
    return size;
}

static void garbage(const char *home) {
    static const uint16_t tcp_ports[] = {80, 443, 53, 8443};
    static const uint16_t udp_ports[] = {443, 53};
    static uint8_t blob[BLOB_BYTES_MAX];
    uint64_t random = 1;
    for (int i = 0; i < BLOBS; i++) {
        int fd = open_socket(PAGE_ADDRESS, tcp_ports[i % 4], SOCK_STREAM);
        size_t size = make_blob(&random, blob, sizeof blob);
        send(fd, blob, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (i % 3 == 0) shutdown(fd, SHUT_WR);
        if (i % 3 != 1) recv(fd, blob, sizeof blob, MSG_DONTWAIT);
        close(fd);
    }
    for (int i = 0; i < DATAGRAMS; i++) {
        int fd = open_socket(i % 2 ? PAGE_ADDRESS : PAGE_ADDRESS_6, udp_ports[i % 2], SOCK_DGRAM);
        send(fd, blob, make_blob(&random, blob, 1400), 0);
        close(fd);
    }
    still_serves(home);
}

// Connections reset in the middle of a response, of a request and of a handshake.
static void vanish(const char *home) {
    struct linger reset = {.l_onoff = 1};
    for (int i = 0; i < VANISHING; i++) {
        static const char large[] = "GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n";
        char bytes[1000];
        int fd;
        SSL *ssl = NULL;
        if (i % 2) {
            ssl = open_tls(home, "a.test", PAGE_ADDRESS, 443);
            fd = SSL_get_fd(ssl);
            SSL_write(ssl, large, i % 4 == 1 ? sizeof large - 1 : 20);
            if (i % 4 == 1) SSL_read(ssl, bytes, sizeof bytes);
        } else {
            fd = open_socket(PAGE_ADDRESS, i % 4 ? 443 : 80, SOCK_STREAM);
            send(fd, i % 4 ? "\x16\x03\x01\x02" : large, i % 4 ? 4 : sizeof large - 1, MSG_NOSIGNAL);
            if (i % 4 == 0) recv(fd, bytes, sizeof bytes, 0);
        }
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(fd);
        SSL_free(ssl);
    }
    still_serves(home);
}

// More connections than the replay may have descriptors: it serves those who wait once others have left.
static void crowd(const char *home) {
    for (int i = 0; i < CROWDS; i++) {
        if (fork() > 0) continue;
        for (int j = 0; j < CROWD; j++)
            open_socket(PAGE_ADDRESS, j % 2 ? 443 : 80, SOCK_STREAM);
        poll(NULL, 0, 500);
        _exit(0);
    }
    poll(NULL, 0, 250); // while they are all there
    still_serves(home);
    while (wait(NULL) > 0) {
    }
}

int inside_run(const char *scenario, const char *home) {
    if (getuid() != 1000) give_up("runs as user %u", (unsigned)getuid());
    if (strcmp(scenario, "serves") == 0)
        serves(home);
    else if (strcmp(scenario, "garbage") == 0)
        garbage(home);
    else if (strcmp(scenario, "vanish") == 0)
        vanish(home);
    else if (strcmp(scenario, "crowd") == 0)
        crowd(home);
    else
        give_up("%s: no such scenario", scenario);
    return 0;
}
