#include "archive/destination.h"

#include "archive/variant.h"

#include <string.h>
#include <strings.h>

static bool is(const char *text, size_t size, const char *wanted) {
    return size == strlen(wanted) && strncasecmp(text, wanted, size) == 0;
}

static bool begins(const char *text, size_t size, const char *wanted) {
    return size >= strlen(wanted) && strncasecmp(text, wanted, strlen(wanted)) == 0;
}

enum destination destination_of(const char *dest, size_t dest_size, const char *accept, size_t accept_size) {
    static const struct {
        const char *name;
        enum destination destination;
    } names[] = {{"empty", DESTINATION_FETCH},
                 {"image", DESTINATION_IMAGE},
                 {"script", DESTINATION_SCRIPT},
                 {"style", DESTINATION_STYLE},
                 {"font", DESTINATION_FONT},
                 {"iframe", DESTINATION_FRAME},
                 {"frame", DESTINATION_FRAME},
                 {"audio", DESTINATION_MEDIA},
                 {"video", DESTINATION_MEDIA},
                 {"track", DESTINATION_MEDIA},
                 {"worker", DESTINATION_SCRIPT},
                 {"sharedworker", DESTINATION_SCRIPT},
                 {"serviceworker", DESTINATION_SCRIPT},
                 {"audioworklet", DESTINATION_SCRIPT},
                 {"paintworklet", DESTINATION_SCRIPT},
                 {"json", DESTINATION_FETCH},
                 {"manifest", DESTINATION_FETCH},
                 {"xslt", DESTINATION_STYLE}};
    for (size_t i = 0; dest && i < sizeof names / sizeof *names; i++)
        if (is(dest, dest_size, names[i].name)) return names[i].destination;
    if (dest) return DESTINATION_OTHER; // document, embed, object, report, webidentity, ...
    if (!accept) return DESTINATION_UNKNOWN;
    if (begins(accept, accept_size, "text/html")) return DESTINATION_PAGE;
    if (begins(accept, accept_size, "text/css")) return DESTINATION_STYLE;
    if (begins(accept, accept_size, "image/")) return DESTINATION_IMAGE;
    return DESTINATION_UNKNOWN;
}

enum type { TYPE_ANY, TYPE_HTML, TYPE_SCRIPT, TYPE_STYLE, TYPE_IMAGE, TYPE_FONT, TYPE_MEDIA, TYPE_DATA };

// TYPE_ANY: it does not say.
static enum type type_of(const struct recorded_exchange *exchange) {
    const struct header *header = recorded_header(exchange, "content-type");
    if (!header) return TYPE_ANY;
    const char *text = header->value;
    size_t size = strcspn(text, "; \t,");
    if (size > header->value_size) size = header->value_size;
    if (is(text, size, "text/html") || is(text, size, "application/xhtml+xml")) return TYPE_HTML;
    if (is(text, size, "text/css")) return TYPE_STYLE;
    if (begins(text, size, "image/")) return TYPE_IMAGE;
    if (begins(text, size, "font/") || begins(text, size, "application/font") ||
        begins(text, size, "application/x-font") || is(text, size, "application/vnd.ms-fontobject"))
        return TYPE_FONT;
    if (begins(text, size, "audio/") || begins(text, size, "video/")) return TYPE_MEDIA;
    if (memmem(text, size, "javascript", 10) || memmem(text, size, "ecmascript", 10)) return TYPE_SCRIPT;
    if (memmem(text, size, "json", 4) || memmem(text, size, "xml", 3) || begins(text, size, "text/"))
        return TYPE_DATA;
    return TYPE_ANY;
}

static bool takes_type(enum destination destination, enum type type) {
    if (type == TYPE_ANY) return true;
    switch (destination) {
    case DESTINATION_FETCH:
        return true; // the recorded one was for a fetch too
    case DESTINATION_FRAME:
        return type == TYPE_HTML;
    case DESTINATION_SCRIPT:
        return type == TYPE_SCRIPT || type == TYPE_DATA; // JSONP is sent as all sorts of text
    case DESTINATION_STYLE:
        return type == TYPE_STYLE;
    case DESTINATION_IMAGE:
        return type == TYPE_IMAGE;
    case DESTINATION_FONT:
        return type == TYPE_FONT || type == TYPE_DATA;
    case DESTINATION_MEDIA:
        return type == TYPE_MEDIA;
    case DESTINATION_UNKNOWN: // these have another Accept
        return type != TYPE_HTML && type != TYPE_STYLE && type != TYPE_IMAGE;
    case DESTINATION_PAGE:
    case DESTINATION_OTHER:
        break;
    }
    return false;
}

// The name's, from its last dot on; empty if it has none.
static const char *extension_of(const char *path, size_t path_size, size_t *size) {
    const char *const end = path + path_size;
    for (const char *at = end; at > path && at[-1] != '/'; at--) {
        if (at[-1] != '.') continue;
        *size = (size_t)(end - at);
        return at;
    }
    *size = 0;
    return end;
}

static bool same_extension(const char *path, size_t path_size, const char *other) {
    size_t size, other_size;
    const char *const extension = extension_of(path, path_size, &size);
    const char *const other_extension = extension_of(other, strcspn(other, "?"), &other_size);
    return size == other_size && strncasecmp(extension, other_extension, size) == 0;
}

// As far as both are known.
static bool same_destination(enum destination wanted, const char *path, size_t path_size,
                             const struct recorded_exchange *exchange) {
    const enum destination recorded = exchange->destination;
    if (wanted == DESTINATION_FRAME && recorded == DESTINATION_PAGE) return true;
    if (wanted != DESTINATION_UNKNOWN && recorded != DESTINATION_UNKNOWN) return wanted == recorded;
    if (wanted == DESTINATION_UNKNOWN && (recorded == DESTINATION_PAGE || recorded == DESTINATION_FRAME))
        return false;
    const bool type_decides = wanted != DESTINATION_UNKNOWN && wanted != DESTINATION_FETCH;
    return type_decides || same_extension(path, path_size, exchange->path);
}

bool destination_takes(enum destination destination, const char *path, size_t path_size,
                       const struct recorded_exchange *exchange) {
    if (destination == DESTINATION_PAGE || destination == DESTINATION_OTHER) return false;
    if (exchange->status < 200 || exchange->status > 399) return false;
    if (!same_destination(destination, path, path_size, exchange)) return false;
    // A redirect's type is that of a text that is not read.
    return exchange->status >= 300 || exchange->body_size == 0 || takes_type(destination, type_of(exchange));
}
