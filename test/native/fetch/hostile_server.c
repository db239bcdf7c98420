#include "hostile_server.h"

#include "replay/tls/x509_make.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIFE_S = 120, DAY_S = 86400 };

// Its own authority, good for 127.0.0.1.
static X509 *new_certificate(EVP_PKEY *key, bool expired) {
    X509 *certificate = X509_new();
    X509_NAME *name = X509_NAME_new();
    X509V3_CTX context;
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"hostile", -1, -1, 0);
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * DAY_S);
    X509_gmtime_adj(X509_getm_notAfter(certificate), expired ? -DAY_S : DAY_S);
    X509_set_subject_name(certificate, name);
    X509_set_issuer_name(certificate, name);
    X509_set_pubkey(certificate, key);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *names = X509V3_EXT_nconf_nid(NULL, &context, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate, names, -1);
    X509_sign(certificate, key, EVP_sha256());
    X509_EXTENSION_free(names);
    X509_NAME_free(name);
    return certificate;
}

static int choose_alpn(SSL *ssl, const uint8_t **out, uint8_t *out_size, const uint8_t *in, unsigned in_size,
                       void *alpn) {
    (void)ssl, (void)in, (void)in_size;
    *out = alpn;
    *out_size = (uint8_t)strlen(alpn);
    return SSL_TLSEXT_ERR_OK;
}

SSL_CTX *hostile_context(const struct hostile *hostile, char *authority) {
    strcpy(authority, "/tmp/trilane-hostile-XXXXXX");
    const int fd = mkstemp(authority);
    if (fd < 0) return NULL;
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    EVP_PKEY *key = x509_make_key();
    X509 *certificate = new_certificate(key, hostile->expired);
    FILE *file = fdopen(fd, "w");
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    for (unsigned i = 0; i < hostile->chain; i++) {
        X509_up_ref(certificate);
        SSL_CTX_add_extra_chain_cert(context, certificate);
    }
    if (hostile->alpn) SSL_CTX_set_alpn_select_cb(context, choose_alpn, (void *)(uintptr_t)hostile->alpn);
    PEM_write_X509(file, certificate);
    fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

// Many times at once, until the client has gone.
static void say_without_end(SSL *ssl, const struct hostile *hostile) {
    char text[16384];
    const size_t size = hostile->again_size ? hostile->again_size : strlen(hostile->again);
    size_t whole = 0;
    for (; whole + size <= sizeof text; whole += size)
        memcpy(text + whole, hostile->again, size);
    while (SSL_write(ssl, text, (int)whole) > 0)
        ;
}

static void serve(const struct hostile *hostile, SSL_CTX *context, int fd) {
    char request[4096];
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    if (!hostile->hangs_up && !hostile->silent && SSL_accept(ssl) == 1 &&
        SSL_read(ssl, request, sizeof request) > 0 && hostile->says) {
        SSL_write(ssl, hostile->says, (int)(hostile->size ? hostile->size : strlen(hostile->says)));
        if (hostile->again) say_without_end(ssl, hostile);
        if (hostile->later) {
            usleep(100 * 1000);
            SSL_write(ssl, hostile->later, (int)strlen(hostile->later));
        }
    }
    if (hostile->silent || hostile->stays)
        while (recv(fd, request, sizeof request, 0) > 0) // until the client has gone
            ;
    else if (!hostile->hangs_up && !hostile->dies)
        SSL_shutdown(ssl);
    SSL_free(ssl);
    close(fd);
}

int hostile_server_start(struct hostile_server *server, const struct hostile *hostile) {
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons(hostile->lab_port),
                               .sin_addr.s_addr = htonl(hostile->lab_port ? INADDR_ANY : INADDR_LOOPBACK)};
    socklen_t size = sizeof name;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) < 0 ||
        listen(listener, 16) < 0 || getsockname(listener, (struct sockaddr *)&name, &size) < 0)
        return -1;
    server->port = ntohs(name.sin_port);
    SSL_CTX *context = hostile_context(hostile, server->authority);
    if (!context) return -1;
    server->pid = fork();
    if (server->pid == 0) {
        signal(SIGPIPE, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(LIFE_S);
        for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;)
            serve(hostile, context, fd);
        _exit(0);
    }
    close(listener);
    SSL_CTX_free(context);
    return server->pid > 0 ? 0 : -1;
}

void hostile_server_stop(struct hostile_server *server) {
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    unlink(server->authority);
}
