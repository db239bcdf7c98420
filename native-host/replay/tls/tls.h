// The one place where BoringSSL is set up: the context for TCP (ALPN h2, http/1.1; TLS 1.2 and 1.3) and that
// for QUIC (ALPN h3; TLS 1.3), which share the certificates. Does not do I/O: stream.c and quiche do.
#pragma once

#include <openssl/ssl.h>

#ifndef OPENSSL_IS_BORINGSSL
#error                                                                                                       \
    "these are not BoringSSL's headers: the build of native-host/quic must come before the system's on the include path"
#endif

struct tls;
struct certificates;

// `certificates` must outlive it. 0, or -1 with a line in `error`.
int tls_open(struct tls **tls, struct certificates *certificates, char *error, size_t error_size);
void tls_close(struct tls *tls);

// Over TCP, from now on: TLS1_2_VERSION to TLS1_3_VERSION unless this says otherwise. QUIC has 1.3 only.
void tls_limit_versions(struct tls *tls, uint16_t lowest, uint16_t highest);

// From now on tickets are good for early data (0-RTT), and it is taken, over TCP with TLS 1.3 and over QUIC.
// Nothing guards against a replayed first flight: a lab has one client, and nothing between it and us.
void tls_allow_early_data(struct tls *tls);

// An `SSL *` in accept state without transport, the caller's. The certificate is chosen by SNI, and where a
// client sends none, for `local_address` (text form). NULL when memory is short.
SSL *tls_new_tcp(struct tls *tls, const char *local_address);
// For quiche_conn_new_with_tls, which takes it over.
SSL *tls_new_quic(struct tls *tls, const char *local_address);

// After the handshake: "TLSv1.3"; "h2", "http/1.1", "h3" or NULL. Literals, as exchange_connection_secured
// wants them.
const char *tls_version(const SSL *ssl);
const char *tls_alpn(const SSL *ssl);
