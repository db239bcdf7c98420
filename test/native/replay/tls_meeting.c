#include "tls_meeting.h"
#include "test/native/cmocka_unit.h"

int tls_meeting_open(struct tls_meeting *meeting) {
    char error[256];
    *meeting = (struct tls_meeting){0};
    if (certificates_open(&meeting->certificates, unit_new_folder(meeting->home), error, sizeof error) < 0 ||
        tls_open(&meeting->tls, meeting->certificates, error, sizeof error) < 0)
        return -1;
    meeting->client = SSL_CTX_new(TLS_method());
    return 0;
}

void tls_meeting_forget(struct tls_meeting *meeting) {
    SSL_free(meeting->client_ssl);
    SSL_free(meeting->server_ssl);
    meeting->client_ssl = meeting->server_ssl = NULL;
}

void tls_meeting_close(struct tls_meeting *meeting) {
    tls_meeting_forget(meeting);
    SSL_CTX_free(meeting->client);
    tls_close(meeting->tls);
    certificates_close(meeting->certificates);
}

void tls_meeting_begin(struct tls_meeting *meeting) {
    tls_meeting_forget(meeting);
    meeting->server_ssl = tls_new_tcp(meeting->tls, "192.0.2.7");
    meeting->client_ssl = SSL_new(meeting->client);
    BIO *server_bio, *client_bio;
    assert_int_equal(BIO_new_bio_pair(&server_bio, 0, &client_bio, 0), 1);
    SSL_set_bio(meeting->server_ssl, server_bio, server_bio);
    SSL_set_bio(meeting->client_ssl, client_bio, client_bio);
    SSL_set_connect_state(meeting->client_ssl);
}
