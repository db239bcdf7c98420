// link_profile under a million mutilated forms: each is taken or refused with one line, what is taken lies
// within the limits, and no byte is read or written beyond its place (the sanitizers see to that).
// LINK_FUZZ_RUNS sets the number, LINK_FUZZ_SEED another beginning.
#include "shaper/language/link_json.h"
#include "shaper/language/link_names.h"
#include "shaper/language/link_write.h"
#include "shaper/nodes/random.h"
#include "test/native/cmocka_unit.h"

enum { FORM_MAX = 400 };

static const char *const beginnings[] = {
    "down=1.5mbit,up=0.3mbit,delay_down=20ms,delay_up=30ms,queue=2bdp,loss_up=0.1%,seed=42",
    "8mbit:1mbit@10s:8mbit@20s/50ms:200ms@500ms,aqm=codel,ecn=on",
    "3g,jitter=normal:5ms,jitter_order=free,loss=ge:1%:30%:90%:0.5%,loss_slot=10ms",
    "train,onoff=exp:10s:1s,reorder_up=1%:3,duplicate=1%,fec_down=2,queue_up=50ms",
    "3mbit/50ms,loss=every:100,onoff_down=10s:1s,aqm_up=fq_codel,queue=100p,trace_end=once",
    "unlimited,loss_down=file:schemas/none,jitter_up=pareto:500us",
};

// What forms are made of: more telling than single bytes.
static const char *const pieces[] = {
    ",",   "=",    ":",     "/",      "@",    "%",     ".",     "0",      "9",     "00000000000000000000",
    "s",   "ms",   "us",    "mbit",   "bdp",  "p",     "kB",    "file:",  "ge:",   "every:",
    "off", "on",   "trace", "_down",  "_up",  "rate=", "rtt=",  "delay_", "exp:",  "unlimited",
    "e9",  "-",    "+",     "0x",     "inf",  "nan",   " ",     "\n",     "\xff",  "\x01",
    "%s",  "%n",   "loss=", "queue=", "aqm=", "ecn=",  "seed=", "fec=",   "3mbit", "lighthouse-3g",
    "1%",  "10s:", "@1s",   "1e300",  "pie",  "once",  "free",  "keep",   "wrap",  "4294967296",
};

struct fuzz {
    struct random random;
    char form[FORM_MAX + 1];
    size_t size;
};

static size_t below(struct fuzz *fuzz, size_t bound) {
    return (size_t)(random_next(&fuzz->random) % bound);
}

static void insert(struct fuzz *fuzz, size_t at, const char *bytes, size_t size) {
    if (fuzz->size + size > FORM_MAX) return;
    memmove(fuzz->form + at + size, fuzz->form + at, fuzz->size - at);
    memcpy(fuzz->form + at, bytes, size);
    fuzz->size += size;
}

static void mutilate(struct fuzz *fuzz) {
    size_t at = below(fuzz, fuzz->size + 1);
    size_t size = at < fuzz->size ? 1 + below(fuzz, fuzz->size - at < 8 ? fuzz->size - at : 8) : 0;
    const char *piece = pieces[below(fuzz, sizeof pieces / sizeof pieces[0])];
    char copy[8];
    switch (below(fuzz, 6)) {
    case 0: // take out
        memmove(fuzz->form + at, fuzz->form + at + size, fuzz->size - at - size);
        fuzz->size -= size;
        break;
    case 1: // say again
        memcpy(copy, fuzz->form + at, size);
        insert(fuzz, at, copy, size);
        break;
    case 2: // cut off
        if (below(fuzz, 4) == 0) fuzz->size = at;
        break;
    case 3: // any byte but the last
        if (at < fuzz->size) fuzz->form[at] = (char)(1 + below(fuzz, 255));
        break;
    default:
        insert(fuzz, at, piece, strlen(piece));
    }
}

static void make_form(struct fuzz *fuzz) {
    size_t names = 0;
    while (link_named_at(names))
        names++;
    const char *beginning = below(fuzz, 8) == 0
                                ? link_named_at(below(fuzz, names))->name
                                : beginnings[below(fuzz, sizeof beginnings / sizeof beginnings[0])];
    fuzz->size = strlen(beginning);
    memcpy(fuzz->form, beginning, fuzz->size);
    for (size_t changes = below(fuzz, 5); changes > 0; changes--)
        mutilate(fuzz);
    fuzz->form[fuzz->size] = 0;
}

static bool is_share(double value) {
    return value >= 0 && value <= 1;
}

static void assert_within_limits(const struct direction_settings *direction, const struct link_queue *queue) {
    for (uint32_t i = 0; i < direction->rate.steps_bps.count; i++) {
        const struct step *step = &direction->rate.steps_bps.step[i];
        assert_true(step->value >= 1 && step->value <= 100000000000);
        assert_true(i == 0 ? step->at_ns == 0 : step->at_ns > step[-1].at_ns);
    }
    assert_true(direction->rate.steps_bps.count <= STEPS_MAX);
    for (uint32_t i = 0; i < direction->delay.delay_ns.count; i++)
        assert_true(direction->delay.delay_ns.step[i].value <= 60000000000);
    assert_true(direction->delay.jitter_ns <= 60000000000);
    assert_true(is_share(link_loss(direction)) && is_share(direction->duplicate));
    assert_true(is_share(direction->reorder.probability) && direction->reorder.distance <= 1000);
    assert_true((direction->onoff.on_ns == 0) == (direction->onoff.off_ns == 0));
    assert_true(queue->kind == LINK_QUEUE_UNLIMITED || direction->queue.limit_packets > 0 ||
                direction->queue.limit_bytes > 0 || direction->queue.limit_ns > 0);
    assert_true(direction->fec_group <= FEC_GROUP_MAX);
}

// The canonical form means the same profile, and is canonical itself.
static void assert_written_as_read(const struct link_profile *profile) {
    struct link_text text, again;
    struct link_settings settings;
    struct link_profile read;
    struct link_error error;
    json_t *json = link_profile_json(profile);
    assert_non_null(json);
    if (link_write(&text, json, false, &error) < 0) fail_msg("%s", error.line);
    if (link_settings_read(&settings, text.text, &error) < 0 ||
        link_profile_read(&read, &settings, &error) < 0)
        fail_msg("%s: %s", text.text, error.line);
    json_t *meant = link_profile_json(&read);
    if (!json_equal(json, meant)) fail_msg("%s is another link than it was written from", text.text);
    assert_int_equal(link_write(&again, meant, false, &error), 0);
    assert_string_equal(again.text, text.text);
    json_decref(json);
    json_decref(meant);
    link_profile_close(&read);
}

static uint64_t number_from(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

UNIT_TEST(mutilated_forms_do_no_harm) {
    struct fuzz fuzz;
    random_open(&fuzz.random, number_from("LINK_FUZZ_SEED", 23), 0);
    uint64_t runs = number_from("LINK_FUZZ_RUNS", 1000000), taken = 0;
    for (uint64_t run = 0; run < runs; run++) {
        make_form(&fuzz);
        // In a block of just its size, so that reading past its end is seen.
        char *form = malloc(fuzz.size + 1);
        assert_non_null(form);
        memcpy(form, fuzz.form, fuzz.size + 1);
        struct link_settings settings;
        struct link_profile profile;
        struct link_error error;
        if (link_settings_read(&settings, form, &error) == 0 &&
            link_profile_read(&profile, &settings, &error) == 0) {
            taken++;
            assert_within_limits(&profile.down, &profile.down.queue.given);
            assert_within_limits(&profile.up, &profile.up.queue.given);
            if (taken % 64 == 0) assert_written_as_read(&profile);
            link_profile_close(&profile);
        } else {
            assert_memory_equal(error.line, "link: ", 6);
            for (const char *c = error.line; *c; c++)
                assert_true((unsigned char)*c >= ' ' && *c != 127);
        }
        free(form);
    }
    // The forms are neither all nonsense nor all good.
    assert_in_range(taken, runs / 20, runs - runs / 20);
}

static int enter_checkout(void **state) {
    return chdir(TRILANE_ROOT);
}

GROUP_FIXTURE(enter_checkout, NULL)
