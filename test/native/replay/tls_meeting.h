// The servers' TLS with an authority and certificates of its own in a temporary folder, and a client of
// BoringSSL's own that meets it in memory. What the client verifies and asks for is the test's.
#pragma once

#include "replay/tls/certificate.h"
#include "replay/tls/tls.h"

struct tls_meeting {
    char home[64];
    struct certificates *certificates;
    struct tls *tls;
    SSL_CTX *client;
    SSL *client_ssl, *server_ssl; // of the last meeting; NULL: there was none
};

// 0, or -1.
int tls_meeting_open(struct tls_meeting *meeting);
void tls_meeting_close(struct tls_meeting *meeting);
// New connections, joined, before their handshake. The last ones are forgotten.
void tls_meeting_begin(struct tls_meeting *meeting);
void tls_meeting_forget(struct tls_meeting *meeting);
