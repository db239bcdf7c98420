#include "replay/report_settings.h"

#include "congestion/congestion.h"

#include <llhttp.h>
#include <openssl/base.h>
#include <string.h>

#define TEXT_OF(value) #value
#define VALUE_TEXT(macro) TEXT_OF(macro)

json_t *report_versions_json(const struct report_setting *setting) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "trilane", TRILANE_VERSION, "quiche",
                     setting->quiche_version, "boringssl", "API " VALUE_TEXT(BORINGSSL_API_VERSION),
                     "nghttp2", setting->nghttp2_version, "llhttp",
                     VALUE_TEXT(LLHTTP_VERSION_MAJOR) "." VALUE_TEXT(LLHTTP_VERSION_MINOR) "." VALUE_TEXT(
                         LLHTTP_VERSION_PATCH));
}

json_t *report_origins_json(const struct report_setting *setting) {
    return json_pack("{s:s, s:I, s:s, s:I, s:I}", "kind", setting->origins, "addresses",
                     (json_int_t)setting->addresses, "http", setting->upgrades_clear ? "upgraded" : "clear",
                     "http_exchanges", (json_int_t)setting->clear_exchanges, "redirects_left_out",
                     (json_int_t)setting->redirects_left_out);
}

// 0: the kernel chooses.
static json_t *size_or_null(uint32_t size_bytes) {
    return size_bytes ? json_integer(size_bytes) : json_null();
}

static json_t *setting_json(const struct transport_setting *setting, const struct transport *transport) {
    const void *place = (const char *)transport + setting->offset;
    switch (setting->kind) {
    case TRANSPORT_TEXT:
        return json_string(*(const char *const *)place);
    case TRANSPORT_SWITCH:
        return json_boolean(*(const bool *)place);
    case TRANSPORT_CHOICE:
        return json_string(setting->words[*(const uint32_t *)place]);
    default:
        break;
    }
    uint32_t number = *(const uint32_t *)place;
    return setting->zero_is_null ? size_or_null(number) : json_integer(number);
}

// Those whose option begins so.
static void add_settings(json_t *object, const struct transport *transport, const char *prefix) {
    for (const struct transport_setting *each = transport_settings; each->option; each++)
        if (each->reported && strncmp(each->option, prefix, strlen(prefix)) == 0)
            json_object_set_new(object, each->reported, setting_json(each, transport));
}

static json_t *tcp_json(const struct report_setting *setting) {
    json_t *tcp =
        json_pack("{s:o, s:I, s:b}", "notsent_lowat_bytes", size_or_null(setting->tcp_notsent_lowat_bytes),
                  "tls_record_bytes", (json_int_t)setting->tls_record_bytes, "metrics_saved",
                  setting->tcp_metrics_saved);
    add_settings(tcp, setting->transport, "tcp-");
    return tcp;
}

static json_t *quic_json(const struct report_setting *setting) {
    // quiche 0.30, recovery/congestion/cubic.rs: not to be switched off
    json_t *quic = json_pack("{s:b}", "reductions_taken_back",
                             strcmp(setting->transport->quic.congestion_control, "cubic") == 0);
    add_settings(quic, setting->transport, "quic-");
    const struct congestion_controller *ours = congestion_find(setting->transport->quic.congestion_control);
    if (ours && ours->is_unpaced)
        json_object_set_new(quic, "pacing", json_false()); // whatever was configured
    return quic;
}

json_t *report_transport_json(const struct report_setting *setting) {
    return json_pack("{s:o, s:o}", "tcp", tcp_json(setting), "quic", quic_json(setting));
}
