// Frames of all kinds, good, damaged and senseless, in pieces of any size: each that is whole is answered
// once, by what is an answer, nothing crashes, and what was saved before is still there. FRAME_FUZZ_FRAMES
// sets how many (1000000 takes some minutes under sanitizers), FRAME_FUZZ_SEED another beginning. Starts no
// programs.
#include "archive/archive_fixture.h"
#include "messaging/examples.h"
#include "messaging/frame.h"
#include "messaging/inbound.h"
#include "messaging/job_supervisor.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <sys/stat.h>

enum { EXAMPLES_MAX = 400, FRAME_ROOM = 4096, ORDINARY_FRAMES = 30000 };

// What the schema's examples call their profile and race.
#define SAVED "6920558b0123abcd"

struct example {
    char *bytes;
    size_t size;
};

struct fuzz {
    uint64_t random;
    char *home;
    struct example examples[EXAMPLES_MAX];
    size_t example_count;
    uint64_t answers, events; // of the host that is there now
    uint64_t taken;           // answers that were no errors, of all
};

// splitmix64
static uint64_t draw(struct fuzz *fuzz, uint64_t below) {
    uint64_t x = fuzz->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

static int take_answer(void *context, const char *json, size_t size) {
    struct fuzz *fuzz = context;
    assert_true(size <= FRAME_OUT_MAX);
    json_t *message = json_loadb(json, size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(message);
    const json_t *id = json_object_get(message, "id"), *error = json_object_get(message, "error");
    assert_true(json_is_integer(id) || json_is_null(id));
    if (json_object_get(message, "event")) {
        fuzz->events++;
    } else {
        fuzz->answers++;
        if (json_is_true(json_object_get(message, "ok"))) {
            fuzz->taken++;
        } else {
            assert_true(json_string_length(json_object_get(error, "code")) > 0);
            assert_true(json_string_length(json_object_get(error, "message")) > 0);
            assert_true(json_string_length(json_object_get(error, "remedy")) > 0);
        }
    }
    json_decref(message);
    return 0;
}

// ---- What was there before ----

static void keep_example(void *context, const char *name, const char *bytes, size_t size) {
    struct fuzz *fuzz = context;
    (void)name;
    assert_true(fuzz->example_count < EXAMPLES_MAX && size < FRAME_ROOM / 2);
    struct example *example = &fuzz->examples[fuzz->example_count++];
    *example = (struct example){.bytes = malloc(size), .size = size};
    assert_non_null(example->bytes);
    memcpy(example->bytes, bytes, size);
}

static void write_text(const struct fuzz *fuzz, const char *name, const char *text) {
    fixture_write_file(fixture_path(fuzz->home, name), text, strlen(text));
}

// A profile and an ended race, which messages by the examples' ids find, and may remove.
static void make_saved(const struct fuzz *fuzz) {
    mkdir(fixture_path(fuzz->home, "profiles"), 0700);
    write_text(fuzz, "profiles/" SAVED ".har", "{\"log\":{}}");
    write_text(fuzz, "profiles/" SAVED ".json", "{\"name\":\"saved\"}");
    mkdir(fixture_path(fuzz->home, "jobs"), 0700);
    mkdir(fixture_path(fuzz->home, "jobs/" SAVED), 0700);
    write_text(fuzz, "jobs/" SAVED "/" job_request_name, "{\"kind\":\"race\",\"request\":{\"runs\":1}}");
    write_text(fuzz, "jobs/" SAVED "/" job_exit_name, "{\"status\":1,\"canceled\":false}");
    write_text(fuzz, "jobs/" SAVED "/" job_stderr_name, "one\ntrilane: page: \x80 is bad: mend it\n");
    write_text(fuzz, "jobs/" SAVED "/" job_events_name,
               "{\"event\":\"sweep-started\",\"sweep\":3}\nno event\n[]\n{\"event\":\"half");
}

// ---- Frames ----

// Damages a copy of an example in a few places. Returns its new size.
static size_t mutate(struct fuzz *fuzz, char *bytes, size_t size) {
    static const char signs[] = "{}[]\",:\\0123456789eE+-.tfn \n\x80\xff=/Aud";
    for (uint64_t i = draw(fuzz, 5); i > 0; i--) {
        size_t at = draw(fuzz, size), rest = size - at - 1;
        switch (draw(fuzz, 5)) {
        case 0:
            bytes[at] = signs[draw(fuzz, sizeof signs - 1)];
            break;
        case 1:
            bytes[at] = (char)draw(fuzz, 256);
            break;
        case 2: // a byte out
            memmove(bytes + at, bytes + at + 1, rest);
            size -= size > 1;
            break;
        case 3: // a byte twice
            if (size == FRAME_ROOM) break;
            memmove(bytes + at + 1, bytes + at, size - at);
            size++;
            break;
        case 4: // cut short
            if (draw(fuzz, 4) == 0) size = at + 1;
            break;
        }
    }
    return size;
}

// A message of at most FRAME_ROOM bytes.
static size_t make_message(struct fuzz *fuzz, char *bytes) {
    uint64_t kind = draw(fuzz, 20);
    if (kind == 0) return 0;
    if (kind <= 2) {
        size_t size = draw(fuzz, 100);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)draw(fuzz, 256);
        return size;
    }
    const struct example *example = &fuzz->examples[draw(fuzz, fuzz->example_count)];
    memcpy(bytes, example->bytes, example->size);
    return kind < 6 ? example->size : mutate(fuzz, bytes, example->size);
}

static bool has_length_of_its_own(struct fuzz *fuzz, uint32_t *length) {
    if (draw(fuzz, 2000) != 0) return false;
    static const uint32_t lengths[] = {FRAME_IN_MAX + 1, UINT32_MAX, FRAME_IN_MAX, FRAME_TAKEN_MAX + 1};
    *length = lengths[draw(fuzz, sizeof lengths / sizeof *lengths)];
    return true;
}

// Gives the host bytes in pieces of any size.
static enum inbound_status give(struct fuzz *fuzz, struct inbound *inbound, struct host *host,
                                const char *bytes, size_t size) {
    enum inbound_status status = INBOUND_CONTINUES;
    while (size > 0 && status == INBOUND_CONTINUES) {
        size_t room, piece = draw(fuzz, 4) == 0 ? 1 + draw(fuzz, 40) : size;
        uint8_t *at = inbound_room(inbound, &room);
        assert_non_null(at);
        if (piece > size) piece = size;
        if (piece > room) piece = room;
        memcpy(at, bytes, piece);
        status = inbound_added(inbound, host, piece);
        bytes += piece;
        size -= piece;
    }
    return status;
}

// One conversation, until a length that cannot be, or it has been long enough. Returns how many frames it
// was.
static uint64_t converse(struct fuzz *fuzz, uint64_t frames_max) {
    const struct host_paths paths = {
        .home = fuzz->home, .cli = "/nonexistent/trilane", .host = "/nonexistent/host"};
    const struct answers answers = {.send = take_answer, .context = fuzz};
    struct host *host = host_open(&paths, &answers);
    assert_non_null(host);
    struct inbound inbound = {0};
    uint64_t frames = 0, due = 0;
    fuzz->answers = fuzz->events = 0;
    for (bool over = false; !over && frames < frames_max;) {
        char message[FRAME_LENGTH_SIZE + FRAME_ROOM];
        uint32_t length = (uint32_t)make_message(fuzz, message + FRAME_LENGTH_SIZE);
        size_t size = FRAME_LENGTH_SIZE + length;
        over = has_length_of_its_own(fuzz, &length);
        memcpy(message, &length, sizeof length);
        enum inbound_status status = give(fuzz, &inbound, host, message, size);
        assert_true(status != INBOUND_CONNECTION_LOST);
        assert_int_equal(host_work(host), 0);
        // Of one that is too large the start is enough for an answer, and the rest is thrown away.
        bool answered = !over || length > FRAME_IN_MAX || size >= FRAME_LENGTH_SIZE + FRAME_START;
        due += answered;
        frames++;
        if (over) assert_int_equal(status == INBOUND_UNREADABLE, length > FRAME_IN_MAX);
        assert_int_equal(fuzz->answers, due);
        assert_false(host_works(host));
    }
    buf_free(&inbound.in);
    host_close(host);
    return frames;
}

static uint64_t number_from(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

UNIT_TEST(test_frames) {
    struct fuzz *fuzz = calloc(1, sizeof *fuzz);
    assert_non_null(fuzz);
    fuzz->random = number_from("FRAME_FUZZ_SEED", 1);
    fuzz->home = fixture_make_home();
    each_example(true, keep_example, fuzz);
    each_example(false, keep_example, fuzz);
    const struct fixture_recording recording = {.name = "kept", .seed = 1, .count = 3, .body_size = 100};
    fixture_must_write(fuzz->home, &recording);
    uint64_t frames = 0, all = number_from("FRAME_FUZZ_FRAMES", unit_times(ORDINARY_FRAMES)),
             conversations = 0;
    for (; frames < all; conversations++) {
        if (conversations % 50 == 0) make_saved(fuzz);
        uint64_t left = all - frames;
        frames += converse(fuzz, left < 2000 ? left : 2000);
    }
    printf("%llu frames in %llu conversations, %llu taken\n", (unsigned long long)frames,
           (unsigned long long)conversations, (unsigned long long)fuzz->taken);
    assert_true(fuzz->taken > frames / 100);
    assert_true(fixture_check_whole(fuzz->home) >= 1);
    assert_int_equal(fixture_count_staged(fuzz->home), 0);
    for (size_t i = 0; i < fuzz->example_count; i++)
        free(fuzz->examples[i].bytes);
    fixture_remove_home(fuzz->home);
    free(fuzz);
}
