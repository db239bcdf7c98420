// The far end's certificate. Every run makes a key and a certificate of its own, as small as can be, which
// is not verified: a lab has no other servers.
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>

// False when memory is short.
bool certificate_use_new(SSL_CTX *context);
