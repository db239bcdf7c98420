#include "replay/exchange/representation.h"

#include "archive/content_coding.h"
#include "archive/variant.h"
#include "replay/exchange/precondition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Other codings

struct coded_body {
    uint8_t *bytes; // NULL: it cannot be made
    size_t size;
    bool tried;
};

struct recoded {
    struct coded_body plain;
    struct coded_body gzip;
};

struct recoded_bodies {
    const struct recording *recording;
    struct recoded *recoded; // of each exchange; NULL until one is needed
};

struct recoded_bodies *recoded_bodies_open(const struct recording *recording) {
    struct recoded_bodies *bodies = calloc(1, sizeof *bodies);
    if (bodies) bodies->recording = recording;
    return bodies;
}

void recoded_bodies_close(struct recoded_bodies *bodies) {
    if (!bodies) return;
    for (size_t i = 0; bodies->recoded && i < bodies->recording->exchange_count; i++) {
        free(bodies->recoded[i].plain.bytes);
        free(bodies->recoded[i].gzip.bytes);
    }
    free(bodies->recoded);
    free(bodies);
}

static void make_plain(struct coded_body *plain, const struct recorded_exchange *exchange,
                       enum coding recorded) {
    if (plain->tried) return;
    plain->tried = true;
    plain->bytes = content_decode(recorded, exchange->body, (size_t)exchange->body_size, &plain->size);
}

static void make_gzip(struct recoded *recoded, const struct recorded_exchange *exchange,
                      enum coding recorded) {
    if (recoded->gzip.tried) return;
    recoded->gzip.tried = true;
    const bool plain_was_wanted = recoded->plain.tried;
    make_plain(&recoded->plain, exchange, recorded);
    if (recoded->plain.bytes)
        recoded->gzip.bytes = content_gzip(recoded->plain.bytes, recoded->plain.size, &recoded->gzip.size);
    if (plain_was_wanted || !recoded->gzip.bytes) return;
    free(recoded->plain.bytes);
    recoded->plain = (struct coded_body){0};
}

// `accepted`: codings that will do. *coding is CODING_GZIP or CODING_IDENTITY. NULL: none can be made of it,
// and it is to be sent as it was recorded.
static const uint8_t *recoded_body(struct recoded_bodies *bodies, const struct recorded_exchange *exchange,
                                   enum coding recorded, unsigned accepted, enum coding *coding,
                                   size_t *size) {
    if (!bodies->recoded)
        bodies->recoded = calloc(bodies->recording->exchange_count, sizeof *bodies->recoded);
    if (!bodies->recoded) return NULL;
    struct recoded *recoded = &bodies->recoded[exchange - bodies->recording->exchanges];
    const struct coded_body *made = &recoded->plain;
    *coding = CODING_IDENTITY;
    if (accepted & CODING_GZIP) {
        make_gzip(recoded, exchange, recorded);
        made = &recoded->gzip;
        *coding = CODING_GZIP;
    } else if (accepted & CODING_IDENTITY) {
        make_plain(&recoded->plain, exchange, recorded);
    }
    *size = made->size;
    return made->bytes;
}

void recoded_bodies_prepare(struct recoded_bodies *bodies) {
    for (size_t i = 0; i < bodies->recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &bodies->recording->exchanges[i];
        const struct header *header = recorded_header(exchange, "content-encoding");
        const enum coding recorded = header ? coding_of(header->value, header->value_size) : CODING_IDENTITY;
        if (exchange->body_size == 0 || !(recorded & (CODING_BR | CODING_ZSTD))) continue;
        enum coding coding;
        size_t size;
        recoded_body(bodies, exchange, recorded, CODING_GZIP, &coding, &size);
    }
}

// ---- The response

static const char missed_body[] = "trilane: this request is not in the recording\n";

static bool is(const struct header *header, const char *name) {
    return strlen(name) == header->name_size && memcmp(header->name, name, header->name_size) == 0;
}

static bool is_content_range(const struct header *header) {
    return is(header, "content-range");
}

// A 304 says nothing of the body that it does not send (RFC 9110, 15.4.5).
static bool is_of_body(const struct header *header) {
    static const char *const names[] = {"content-encoding", "content-language", "content-type",
                                        "content-range", "accept-ranges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(header, names[i])) return true;
    return false;
}

static bool is_content_encoding(const struct header *header) {
    return is(header, "content-encoding");
}

// Headers of its own: the present ones but those that `left_out` says, with room for one more.
static int own(struct representation *made, bool (*left_out)(const struct header *header)) {
    struct header *headers = malloc((made->header_count + 1) * sizeof *headers);
    if (!headers) return -1;
    size_t count = 0;
    for (size_t i = 0; i < made->header_count; i++)
        if (!left_out(&made->headers[i])) headers[count++] = made->headers[i];
    free(made->own_headers);
    made->headers = made->own_headers = headers;
    made->header_count = count;
    return 0;
}

static void add_content_range(struct representation *made) {
    made->own_headers[made->header_count++] = (struct header){.name = "content-range",
                                                              .value = made->content_range,
                                                              .name_size = strlen("content-range"),
                                                              .value_size = strlen(made->content_range)};
}

static void set_body(struct representation *made, const uint8_t *body, uint64_t size) {
    made->body = size > 0 ? body : NULL;
    made->body_size = made->length = size;
}

static int not_modified(struct representation *made) {
    made->status = 304;
    set_body(made, NULL, 0);
    return own(made, is_of_body);
}

static int failed(struct representation *made, uint16_t status) {
    made->status = status;
    set_body(made, NULL, 0);
    return own(made, is_of_body);
}

static int not_satisfiable(struct representation *made, uint64_t whole_size) {
    if (failed(made, 416) < 0) return -1;
    snprintf(made->content_range, sizeof made->content_range, "bytes */%" PRIu64, whole_size);
    add_content_range(made);
    return 0;
}

// Bytes `range` of a body of `whole_size`, of which the recording has those from `recorded_first` on.
static int part(struct representation *made, struct byte_range range, uint64_t recorded_first,
                uint64_t whole_size) {
    if (own(made, is_content_range) < 0) return -1;
    made->status = 206;
    set_body(made, made->body + (range.first - recorded_first), range.last - range.first + 1);
    if (whole_size == UINT64_MAX)
        snprintf(made->content_range, sizeof made->content_range, "bytes %" PRIu64 "-%" PRIu64 "/*",
                 range.first, range.last);
    else
        snprintf(made->content_range, sizeof made->content_range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                 range.first, range.last, whole_size);
    add_content_range(made);
    return 0;
}

// A 206 was recorded, and the matcher found that it fits.
static int from_part(struct representation *made, const struct variant *variant,
                     const struct request_selectors *selectors) {
    struct byte_range range = variant->range;
    if (!selectors->match.wish.has_range) { // all of it is there
        made->status = 200;
        return own(made, is_content_range);
    }
    if (!range_resolve(&selectors->match.wish.range, variant->whole_size, &range))
        return not_satisfiable(made, variant->whole_size);
    if (range.first < variant->range.first) range.first = variant->range.first;
    if (range.last > variant->range.last) range.last = variant->range.last;
    return part(made, range, variant->range.first, variant->whole_size);
}

static bool takes_no_ranges(const struct recorded_exchange *recorded) {
    const struct header *header = recorded_header(recorded, "accept-ranges");
    return header && header->value_size == 4 && memcmp(header->value, "none", 4) == 0;
}

static int from_whole(struct representation *made, const struct recorded_exchange *recorded,
                      const struct request_selectors *selectors) {
    if (!selectors->match.wish.has_range || made->body_size == 0 || takes_no_ranges(recorded) ||
        !precondition_range_holds(selectors, recorded))
        return 0;
    struct byte_range range;
    if (!range_resolve(&selectors->match.wish.range, made->body_size, &range))
        return not_satisfiable(made, made->body_size);
    return part(made, range, 0, made->body_size);
}

// Where the coding is not accepted. A part cannot be decoded by itself.
static int recode(struct representation *made, const struct match_answer *answer,
                  const struct request_selectors *selectors, struct recoded_bodies *recoded) {
    static const struct header gzip = {"content-encoding", "gzip", 16, 4};
    const unsigned accepted = selectors->match.wish.accepted;
    if (answer->variant->coding & accepted || answer->variant->is_part || made->body_size == 0) return 0;
    enum coding coding;
    size_t size;
    const uint8_t *body =
        recoded_body(recoded, answer->exchange, answer->variant->coding, accepted, &coding, &size);
    if (!body) return 0;
    if (own(made, is_content_encoding) < 0) return -1;
    if (coding == CODING_GZIP) made->own_headers[made->header_count++] = gzip;
    set_body(made, body, size);
    made->is_recoded = true;
    return 0;
}

static int make_recorded(struct representation *made, const struct match_answer *answer,
                         const struct request_selectors *selectors, struct recoded_bodies *recoded) {
    const struct recorded_exchange *recorded = answer->exchange;
    *made = (struct representation){.status = recorded->status,
                                    .headers = recorded->headers,
                                    .header_count = recorded->header_count,
                                    .body = recorded->body,
                                    .body_size = recorded->body_size,
                                    .has_length = true,
                                    .length = recorded->body_size};
    if (recode(made, answer, selectors, recoded) < 0) return -1;
    if (!selectors->is_get && !selectors->is_head) return 0;
    if (recorded->status != 200 && recorded->status != 206) return 0;
    switch (precondition_of(selectors, recorded)) {
    case PRECONDITION_NOT_MODIFIED:
        return not_modified(made);
    case PRECONDITION_FAILED:
        return failed(made, 412);
    case PRECONDITION_HOLDS:
        break;
    }
    if (answer->variant->is_part) return from_part(made, answer->variant, selectors);
    return recorded->status == 200 ? from_whole(made, recorded, selectors) : 0;
}

// Of what failed it is what the lane does not send.
static void make_unrecorded(struct representation *made, enum unrecorded unrecorded,
                            const struct request_selectors *selectors) {
    *made = (struct representation){.status = unrecorded == UNRECORDED_REPORT ? 204 : 404,
                                    .headers = made->unrecorded_headers,
                                    .has_length = true};
    made->header_count = unrecorded_headers(unrecorded, selectors, made->unrecorded_headers);
    if (unrecorded == UNRECORDED_OTHER) set_body(made, (const uint8_t *)missed_body, sizeof missed_body - 1);
}

int representation_make(struct representation *made, const struct match_answer *answer,
                        enum unrecorded unrecorded, const struct request_selectors *selectors,
                        struct recoded_bodies *recoded) {
    if (!answer->exchange) {
        make_unrecorded(made, unrecorded, selectors);
    } else if (make_recorded(made, answer, selectors, recoded) < 0) {
        representation_free(made);
        return -1;
    }
    // Responses that never have a body, whatever was recorded (RFC 9110, 6.4.1). A recorded HEAD says how
    // long the GET's would be in a header, or not at all.
    const bool without_body = made->status == 204 || made->status == 304;
    const bool from_head = answer->exchange && strcmp(answer->exchange->method, "HEAD") == 0;
    if (without_body || from_head || (selectors->is_head && made->body_size == 0)) made->has_length = false;
    if (without_body || selectors->is_head) made->body_size = 0;
    return 0;
}

void representation_free(struct representation *representation) {
    free(representation->own_headers);
    representation->own_headers = NULL;
}
