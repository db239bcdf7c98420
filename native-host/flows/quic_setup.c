#include "flows/quic_setup.h"

#include "congestion/quiche_congestion.h"
#include "flows/tls_setup.h"
#include "quic_io/quiche_paths.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    // Flow control is never to be the limit: more than four times what 1 Gbit/s and 100 ms hold.
    WINDOW_BYTES = 64 << 20,
    RECEIVE_PAYLOAD_BYTES = 1500,
    STREAMS = 1,
    LIST_SIZE = 200, // of controllers
};

// ALPN's wire form, of length 12.
static const uint8_t protocols[] = "\x0ctrilane-flow";

static int choose_protocol(SSL *ssl, const uint8_t **chosen, uint8_t *chosen_size, const uint8_t *offered,
                           unsigned offered_size, void *context) {
    (void)ssl, (void)context;
    uint8_t *found;
    if (SSL_select_next_proto(&found, chosen_size, protocols, sizeof protocols - 1, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *server_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    if (context && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
        certificate_use_new(context)) {
        SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
        return context;
    }
    ERR_clear_error();
    SSL_CTX_free(context);
    return NULL;
}

int quic_setup_open(struct quic_setup **out, const struct flow_end *end, char *error, size_t error_size) {
    if (end->qlog_folder && access(end->qlog_folder, W_OK | X_OK) < 0) {
        snprintf(error, error_size, "%s: cannot hold qlogs: %s", end->qlog_folder, strerror(errno));
        return -1;
    }
    struct quic_setup *setup = calloc(1, sizeof *setup);
    if (setup) {
        setup->end = end;
        setup->room = malloc(QUIC_READ_BYTES);
        setup->tls = end->is_near ? NULL : server_context();
    }
    if (!setup || !setup->room || (!end->is_near && !setup->tls)) {
        quic_setup_close(setup);
        snprintf(error, error_size, "QUIC cannot be set up: memory is short");
        return -1;
    }
    *out = setup;
    return 0;
}

void quic_setup_close(struct quic_setup *setup) {
    if (!setup) return;
    for (struct quic_controller *controller = setup->controllers, *next; controller; controller = next) {
        next = controller->next;
        quiche_config_free(controller->config);
        free(controller);
    }
    SSL_CTX_free(setup->tls);
    free(setup->room);
    free(setup);
}

static int configure(quiche_config *config, const char *name) {
    if (quiche_congestion_choose(config, name) < 0) return -1;
    quiche_config_verify_peer(config, false);
    quiche_config_set_initial_congestion_window_packets(config, QUIC_INITIAL_PACKETS);
    quiche_config_enable_pacing(config, true);
    quiche_config_set_max_idle_timeout(config, QUIC_IDLE_TIMEOUT_S * 1000);
    quiche_config_set_max_recv_udp_payload_size(config, RECEIVE_PAYLOAD_BYTES);
    quiche_config_set_max_send_udp_payload_size(config, QUIC_PAYLOAD_BYTES);
    quiche_config_set_max_connection_window(config, WINDOW_BYTES);
    quiche_config_set_max_stream_window(config, WINDOW_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_remote(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_bidi(config, STREAMS);
    quiche_paths_configure(config);
    return quiche_config_set_application_protos(config, protocols, sizeof protocols - 1);
}

const struct quic_controller *quic_setup_controller(struct quic_setup *setup, const char *name, char *error,
                                                    size_t error_size) {
    for (struct quic_controller *known = setup->controllers; known; known = known->next)
        if (strcmp(known->name, name) == 0) return known;
    struct quic_controller *made = calloc(1, sizeof *made);
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    if (!made || !config || strlen(name) >= sizeof made->name || configure(config, name) < 0) {
        char list[LIST_SIZE] = "memory is short";
        if (made && config) quiche_congestion_list(list, sizeof list);
        snprintf(error, error_size, "QUIC congestion control \"%.31s\": %s%s", name,
                 made && config ? "must be " : "", list);
        if (config) quiche_config_free(config);
        free(made);
        return NULL;
    }
    made->config = config;
    made->paced = quiche_pacing_is_for(name);
    strcpy(made->name, name);
    made->next = setup->controllers;
    setup->controllers = made;
    return made;
}

SSL *quic_setup_server_tls(const struct quic_setup *setup) {
    SSL *ssl = SSL_new(setup->tls);
    if (ssl) SSL_set_accept_state(ssl);
    return ssl;
}
