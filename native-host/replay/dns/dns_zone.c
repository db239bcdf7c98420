// Over 500 lines: a name is read from a message, found in the zone and written back in the same few forms.
#include "replay/dns/dns_zone.h"

#include "replay/origins/server_address.h"
#include "replay/origins/unrecorded_hosts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_SIZE = 12,
    NAME_WIRE_MAX = 255,
    TYPE_OPT = 41,
    CLASS_IN = 1,
    CLASS_ANY = 255,
    TTL_S = 300,
    UDP_SIZE_WITHOUT_EDNS = 512,
    UDP_SIZE_MAX = 1232, // what fits an unfragmented packet on any IPv6 path; offered and never exceeded
    ALPN_WIRE_MAX = 256,
    HTTPS_PORT = 443,
};

// Flags of the header's second 16 bits, and response codes (RFC 1035, 6891).
enum { FLAG_QR = 0x8000, FLAG_AA = 0x0400, FLAG_TC = 0x0200, FLAG_RD = 0x0100, FLAG_RA = 0x0080 };
enum {
    RCODE_OK = 0,
    RCODE_FORMERR = 1,
    RCODE_NXDOMAIN = 3,
    RCODE_NOTIMP = 4,
    RCODE_REFUSED = 5,
    RCODE_BADVERS = 16
};
// Parameters of HTTPS records (RFC 9460).
enum { SVC_ALPN = 1, SVC_PORT = 3 };

struct zone_address {
    uint16_t type; // DNS_TYPE_A or DNS_TYPE_AAAA
    uint8_t bytes[16];
};

// A host's addresses and https ports are stretches of the zone's arrays.
struct zone_host {
    char *name; // lower case, without the final dot
    size_t first_address, address_count;
    size_t first_port, port_count;
    bool used_in_clear; // over http://
};

struct dns_zone {
    const struct recording *recording;
    struct zone_host *hosts; // sorted by name
    size_t host_count;
    struct zone_address *addresses;
    size_t address_count;
    uint16_t *ports; // of https
    size_t port_count;
    bool used_in_clear; // any host was
    bool twins;
    uint8_t alpn[ALPN_WIRE_MAX]; // the value of the alpn parameter as on the wire
    size_t alpn_size;
};

const char *dns_outcome_name(enum dns_outcome outcome) {
    switch (outcome) {
    case DNS_OK:
        return "ok";
    case DNS_NODATA:
        return "nodata";
    case DNS_NXDOMAIN:
        break;
    }
    return "nxdomain";
}

const char *dns_type_name(uint16_t type, char text[16]) {
    switch (type) {
    case DNS_TYPE_A:
        return strcpy(text, "A");
    case DNS_TYPE_AAAA:
        return strcpy(text, "AAAA");
    case DNS_TYPE_HTTPS:
        return strcpy(text, "HTTPS");
    }
    snprintf(text, 16, "TYPE%u", type);
    return text;
}

// ---- Building the zone ----

// An address that no server here can have: it is looked up by a name.
static bool has_stand_in(const struct recorded_exchange *exchange) {
    return server_address_is(exchange->host) && strcmp(exchange->host, exchange->address) != 0;
}

static int compare_by_host(const void *a, const void *b) {
    const struct recorded_exchange *left = *(const struct recorded_exchange *const *)a;
    const struct recorded_exchange *right = *(const struct recorded_exchange *const *)b;
    int order = strcmp(left->host, right->host);
    if (order != 0) return order;
    return (left->seq > right->seq) - (left->seq < right->seq);
}

static void add_address(struct dns_zone *zone, struct zone_host *host, const struct zone_address *address) {
    for (size_t i = host->first_address; i < zone->address_count; i++)
        if (memcmp(&zone->addresses[i], address, sizeof *address) == 0) return;
    zone->addresses[zone->address_count++] = *address;
    host->address_count++;
}

static int add_exchange(struct dns_zone *zone, struct zone_host *host,
                        const struct recorded_exchange *exchange) {
    struct zone_address address = {0};
    if (inet_pton(AF_INET, exchange->address, address.bytes) == 1)
        address.type = DNS_TYPE_A;
    else if (inet_pton(AF_INET6, exchange->address, address.bytes) == 1)
        address.type = DNS_TYPE_AAAA;
    else
        return -1;
    add_address(zone, host, &address);
    struct zone_address twin = {.type = DNS_TYPE_AAAA};
    server_address_twin(address.bytes, twin.bytes);
    if (zone->twins && address.type == DNS_TYPE_A) add_address(zone, host, &twin);
    if (strcmp(exchange->scheme, "https") != 0) {
        host->used_in_clear = zone->used_in_clear = true;
        return 0;
    }
    for (size_t i = host->first_port; i < zone->port_count; i++)
        if (zone->ports[i] == exchange->port) return 0;
    zone->ports[zone->port_count++] = exchange->port;
    host->port_count++;
    return 0;
}

// "h2,h3" to length-prefixed protocol names. -1 for a name that is empty or does not fit.
static int set_alpn(struct dns_zone *zone, const char *alpn) {
    while (*alpn) {
        size_t size = strcspn(alpn, ",");
        if (size == 0 || zone->alpn_size + 1 + size > sizeof zone->alpn) return -1;
        zone->alpn[zone->alpn_size++] = (uint8_t)size;
        memcpy(zone->alpn + zone->alpn_size, alpn, size);
        zone->alpn_size += size;
        alpn += size;
        if (*alpn == ',' && *++alpn == '\0') return -1;
    }
    return 0;
}

int dns_zone_open(struct dns_zone **out, const struct recording *recording, const char *https_alpn,
                  bool twins, char *error, size_t error_size) {
    size_t count = recording->exchange_count;
    struct dns_zone *zone = calloc(1, sizeof *zone);
    const struct recorded_exchange **sorted = calloc(count + 1, sizeof *sorted);
    if (zone) {
        zone->recording = recording;
        zone->twins = twins;
        zone->hosts = calloc(count + 1, sizeof *zone->hosts);
        zone->addresses = calloc(2 * count + 1, sizeof *zone->addresses);
        zone->ports = calloc(count + 1, sizeof *zone->ports);
    }
    if (!zone || !sorted || !zone->hosts || !zone->addresses || !zone->ports) goto no_memory;
    if (set_alpn(zone, https_alpn) < 0) {
        snprintf(error, error_size, "dns: --https-alpn \"%s\" is no list like h2,h3", https_alpn);
        goto fail;
    }

    size_t sorted_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!server_address_is(recording->exchanges[i].host) || has_stand_in(&recording->exchanges[i]))
            sorted[sorted_count++] = &recording->exchanges[i];
    qsort(sorted, sorted_count, sizeof *sorted, compare_by_host);

    for (size_t i = 0; i < sorted_count; i++) {
        if (i == 0 || strcmp(sorted[i]->host, sorted[i - 1]->host) != 0) {
            struct zone_host *host = &zone->hosts[zone->host_count];
            host->first_address = zone->address_count;
            host->first_port = zone->port_count;
            host->name = strdup(sorted[i]->host);
            if (!host->name) goto no_memory;
            zone->host_count++;
        }
        if (add_exchange(zone, &zone->hosts[zone->host_count - 1], sorted[i]) < 0) {
            snprintf(error, error_size, "dns: recording %s: \"%s\" of %s is no IP address: import it again",
                     recording->name, sorted[i]->address, sorted[i]->host);
            goto fail;
        }
    }
    free(sorted);
    *out = zone;
    return 0;

no_memory:
    snprintf(error, error_size, "dns: out of memory");
fail:
    free(sorted);
    dns_zone_close(zone);
    return -1;
}

void dns_zone_close(struct dns_zone *zone) {
    if (!zone) return;
    for (size_t i = 0; i < zone->host_count; i++)
        free(zone->hosts[i].name);
    free(zone->hosts);
    free(zone->addresses);
    free(zone->ports);
    free(zone);
}

static int compare_name(const void *name, const void *host) {
    return strcmp(name, ((const struct zone_host *)host)->name);
}

static const struct zone_host *find_named(const struct dns_zone *zone, const char *name, size_t size) {
    char host[NAME_WIRE_MAX + 1];
    if (size >= sizeof host) return NULL;
    memcpy(host, name, size);
    host[size] = '\0';
    return bsearch(host, zone->hosts, zone->host_count, sizeof *zone->hosts, compare_name);
}

// A browser never asks for localhost, nor for addresses: it is made to ask for localhost.test, and for
// 127.0.0.1.localhost.test or --1.localhost.test (cli/browser/stand_ins.ts).
static const struct zone_host *find_local(const struct dns_zone *zone, const char *name) {
    static const char tail[] = "localhost.test";
    enum { TAIL_SIZE = sizeof tail - 1, SUFFIX_SIZE = 5 };
    const size_t size = strlen(name);
    if (size < TAIL_SIZE || strcmp(name + size - TAIL_SIZE, tail) != 0) return NULL;
    const size_t before = size - TAIL_SIZE;
    if (before > 0 && name[before - 1] != '.') return NULL;
    const struct zone_host *host = find_named(zone, name, size - SUFFIX_SIZE);
    char address[INET6_ADDRSTRLEN + 1];
    if (host || before == 0 || before >= sizeof address) return host;
    for (size_t i = 0; i + 1 < before; i++)
        address[i] = name[i] == '-' ? ':' : name[i];
    return find_named(zone, address, before - 1);
}

static const struct zone_host *find_host(const struct dns_zone *zone, const char *name) {
    const struct zone_host *local = find_local(zone, name);
    return local ? local : find_named(zone, name, strlen(name));
}

static bool has_https_port(const struct dns_zone *zone, const struct zone_host *host, unsigned port) {
    for (size_t i = 0; i < host->port_count; i++)
        if (zone->ports[host->first_port + i] == port) return true;
    return false;
}

// An origin on another port than 443 is looked up as _PORT._https.HOST (RFC 9460, 2.3).
static const struct zone_host *find_port_name(const struct dns_zone *zone, const char *name, unsigned *port) {
    int prefix_size = 0;
    if (sscanf(name, "_%5u._https.%n", port, &prefix_size) != 1 || prefix_size == 0) return NULL;
    char canonical[32];
    int size = snprintf(canonical, sizeof canonical, "_%u._https.", *port);
    if (size != prefix_size || strncmp(name, canonical, (size_t)size) != 0 || *port == HTTPS_PORT)
        return NULL;
    const struct zone_host *host = find_host(zone, name + prefix_size);
    return host && has_https_port(zone, host, *port) ? host : NULL;
}

// ---- Reading the query ----

struct reader {
    const uint8_t *bytes;
    size_t size;
    size_t at;
};

static bool read_u16(struct reader *r, uint16_t *value) {
    if (r->size - r->at < 2) return false;
    *value = (uint16_t)(r->bytes[r->at] << 8 | r->bytes[r->at + 1]);
    r->at += 2;
    return true;
}

// The question's name as text. A compression pointer there could only point at itself or the header.
static bool read_question_name(struct reader *r, char *text) {
    size_t start = r->at;
    char *to = text;
    for (;;) {
        if (r->at >= r->size) return false;
        size_t label_size = r->bytes[r->at++];
        if (label_size == 0) break;
        if (label_size > 63 || label_size > r->size - r->at || r->at + label_size - start >= NAME_WIRE_MAX)
            return false;
        if (to != text) *to++ = '.';
        for (size_t i = 0; i < label_size; i++) {
            uint8_t byte = r->bytes[r->at + i];
            if (byte >= 'A' && byte <= 'Z')
                *to++ = (char)(byte - 'A' + 'a');
            else if (byte > ' ' && byte < 127 && byte != '.' && byte != '\\')
                *to++ = (char)byte;
            else
                to += sprintf(to, "\\%03u", byte);
        }
        r->at += label_size;
    }
    if (to == text) *to++ = '.';
    *to = '\0';
    return true;
}

static bool skip_name(struct reader *r) {
    for (;;) {
        if (r->at >= r->size) return false;
        uint8_t first = r->bytes[r->at++];
        if (first == 0) return true;
        size_t rest = first < 64 ? first : 1;
        if ((first >= 64 && first < 192) || rest > r->size - r->at) return false;
        r->at += rest;
        if (first >= 192) return true;
    }
}

struct query {
    uint16_t id, flags;
    struct dns_question question;
    uint16_t class;
    size_t question_end; // in the query's bytes; 0 when there is no question to echo
    bool edns;
    uint8_t edns_version;
    uint16_t udp_size;
};

// Takes the EDNS record (RFC 6891) out of the records after the question. False when the message is
// malformed.
static bool read_records(struct reader *r, size_t count, struct query *query) {
    for (size_t i = 0; i < count; i++) {
        bool root = r->at < r->size && r->bytes[r->at] == 0;
        uint16_t type, class, ttl_high, ttl_low, data_size;
        if (!skip_name(r) || !read_u16(r, &type) || !read_u16(r, &class) || !read_u16(r, &ttl_high) ||
            !read_u16(r, &ttl_low) || !read_u16(r, &data_size) || data_size > r->size - r->at)
            return false;
        r->at += data_size;
        if (type != TYPE_OPT) continue;
        if (!root || query->edns) return false;
        query->edns = true;
        query->edns_version = ttl_high & 0xff;
        query->udp_size = class;
    }
    return true;
}

// The response code so far; RCODE_OK when there is a question to be answered.
static int read_query(struct query *query, struct reader *r) {
    uint16_t questions, answers, authorities, additionals;
    query->udp_size = UDP_SIZE_WITHOUT_EDNS;
    if (!read_u16(r, &query->id) || !read_u16(r, &query->flags) || !read_u16(r, &questions) ||
        !read_u16(r, &answers) || !read_u16(r, &authorities) || !read_u16(r, &additionals))
        return RCODE_FORMERR;
    if (query->flags >> 11 & 0xf) return RCODE_NOTIMP;
    if (questions != 1 || !read_question_name(r, query->question.name) ||
        !read_u16(r, &query->question.type) || !read_u16(r, &query->class))
        return RCODE_FORMERR;
    query->question_end = r->at;
    if (!read_records(r, (size_t)answers + authorities + additionals, query)) {
        query->edns = false;
        return RCODE_FORMERR;
    }
    if (query->edns && query->edns_version > 0) return RCODE_BADVERS;
    if (query->class != CLASS_IN && query->class != CLASS_ANY) return RCODE_REFUSED;
    return RCODE_OK;
}

// ---- Writing the answer ----

struct writer {
    uint8_t *bytes;
    size_t size;
    size_t limit;
    bool full; // something did not fit
};

static void put(struct writer *w, const void *bytes, size_t size) {
    if (w->full || size > w->limit - w->size) {
        w->full = true;
        return;
    }
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void put_u16(struct writer *w, unsigned value) {
    uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};
    put(w, bytes, sizeof bytes);
}

// A record of the question's own name, which stands right after the header.
static void put_record(struct writer *w, uint16_t type, size_t data_size) {
    put_u16(w, 0xc000 | HEADER_SIZE);
    put_u16(w, type);
    put_u16(w, CLASS_IN);
    put_u16(w, 0);
    put_u16(w, TTL_S);
    put_u16(w, (unsigned)data_size);
}

// A recorded host's name, which has no escapes and fits, or it would not have been found.
static void put_name(struct writer *w, const char *name) {
    while (*name) {
        size_t size = strcspn(name, ".");
        uint8_t label_size = (uint8_t)size;
        put(w, &label_size, 1);
        put(w, name, size);
        name += size + (name[size] == '.');
    }
    put(w, "", 1);
}

// `target`: NULL for the owner itself. A port name has no address records of its own, so it must name its
// host.
static void put_https(struct writer *w, const struct dns_zone *zone, const char *target, unsigned port) {
    size_t target_size = target ? strlen(target) + 2 : 1;
    put_record(w, DNS_TYPE_HTTPS, 2 + target_size + 4 + zone->alpn_size + (port == HTTPS_PORT ? 0 : 6));
    put_u16(w, 1); // priority
    put_name(w, target ? target : "");
    put_u16(w, SVC_ALPN);
    put_u16(w, (unsigned)zone->alpn_size);
    put(w, zone->alpn, zone->alpn_size);
    if (port == HTTPS_PORT) return;
    put_u16(w, SVC_PORT);
    put_u16(w, 2);
    put_u16(w, port);
}

static bool has_address(const struct dns_zone *zone, const uint8_t bytes[4]) {
    for (size_t i = 0; i < zone->address_count; i++)
        if (zone->addresses[i].type == DNS_TYPE_A && memcmp(zone->addresses[i].bytes, bytes, 4) == 0)
            return true;
    return false;
}

// Of a host that is not in the recording.
static size_t put_unrecorded(struct writer *w, const struct dns_zone *zone, struct dns_question *question) {
    question->outcome = DNS_NXDOMAIN;
    if (!unrecorded_host_exists(question->name, zone->recording)) return 0;
    uint8_t address[4];
    unrecorded_host_address(question->name, address);
    // A recorded server has it: it is not this host's.
    for (int tries = 0; has_address(zone, address) && tries < UINT8_MAX; tries++)
        address[3]++;
    question->outcome = DNS_OK;
    if (question->type == DNS_TYPE_A) {
        put_record(w, DNS_TYPE_A, sizeof address);
        put(w, address, sizeof address);
        return 1;
    }
    // As with recorded hosts: such a record would send a browser from http:// to https://.
    if (question->type == DNS_TYPE_HTTPS && zone->alpn_size > 0 && !zone->used_in_clear) {
        put_https(w, zone, NULL, HTTPS_PORT);
        return 1;
    }
    question->outcome = DNS_NODATA;
    return 0;
}

// Writes the records that answer the question and returns how many.
static size_t put_answers(struct writer *w, const struct dns_zone *zone, struct dns_question *question) {
    unsigned port = HTTPS_PORT;
    const struct zone_host *host = find_host(zone, question->name);
    bool port_name = !host && (host = find_port_name(zone, question->name, &port));
    if (!host) return put_unrecorded(w, zone, question);
    size_t count = 0;
    // A browser that learns of HTTPS makes https:// of http:// by itself (RFC 9460, 9.5): where http:// was
    // used, there was no such record.
    if (question->type == DNS_TYPE_HTTPS && zone->alpn_size > 0 && !host->used_in_clear &&
        has_https_port(zone, host, port)) {
        put_https(w, zone, port_name ? strstr(question->name, "._https.") + strlen("._https.") : NULL, port);
        count = 1;
    }
    for (size_t i = 0; i < host->address_count && !port_name; i++) {
        const struct zone_address *address = &zone->addresses[host->first_address + i];
        if (address->type != question->type) continue;
        size_t size = address->type == DNS_TYPE_A ? 4 : 16;
        put_record(w, address->type, size), count++;
        put(w, address->bytes, size);
    }
    question->outcome = count > 0 ? DNS_OK : DNS_NODATA;
    return count;
}

static void put_edns(struct writer *w, int rcode) {
    put(w, "", 1);
    put_u16(w, TYPE_OPT);
    put_u16(w, UDP_SIZE_MAX);
    put_u16(w, (unsigned)(rcode >> 4) << 8); // the response code's upper bits, version 0
    put_u16(w, 0);
    put_u16(w, 0);
}

size_t dns_answer(const struct dns_zone *zone, const uint8_t *query_bytes, size_t query_size, bool tcp,
                  uint8_t *answer, struct dns_question *question, bool *reported) {
    *reported = false;
    if (query_size < HEADER_SIZE || query_bytes[2] & FLAG_QR >> 8) return 0;
    struct query query = {0};
    struct reader reader = {.bytes = query_bytes, .size = query_size};
    int rcode = read_query(&query, &reader);

    size_t limit = DNS_MESSAGE_MAX;
    if (!tcp) {
        limit = query.udp_size < UDP_SIZE_WITHOUT_EDNS ? UDP_SIZE_WITHOUT_EDNS : query.udp_size;
        if (limit > UDP_SIZE_MAX) limit = UDP_SIZE_MAX;
    }
    struct writer w = {.bytes = answer, .size = HEADER_SIZE, .limit = limit};
    if (query.question_end > 0) put(&w, query_bytes + HEADER_SIZE, query.question_end - HEADER_SIZE);
    size_t question_end = w.size, answer_count = 0;
    if (rcode == RCODE_OK) {
        answer_count = put_answers(&w, zone, &query.question);
        if (query.question.outcome == DNS_NXDOMAIN) rcode = RCODE_NXDOMAIN;
        *reported = true;
        *question = query.question;
    }
    if (query.edns) put_edns(&w, rcode);
    unsigned flags = FLAG_QR | FLAG_AA | FLAG_RA | (query.flags & (FLAG_RD | 0x7800)) | (rcode & 0xf);
    if (w.full) {
        w.full = false;
        w.size = question_end;
        answer_count = 0;
        flags |= FLAG_TC;
        if (query.edns) put_edns(&w, rcode);
    }
    struct writer header = {.bytes = answer, .limit = HEADER_SIZE};
    put_u16(&header, query.id);
    put_u16(&header, flags);
    put_u16(&header, query.question_end > 0);
    put_u16(&header, (unsigned)answer_count);
    put_u16(&header, 0);
    put_u16(&header, query.edns);
    return w.size;
}
