// Messages of the extension: frames taken apart, their JSON held to the rules of each type.
#include "messaging/frame.h"
#include "messaging/message_error.h"
#include "messaging/message_rules.h"
#include "target.h"

#include <jansson.h>
#include <string.h>

static void check(const struct message_rules *rules, const struct frame *frame) {
    json_t *message = json_loadb(frame->bytes, frame->size, JSON_REJECT_DUPLICATES, NULL);
    const char *name = json_string_value(json_object_get(message, "type"));
    for (const struct message_type *type = message_types; message && type->name; type++) {
        if (name && strcmp(name, type->name) != 0) continue;
        struct message_error error = {0};
        if (message_check(rules, type, message, &error) == 0) continue;
        PROMISE(error.code && memchr(error.message, 0, sizeof error.message) && !strchr(error.message, '\n'));
    }
    struct message_error error = {0};
    if (message && json_is_string(json_object_get(message, "link")))
        message_check_link(message, "link", &error);
    json_decref(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct message_rules *rules;
    if (!rules) rules = message_rules_open();
    PROMISE(rules);
    struct buf in = {0};
    struct frame frame = {.bytes = (const char *)data, .size = size};
    check(rules, &frame); // without a length, which guesses seldom get right
    PROMISE(buf_add(&in, data, size) == 0);
    // Every byte belongs to one frame, or the stream is refused.
    size_t taken = 0;
    while (frame_next(&in, &frame) == FRAME_WHOLE) {
        PROMISE(frame.bytes == (const char *)buf_bytes(&in) + FRAME_LENGTH_SIZE);
        taken += FRAME_LENGTH_SIZE + frame.size;
        PROMISE(taken <= size);
        check(rules, &frame);
        PROMISE(frame_drain(&in, &frame) == 0);
    }
    PROMISE(buf_size(&in) == size - taken);
    buf_free(&in);
    return 0;
}
