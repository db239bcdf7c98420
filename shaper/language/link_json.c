#include "shaper/language/link_json.h"

#include "shaper/nodes/queue.h"

#include <math.h>
#include <stdbool.h>

static json_t *real(double value) {
    return value == floor(value) && value < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *ms(uint64_t time_ns) {
    return real((double)time_ns / 1e6);
}

static json_t *rounded(double value) {
    return real(link_rounded_share(value));
}

static json_t *queue_as_given(const struct link_queue *queue) {
    switch (queue->kind) {
    case LINK_QUEUE_BDP:
        return json_pack("{s:o}", "bdp", real(queue->size));
    case LINK_QUEUE_PACKETS:
        return json_pack("{s:o}", "packets", json_number((uint64_t)queue->size));
    case LINK_QUEUE_BYTES:
        return json_pack("{s:o}", "bytes", json_number((uint64_t)queue->size));
    case LINK_QUEUE_TIME:
        return json_pack("{s:o}", "ms", real(queue->size / 1e6));
    default:
        return json_pack("{s:b}", "unlimited", 1);
    }
}

static json_t *rate_steps(const struct steps *steps) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < steps->count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "at_ms", ms(steps->step[i].at_ns), "rate_bps",
                                              json_number(steps->step[i].value)));
    return list;
}

static json_t *delay_steps(const struct steps *steps) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < steps->count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "at_ms", ms(steps->step[i].at_ns), "delay_ms",
                                              ms(steps->step[i].value)));
    return list;
}

static json_t *jitter(const struct delay_settings *delay, const char *path) {
    static const char *const distributions[] = {NULL, "uniform", "normal", "pareto"};
    if (delay->jitter == JITTER_FILE) return json_pack("{s:s}", "file", path);
    return json_pack("{s:s, s:o}", "distribution", distributions[delay->jitter], "ms", ms(delay->jitter_ns));
}

static json_t *loss_model(const struct loss_settings *loss, const char *path) {
    switch (loss->kind) {
    case LOSS_GILBERT_ELLIOTT:
        return json_pack("{s:f, s:f, s:f, s:f}", "good_to_bad", loss->good_to_bad, "bad_to_good",
                         loss->bad_to_good, "loss_in_bad", loss->loss_in_bad, "loss_in_good",
                         loss->loss_in_good);
    case LOSS_PERIODIC:
        return json_pack("{s:o}", "every", json_number(loss->every));
    default:
        return json_pack("{s:s}", "file", path);
    }
}

static json_t *trace(const struct link_profile *profile, enum link_side side, bool once) {
    json_t *object = json_pack("{s:s}", "file", link_trace_path(profile, side));
    if (once) json_object_set_new(object, "end", json_string("once"));
    return object;
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

// What is as by default is left out. The order is part of what a sweep's digest is computed from.
static json_t *direction_json(const struct link_profile *profile, enum link_side side) {
    bool down = side == LINK_SIDE_DOWN;
    const struct direction_settings *direction = down ? &profile->down : &profile->up;
    const struct delay_settings *delay = &direction->delay;
    uint64_t rate_bps = link_rate_bps(direction);
    json_t *object = json_object();
    set(object, "rate_bps", rate_bps > 0 ? json_number(rate_bps) : json_null());
    if (direction->rate.kind == RATE_TRACE)
        set(object, "trace", trace(profile, side, direction->rate.trace_once));
    if (direction->rate.steps_bps.count > 1)
        set(object, "rate_steps", rate_steps(&direction->rate.steps_bps));
    set(object, "delay_ms", ms(link_delay_ns(direction)));
    if (delay->delay_ns.count > 1) set(object, "delay_steps", delay_steps(&delay->delay_ns));
    if (delay->jitter != JITTER_NONE) set(object, "jitter", jitter(delay, link_jitter_path(profile, side)));
    if (delay->may_reorder) set(object, "jitter_order", json_string("free"));
    set(object, "queue", queue_as_given(down ? &profile->queue_down : &profile->queue_up));
    if (direction->queue.discipline != QUEUE_DROP_TAIL)
        set(object, "aqm", json_string(queue_words[direction->queue.discipline].word));
    if (direction->queue.ecn) set(object, "ecn", json_true());
    set(object, "loss", rounded(link_loss(direction)));
    if (direction->loss.kind != LOSS_INDEPENDENT)
        set(object, "loss_model", loss_model(&direction->loss, link_loss_path(profile, side)));
    if (direction->loss.slot_ns > 0) set(object, "loss_slot_ms", ms(direction->loss.slot_ns));
    if (direction->duplicate > 0) set(object, "duplicate", json_real(direction->duplicate));
    if (direction->reorder.probability > 0)
        set(object, "reorder",
            json_pack("{s:f, s:i}", "share", direction->reorder.probability, "distance",
                      (int)direction->reorder.distance));
    if (direction->onoff.on_ns > 0)
        set(object, "onoff",
            json_pack("{s:o, s:o, s:s}", "on_ms", ms(direction->onoff.on_ns), "off_ms",
                      ms(direction->onoff.off_ns), "periods",
                      direction->onoff.exponential ? "exponential" : "fixed"));
    if (direction->fec_group > 0) set(object, "fec", json_number(direction->fec_group));
    return object;
}

// Absent where UDP is as any other packets are.
static void set_udp(json_t *object, const struct udp_settings *udp) {
    if (udp->kind == UDP_BLOCKED) set(object, "udp", json_pack("{s:b}", "blocked", 1));
    if (udp->kind == UDP_THROTTLED)
        set(object, "udp", json_pack("{s:o}", "rate_bps", json_number(udp->rate_bps)));
    if (udp->kind == UDP_MTU)
        set(object, "udp", json_pack("{s:o}", "mtu_bytes", json_number(udp->mtu_bytes)));
    if (udp->kind == UDP_LATE) set(object, "udp", json_pack("{s:o}", "late_ms", ms(udp->late_ns)));
}

static json_t *shape_json(const struct link_profile *profile) {
    uint64_t rtt_ns = link_delay_ns(&profile->down) + link_delay_ns(&profile->up);
    return json_pack("{s:o, s:o, s:o}", "down", direction_json(profile, LINK_SIDE_DOWN), "up",
                     direction_json(profile, LINK_SIDE_UP), "rtt_ms", ms(rtt_ns));
}

json_t *link_profile_json(const struct link_profile *profile) {
    json_t *object = shape_json(profile);
    set(object, "seed", json_integer(profile->seed));
    set_udp(object, &profile->udp);
    if (profile->rebind.every_ns > 0)
        set(object, "rebind",
            json_pack("{s:o, s:s}", "every_ms", ms(profile->rebind.every_ns), "change",
                      profile->rebind.address ? "address" : "port"));
    if (profile->switch_to)
        set(object, "switch",
            json_pack("{s:o, s:o}", "at_ms", ms(profile->switch_ns), "link", shape_json(profile->switch_to)));
    return object;
}
