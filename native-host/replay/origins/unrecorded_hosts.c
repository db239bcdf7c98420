#include "replay/origins/unrecorded_hosts.h"

#include "replay/origins/in_clear.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

static const char *const special_domains[] = {"localhost", "local", "invalid", "onion",
                                              "internal",  "arpa",  "alt"};

// Chromium's own: components and extensions, sync, safe browsing, models, messaging.
static const char *const browser_hosts[] = {"android.clients.google.com",
                                            "clients1.google.com",
                                            "clients2.google.com",
                                            "clients3.google.com",
                                            "clients4.google.com",
                                            "clients6.google.com",
                                            "clientservices.googleapis.com",
                                            "content-autofill.googleapis.com",
                                            "edgedl.me.gvt1.com",
                                            "mtalk.google.com",
                                            "optimizationguide-pa.googleapis.com",
                                            "redirector.gvt1.com",
                                            "safebrowsing.googleapis.com",
                                            "sb-ssl.google.com",
                                            "update.googleapis.com"};
static const char accounts_host[] = "accounts.google.com", accounts_domain[] = "google.com";

static bool is_in(const char *name, size_t size, const char *domain) {
    const size_t domain_size = strlen(domain);
    if (size < domain_size || memcmp(name + size - domain_size, domain, domain_size) != 0) return false;
    return size == domain_size || name[size - domain_size - 1] == '.';
}

// Letters, digits, "-" and "_" in labels that do not begin with "_" (those name services), more than one of
// them, the last one not a number.
static bool is_host_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    const char *last = strrchr(name, '.');
    if (!last || !last[1] || strspn(last + 1, "0123456789") == strlen(last + 1)) return false;
    if (strspn(name, allowed) != strlen(name) || name[0] == '_') return false;
    return !strstr(name, "..") && !strstr(name, "._") && name[0] != '.';
}

static bool is_browsers_own(const char *name, const struct recording *recording) {
    for (size_t i = 0; i < sizeof browser_hosts / sizeof *browser_hosts; i++)
        if (strcmp(name, browser_hosts[i]) == 0) return true;
    if (strcmp(name, accounts_host) != 0) return false;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const char *host = recording->exchanges[i].host;
        if (is_in(host, in_clear_bare_size(host, strlen(host)), accounts_domain)) return false;
    }
    return true;
}

bool unrecorded_host_exists(const char *name_given, const struct recording *recording) {
    char name[NAME_SIZE];
    const size_t size = in_clear_bare_size(name_given, strlen(name_given));
    if (size == 0 || size >= sizeof name) return false;
    memcpy(name, name_given, size);
    name[size] = '\0';
    if (!is_host_name(name)) return false;
    for (size_t i = 0; i < sizeof special_domains / sizeof *special_domains; i++)
        if (is_in(name, size, special_domains[i])) return false;
    return !is_browsers_own(name, recording) && !recorded_failures_unnamed(recording->failures, name);
}

// Neither the network's first address nor its last.
void unrecorded_host_address(const char *name, uint8_t address[4]) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    const uint32_t places = (UINT32_C(1) << (32 - UNRECORDED_PREFIX_BITS)) - 2;
    const uint32_t place = htonl(ntohl(inet_addr(UNRECORDED_NETWORK)) + 1 + (hash ^ hash >> 15) % places);
    memcpy(address, &place, 4);
}
