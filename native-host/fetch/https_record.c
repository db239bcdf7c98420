#include "fetch/https_record.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// SvcParamKeys (RFC 9460, 14.3.2).
enum { KEY_ALPN = 1, KEY_PORT = 3, KEY_IPV4_HINT = 4, KEY_ECH = 5, KEY_IPV6_HINT = 6 };
enum { PATIENCE_S = 2, ANSWER_BYTES = 16384, LABEL_MAX = 63, NAME_SIZE = 1025 };
// They stand in each row of their host, at several times their size.
enum { RECORDS_MAX = 32, RECORDS_BYTES_MAX = 4096 };

struct cursor {
    const uint8_t *bytes;
    size_t left;
};

static bool take(struct cursor *cursor, size_t size, struct cursor *out) {
    if (cursor->left < size) return false;
    *out = (struct cursor){cursor->bytes, size};
    cursor->bytes += size;
    cursor->left -= size;
    return true;
}

static bool take_16(struct cursor *cursor, uint16_t *out) {
    struct cursor two;
    if (!take(cursor, 2, &two)) return false;
    *out = (uint16_t)(two.bytes[0] << 8 | two.bytes[1]);
    return true;
}

// Bytes that JSON or a terminal may not take as they are, as the DNS writes them (\DDD).
static json_t *text_json(const uint8_t *bytes, size_t size) {
    char text[4 * 255 + 1], *out = text;
    if (size > 255) return NULL;
    for (size_t i = 0; i < size; i++) {
        const bool plain = bytes[i] > ' ' && bytes[i] < 0x7f && bytes[i] != '\\';
        out += sprintf(out, plain ? "%c" : "\\%03u", bytes[i]);
    }
    *out = 0;
    return json_string(text);
}

// TargetName is never compressed.
static bool take_name(struct cursor *cursor, char name[NAME_SIZE]) {
    char *out = name;
    size_t total = 0;
    for (;;) {
        struct cursor length, label;
        if (!take(cursor, 1, &length)) return false;
        const size_t size = length.bytes[0];
        if (size == 0) break;
        total += size + 1;
        if (size > LABEL_MAX || total > 254 || !take(cursor, size, &label)) return false;
        for (size_t i = 0; i < size; i++) {
            const uint8_t c = label.bytes[i];
            out += sprintf(out, c > ' ' && c < 0x7f && c != '.' && c != '\\' ? "%c" : "\\%03u", c);
        }
        *out++ = '.';
    }
    if (out == name) *out++ = '.';
    *out = 0;
    return true;
}

static bool read_alpn(json_t *list, struct cursor value) {
    while (value.left > 0) {
        struct cursor length, id;
        if (!take(&value, 1, &length) || length.bytes[0] == 0 || !take(&value, length.bytes[0], &id))
            return false;
        if (json_array_append_new(list, text_json(id.bytes, id.left)) < 0) return false;
    }
    return true;
}

static bool read_addresses(json_t *list, struct cursor value, int family, size_t size) {
    struct cursor one;
    char text[INET6_ADDRSTRLEN];
    while (take(&value, size, &one))
        if (!inet_ntop(family, one.bytes, text, sizeof text) ||
            json_array_append_new(list, json_string(text)) < 0)
            return false;
    return value.left == 0;
}

static bool read_parameter(json_t *record, uint16_t key, struct cursor value) {
    uint16_t port;
    switch (key) {
    case KEY_ALPN:
        return read_alpn(json_object_get(record, "alpn"), value);
    case KEY_PORT:
        return take_16(&value, &port) && value.left == 0 &&
               json_object_set_new(record, "port", json_integer(port)) == 0;
    case KEY_IPV4_HINT:
        return read_addresses(json_object_get(record, "ipv4_hints"), value, AF_INET, 4);
    case KEY_IPV6_HINT:
        return read_addresses(json_object_get(record, "ipv6_hints"), value, AF_INET6, 16);
    case KEY_ECH:
        return json_object_set_new(record, "ech", json_true()) == 0;
    default:
        return true;
    }
}

json_t *https_record_read(const uint8_t *data, size_t size) {
    struct cursor cursor = {data, size}, value;
    uint16_t priority, key, length;
    char target[NAME_SIZE];
    if (!take_16(&cursor, &priority) || !take_name(&cursor, target)) return NULL;
    json_t *record = json_pack("{s:i,s:s,s:[],s:n,s:[],s:[],s:b}", "priority", priority, "target", target,
                               "alpn", "port", "ipv4_hints", "ipv6_hints", "ech", 0);
    bool good = record != NULL;
    while (good && cursor.left > 0)
        good = take_16(&cursor, &key) && take_16(&cursor, &length) && take(&cursor, length, &value) &&
               read_parameter(record, key, value);
    if (good) return record;
    json_decref(record);
    return NULL;
}

static void failed(struct https_answer *answer, const char *reason) {
    answer->state = HTTPS_FAILED;
    json_array_clear(answer->records);
    snprintf(answer->reason, sizeof answer->reason, "%s", reason);
}

void https_record_read_all(struct https_answer *answer, const uint8_t *message, size_t size) {
    ns_msg parsed;
    size_t bytes = 0;
    char reason[HTTPS_REASON_SIZE];
    if (size > INT_MAX || ns_initparse(message, (int)size, &parsed) < 0) {
        failed(answer, "the answer is no DNS message");
        return;
    }
    for (int i = 0; i < ns_msg_count(parsed, ns_s_an); i++) {
        ns_rr record;
        if (ns_parserr(&parsed, ns_s_an, i, &record) < 0) {
            failed(answer, "the answer is no DNS message");
            return;
        }
        if ((int)ns_rr_type(record) != HTTPS_RECORD_TYPE) continue;
        bytes += ns_rr_rdlen(record);
        if (bytes > RECORDS_BYTES_MAX || json_array_size(answer->records) == RECORDS_MAX) {
            snprintf(reason, sizeof reason, "the name has more than %d records, or than %d bytes of them",
                     RECORDS_MAX, RECORDS_BYTES_MAX);
            failed(answer, reason);
            return;
        }
        json_t *read = https_record_read(ns_rr_rdata(record), ns_rr_rdlen(record));
        if (!read || json_array_append_new(answer->records, read) < 0) {
            failed(answer, "the record is none of RFC 9460");
            return;
        }
    }
    const bool present = json_array_size(answer->records) > 0;
    answer->state = present ? HTTPS_PRESENT : HTTPS_ABSENT;
    if (!present) snprintf(answer->reason, sizeof answer->reason, "the name has none");
}

static void read_refusal(struct https_answer *answer, int error) {
    if (error != HOST_NOT_FOUND && error != NO_DATA) {
        failed(answer, error == TRY_AGAIN ? "no answer of use" : "the name server refused");
        return;
    }
    answer->state = HTTPS_ABSENT;
    snprintf(answer->reason, sizeof answer->reason,
             error == NO_DATA ? "the name has none" : "there is no such name");
}

void https_record_ask(struct https_answer *answer, const char *host, uint16_t port) {
    struct __res_state resolver;
    uint8_t message[ANSWER_BYTES];
    char name[NS_MAXDNAME];
    *answer = (struct https_answer){.records = json_array()};
    memset(&resolver, 0, sizeof resolver);
    if (!answer->records || res_ninit(&resolver) < 0) {
        failed(answer, "there is no resolver");
        return;
    }
    resolver.retrans = PATIENCE_S;
    resolver.retry = 1;
    if (port == 443)
        snprintf(name, sizeof name, "%s", host);
    else
        snprintf(name, sizeof name, "_%u._https.%s", port, host); // RFC 9460, 9.1
    const int size = res_nquery(&resolver, name, ns_c_in, HTTPS_RECORD_TYPE, message, sizeof message);
    if (size < 0)
        read_refusal(answer, resolver.res_h_errno);
    else
        https_record_read_all(answer, message, (size_t)size < sizeof message ? (size_t)size : sizeof message);
    res_nclose(&resolver);
}
