#include "replay/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool transport_tcp_is_paced(const struct tcp_transport *tcp) {
    return tcp->pacing || strncmp(tcp->congestion_control, "bbr", 3) == 0;
}

static int parse_number(uint32_t *out, const struct transport_setting *setting, const char *option,
                        const char *value, char *error, size_t error_size) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || number < setting->least ||
        number > setting->most) {
        snprintf(error, error_size, "--%s: must be %u to %u %s (got \"%.40s\")", option, setting->least,
                 setting->most, setting->unit, value);
        return -1;
    }
    *out = (uint32_t)number;
    return 0;
}

static int parse_switch(bool *out, const char *option, const char *value, char *error, size_t error_size) {
    bool on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0) {
        snprintf(error, error_size, "--%s: must be on or off (got \"%.40s\")", option, value);
        return -1;
    }
    *out = on;
    return 0;
}

static int parse_choice(uint32_t *out, const char *const *words, const char *option, const char *value,
                        char *error, size_t error_size) {
    char listed[128] = "";
    for (uint32_t i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *out = i;
            return 0;
        }
        size_t used = strlen(listed);
        snprintf(listed + used, sizeof listed - used, "%s%s",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    snprintf(error, error_size, "--%s: must be %s (got \"%.40s\")", option, listed, value);
    return -1;
}

int transport_set(struct transport *transport, const char *option, const char *value, char *error,
                  size_t error_size) {
    const bool both_windows = strcmp(option, "initcwnd") == 0;
    const char *name = both_windows                        ? "tcp-initcwnd"
                       : strcmp(option, "congestion") == 0 ? "tcp-congestion"
                                                           : option;
    const struct transport_setting *setting = transport_settings;
    while (setting->option && strcmp(name, setting->option) != 0)
        setting++;
    if (!setting->option) {
        snprintf(error, error_size, "--%s: no such option (see --help)", option);
        return -1;
    }
    void *place = (char *)transport + setting->offset;
    int result = 0;
    switch (setting->kind) {
    case TRANSPORT_TEXT:
        *(const char **)place = value;
        break;
    case TRANSPORT_NUMBER:
        result = parse_number(place, setting, option, value, error, error_size);
        break;
    case TRANSPORT_SWITCH:
        result = parse_switch(place, option, value, error, error_size);
        break;
    case TRANSPORT_CHOICE:
        result = parse_choice(place, setting->words, option, value, error, error_size);
        break;
    }
    if (both_windows) transport->quic.initial_window_packets = transport->tcp.initial_window_packets;
    return result;
}
