// Frames: whole, in pieces, too large, and random bytes.
#include "messaging/frame.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>

static void add_frame(struct buf *in, const char *text, size_t size) {
    uint32_t length = (uint32_t)size;
    assert_int_equal(buf_add(in, &length, sizeof length), 0);
    assert_int_equal(buf_add(in, text, size), 0);
}

UNIT_TEST(test_frames_in_pieces) {
    struct buf whole = {0}, in = {0};
    add_frame(&whole, "{\"id\":1}", 8);
    add_frame(&whole, "", 0);
    add_frame(&whole, "\0\xff", 2);
    static const size_t sizes[] = {8, 0, 2};
    size_t seen = 0;
    for (size_t i = 0; i < buf_size(&whole); i++) {
        struct frame frame;
        assert_int_equal(frame_next(&in, &frame), FRAME_PART);
        assert_int_equal(buf_add(&in, buf_bytes(&whole) + i, 1), 0);
        while (frame_next(&in, &frame) == FRAME_WHOLE) {
            assert_int_equal(frame.size, sizes[seen++]);
            if (seen == 1) assert_memory_equal(frame.bytes, "{\"id\":1}", 8);
            frame_drain(&in, &frame);
        }
    }
    assert_int_equal(seen, 3);
    assert_int_equal(buf_size(&in), 0);
    buf_free(&whole);
    buf_free(&in);
}

UNIT_TEST(test_largest) {
    struct buf in = {0};
    struct frame frame;
    uint32_t length = FRAME_IN_MAX;
    assert_int_equal(buf_add(&in, &length, sizeof length), 0);
    assert_int_equal(frame_next(&in, &frame), FRAME_PART);
    buf_drain(&in, sizeof length);
    length++;
    assert_int_equal(buf_add(&in, &length, sizeof length), 0);
    assert_int_equal(frame_next(&in, &frame), FRAME_TOO_LARGE);
    buf_drain(&in, sizeof length);
    length = UINT32_MAX;
    assert_int_equal(buf_add(&in, &length, sizeof length), 0);
    assert_int_equal(frame_next(&in, &frame), FRAME_TOO_LARGE);
    buf_free(&in);
}

// What is written is read back, also where the pipe takes a message only in parts.
UNIT_TEST(test_written) {
    enum { SIZE = 300000 };
    int ends[2];
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) _exit(frame_write(ends[1], text, SIZE) == 0 && frame_write(ends[1], "", 0) == 0 ? 0 : 1);
    close(ends[1]);
    struct buf in = {0};
    for (;;) {
        assert_int_equal(buf_reserve(&in, 4096), 0);
        ssize_t size = read(ends[0], in.data + in.end, 4096);
        assert_true(size >= 0);
        if (size == 0) break;
        in.end += (size_t)size;
    }
    struct frame frame;
    assert_int_equal(frame_next(&in, &frame), FRAME_WHOLE);
    assert_int_equal(frame.size, SIZE);
    assert_memory_equal(frame.bytes, text, SIZE);
    frame_drain(&in, &frame);
    assert_int_equal(frame_next(&in, &frame), FRAME_WHOLE);
    assert_int_equal(frame.size, 0);
    close(ends[0]);
    buf_free(&in);
    free(text);
}

UNIT_TEST(test_write_fails) {
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(frame_write(fd, "x", 1), -1);
    close(fd);
}
