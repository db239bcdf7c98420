#include "replay/h3/quic.h"

#include "congestion/quiche_congestion.h"
#include "quic_io/quiche_paths.h"

#include <errno.h>
#include <quiche.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CONNECTION_WINDOW_BYTES = 10 * 1024 * 1024, // as h2's
    UPLOAD_WINDOW_BYTES = 1024 * 1024,
    CONTROL_STREAMS = 100, // unidirectional: control, QPACK, GREASE
    RECEIVE_PAYLOAD_BYTES = 1500,
    FIELD_SECTION_BYTES = 64 * 1024,
    QUICHE_INITIAL_PACKET = 1, // what quiche_header_info calls the type
};

enum quic_packet quic_packet_head(const struct udp_packet *packet, size_t cid_size, struct cid *dcid,
                                  struct cid *scid) {
    uint32_t version;
    uint8_t type, token[256];
    size_t scid_size = CID_MAX, dcid_size = CID_MAX, token_size = sizeof token;
    if (quiche_header_info(packet->bytes, packet->size, cid_size, &version, &type, scid->bytes, &scid_size,
                           dcid->bytes, &dcid_size, token, &token_size) < 0)
        return QUIC_PACKET_BAD;
    dcid->size = (uint8_t)dcid_size;
    scid->size = (uint8_t)scid_size;
    bool is_long = packet->bytes[0] & 0x80;
    if (!is_long || version == 0) return QUIC_PACKET_OTHER;
    if (!quiche_version_is_supported(version)) return QUIC_PACKET_UNKNOWN_VERSION;
    return type == QUICHE_INITIAL_PACKET ? QUIC_PACKET_FIRST : QUIC_PACKET_OTHER;
}

ssize_t quic_negotiate_version(const struct cid *dcid, const struct cid *scid, uint8_t *bytes, size_t size) {
    return quiche_negotiate_version(scid->bytes, scid->size, dcid->bytes, dcid->size, bytes, size);
}

const char *quic_library_version(void) {
    return quiche_version();
}

void quic_list_congestion_controls(char list[QUIC_CONGESTION_LIST_SIZE]) {
    quiche_congestion_list(list, QUIC_CONGESTION_LIST_SIZE);
}

int quic_check_congestion_control(const char *name, char *error, size_t error_size) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    const bool has = config && quiche_congestion_choose(config, name) == 0;
    if (config) quiche_config_free(config);
    if (has) return 0;
    char list[QUIC_CONGESTION_LIST_SIZE];
    quic_list_congestion_controls(list);
    snprintf(error, error_size, "must be %s (got \"%.40s\")", list, name);
    return -1;
}

int quic_settings_open(struct quic_settings **out, const struct server_parts *parts, char *error,
                       size_t error_size) {
    if (parts->qlog_folder && access(parts->qlog_folder, W_OK | X_OK) < 0) {
        snprintf(error, error_size, "%s: cannot hold qlogs: %s", parts->qlog_folder, strerror(errno));
        return -1;
    }
    const struct quic_transport *transport = &parts->transport->quic;
    struct quic_settings *settings = calloc(1, sizeof *settings);
    quiche_config *quic = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    quiche_h3_config *http = quiche_h3_config_new();
    if (settings)
        *settings = (struct quic_settings){
            parts, quic, http, transport->pacing && quiche_pacing_is_for(transport->congestion_control)};
    if (!settings || !quic || !http || quiche_congestion_choose(quic, transport->congestion_control) < 0) {
        snprintf(error, error_size, "h3: quiche has no congestion control \"%s\", or memory is short",
                 transport->congestion_control);
        quic_settings_close(settings);
        return -1;
    }
    quiche_config_set_initial_congestion_window_packets(quic, transport->initial_window_packets);
    quiche_config_enable_pacing(quic, transport->pacing);
    quiche_config_set_max_ack_delay(quic, transport->max_ack_delay_ms);
    quiche_config_set_max_idle_timeout(quic, QUIC_IDLE_TIMEOUT_MS);
    quiche_config_set_max_recv_udp_payload_size(quic, RECEIVE_PAYLOAD_BYTES);
    quiche_config_set_max_send_udp_payload_size(quic, transport->max_udp_payload_bytes);
    quiche_config_set_initial_max_data(quic, CONNECTION_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(quic, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_remote(quic, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(quic, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_streams_bidi(quic, QUIC_CONCURRENT_STREAMS);
    quiche_config_set_initial_max_streams_uni(quic, CONTROL_STREAMS);
    quiche_config_set_disable_active_migration(quic, true);
    quiche_paths_configure(quic);
    quiche_h3_config_set_max_field_section_size(http, FIELD_SECTION_BYTES);
    *out = settings;
    return 0;
}

void quic_settings_close(struct quic_settings *settings) {
    if (!settings) return;
    if (settings->quic) quiche_config_free(settings->quic);
    if (settings->http) quiche_h3_config_free(settings->http);
    free(settings);
}
