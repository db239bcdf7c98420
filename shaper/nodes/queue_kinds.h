// Every queue discipline, a row each, in the order in which people see them. A new one is its header and
// source beside this file, an include and a row here, and its word in schemas/link-profile.schema.json.
#pragma once

#include "shaper/nodes/codel.h"
#include "shaper/nodes/fq_codel.h"
#include "shaper/nodes/pie.h"

// X(constant, struct queue_kind, word in a link's form, active, state in struct queue, parameters). Active:
// keeps the queue short by itself: it gets room to do so, and may mark. A PARAMETER is a time, its member of
// struct queue_settings and its key in JSON, written behind the word: "codel:5ms:100ms".
#define QUEUE_TARGET PARAMETER(target_ns, "aqm_target_ms")
#define QUEUE_INTERVAL PARAMETER(interval_ns, "aqm_interval_ms")
#define QUEUE_KINDS(X)                                                                                       \
    X(QUEUE_DROP_TAIL, drop_tail_kind, "droptail", false, , )                                                \
    X(QUEUE_DROP_HEAD, drop_head_kind, "drophead", false, , )                                                \
    X(QUEUE_CODEL, codel_kind, "codel", true, struct codel codel;, QUEUE_TARGET, QUEUE_INTERVAL)             \
    X(QUEUE_PIE, pie_kind, "pie", true, struct pie pie;, QUEUE_TARGET, QUEUE_INTERVAL)                       \
    X(QUEUE_FQ_CODEL, fq_codel_kind, "fq_codel", true, struct fq_codel fq_codel;                             \
      , QUEUE_TARGET, QUEUE_INTERVAL)

#define QUEUE_CONSTANT(constant, kind, word, active, state, ...) constant,
enum queue_discipline { QUEUE_KINDS(QUEUE_CONSTANT) QUEUE_DISCIPLINES };
