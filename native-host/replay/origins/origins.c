#include "replay/origins/origins.h"

#include "replay/tls/certificate.h"
#include "replay/tls/x509_make.h"

#include <arpa/inet.h>
#include <libpsl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One host of the recording that has a name.
struct origin {
    const char *host;
    const struct recorded_exchange *first; // of its exchanges
    const char *address;                   // the first one's
    const struct recorded_certificate *certificate;
    size_t server; // index of the origin that leads its server; itself, until merged
};

struct origins {
    struct arena *arena; // for what outlives it
    struct origin *list; // sorted by host
    size_t count;
};

static const char *const kind_names[] = {[SERVER_ORIGINS_AS_RECORDED] = "as-recorded",
                                         [SERVER_ORIGINS_MERGED] = "merged",
                                         [SERVER_ORIGINS_SINGLE] = "single"};

const char *origins_kind_name(enum server_origins kind) {
    return kind_names[kind];
}

static bool is_address(const char *host) {
    uint8_t bytes[16];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

// --- the recording's hosts

static int compare_hosts(const void *a, const void *b) {
    const struct origin *left = a;
    const struct origin *right = b;
    int order = strcmp(left->host, right->host);
    if (order != 0) return order;
    return (left->first->seq > right->first->seq) - (left->first->seq < right->first->seq);
}

static int find_hosts(struct origins *origins, const struct recording *recording) {
    origins->list = calloc(recording->exchange_count + 1, sizeof *origins->list);
    if (!origins->list) return -1;
    size_t count = 0;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        if (is_address(exchange->host)) continue;
        origins->list[count++] = (struct origin){.host = exchange->host,
                                                 .first = exchange,
                                                 .address = exchange->address,
                                                 .certificate = exchange->certificate};
    }
    qsort(origins->list, count, sizeof *origins->list, compare_hosts);
    for (size_t i = 0; i < count; i++) {
        struct origin *last = origins->count > 0 ? &origins->list[origins->count - 1] : NULL;
        if (!last || strcmp(last->host, origins->list[i].host) != 0)
            origins->list[origins->count++] = origins->list[i];
        else if (!last->certificate)
            last->certificate = origins->list[i].certificate;
    }
    for (size_t i = 0; i < origins->count; i++)
        origins->list[i].server = i;
    return 0;
}

static int compare_host(const void *host, const void *origin) {
    return strcmp(host, ((const struct origin *)origin)->host);
}

static struct origin *find_origin(const struct origins *origins, const char *host) {
    return bsearch(host, origins->list, origins->count, sizeof *origins->list, compare_host);
}

// --- merging

static size_t server_of(struct origins *origins, size_t at) {
    while (origins->list[at].server != at)
        at = origins->list[at].server = origins->list[origins->list[at].server].server;
    return at;
}

// The server of the first request leads: where the page itself comes from does not move.
static void merge(struct origins *origins, size_t a, size_t b) {
    a = server_of(origins, a);
    b = server_of(origins, b);
    bool a_leads = origins->list[a].first->seq <= origins->list[b].first->seq;
    origins->list[a_leads ? b : a].server = a_leads ? a : b;
}

static const char *site_of(const char *host) {
    const char *site = psl_registrable_domain(psl_builtin(), host);
    return site ? site : host; // a public suffix by itself, or a name without dots
}

struct sited {
    const char *site;
    size_t origin;
};

static int compare_sites(const void *a, const void *b) {
    const struct sited *left = a;
    const struct sited *right = b;
    int order = strcmp(left->site, right->site);
    return order != 0 ? order : (left->origin > right->origin) - (left->origin < right->origin);
}

static int merge_sites(struct origins *origins) {
    struct sited *sited = calloc(origins->count + 1, sizeof *sited);
    if (!sited) return -1;
    for (size_t i = 0; i < origins->count; i++)
        sited[i] = (struct sited){site_of(origins->list[i].host), i};
    qsort(sited, origins->count, sizeof *sited, compare_sites);
    for (size_t i = 1; i < origins->count; i++)
        if (strcmp(sited[i].site, sited[i - 1].site) == 0)
            merge(origins, sited[i].origin, sited[i - 1].origin);
    free(sited);
    return 0;
}

// All hosts that the name of the origin's certificate is good for.
static void merge_named(struct origins *origins, size_t at, const char *name) {
    if (name[0] != '*') {
        const struct origin *other = find_origin(origins, name);
        if (other) merge(origins, at, (size_t)(other - origins->list));
        return;
    }
    for (size_t i = 0; i < origins->count; i++)
        if (x509_name_covers(name, origins->list[i].host)) merge(origins, at, i);
}

static void merge_certified(struct origins *origins) {
    for (size_t i = 0; i < origins->count; i++) {
        const struct recorded_certificate *certificate = origins->list[i].certificate;
        bool seen = !certificate;
        for (size_t k = 0; k < i && !seen; k++) {
            seen = origins->list[k].certificate == certificate;
            if (seen) merge(origins, i, k);
        }
        for (size_t n = 0; !seen && n < certificate->name_count; n++)
            merge_named(origins, i, certificate->names[n]);
    }
}

// What a certificate says to be good for `host` among others: a star in place of its first label where that
// does not reach beyond its site, so that many shards take one name.
static const char *name_for(struct origins *origins, const char *host) {
    const char *site = site_of(host);
    if (site == host) return host;
    const char *parent = strchr(host, '.');
    size_t size = strlen(parent) + 1;
    char *name = arena_take(origins->arena, size + 1);
    if (!name) return NULL;
    name[0] = '*';
    memcpy(name + 1, parent, size);
    return name;
}

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// One certificate for all hosts of the server; `stars`: for their neighbours too.
static int certify_server(struct origins *origins, size_t server, bool stars) {
    struct recorded_certificate *certificate = arena_take(origins->arena, sizeof *certificate);
    const char **names = arena_take(origins->arena, origins->count * sizeof *names);
    if (!certificate || !names) return -1;
    size_t count = 0;
    const struct recorded_certificate *recorded = origins->list[server].certificate;
    for (size_t i = 0; i < origins->count; i++) {
        if (server_of(origins, i) != server) continue;
        const char *host = origins->list[i].host;
        const char *name = stars ? name_for(origins, host) : host;
        if (!name) return -1;
        if (!has_name(names, count, name)) names[count++] = name;
    }
    *certificate = (struct recorded_certificate){.names = names,
                                                 .name_count = count,
                                                 .chain_bytes = recorded ? recorded->chain_bytes : 0,
                                                 .group = recorded ? recorded->group : NULL};
    origins->list[server].certificate = certificate;
    return 0;
}

static int merge_all(struct origins *origins, enum server_origins kind) {
    if (kind == SERVER_ORIGINS_MERGED) {
        if (merge_sites(origins) < 0) return -1;
        merge_certified(origins);
    } else {
        for (size_t i = 1; i < origins->count; i++)
            merge(origins, i, 0);
    }
    for (size_t i = 0; i < origins->count; i++)
        if (server_of(origins, i) == i && certify_server(origins, i, true) < 0) return -1;
    return 0;
}

// --- what shared connections tell

struct use {
    const char *connection, *address;
    size_t origin;
};

static int compare_uses(const void *a, const void *b) {
    const struct use *left = a;
    const struct use *right = b;
    int order = strcmp(left->connection, right->connection);
    if (order == 0) order = strcmp(left->address, right->address);
    return order != 0 ? order : (left->origin > right->origin) - (left->origin < right->origin);
}

// Some sources write the server's port there.
static bool is_port(const struct recorded_exchange *exchange) {
    char port[8];
    snprintf(port, sizeof port, "%u", exchange->port);
    return strcmp(exchange->connection, port) == 0;
}

static size_t find_uses(const struct origins *origins, const struct recording *recording, struct use *uses) {
    size_t count = 0;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        const struct origin *origin = find_origin(origins, exchange->host);
        if (!exchange->connection || is_port(exchange) || !origin || origin->certificate ||
            strcmp(exchange->scheme, "https") != 0)
            continue;
        uses[count++] = (struct use){.connection = exchange->connection,
                                     .address = exchange->address,
                                     .origin = (size_t)(origin - origins->list)};
    }
    qsort(uses, count, sizeof *uses, compare_uses);
    return count;
}

// Hosts without a known certificate that one recorded connection was used for: one certificate was good for
// all of them.
static int certify_connected(struct origins *origins, const struct recording *recording) {
    struct use *uses = calloc(recording->exchange_count + 1, sizeof *uses);
    bool *together = calloc(origins->count + 1, sizeof *together);
    int result = uses && together ? 0 : -1;
    size_t count = result == 0 ? find_uses(origins, recording, uses) : 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(uses[i].connection, uses[i - 1].connection) != 0 ||
            strcmp(uses[i].address, uses[i - 1].address) != 0 || uses[i].origin == uses[i - 1].origin)
            continue;
        together[uses[i].origin] = together[uses[i - 1].origin] = true;
        merge(origins, uses[i].origin, uses[i - 1].origin);
    }
    for (size_t i = 0; result == 0 && i < origins->count; i++)
        if (together[i] && server_of(origins, i) == i) result = certify_server(origins, i, false);
    for (size_t i = 0; result == 0 && i < origins->count; i++)
        if (together[i]) origins->list[i].certificate = origins->list[server_of(origins, i)].certificate;
    for (size_t i = 0; i < origins->count; i++)
        origins->list[i].server = i; // they stay servers of their own
    free(uses);
    free(together);
    return result;
}

static void serve_from(const struct origins *origins, struct recorded_exchange *exchange,
                       enum server_origins kind) {
    const struct origin *origin = find_origin(origins, exchange->host);
    if (!origin) return;
    exchange->certificate = origin->certificate;
    if (kind != SERVER_ORIGINS_AS_RECORDED) exchange->address = origin->address;
}

int origins_arrange(struct recording *recording, enum server_origins kind, struct arena *arena) {
    struct origins origins = {.arena = arena};
    int result = find_hosts(&origins, recording);
    if (result == 0) result = certify_connected(&origins, recording);
    if (result == 0 && kind != SERVER_ORIGINS_AS_RECORDED) result = merge_all(&origins, kind);
    for (size_t i = 0; result == 0 && i < origins.count; i++) {
        const struct origin *server = &origins.list[server_of(&origins, i)];
        origins.list[i].certificate = server->certificate;
        origins.list[i].address = server->address;
    }
    for (size_t i = 0; result == 0 && i < recording->exchange_count; i++)
        serve_from(&origins, &recording->exchanges[i], kind);
    free(origins.list);
    return result;
}

// --- certificates

// NULL: of a host that is not in the recording.
static uint32_t chain_bytes_of(const struct recorded_exchange *exchange, const struct chain_size *size) {
    switch (size->kind) {
    case CHAIN_FIXED:
        return size->bytes;
    case CHAIN_SMALLEST:
        return 0;
    case CHAIN_AS_RECORDED:
        break;
    }
    uint32_t recorded = exchange && exchange->certificate ? exchange->certificate->chain_bytes : 0;
    if (recorded == 0) return CHAIN_TYPICAL_BYTES;
    return recorded < CHAIN_BYTES_MAX ? recorded : CHAIN_BYTES_MAX;
}

int origins_certify(const struct recording *recording, const struct chain_size *size,
                    struct certificates *certificates) {
    certificates_set_chain_bytes(certificates, chain_bytes_of(NULL, size));
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        const struct recorded_certificate *recorded = exchange->certificate;
        const struct certificate_form form = {.names = recorded ? recorded->names : NULL,
                                              .name_count = recorded ? recorded->name_count : 0,
                                              .chain_bytes = chain_bytes_of(exchange, size),
                                              .group = recorded ? recorded->group : NULL};
        if (certificates_make(certificates, exchange->host, &form) < 0) return -1;
    }
    return 0;
}
