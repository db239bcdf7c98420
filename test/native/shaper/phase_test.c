// What trilane-probe takes for a phase, and what it does not.
#include "shaper/probe/phase.h"
#include "test/native/cmocka_unit.h"

UNIT_TEST(a_phase_is_read_as_written) {
    struct phase phase;
    assert_true(phase_read(&phase, "up:flood:1500:400:12.5:20:300"));
    assert_int_equal(phase.direction, PHASE_UP);
    assert_int_equal(phase.kind, PHASE_FLOOD);
    assert_int_equal(phase.size_bytes, 1500);
    assert_int_equal(phase.count, 400);
    assert_int_equal(phase.interval_ns, 12500);
    assert_int_equal(phase.burst, 20);
    assert_int_equal(phase.drain_ms, 300);
    assert_string_equal(phase_direction_name(phase.direction), "up");
    assert_string_equal(phase_kind_name(phase.kind), "flood");
    assert_true(phase_read(&phase, "down:steady:44:1:0:0:0"));
    assert_int_equal(phase.direction, PHASE_DOWN);
    assert_int_equal(phase.kind, PHASE_STEADY);
}

UNIT_TEST(anything_else_is_refused) {
    static const char *const texts[] = {
        "",
        "down",
        "down:steady:64:100:5000:0",
        "down:steady:64:100:5000:0:100:",
        "down:steady:64:100:5000:0:100 ",
        "sideways:steady:64:100:5000:0:100",
        "downwards:steady:64:100:5000:0:100",
        "down:heavy:64:100:5000:0:100",
        "down:steady:43:100:5000:0:100",
        "down:steady:1501:100:5000:0:100",
        "down:steady:64:0:5000:0:100",
        "down:steady:64:10000001:5000:0:100",
        "down:steady:64:100:-1:0:100",
        "down:steady:64:100:nan:0:100",
        "down:steady:64:100:60000001:0:100",
        "down:steady:64:100:5000:101:100",
        "down:steady:64:100:5000:0:600001",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct phase phase;
        if (phase_read(&phase, texts[i])) fail_msg("\"%s\" was taken", texts[i]);
    }
}
