#include "shaper/language/link_table.h"

#include "shaper/nodes/queue.h"

#include <stdlib.h>

// The smallest packet that every IPv4 network carries (RFC 791), and the lab's largest.
enum { UDP_MTU_MIN = 68, UDP_MTU_MAX = 1500, REORDER_DISTANCE_MAX = 1000 };

// Often enough for any study, and seldom enough that every path is used: a NAT that forgets within a round
// trip leaves no connection alive, and 65 thousand addresses last for hours.
#define REBIND_LEAST_NS (100 * UINT64_C(1000000))
#define REBIND_REMEDY "100ms or longer, so that connections outlive it"

// PIE adapts that often, whether packets come or not.
#define PARAMETER_LEAST_NS UINT64_C(100000)

static const char *const changes[] = {"port", "address", NULL};

// clang-format off
#define AT(member) .at = offsetof(struct link_profile, member), .size = sizeof(((struct link_profile *)0)->member)
#define KIND(member) .kind_at = offsetof(struct link_profile, member), .kind_size = sizeof(((struct link_profile *)0)->member)
#define CONSTANT(key, word_) {UNIT_CONSTANT, key, .word = (word_)}
#define FILE_(place, file, limit) {UNIT_FILE, "file", AT(place), .most = (limit), .owner = offsetof(struct link_profile, files[0].file)}
#define JITTER(word) CONSTANT("distribution", word), {UNIT_TIME, "ms", AT(down.delay.jitter_ns), .least = 1}
#define ONOFF(word) {UNIT_SPAN, "on_ms", AT(down.onoff.on_ns), .least = 1, .too_small = "above 0"}, \
    {UNIT_SPAN, "off_ms", AT(down.onoff.off_ns), .least = 1, .too_small = "above 0"}, CONSTANT("periods", word)
#define MTU {UNIT_WHOLE, "mtu_bytes", AT(udp.mtu_bytes), "mtu", UDP_MTU_MIN, UDP_MTU_MAX}
#define PARAMETER(member, key) {UNIT_TIME, key, AT(down.queue.member), .is_optional = true, .is_beside = true, \
    .least = PARAMETER_LEAST_NS, .too_small = "100us or longer, or 0ms for its RFC's"}
#define DISCIPLINE(constant, kind, word, active, state, ...) {word, constant, NULL, {CONSTANT(NULL, word), __VA_ARGS__}},

const struct link_setting link_direction_settings[] = {
    {LINK_TRACE_END, "trace", "wrap", NULL, KIND(down.rate.trace_once), {
        {"wrap", false, NULL, {CONSTANT("end", "wrap")}},
        {"once", true, NULL, {CONSTANT("end", "once")}}}},
    {LINK_JITTER, "jitter", "0ms", "TIME, normal:TIME, pareto:TIME or file:PATH, as normal:5ms", KIND(down.delay.jitter), {
        {"", JITTER_UNIFORM, NULL, {JITTER("uniform")}},
        {"uniform:", JITTER_UNIFORM, NULL, {JITTER("uniform")}},
        {"normal:", JITTER_NORMAL, NULL, {JITTER("normal")}},
        {"pareto:", JITTER_PARETO, NULL, {JITTER("pareto")}},
        {"file:", JITTER_FILE, NULL, {FILE_(down.delay.file, jitter, 60000)}}}},
    {LINK_JITTER_ORDER, "jitter_order", "keep", NULL, KIND(down.delay.may_reorder), {
        {"keep", false, NULL, {CONSTANT(NULL, "keep")}},
        {"free", true, NULL, {CONSTANT(NULL, "free")}}}},
    {LINK_QUEUE, "queue", NULL, NULL, .shapes = {
        {"", 0, NULL, {{UNIT_QUEUE, NULL, AT(down.queue.given)}}}}},
    {LINK_AQM, "aqm", "droptail", "droptail, drophead, codel, pie or fq_codel, these three with a target and an interval if wanted, as codel:5ms:100ms", KIND(down.queue.discipline), {QUEUE_KINDS(DISCIPLINE)}},
    {LINK_ECN, "ecn", "off", NULL, KIND(down.queue.ecn), {
        {"on", true, NULL, {CONSTANT(NULL, NULL)}},
        {"off", false, NULL, {{.unit = UNIT_NONE}}}}},
    {LINK_LOSS, "loss_model", "0%", "SHARE, ge:P:R, ge:P:R:H, ge:P:R:H:G, every:PACKETS or file:PATH, as ge:1%:30%", KIND(down.loss.kind), {
        {"ge:", LOSS_GILBERT_ELLIOTT, NULL, {
            {UNIT_SHARE, "good_to_bad", AT(down.loss.good_to_bad)},
            {UNIT_SHARE, "bad_to_good", AT(down.loss.bad_to_good), "R", 1, .too_small = "above 0%, as the bad state would never end"},
            {UNIT_SHARE, "loss_in_bad", AT(down.loss.loss_in_bad), .is_optional = true, .otherwise = 1},
            {UNIT_SHARE, "loss_in_good", AT(down.loss.loss_in_good), .is_optional = true}}},
        {"every:", LOSS_PERIODIC, NULL, {{UNIT_WHOLE, "every", AT(down.loss.every), "every", 1, 1000000000}}},
        {"file:", LOSS_FILE, NULL, {FILE_(down.loss.file, loss, 1)}},
        {"", LOSS_INDEPENDENT, "loss", {{UNIT_SHARE, NULL, AT(down.loss.probability)}}}}},
    {LINK_LOSS_SLOT, "loss_slot_ms", "0ms", NULL, .shapes = {
        {"", 0, NULL, {{UNIT_SPAN, NULL, AT(down.loss.slot_ns)}}}}},
    {LINK_DUPLICATE, "duplicate", "0%", NULL, .shapes = {
        {"", 0, NULL, {{UNIT_SHARE, NULL, AT(down.duplicate)}}}}},
    {LINK_REORDER, "reorder", "0%:1", "SHARE:DISTANCE, as 1%:3", .shapes = {
        {"", 0, NULL, {
            {UNIT_SHARE, "share", AT(down.reorder.probability), .least = 1},
            {UNIT_WHOLE, "distance", AT(down.reorder.distance), "distance", 1, REORDER_DISTANCE_MAX}}}}},
    {LINK_ONOFF, "onoff", "off", "ON:OFF, exp:ON:OFF or off, as 10s:1s", KIND(down.onoff.exponential), {
        {"", false, NULL, {ONOFF("fixed")}},
        {"exp:", true, NULL, {ONOFF("exponential")}},
        {"off", false, NULL, {{.unit = UNIT_NONE}}}}},
    {LINK_FEC, "fec", "off", NULL, .shapes = {
        {"", 0, NULL, {{UNIT_WHOLE, NULL, AT(down.fec_group), NULL, 1, FEC_GROUP_MAX}}},
        {"off", 0, NULL, {{.unit = UNIT_NONE}}}}},
};

const struct link_setting link_path_settings[] = {
    {LINK_UDP, "udp", "open", "blocked, throttled:RATE, mtu=BYTES, late:TIME or open, as udp=throttled:1mbit", KIND(udp.kind), {
        {"throttled:", UDP_THROTTLED, NULL, {{UNIT_RATE, "rate_bps", AT(udp.rate_bps), "throttled", 1, .too_small = "a rate, as udp=throttled:1mbit"}}},
        {"mtu=", UDP_MTU, NULL, {MTU}},
        {"mtu:", UDP_MTU, NULL, {MTU}},
        {"late:", UDP_LATE, NULL, {{UNIT_TIME, "late_ms", AT(udp.late_ns), "late", 1}}},
        {"blocked", UDP_BLOCKED, NULL, {CONSTANT("blocked", NULL)}},
        {"open", UDP_OPEN, NULL, {{.unit = UNIT_NONE}}}}},
    {LINK_REBIND, "rebind", "off", "TIME, TIME:port, TIME:address or off, as 5s", .shapes = {
        {"", 0, NULL, {
            {UNIT_SPAN, "every_ms", AT(rebind.every_ns), .least = REBIND_LEAST_NS, .too_small = REBIND_REMEDY},
            {UNIT_WORD, "change", AT(rebind.address), "change", .words = changes, .is_optional = true}}},
        {"off", 0, NULL, {{.unit = UNIT_NONE}}}}},
};
// clang-format on

void *link_place(const struct link_profile *profile, enum link_side side, size_t at) {
    const size_t ways = offsetof(struct link_profile, up) - offsetof(struct link_profile, down);
    return (char *)profile + at + (side == LINK_SIDE_UP ? ways : 0);
}

uint64_t link_stored(const struct link_profile *profile, enum link_side side, size_t at, size_t size) {
    const void *place = link_place(profile, side, at);
    return size == sizeof(bool)       ? *(const bool *)place
           : size == sizeof(uint32_t) ? *(const uint32_t *)place
                                      : *(const uint64_t *)place;
}

void link_store(struct link_profile *profile, enum link_side side, size_t at, size_t size, uint64_t value) {
    void *place = link_place(profile, side, at);
    if (size == sizeof(bool))
        *(bool *)place = value != 0;
    else if (size == sizeof(uint32_t))
        *(uint32_t *)place = (uint32_t)value;
    else
        *(uint64_t *)place = value;
}
