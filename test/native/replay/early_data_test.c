// Requests in a resumed TCP connection's first flight: taken where that is allowed, and only there. A client
// of BoringSSL's own, in memory.
#include "test/native/cmocka_unit.h"
#include "tls_meeting.h"

#include <openssl/err.h>

static const char request[] = "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n";
static const char answer[] = "HTTP/1.1 204 \r\n\r\n";

struct fixture {
    struct tls_meeting meeting;
    SSL_SESSION *ticket; // the last one that the client was given
};

static int keep_ticket(SSL *ssl, SSL_SESSION *session) {
    struct fixture *f = SSL_get_app_data(ssl);
    SSL_SESSION_free(f->ticket);
    f->ticket = session;
    return 1; // it is ours
}

static int open_all(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (tls_meeting_open(&f->meeting) < 0) return -1;
    SSL_CTX_set_session_cache_mode(f->meeting.client, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(f->meeting.client, keep_ticket);
    SSL_CTX_set_early_data_enabled(f->meeting.client, 1);
    *state = f;
    return 0;
}

static int close_all(void **state) {
    struct fixture *f = *state;
    SSL_SESSION_free(f->ticket);
    tls_meeting_close(&f->meeting);
    free(f);
    return 0;
}

static void meet(struct fixture *f) {
    tls_meeting_begin(&f->meeting);
    SSL_set_app_data(f->meeting.client_ssl, f);
    SSL_set_tlsext_host_name(f->meeting.client_ssl, "a.test");
    SSL_set_alpn_protos(f->meeting.client_ssl, (const uint8_t *)"\x02h2", 3);
    if (f->ticket) SSL_set_session(f->meeting.client_ssl, f->ticket);
}

// To the handshake's end and a first byte from the server, before which come the tickets.
static void finish(struct fixture *f) {
    char byte = 'x';
    for (int i = 0; i < 20 && (SSL_in_init(f->meeting.client_ssl) || SSL_in_init(f->meeting.server_ssl));
         i++) {
        SSL_do_handshake(f->meeting.client_ssl);
        SSL_do_handshake(f->meeting.server_ssl);
        SSL_read(f->meeting.server_ssl, &byte, 1); // in early data the handshake goes on in here
    }
    assert_false(SSL_in_init(f->meeting.client_ssl) || SSL_in_init(f->meeting.server_ssl));
    assert_int_equal(SSL_write(f->meeting.server_ssl, &byte, 1), 1);
    assert_int_equal(SSL_read(f->meeting.client_ssl, &byte, 1), 1);
    ERR_clear_error();
}

UNIT_TEST_OF(test_taken, struct fixture *f, open_all, close_all) {
    tls_allow_early_data(f->meeting.tls);
    meet(f);
    finish(f);
    assert_false(SSL_early_data_accepted(f->meeting.server_ssl));
    assert_non_null(f->ticket);

    meet(f);
    assert_int_equal(SSL_do_handshake(f->meeting.client_ssl),
                     1); // its first flight: early data may follow at once
    assert_true(SSL_in_early_data(f->meeting.client_ssl));
    assert_int_equal(SSL_write(f->meeting.client_ssl, request, sizeof request), sizeof request);
    char got[sizeof request + sizeof answer];
    assert_int_equal(SSL_do_handshake(f->meeting.server_ssl), 1);
    assert_true(SSL_early_data_accepted(f->meeting.server_ssl));
    assert_true(SSL_session_reused(f->meeting.server_ssl));
    assert_string_equal(tls_alpn(f->meeting.server_ssl), "h2");
    assert_string_equal(tls_version(f->meeting.server_ssl), "TLSv1.3");
    assert_int_equal(SSL_read(f->meeting.server_ssl, got, sizeof got), sizeof request);
    assert_string_equal(got, request);
    // The answer goes out before the client has said anything else.
    assert_true(SSL_in_early_data(f->meeting.server_ssl));
    assert_int_equal(SSL_write(f->meeting.server_ssl, answer, sizeof answer), sizeof answer);
    assert_int_equal(SSL_read(f->meeting.client_ssl, got, sizeof got), sizeof answer);
    assert_string_equal(got, answer);
    finish(f);
}

UNIT_TEST_OF(test_not_taken_unless_allowed, struct fixture *f, open_all, close_all) {
    meet(f);
    finish(f);
    assert_non_null(f->ticket);
    meet(f);
    assert_int_equal(SSL_do_handshake(f->meeting.client_ssl), -1); // the ticket is not good for early data
    assert_false(SSL_in_early_data(f->meeting.client_ssl));
    finish(f);
    assert_true(SSL_session_reused(f->meeting.server_ssl));
    assert_false(SSL_early_data_accepted(f->meeting.server_ssl));
}
