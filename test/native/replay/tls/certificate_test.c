// Chains as a client sees and verifies them (BoringSSL's own verifier against HOME/ca/ca.pem), and the
// authority's files: made once whoever comes first, whole or not at all.
#include "replay/tls/certificate.h"

#include "../tls_meeting.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <openssl/base64.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <sys/wait.h>

// Leaf and root: with the rest of a first flight (about 450 bytes) well under 3 x 1200, what a QUIC server
// may send before it knows the client's address.
enum { RACERS = 8, CHAIN_BYTES_MAX = 1200 };

struct fixture {
    struct tls_meeting meeting;
    long verdict; // the client's on the chain
};

static int open_all(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    char path[128];
    if (tls_meeting_open(&f->meeting) < 0) return -1;
    snprintf(path, sizeof path, "%s/ca/ca.pem", f->meeting.home);
    *state = f;
    return SSL_CTX_load_verify_locations(f->meeting.client, path, NULL) == 1 ? 0 : -1;
}

static int close_all(void **state) {
    struct fixture *f = *state;
    tls_meeting_close(&f->meeting);
    free(f);
    return 0;
}

// A handshake in memory: the client asks for `sni` (NULL: none) and expects to be with `name`. True when both
// are done.
static bool meet(struct fixture *f, const char *sni, const char *name, const char *protocols) {
    tls_meeting_begin(&f->meeting);
    SSL_set_verify(f->meeting.client_ssl, SSL_VERIFY_PEER, NULL);
    if (sni) SSL_set_tlsext_host_name(f->meeting.client_ssl, sni);
    struct in6_addr address;
    bool is_address = inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
    X509_VERIFY_PARAM *verify = SSL_get0_param(f->meeting.client_ssl);
    assert_int_equal(is_address ? X509_VERIFY_PARAM_set1_ip_asc(verify, name)
                                : X509_VERIFY_PARAM_set1_host(verify, name, strlen(name)),
                     1);
    SSL_set_alpn_protos(f->meeting.client_ssl, (const uint8_t *)protocols, strlen(protocols));
    bool done = false;
    for (int i = 0; i < 20 && !done; i++) {
        bool client_done = SSL_do_handshake(f->meeting.client_ssl) == 1;
        done = SSL_do_handshake(f->meeting.server_ssl) == 1 && client_done;
    }
    ERR_clear_error();
    f->verdict = SSL_get_verify_result(f->meeting.client_ssl);
    return done;
}

static size_t chain_bytes_seen(const struct fixture *f) {
    size_t bytes = 0;
    const STACK_OF(CRYPTO_BUFFER) *chain = SSL_get0_peer_certificates(f->meeting.client_ssl);
    for (size_t i = 0; i < sk_CRYPTO_BUFFER_num(chain); i++)
        bytes += CRYPTO_BUFFER_len(sk_CRYPTO_BUFFER_value(chain, i));
    return bytes;
}

UNIT_TEST_OF(test_chain_verifies, struct fixture *f, open_all, close_all) {
    assert_true(meet(f, "www.a.test", "www.a.test", "\x02h2\x08http/1.1"));
    assert_int_equal(f->verdict, X509_V_OK);
    assert_string_equal(tls_alpn(f->meeting.server_ssl), "h2");
    assert_string_equal(tls_version(f->meeting.server_ssl), "TLSv1.3");
    assert_int_equal(sk_CRYPTO_BUFFER_num(SSL_get0_peer_certificates(f->meeting.client_ssl)), 2);
    assert_in_range(chain_bytes_seen(f), 500, CHAIN_BYTES_MAX);
}

// To which other programs hold a chain: BoringSSL's verifier does not look at most of them.
UNIT_TEST_OF(test_extensions, struct fixture *f, open_all, close_all) {
    assert_true(meet(f, "a.test", "a.test", "\x02h2"));
    const STACK_OF(CRYPTO_BUFFER) *chain = SSL_get0_peer_certificates(f->meeting.client_ssl);
    X509 *leaf = X509_parse_from_buffer(sk_CRYPTO_BUFFER_value(chain, 0)),
         *root = X509_parse_from_buffer(sk_CRYPTO_BUFFER_value(chain, 1));
    assert_true(leaf && root);
    const struct {
        X509 *certificate;
        int nid;
        bool critical;
        const char *der;
    } wanted[] = {
        {root, NID_basic_constraints, true, "\x30\x03\x01\x01\xff"}, // a CA
        {root, NID_key_usage, true, "\x03\x02\x01\x06"},             // keyCertSign, cRLSign
        {leaf, NID_key_usage, true, "\x03\x02\x07\x80"},             // digitalSignature
        {leaf, NID_ext_key_usage, false, "\x30\x0a\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01"}, // serverAuth
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int at = X509_get_ext_by_NID(wanted[i].certificate, wanted[i].nid, -1);
        assert_true(at >= 0);
        const X509_EXTENSION *extension = X509_get_ext(wanted[i].certificate, at);
        assert_int_equal(X509_EXTENSION_get_critical(extension), wanted[i].critical);
        const ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(extension);
        assert_int_equal(ASN1_STRING_length(value), strlen(wanted[i].der));
        assert_memory_equal(ASN1_STRING_get0_data(value), wanted[i].der, strlen(wanted[i].der));
    }
    // The leaf names the root's key, as the root itself does: by its SHA-1.
    uint8_t hash[SHA_DIGEST_LENGTH];
    assert_int_equal(X509_pubkey_digest(root, EVP_sha1(), hash, NULL), 1);
    const ASN1_OCTET_STRING *const names[] = {X509_get0_subject_key_id(root),
                                              X509_get0_authority_key_id(leaf)};
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(names[i]);
        assert_int_equal(ASN1_STRING_length(names[i]), sizeof hash);
        assert_memory_equal(ASN1_STRING_get0_data(names[i]), hash, sizeof hash);
    }
    // Besides these the leaf has the names that it is good for.
    assert_int_equal(X509_get_ext_count(root), 3);
    assert_int_equal(X509_get_ext_count(leaf), 4);
    X509_free(leaf);
    X509_free(root);
}

UNIT_TEST_OF(test_recorded_names, struct fixture *f, open_all, close_all) {
    static const char *const names[] = {"a.test", "*.a.test", "192.0.2.9", "2001:db8::9"};
    const struct certificate_form form = {.names = names, .name_count = 4};
    assert_int_equal(certificates_make(f->meeting.certificates, "WWW.other.test", &form), 0);
    static const char *const good[] = {"www.other.test", "a.test", "x.a.test", "192.0.2.9", "2001:db8::9"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!meet(f, "www.other.test", good[i], "\x02h2")) fail_msg("not good for %s", good[i]);
    static const char *const bad[] = {"other.test", "x.y.a.test", "192.0.2.7", "b.test"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (meet(f, "www.other.test", bad[i], "\x02h2")) fail_msg("good for %s", bad[i]);
    assert_false(meet(f, "a.test", "x.a.test", "\x02h2")); // of which nothing was recorded
}

// More names than a client would take: a certificate for its host all the same.
UNIT_TEST_OF(test_too_many_names, struct fixture *f, open_all, close_all) {
    enum { COUNT = 4000, NAME_SIZE = 220 };
    char(*texts)[NAME_SIZE] = malloc(COUNT * sizeof *texts);
    const char **names = malloc(COUNT * sizeof *names);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], NAME_SIZE, "%060zu.%060d.%060d.test", i, 0, 0);
        names[i] = texts[i];
    }
    const struct certificate_form form = {.names = names, .name_count = COUNT, .chain_bytes = 65536};
    assert_int_equal(certificates_make(f->meeting.certificates, "host.test", &form), 0);
    assert_true(meet(f, "host.test", "host.test", "\x02h2"));
    assert_true(meet(f, "host.test", texts[0], "\x02h2"));
    assert_false(meet(f, "host.test", texts[COUNT - 1], "\x02h2"));
    assert_in_range(chain_bytes_seen(f), 45000, 66000);
    free(texts);
    free(names);
}

UNIT_TEST_OF(test_chain_sizes, struct fixture *f, open_all, close_all) {
    enum { SLACK = 8, FRAMING = 24 };
    assert_true(meet(f, "small.test", "small.test", "\x02h2"));
    const size_t least = chain_bytes_seen(f);
    for (size_t wanted = least - 100; wanted < 70000; wanted += wanted < 1500 ? 7 : wanted / 3) {
        char name[32];
        snprintf(name, sizeof name, "n%zu.test", wanted);
        const struct certificate_form form = {.chain_bytes = (uint32_t)wanted};
        assert_int_equal(certificates_make(f->meeting.certificates, name, &form), 0);
        assert_true(meet(f, name, name, "\x02h2"));
        size_t seen = chain_bytes_seen(f);
        size_t low = wanted > least + FRAMING ? wanted - SLACK : least - SLACK;
        size_t high = (wanted > least + FRAMING ? wanted : least + FRAMING) + SLACK;
        if (seen < low || seen > high) fail_msg("%zu bytes wanted, %zu sent", wanted, seen);
    }
    certificates_set_chain_bytes(f->meeting.certificates, 4000);
    assert_true(meet(f, "later.test", "later.test", "\x02h2"));
    assert_in_range(chain_bytes_seen(f), 4000 - SLACK, 4000 + SLACK);
}

UNIT_TEST_OF(test_recorded_groups, struct fixture *f, open_all, close_all) {
    // As Chromium: with shares of the first two.
    assert_int_equal(SSL_CTX_set1_groups_list(f->meeting.client, "X25519MLKEM768:X25519:P-256:P-384"), 1);
    static const struct {
        const char *group;
        uint16_t expected;
        bool is_asked_again; // a round trip more
    } cases[] = {
        {NULL, SSL_GROUP_X25519_MLKEM768, false}, {"X25519MLKEM768", SSL_GROUP_X25519_MLKEM768, false},
        {"X25519", SSL_GROUP_X25519, false},      {"P-256", SSL_GROUP_SECP256R1, true},
        {"P-384", SSL_GROUP_SECP384R1, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%zu.test", i);
        const struct certificate_form form = {.group = cases[i].group};
        assert_int_equal(certificates_make(f->meeting.certificates, name, &form), 0);
        assert_true(meet(f, name, name, "\x02h2"));
        assert_int_equal(SSL_get_group_id(f->meeting.client_ssl), cases[i].expected);
        assert_int_equal(SSL_used_hello_retry_request(f->meeting.client_ssl), cases[i].is_asked_again);
    }
    // Who does not know the recorded one finds another.
    assert_int_equal(SSL_CTX_set1_groups_list(f->meeting.client, "P-256"), 1);
    assert_true(meet(f, "n1.test", "n1.test", "\x02h2"));
    assert_true(meet(f, "n2.test", "n2.test", "\x02h2"));
}

UNIT_TEST_OF(test_tls_versions, struct fixture *f, open_all, close_all) {
    tls_limit_versions(f->meeting.tls, TLS1_2_VERSION, TLS1_2_VERSION);
    assert_true(meet(f, "a.test", "a.test", "\x02h2"));
    assert_string_equal(tls_version(f->meeting.server_ssl), "TLSv1.2");
    tls_limit_versions(f->meeting.tls, TLS1_3_VERSION, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(f->meeting.client, TLS1_2_VERSION);
    assert_false(meet(f, "a.test", "a.test", "\x02h2"));
    SSL_CTX_set_max_proto_version(f->meeting.client, TLS1_3_VERSION);
    assert_true(meet(f, "a.test", "a.test", "\x02h2"));
    assert_string_equal(tls_version(f->meeting.server_ssl), "TLSv1.3");
}

UNIT_TEST_OF(test_only_for_its_name, struct fixture *f, open_all, close_all) {
    assert_false(meet(f, "www.a.test", "www.b.test", "\x08http/1.1"));
    assert_int_equal(f->verdict, X509_V_ERR_HOSTNAME_MISMATCH);
    assert_true(meet(f, "www.b.test", "www.b.test", "\x08http/1.1"));
    assert_string_equal(tls_alpn(f->meeting.server_ssl), "http/1.1");
}

UNIT_TEST_OF(test_without_sni_for_the_address, struct fixture *f, open_all, close_all) {
    assert_true(meet(f, NULL, "192.0.2.7", "\x08http/1.1"));
    assert_false(meet(f, NULL, "192.0.2.8", "\x08http/1.1"));
    assert_int_equal(f->verdict, X509_V_ERR_IP_ADDRESS_MISMATCH);
}

UNIT_TEST_OF(test_long_and_odd_names, struct fixture *f, open_all, close_all) {
    char name[254];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (char)(i % 50 == 49 ? '.' : 'a');
    name[sizeof name - 1] = '\0';
    assert_true(meet(f, name, name, "\x02h2"));
    assert_true(meet(f, "under_score.a.test", "under_score.a.test", "\x02h2"));
    assert_false(meet(f, "a.test\" or 1", "a.test", "\x02h2")); // nothing is signed for that
    assert_null(certificates_name(f->meeting.certificates, ""));
    assert_null(certificates_name(f->meeting.certificates, "a/b"));
}

UNIT_TEST_OF(test_unknown_protocols_are_refused, struct fixture *f, open_all, close_all) {
    assert_false(meet(f, "a.test", "a.test", "\x02h3"));
    assert_false(meet(f, "a.test", "a.test", "\x06spdy/3"));
}

UNIT_TEST_OF(test_names_without_end, struct fixture *f, open_all, close_all) {
    const char *first = certificates_name(f->meeting.certificates, "A0.test");
    assert_string_equal(first, "a0.test");
    size_t taken = 0;
    for (int i = 1; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "a%d.test", i);
        taken += certificates_name(f->meeting.certificates, name) != NULL;
    }
    assert_in_range(taken, 1000, 19000); // bounded
    assert_ptr_equal(certificates_name(f->meeting.certificates, "a0.TEST"), first);
}

static void spki_of(X509 *certificate, char text[45]) {
    uint8_t *der = NULL;
    int size = i2d_PUBKEY(X509_get0_pubkey(certificate), &der);
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256(der, (size_t)size, hash);
    OPENSSL_free(der);
    EVP_EncodeBlock((uint8_t *)text, hash, sizeof hash);
}

UNIT_TEST_OF(test_printed_hashes_are_those_sent, struct fixture *f, open_all, close_all) {
    char printed[CERTIFICATES_SPKI_SIZE];
    assert_int_equal(certificates_spki(f->meeting.certificates, printed), 0);
    static const char *const names[] = {"www.a.test", "b.test"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(meet(f, names[i], names[i], "\x02h2"));
        char sent[CERTIFICATES_SPKI_SIZE];
        const STACK_OF(X509) *chain = SSL_get_peer_full_cert_chain(f->meeting.client_ssl);
        spki_of(sk_X509_value(chain, 0), sent);
        sent[44] = ',';
        spki_of(sk_X509_value(chain, 1), sent + 45);
        assert_string_equal(sent, printed);
    }
}

static void assert_only_ca(const char *folder, const char *const *wanted, size_t count) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= strcmp(entry->d_name, wanted[i]) == 0;
        if (!known) fail_msg("left behind: %s/%s", folder, entry->d_name);
        found++;
    }
    closedir(dir);
    assert_int_equal(found, count);
}

UNIT_TEST_OF(test_made_by_many_at_once, struct fixture *f, open_all, close_all) {
    char home[128];
    snprintf(home, sizeof home, "%s/not/yet", f->meeting.home); // folders are made too
    int gate[2], results[2];
    assert_int_equal(pipe(gate), 0);
    assert_int_equal(pipe(results), 0);
    for (int i = 0; i < RACERS; i++) {
        if (fork() > 0) continue;
        char byte, error[256], text[CERTIFICATES_SPKI_SIZE] = "";
        struct certificates *certificates;
        close(gate[1]);
        if (read(gate[0], &byte, 1) < 0) _exit(1); // until all are there
        if (certificates_open(&certificates, home, error, sizeof error) < 0) _exit(1);
        if (certificates_spki(certificates, text) < 0) _exit(1);
        _exit(write(results[1], text, sizeof text) == sizeof text ? 0 : 1);
    }
    close(gate[0]);
    close(gate[1]);
    char first[CERTIFICATES_SPKI_SIZE], other[CERTIFICATES_SPKI_SIZE];
    for (int i = 0; i < RACERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
        assert_int_equal(read(results[0], i ? other : first, sizeof first), sizeof first);
        if (i) assert_string_equal(other, first);
    }
    close(results[0]);
    close(results[1]);
    static const char *const home_has[] = {"ca"};
    static const char *const ca_has[] = {"ca.key", "ca.pem", "leaf.key"};
    assert_only_ca(home, home_has, 1);
    char folder[160];
    snprintf(folder, sizeof folder, "%s/ca", home);
    assert_only_ca(folder, ca_has, 3);
    for (size_t i = 0; i < 3; i++) {
        char path[192];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, ca_has[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
    }
}

static void assert_refused(const char *home, const char *part_of_line) {
    struct certificates *certificates;
    char error[512] = "";
    assert_int_equal(certificates_open(&certificates, home, error, sizeof error), -1);
    if (!strstr(error, part_of_line) || strchr(error, '\n')) fail_msg("got \"%s\"", error);
}

UNIT_TEST_OF(test_damage_is_told, struct fixture *f, open_all, close_all) {
    char path[128], other[128];
    snprintf(path, sizeof path, "%s/ca/leaf.key", f->meeting.home);
    snprintf(other, sizeof other, "%s/ca/leaf.key.kept", f->meeting.home);
    assert_int_equal(rename(path, other), 0);
    assert_refused(f->meeting.home,
                   "/ca: the certificate authority is unreadable or damaged: remove the folder");
    assert_int_equal(rename(other, path), 0);
    snprintf(path, sizeof path, "%s/ca/ca.key", f->meeting.home); // a key that is not the certificate's
    snprintf(other, sizeof other, "%s/ca/leaf.key", f->meeting.home);
    assert_int_equal(rename(other, path), 0);
    assert_refused(f->meeting.home, "damaged");
    snprintf(path, sizeof path, "%s/file", f->meeting.home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_refused(path, "the certificate authority cannot be made there: Not a directory");
}

// Signs the authority anew, valid for so many seconds from now.
static void set_validity(const char *home, long from_s, long to_s) {
    char path[128];
    snprintf(path, sizeof path, "%s/ca/ca.key", home);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    snprintf(path, sizeof path, "%s/ca/ca.pem", home);
    file = fopen(path, "r");
    assert_non_null(file);
    X509 *root = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    assert_true(key && root);
    assert_true(X509_gmtime_adj(X509_getm_notBefore(root), from_s));
    assert_true(X509_gmtime_adj(X509_getm_notAfter(root), to_s));
    assert_true(X509_sign(root, key, EVP_sha256()) > 0);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, root), 1);
    fclose(file);
    X509_free(root);
    EVP_PKEY_free(key);
}

UNIT_TEST_OF(test_another_clock_is_told, struct fixture *f, open_all, close_all) {
    set_validity(f->meeting.home, 86400, 2 * 86400);
    assert_refused(f->meeting.home, "/ca: the certificate authority is valid from 20");
    set_validity(f->meeting.home, -2 * 86400, -86400);
    assert_refused(f->meeting.home, "/ca: the certificate authority is valid until 20");
    assert_refused(f->meeting.home, ": set the clock, or remove the folder");
    set_validity(f->meeting.home, -86400, 86400);
    struct certificates *certificates;
    char error[512];
    assert_int_equal(certificates_open(&certificates, f->meeting.home, error, sizeof error), 0);
    certificates_close(certificates);
}
