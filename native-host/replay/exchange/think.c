#include "replay/exchange/think.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_MS = 3600e3;

int think_parse(struct think *think, const char *text) {
    if (strcmp(text, "none") == 0) {
        *think = (struct think){.kind = THINK_NONE};
        return 0;
    }
    if (strcmp(text, "recorded") == 0) {
        *think = (struct think){.kind = THINK_RECORDED};
        return 0;
    }
    if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") != strlen(text)) return -1;
    char *end;
    errno = 0;
    double time_ms = strtod(text, &end);
    if (errno || *end || time_ms > MOST_MS) return -1;
    *think = (struct think){.kind = THINK_FIXED, .fixed_ns = (uint64_t)(time_ms * 1e6 + 0.5)};
    return 0;
}

uint64_t think_time_ns(const struct think *think, const struct recorded_exchange *recorded, bool *known) {
    *known = true;
    switch (think->kind) {
    case THINK_NONE:
        return 0;
    case THINK_FIXED:
        return think->fixed_ns;
    case THINK_RECORDED:
        break;
    }
    if (!recorded) return 0; // a miss is reported as such
    *known = recorded->server_time_ns >= 0;
    return *known ? (uint64_t)recorded->server_time_ns : 0;
}
