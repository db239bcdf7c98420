#include "messaging/inbound.h"

#include "messaging/frame.h"

enum { READ_SIZE = 256 * 1024, KEPT_SIZE = 1024 * 1024 };

uint8_t *inbound_room(struct inbound *inbound, size_t *size) {
    struct buf *in = &inbound->in;
    // The room that a large message took is given back.
    if (buf_size(in) == 0 && in->capacity > KEPT_SIZE) buf_free(in);
    size_t missing = frame_missing(in);
    if (buf_reserve(in, missing > READ_SIZE ? missing : READ_SIZE) < 0) return NULL;
    *size = in->capacity - in->end;
    return in->data + in->end;
}

static void throw_away(struct inbound *inbound) {
    size_t there = buf_size(&inbound->in);
    size_t size = there < inbound->thrown_away ? there : inbound->thrown_away;
    buf_drain(&inbound->in, size);
    inbound->thrown_away -= size;
}

enum inbound_status inbound_added(struct inbound *inbound, struct host *host, size_t size) {
    inbound->in.end += size;
    for (;;) {
        struct frame frame;
        throw_away(inbound);
        switch (frame_next(&inbound->in, &frame)) {
        case FRAME_PART:
            return INBOUND_CONTINUES;
        case FRAME_WHOLE:
            if (dispatch(host, frame.bytes, frame.size) < 0) return INBOUND_CONNECTION_LOST;
            break;
        case FRAME_NOT_TAKEN:
            if (dispatch_too_large(host, frame.bytes, FRAME_START, frame.size) < 0)
                return INBOUND_CONNECTION_LOST;
            break;
        case FRAME_TOO_LARGE:
            if (dispatch_unreadable(host, "message: its length is above 64 MiB, so where the next one starts "
                                          "is not known") < 0)
                return INBOUND_CONNECTION_LOST;
            return INBOUND_UNREADABLE;
        }
        inbound->thrown_away = frame_drain(&inbound->in, &frame);
    }
}

bool inbound_between_messages(const struct inbound *inbound) {
    return buf_size(&inbound->in) == 0 && inbound->thrown_away == 0;
}
