#include "replay/exchange/precondition.h"

#include "archive/variant.h"

#include <string.h>
#include <time.h>

enum { DATE_MAX = 64 };

long long http_date_parse(const char *text, size_t size) {
    // Days and months in English: this program never sets a locale.
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                        "%a %b %d %H:%M:%S %Y"};
    char copy[DATE_MAX];
    while (size > 0 && text[size - 1] == ' ')
        size--;
    if (size == 0 || size >= sizeof copy) return -1;
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm parts = {0};
        const char *end = strptime(copy, forms[i], &parts);
        if (end && *end == '\0') return (long long)timegm(&parts);
    }
    return -1;
}

struct tag {
    const char *text; // with its quotes
    size_t size;
    bool is_weak;
};

// The entity tag that begins at *at, which is moved behind it. False: there is none.
static bool take_tag(struct tag *tag, const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t' || **at == ','))
        ++*at;
    tag->is_weak = end - *at >= 2 && (*at)[0] == 'W' && (*at)[1] == '/';
    if (tag->is_weak) *at += 2;
    if (*at == end || **at != '"') return false;
    const char *close = memchr(*at + 1, '"', (size_t)(end - *at - 1));
    if (!close) return false;
    tag->text = *at;
    tag->size = (size_t)(close + 1 - *at);
    *at = close + 1;
    return true;
}

static bool recorded_tag(struct tag *tag, const struct recorded_exchange *recorded) {
    const struct header *header = recorded_header(recorded, "etag");
    if (!header) return false;
    const char *at = header->value;
    return take_tag(tag, &at, header->value + header->value_size);
}

static bool same_tag(const struct tag *a, const struct tag *b, bool strong) {
    if (strong && (a->is_weak || b->is_weak)) return false;
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

// "*", or a list that has the recorded tag. What is no list of tags matches nothing.
static bool list_has_tag(const struct request_selectors_text *list, const struct recorded_exchange *recorded,
                         bool strong) {
    const char *at = list->text, *end = list->text + list->size;
    struct tag own, other;
    if (list->size == 1 && *at == '*') return true;
    if (!recorded_tag(&own, recorded)) return false;
    while (take_tag(&other, &at, end))
        if (same_tag(&own, &other, strong)) return true;
    return false;
}

static long long last_modified(const struct recorded_exchange *recorded) {
    const struct header *header = recorded_header(recorded, "last-modified");
    return header ? http_date_parse(header->value, header->value_size) : -1;
}

// Later than the date in the request; false if either is not known, as there is no condition then.
static bool modified_since(const struct recorded_exchange *recorded,
                           const struct request_selectors_text *date, bool *known) {
    const long long modified = last_modified(recorded), since = http_date_parse(date->text, date->size);
    *known = modified >= 0 && since >= 0;
    return *known && modified > since;
}

enum precondition precondition_of(const struct request_selectors *selectors,
                                  const struct recorded_exchange *recorded) {
    const struct request_selectors_text *fields = selectors->fields;
    bool known;
    if (fields[SELECTOR_IF_MATCH].text) {
        if (!list_has_tag(&fields[SELECTOR_IF_MATCH], recorded, true)) return PRECONDITION_FAILED;
    } else if (fields[SELECTOR_IF_UNMODIFIED_SINCE].text) {
        if (modified_since(recorded, &fields[SELECTOR_IF_UNMODIFIED_SINCE], &known))
            return PRECONDITION_FAILED;
    }
    if (fields[SELECTOR_IF_NONE_MATCH].text)
        return list_has_tag(&fields[SELECTOR_IF_NONE_MATCH], recorded, false) ? PRECONDITION_NOT_MODIFIED
                                                                              : PRECONDITION_HOLDS;
    if (fields[SELECTOR_IF_MODIFIED_SINCE].text &&
        !modified_since(recorded, &fields[SELECTOR_IF_MODIFIED_SINCE], &known) && known)
        return PRECONDITION_NOT_MODIFIED;
    return PRECONDITION_HOLDS;
}

bool precondition_range_holds(const struct request_selectors *selectors,
                              const struct recorded_exchange *recorded) {
    const struct request_selectors_text *field = &selectors->fields[SELECTOR_IF_RANGE];
    if (!field->text) return true;
    const char *at = field->text;
    struct tag own, other;
    if (take_tag(&other, &at, field->text + field->size))
        return recorded_tag(&own, recorded) && same_tag(&own, &other, true);
    const long long date = http_date_parse(field->text, field->size);
    return date >= 0 && date == last_modified(recorded);
}
