// The stream of messages: what is no message in it is answered or ends it, and costs no memory.
#include "messaging/conversation.h"

#include "messaging/frame.h"
#include "messaging/inbound.h"
#include "test/native/cmocka_unit.h"

static enum inbound_status give(struct inbound *inbound, struct host *host, const char *bytes, size_t size) {
    enum inbound_status status = INBOUND_CONTINUES;
    while (size > 0 && status == INBOUND_CONTINUES) {
        size_t room;
        uint8_t *at = inbound_room(inbound, &room);
        assert_non_null(at);
        size_t piece = size < room ? size : room;
        memcpy(at, bytes, piece);
        status = inbound_added(inbound, host, piece);
        bytes += piece;
        size -= piece;
    }
    return status;
}

static enum inbound_status give_frame(struct inbound *inbound, struct host *host, const char *bytes,
                                      size_t size) {
    uint32_t length = (uint32_t)size;
    enum inbound_status status = give(inbound, host, (const char *)&length, sizeof length);
    return status == INBOUND_CONTINUES ? give(inbound, host, bytes, size) : status;
}

static const char hello[] = "{\"id\":5,\"type\":\"hello\"}";

CONVERSATION_TEST(test_empty_and_not_json) {
    struct host *host = setting->host;
    struct inbound inbound = {0};
    static const char *const texts[] = {"", "\xff\xff\xff", "nonsense", "[]", "{\"id\":1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(give_frame(&inbound, host, texts[i], strlen(texts[i])), INBOUND_CONTINUES);
        assert_code(next_answer(), "malformed");
    }
    assert_true(inbound_between_messages(&inbound));
    assert_int_equal(give_frame(&inbound, host, hello, strlen(hello)), INBOUND_CONTINUES);
    assert_code(next_answer(), "");
    assert_int_equal(give(&inbound, host, "\x10\0\0\0{\"id\"", 9), INBOUND_CONTINUES);
    assert_false(inbound_between_messages(&inbound));
    assert_null(next_answer());
    buf_free(&inbound.in);
}

// The largest that a browser sends is more than is taken: it is refused by its id, not kept, and the next
// message is understood.
CONVERSATION_TEST(test_largest) {
    struct host *host = setting->host;
    struct inbound inbound = {0};
    static const size_t sizes[] = {FRAME_IN_MAX, FRAME_TAKEN_MAX + 1};
    char *bytes = malloc(FRAME_IN_MAX);
    assert_non_null(bytes);
    memset(bytes, 'x', FRAME_IN_MAX);
    for (size_t i = 0; i < 2; i++) {
        memcpy(bytes, "{\"id\":77,\"type", 14);
        assert_int_equal(give_frame(&inbound, host, bytes, sizes[i]), INBOUND_CONTINUES);
        json_t *answer = next_answer();
        assert_int_equal(json_integer_value(json_object_get(answer, "id")), 77);
        assert_code(answer, "too-large");
        assert_true(inbound.in.capacity < 2 * 1024 * 1024);
        memcpy(bytes, "{\"type\":\"hello", 14);
        assert_int_equal(give_frame(&inbound, host, bytes, sizes[i]), INBOUND_CONTINUES);
        answer = next_answer();
        assert_true(json_is_null(json_object_get(answer, "id")));
        assert_code(answer, "too-large");
        assert_int_equal(give_frame(&inbound, host, hello, strlen(hello)), INBOUND_CONTINUES);
        assert_code(next_answer(), "");
    }
    // The largest that is taken is read to its end.
    memset(bytes, ' ', FRAME_TAKEN_MAX);
    memcpy(bytes + FRAME_TAKEN_MAX - strlen(hello), hello, strlen(hello));
    assert_int_equal(give_frame(&inbound, host, bytes, FRAME_TAKEN_MAX), INBOUND_CONTINUES);
    assert_code(next_answer(), "");
    free(bytes);
    // Its room is given back.
    size_t room;
    assert_non_null(inbound_room(&inbound, &room));
    assert_true(room < 2 * 1024 * 1024);
    uint32_t length = FRAME_IN_MAX + 1;
    assert_int_equal(give(&inbound, host, (const char *)&length, sizeof length), INBOUND_UNREADABLE);
    assert_code(next_answer(), "malformed");
    buf_free(&inbound.in);
}
