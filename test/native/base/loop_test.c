// loop: timers in order of their times, descriptors, signals, and removal from within callbacks.
#include "base/clock.h"
#include "base/loop.h"
#include "test/native/cmocka_unit.h"

#include <signal.h>
#include <sys/epoll.h>

enum { TIMERS = 500 };

struct many {
    struct loop *loop;
    struct one {
        struct loop_timer timer;
        struct many *many;
    } ones[TIMERS];
    uint64_t last_due_ns;
    int fired;
    int expected;
};

static void fired(void *context, uint64_t now_ns) {
    struct one *one = context;
    struct many *many = one->many;
    assert_true(now_ns >= one->timer.due_ns);
    assert_true(one->timer.due_ns >= many->last_due_ns);
    many->last_due_ns = one->timer.due_ns;
    if (++many->fired == many->expected) loop_stop(many->loop);
}

UNIT_TEST(timers_fire_in_order_after_moves_and_removals) {
    struct many *many = calloc(1, sizeof *many);
    assert_int_equal(loop_open(&many->loop), 0);
    srand(3);
    uint64_t start_ns = clock_now_ns() + 20 * NS_PER_MS;
    for (int i = 0; i < TIMERS; i++) {
        struct one *one = &many->ones[i];
        one->timer = (struct loop_timer){.due = fired, .context = one};
        one->many = many;
        assert_int_equal(loop_timer_set(many->loop, &one->timer, start_ns + (uint64_t)(rand() % 20000000)),
                         0);
    }
    for (int i = 0; i < TIMERS; i += 3) { // moved, sooner and later
        uint64_t due_ns = start_ns + (uint64_t)(rand() % 20000000);
        assert_int_equal(loop_timer_set(many->loop, &many->ones[i].timer, due_ns), 0);
    }
    many->expected = TIMERS;
    for (int i = 0; i < TIMERS; i += 5) {
        loop_timer_clear(many->loop, &many->ones[i].timer);
        loop_timer_clear(many->loop, &many->ones[i].timer); // twice is harmless
        many->expected--;
    }
    assert_int_equal(loop_run(many->loop), 0);
    assert_int_equal(many->fired, many->expected);
    loop_close(many->loop);
    free(many);
}

struct early {
    struct loop *loop;
    uint64_t due_ns;
};

static void not_before(void *context, uint64_t now_ns) {
    struct early *early = context;
    assert_true(now_ns >= early->due_ns);
    assert_true(clock_now_ns() >= early->due_ns);
    loop_stop(early->loop);
}

UNIT_TEST(timer_never_fires_early) {
    struct early early;
    assert_int_equal(loop_open(&early.loop), 0);
    for (int i = 0; i < 100; i++) {
        early.due_ns = clock_now_ns() + (uint64_t)i * 20000;
        struct loop_timer timer = {.due = not_before, .context = &early};
        assert_int_equal(loop_timer_set(early.loop, &timer, early.due_ns), 0);
        assert_int_equal(loop_run(early.loop), 0);
    }
    loop_close(early.loop);
}

struct pair {
    struct loop *loop;
    struct loop_watch watches[2];
    int calls;
    int turn_ends;
};

// Whichever is called first removes both, in the turn in which both are ready.
static void remove_both(void *context, uint32_t events) {
    struct pair *pair = context;
    assert_true(events & EPOLLIN);
    pair->calls++;
    loop_remove(pair->loop, &pair->watches[0]);
    loop_remove(pair->loop, &pair->watches[1]);
}

static void turn_ended(void *context) {
    struct pair *pair = context;
    pair->turn_ends++;
    loop_stop(pair->loop);
}

UNIT_TEST(removed_watch_is_not_called_in_the_same_turn) {
    struct pair pair = {0};
    int pipes[2][2];
    assert_int_equal(loop_open(&pair.loop), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        assert_int_equal(write(pipes[i][1], "x", 1), 1);
        pair.watches[i] = (struct loop_watch){.fd = pipes[i][0], .ready = remove_both, .context = &pair};
        assert_int_equal(loop_add(pair.loop, &pair.watches[i], EPOLLIN), 0);
    }
    loop_on_turn_end(pair.loop, turn_ended, &pair);
    assert_int_equal(loop_run(pair.loop), 0);
    assert_int_equal(pair.calls, 1);
    assert_int_equal(pair.turn_ends, 1);
    loop_close(pair.loop);
    for (int i = 0; i < 2; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
}

static void stop_on(void *context, int number) {
    assert_int_equal(number, SIGUSR1);
    loop_stop(context);
}

UNIT_TEST(signals_come_through_the_loop) {
    struct loop *loop;
    assert_int_equal(loop_open(&loop), 0);
    assert_int_equal(loop_on_signals(loop, (const int[]){SIGUSR1, 0}, stop_on, loop), 0);
    raise(SIGUSR1);
    assert_int_equal(loop_run(loop), 0);
    loop_close(loop);
}
