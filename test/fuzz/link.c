// Links in their language and as JSON, and as the profiles that they are read to. What is said to name no
// file opens none: open() is ours here and counts.
#include "shaper/language/link_answers.h"
#include "shaper/language/link_files.h"
#include "shaper/language/link_json.h"
#include "shaper/language/link_write.h"
#include "target.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool watches;
static unsigned opened;

// In the place of the C library's, for all of this program.
int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (watches) opened++;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

// The answer is one object, and an error one line.
static void ask(const char *line, size_t size) {
    json_t *answer = link_answer(line, size);
    PROMISE(json_is_object(answer));
    const char *error = json_string_value(json_object_get(answer, "error"));
    PROMISE(!error || !strchr(error, '\n'));
    json_decref(answer);
}

static bool is_share(double value) {
    return value >= 0 && value <= 1;
}

static void check_limits(const struct direction_settings *direction, const struct link_queue *queue) {
    for (uint32_t i = 0; i < direction->rate.steps_bps.count; i++) {
        const struct step *step = &direction->rate.steps_bps.step[i];
        PROMISE(step->value >= 1 && step->value <= 100000000000);
        PROMISE(i == 0 ? step->at_ns == 0 : step->at_ns > step[-1].at_ns);
    }
    PROMISE(direction->rate.steps_bps.count <= STEPS_MAX);
    for (uint32_t i = 0; i < direction->delay.delay_ns.count; i++)
        PROMISE(direction->delay.delay_ns.step[i].value <= 60000000000);
    PROMISE(direction->delay.jitter_ns <= 60000000000);
    PROMISE(is_share(link_loss(direction)) && is_share(direction->duplicate));
    PROMISE(is_share(direction->reorder.probability) && direction->reorder.distance <= 1000);
    PROMISE((direction->onoff.on_ns == 0) == (direction->onoff.off_ns == 0));
    PROMISE(queue->kind == LINK_QUEUE_UNLIMITED || direction->queue.limit_packets > 0 ||
            direction->queue.limit_bytes > 0 || direction->queue.limit_ns > 0);
    PROMISE(direction->fec_group <= FEC_GROUP_MAX);
}

// The canonical form means the same profile, and is canonical itself.
static void check_written_as_read(const struct link_profile *profile) {
    struct link_text text, again;
    struct link_settings settings;
    struct link_profile read;
    struct link_error error;
    json_t *json = link_profile_json(profile);
    PROMISE(json && link_write(&text, json, false, &error) == 0);
    PROMISE(link_settings_read(&settings, text.text, &error) == 0 &&
            link_profile_read(&read, &settings, &error) == 0);
    json_t *meant = link_profile_json(&read);
    PROMISE(json_equal(json, meant) && link_write(&again, meant, false, &error) == 0);
    PROMISE(strcmp(again.text, text.text) == 0);
    json_decref(json);
    json_decref(meant);
    link_profile_close(&read);
}

// A form is taken or refused with one line; what is taken lies within the limits.
static void read_form(const char *form) {
    struct link_settings settings;
    struct link_profile profile;
    struct link_error error;
    if (link_settings_read(&settings, form, &error) < 0 ||
        link_profile_read(&profile, &settings, &error) < 0) {
        PROMISE(strncmp(error.line, "link: ", 6) == 0);
        for (const char *c = error.line; *c; c++)
            PROMISE((unsigned char)*c >= ' ' && *c != 127);
        return;
    }
    check_limits(&profile.down, &profile.down.queue.given);
    check_limits(&profile.up, &profile.up.queue.given);
    check_written_as_read(&profile);
    link_profile_close(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ask((const char *)data, size);
    char *form = malloc(size + 1);
    PROMISE(form);
    memcpy(form, data, size);
    form[size] = 0;
    read_form(form);
    struct link_error error;
    bool names = link_form_names_file(form, &error) != 0;
    json_t *question = json_pack("{s:s, s:b}", "form", form, "files", 1);
    char *line = question ? json_dumps(question, JSON_COMPACT) : NULL; // NULL: not UTF-8
    if (line) {
        opened = 0;
        watches = true;
        ask(line, strlen(line));
        watches = false;
        PROMISE(names || opened == 0);
    }
    free(line);
    json_decref(question);
    free(form);
    return 0;
}
