// A server on loopback that does not keep to what a client hopes for: over TCP with TLS, each connection
// alike. For tests only; certificates are made in memory.
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hostile {
    uint16_t lab_port; // listens there, at all addresses of its network, a lab's; 0: at one of loopback's
    bool silent;       // takes connections and says nothing, not even TLS
    bool hangs_up;     // ends each connection at once
    bool expired;      // its certificate, which `authority` vouches for
    unsigned chain;    // as many more certificates that it sends along
    const char *alpn;  // that it chooses; NULL: none
    const char *says;  // over TLS after the request; NULL: nothing
    size_t size;       // of that; 0: it is a string
    const char *again; // and then this, without end, and reads nothing; NULL: nothing
    size_t again_size; // 0: it is a string
    const char *later; // and this a tenth of a second after it; NULL: nothing
    bool stays;        // and then neither says more nor ends
    bool dies;         // and then is gone, without close_notify
};

struct hostile_server {
    pid_t pid;
    uint16_t port;
    char authority[64]; // file: the certificate that it has, PEM
};

// Its TLS with a new certificate, which goes to a new file, too: its name fills `authority` of a server.
// NULL: failed.
SSL_CTX *hostile_context(const struct hostile *hostile, char *authority);

// 0, or -1.
int hostile_server_start(struct hostile_server *server, const struct hostile *hostile);
void hostile_server_stop(struct hostile_server *server);
