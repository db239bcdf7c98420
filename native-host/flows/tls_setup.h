// TLS 1.3 of the flows over TCP: one version, no resumption, no verification (a lab has no other servers).
// How bytes pass is tls_io/tls_link.h's.
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>

// A certificate of the far end. Every run makes a key and a certificate of its own, as small as can be, which
// is not verified. False when memory is short.
bool certificate_use_new(SSL_CTX *context);

struct tls_setup;

// 0, or -1 when memory is short.
int tls_setup_open(struct tls_setup **out, bool is_server);
void tls_setup_close(struct tls_setup *setup); // NULL: nothing

// For tls_link_open. NULL when memory is short.
SSL *tls_setup_connection(const struct tls_setup *setup);
