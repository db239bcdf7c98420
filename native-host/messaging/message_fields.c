#include "messaging/message_fields.h"

#include "messaging/made_id.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

static const char letters_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
static const char lower_token[] = "!#$%&'*+.^_`|~-abcdefghijklmnopqrstuvwxyz0123456789";
static const char token[] = "!#$%&'*+.^_`|~-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

int message_check_fields(const json_t *object, const char *where, const struct message_field *fields,
                         size_t count, struct message_error *error) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].name);
        if (!value) {
            if (fields[i].required)
                return message_malformed(error, "%s: `%s` is missing: %s", where, fields[i].name,
                                         fields[i].expected);
            continue;
        }
        known++;
        if (!fields[i].valid(value))
            return message_malformed(error, "%s: `%s` must be %s", where, fields[i].name, fields[i].expected);
    }
    if (known == json_object_size(object)) return 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = strcmp(name, fields[i].name) == 0;
        if (!found) return message_malformed(error, "%s: has no field `%.100s`", where, name);
    }
    return 0;
}

// ---- Values ----

static bool is_integer_in(const json_t *value, json_int_t low, json_int_t high) {
    return json_is_integer(value) && json_integer_value(value) >= low && json_integer_value(value) <= high;
}

bool is_number(const json_t *value) {
    return is_integer_in(value, 0, INT64_C(9007199254740991));
}

bool is_flag(const json_t *value) {
    return json_is_boolean(value);
}

bool is_object(const json_t *value) {
    return json_is_object(value);
}

bool is_text(const json_t *value) {
    return json_is_string(value);
}

bool is_text_not_empty(const json_t *value) {
    return json_is_string(value) && json_string_length(value) > 0;
}

// Whether it is a string of these characters only, with a length in these bounds.
static bool is_made_of(const json_t *value, const char *characters, size_t low, size_t high) {
    if (!json_is_string(value)) return false;
    size_t size = json_string_length(value);
    return size >= low && size <= high && strspn(json_string_value(value), characters) == size;
}

bool is_time(const json_t *value) {
    static const char shape[] = "0000-00-00T00:00:00", digits[] = "0123456789";
    if (!json_is_string(value)) return false;
    const char *text = json_string_value(value);
    for (size_t i = 0; shape[i]; i++)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    const char *rest = text + strlen(shape);
    if (*rest == '.') {
        size_t fraction = strspn(rest + 1, digits);
        if (fraction < 1 || fraction > 9) return false;
        rest += 1 + fraction;
    }
    return strcmp(rest, "Z") == 0 && json_string_length(value) == (size_t)(rest - text) + 1;
}

static bool is_visible_ascii(const char *text) {
    for (; *text; text++)
        if (*text < '!' || *text > '~') return false;
    return true;
}

bool is_base64(const json_t *value) {
    if (!json_is_string(value)) return false;
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    if (size == 0 || size % 4 != 0) return false;
    size_t padding = text[size - 1] != '=' ? 0 : text[size - 2] != '=' ? 1 : 2;
    for (size_t i = 0; i < size - padding; i++) {
        char c = text[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
              c == '/'))
            return false;
    }
    return true;
}

bool is_sha256(const json_t *value) {
    return is_made_of(value, "0123456789abcdef", 64, 64);
}

bool is_recording_name(const json_t *value) {
    char characters[sizeof letters_digits + 3];
    strcpy(strcpy(characters, letters_digits) + strlen(letters_digits), "._-");
    return is_made_of(value, characters, 1, 100) && strchr(letters_digits, json_string_value(value)[0]);
}

bool is_page_url(const json_t *value) {
    if (!json_is_string(value)) return false;
    const char *url = json_string_value(value);
    size_t scheme_size = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    return scheme_size > 0 && url[scheme_size] != '\0' && is_visible_ascii(url + scheme_size);
}

bool is_made(const json_t *value) {
    return is_made_of(value, "0123456789abcdef", MADE_ID_LENGTH, MADE_ID_LENGTH);
}

bool is_label(const json_t *value) {
    if (!json_is_string(value)) return false;
    size_t characters = 0;
    for (const char *byte = json_string_value(value); *byte; byte++)
        characters += ((unsigned char)*byte & 0xc0) != 0x80;
    return characters >= 1 && characters <= 300;
}

bool is_lane(const json_t *value) {
    static const char *const lanes[] = {"h1", "h1-clear",      "h2",        "h2-0rtt",
                                        "h3", "h3-discovered", "h3-altsvc", "h3-0rtt"};
    for (size_t i = 0; json_is_string(value) && i < sizeof lanes / sizeof *lanes; i++)
        if (strcmp(json_string_value(value), lanes[i]) == 0) return true;
    return false;
}

bool is_lanes(const json_t *value) {
    size_t count = json_array_size(value);
    if (count < 1 || count > 8) return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_lane(json_array_get(value, i))) return false;
        for (size_t j = 0; j < i; j++)
            if (json_equal(json_array_get(value, i), json_array_get(value, j))) return false;
    }
    return true;
}

// Whether a setting of the link has a file: trace_down=PATH, loss=file:PATH; or it is a profile's file.
static bool names_file(const char *link) {
    static const char setting[] = "trace", file[] = "file:", profile[] = ".json";
    for (const char *at = link; (at = strcasestr(at, setting)); at++) {
        const char *end = at + strlen(setting);
        while (*end == '_' || (*end >= 'A' && *end <= 'Z') || (*end >= 'a' && *end <= 'z'))
            end++;
        if (*end == '=') return true;
    }
    size_t size = strlen(link), tail = strlen(profile);
    return strcasestr(link, file) || (size >= tail && strcasecmp(link + size - tail, profile) == 0);
}

// A first "-" would make it an option of the command line.
bool is_link(const json_t *value) {
    if (!json_is_string(value)) return false;
    const char *link = json_string_value(value);
    size_t size = json_string_length(value);
    if (size < 1 || size > 500 || link[0] == '-') return false;
    for (size_t i = 0; i < size; i++)
        if (link[i] < ' ' || link[i] > '~') return false;
    return !names_file(link);
}

bool is_runs(const json_t *value) {
    return is_integer_in(value, 1, 1000);
}

// ---- The exchange ----

static bool is_method(const json_t *value) {
    return is_made_of(value, token, 1, 64);
}

static bool is_scheme(const json_t *value) {
    const char *scheme = json_string_value(value);
    return scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
}

static bool is_host(const json_t *value) {
    return is_made_of(value, "abcdefghijklmnopqrstuvwxyz0123456789._:-", 1, 255);
}

static bool is_port(const json_t *value) {
    return is_integer_in(value, 1, 65535);
}

static bool is_path(const json_t *value) {
    const char *path = json_string_value(value);
    return path && (strcmp(path, "*") == 0 || (path[0] == '/' && is_visible_ascii(path)));
}

// Control characters, other than HTAB inside, end the field or the connection.
static bool is_header_value(const json_t *value) {
    if (!json_is_string(value)) return false;
    for (const unsigned char *c = (const unsigned char *)json_string_value(value); *c; c++)
        if ((*c < ' ' && *c != '\t') || *c == 0x7f) return false;
    return true;
}

static bool is_request_headers(const json_t *value) {
    if (!json_is_array(value)) return false;
    size_t i;
    json_t *header;
    json_array_foreach(value, i, header) {
        if (!json_is_array(header) || json_array_size(header) != 2 ||
            !is_made_of(json_array_get(header, 0), lower_token, 1, SIZE_MAX) ||
            !is_header_value(json_array_get(header, 1)))
            return false;
    }
    return true;
}

static bool is_response_headers(const json_t *value) {
    static const char *const framing[] = {"connection",       "content-length",    "keep-alive",
                                          "proxy-connection", "transfer-encoding", "upgrade"};
    if (!is_request_headers(value)) return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        for (size_t j = 0; j < sizeof framing / sizeof *framing; j++)
            if (strcmp(json_string_value(json_array_get(json_array_get(value, i), 0)), framing[j]) == 0)
                return false;
    return true;
}

static bool is_ip_address(const json_t *value) {
    const char *text = json_string_value(value);
    uint8_t bytes[16];
    return text && (inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1);
}

static bool is_status(const json_t *value) {
    return is_integer_in(value, 200, 999);
}

static bool is_body_origin(const json_t *value) {
    static const char *const origins[] = {"recorded", "recompressed", "filled", "empty"};
    for (size_t i = 0; json_is_string(value) && i < sizeof origins / sizeof *origins; i++)
        if (strcmp(json_string_value(value), origins[i]) == 0) return true;
    return false;
}

int message_check_exchange(const json_t *exchange, struct message_error *error) {
    static const struct message_field fields[] = {
        {"method", true, is_method, "a method of up to 64 token characters"},
        {"scheme", true, is_scheme, "\"http\" or \"https\""},
        {"host", true, is_host, "a host name or address in lower case, without port or brackets"},
        {"port", true, is_port, "a number from 1 to 65535"},
        {"path", true, is_path, "a path with query as on the wire: \"/\" and visible ASCII characters"},
        {"request_headers", true, is_request_headers, "an array of [name, value], names in lower case"},
        {"address", true, is_ip_address, "an IPv4 or IPv6 address"},
        {"status", true, is_status, "a number from 200 to 999"},
        {"response_headers", true, is_response_headers,
         "an array of [name, value], names in lower case, without content-length and hop-by-hop headers"},
        {"body_origin", true, is_body_origin, "\"recorded\", \"recompressed\", \"filled\" or \"empty\""},
        {"recorded", true, is_object, "an object"},
    };
    return message_check_fields(exchange, "exchange", fields, sizeof fields / sizeof *fields, error);
}
