// How trilane-command runs a command, whatever that does: its end, its time, what it printed and what it
// left; and that of a flood both ends are kept. Nothing is held to a clock but by order.
#include "command/kept_output.h"
#include "command/run.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <signal.h>
#include <sys/wait.h>

static struct kept_output output;
static struct run_result result;

static void run_shell(const char *script, uint64_t timeout_ns) {
    char *argv[] = {"/bin/sh", "-c", (char *)script, NULL};
    output = (struct kept_output){0};
    run_command(argv, timeout_ns, NULL, &output, &result);
}

static char *written(const struct kept_output *kept, size_t *size) {
    char *text;
    FILE *file = open_memstream(&text, size);
    assert_non_null(file);
    assert_int_equal(kept_output_write(kept, file), 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

UNIT_TEST(output_is_kept_at_both_ends) {
    // Up to both halves everything; from one byte more on a line says what is missing.
    for (size_t extra = 0; extra < 3; extra++) {
        const size_t all = 2 * (size_t)KEPT_HALF + extra * (KEPT_HALF / 2 + 7);
        output = (struct kept_output){0};
        for (size_t at = 0; at < all; at++) {
            const char byte = (char)('a' + at % 23);
            kept_output_add(&output, &byte, 1);
        }
        assert_int_equal(kept_output_is_cut(&output), extra > 0);
        size_t size;
        char *text = written(&output, &size);
        char missing[64];
        snprintf(missing, sizeof missing, "\n[%zu bytes are missing here]\n", all - 2 * (size_t)KEPT_HALF);
        const size_t between = extra > 0 ? strlen(missing) : 0;
        assert_int_equal(size, 2 * (size_t)KEPT_HALF + between);
        if (extra > 0) assert_memory_equal(text + KEPT_HALF, missing, between);
        for (size_t at = 0; at < KEPT_HALF; at++) {
            assert_int_equal(text[at], 'a' + at % 23);
            assert_int_equal(text[size - 1 - at], 'a' + (all - 1 - at) % 23);
        }
        free(text);
    }
}

UNIT_TEST(pieces_of_any_size_are_one_output) {
    static char bytes[3 * KEPT_HALF];
    for (size_t at = 0; at < sizeof bytes; at++)
        bytes[at] = (char)('a' + at % 19);
    static struct kept_output whole;
    whole = (struct kept_output){0};
    kept_output_add(&whole, bytes, sizeof bytes);
    output = (struct kept_output){0};
    for (size_t at = 0, piece = 1; at < sizeof bytes; at += piece, piece = piece * 2 + 1) {
        if (piece > sizeof bytes - at) piece = sizeof bytes - at;
        kept_output_add(&output, bytes + at, piece);
    }
    size_t sizes[2];
    char *texts[] = {written(&whole, &sizes[0]), written(&output, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(texts[0], texts[1], sizes[0]);
    free(texts[0]);
    free(texts[1]);
}

UNIT_TEST(its_end_is_reported) {
    run_shell("echo out; echo err >&2; exit 3", NS_PER_S * 60);
    assert_true(WIFEXITED(result.wait_status));
    assert_int_equal(WEXITSTATUS(result.wait_status), 3);
    assert_int_equal(output.size, 8);
    assert_memory_equal(output.head, "out\nerr\n", 8);
    assert_true(result.end_ns > result.start_ns);
    assert_false(result.timed_out);
    assert_int_equal(result.left_behind, 0);
    run_shell("kill -SEGV $$", NS_PER_S * 60);
    assert_true(WIFSIGNALED(result.wait_status));
    assert_int_equal(WTERMSIG(result.wait_status), SIGSEGV);
}

UNIT_TEST(it_has_no_input_and_no_descriptor_of_ours) {
    run_shell("cat; for fd in /proc/self/fd/*; do case ${fd##*/} in [012]) ;; *) [ -e $fd ] && exit 1 ;; "
              "esac; done; exit 0",
              NS_PER_S * 60);
    assert_int_equal(output.size, 0);
    assert_true(WIFEXITED(result.wait_status));
    assert_int_equal(WEXITSTATUS(result.wait_status), 0);
}

UNIT_TEST(one_that_ignores_its_end_is_killed) {
    run_shell("trap '' TERM; echo here; while :; do sleep 1000; done", NS_PER_MS * 300);
    assert_true(result.timed_out);
    assert_false(result.interrupted);
    assert_true(WIFSIGNALED(result.wait_status));
    assert_int_equal(WTERMSIG(result.wait_status), SIGKILL);
    assert_memory_equal(output.head, "here\n", 5);
    assert_true(result.left_behind >= 1); // its sleep
}

UNIT_TEST(what_it_leaves_is_ended_and_counted) {
    run_shell("sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; exit 0",
              NS_PER_S * 60);
    assert_true(WIFEXITED(result.wait_status));
    assert_true(result.left_behind >= 2);
    // None is left, not even as a zombie.
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

UNIT_TEST(a_flood_is_read_to_its_end) {
    run_shell("head -c 5000000 /dev/zero; echo; echo end", NS_PER_S * 60);
    assert_int_equal(output.size, 5000005);
    size_t size;
    char *text = written(&output, &size);
    assert_memory_equal(text + size - 5, "\nend\n", 5);
    free(text);
}
