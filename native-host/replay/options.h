// The command line of trilane-replay. Does not act on it.
#pragma once

#include "replay/exchange/think.h"
#include "replay/origins/origins.h"
#include "replay/transport.h"
#include "schemas/generated/server_settings.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum options_tls { OPTIONS_TLS_1_2, OPTIONS_TLS_1_3 };
// As TLS numbers it.
static inline uint16_t options_tls_version(enum options_tls tls) {
    return tls == OPTIONS_TLS_1_2 ? 0x0303 : 0x0304;
}

struct options {
    char home[PATH_MAX];
    const char *home_option; // as given; NULL: it was not
    const char *recording;
    const char *report; // NULL: none
    struct transport transport;
    const char *qlog_folder; // NULL: none
    const char *tcp_info;    // NULL: none
    const char *behind; // a folder for certificates: another server ends TLS (server.h); NULL: this one does
    const char *https_alpn;
    const char *think_text; // as given
    struct think think;
    struct server_settings server;
    struct chain_size chain;
    bool upgrades_clear;         // http:// origins are served as https://
    enum options_tls tls_lowest; // over TCP
    enum options_tls tls_highest;
    bool early_data;
    bool ipv6_twins; // origins/server_address.h
    bool offer_h3;   // in every response, by Alt-Svc
    bool clear;
    bool print_spki;
    bool print_congestion;
    char *const *command; // NULL-terminated; NULL: none, serve until interrupted
};

// --help and --version print and exit. What cannot be taken is one line and EXIT_BAD_INPUT.
void options_parse(struct options *options, int argc, char *const *argv);
