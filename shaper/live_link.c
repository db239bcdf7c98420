#include "shaper/live_link.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/schedule.h"
#include "shaper/language/link_json.h"
#include "shaper/nodes/steps.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *read_form(void *context) {
    struct link_change *change = context;
    schedule_ordinarily(); // the link's priority is not for files
    struct link_profile *next = malloc(sizeof *next);
    if (!next)
        link_fail(&change->error, "link: memory is short");
    else if (link_profile_change(next, change->now, change->form, &change->error) == 0)
        change->next = next;
    else
        free(next);
    uint64_t one = 1;
    if (write(change->done_watch.fd, &one, sizeof one) < 0) return NULL; // an eventfd takes a first one
    return NULL;
}

// The thread has ended, or is about to.
static void take_over(struct link_change *change) {
    pthread_join(change->thread, NULL);
    free(change->form);
    change->form = NULL;
    change->busy = false;
}

static void done(void *context, uint32_t events) {
    struct link_change *change = context;
    uint64_t count;
    (void)events;
    if (read(change->done_watch.fd, &count, sizeof count) < 0) return;
    take_over(change);
    change->read(change->context, change->next, change->error.line);
}

// 0, or -1 with errno.
static int link_change_open(struct link_change *change, struct loop *loop) {
    change->loop = loop;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    change->done_watch = (struct loop_watch){.fd = fd, .ready = done, .context = change};
    return fd < 0 ? -1 : loop_add(loop, &change->done_watch, EPOLLIN);
}

// Waits for what is being read; `read` is not called.
static void link_change_close(struct link_change *change) {
    if (!change->loop) return;
    if (change->busy) {
        take_over(change);
        if (change->next) link_profile_close(change->next);
        free(change->next);
    }
    loop_remove(change->loop, &change->done_watch);
    close(change->done_watch.fd);
    change->loop = NULL;
}

// Begins to read; not while `busy`. `now` stays as it is until `read` is called. 0, or -1 with errno.
static int link_change_begin(struct link_change *change, const struct link_profile *now, const char *form) {
    change->now = now;
    change->next = NULL;
    change->form = strdup(form);
    if (!change->form) return -1;
    sigset_t all, before; // signals are the loop's
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&change->thread, NULL, read_form, change);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    change->busy = error == 0;
    if (error == 0) return 0;
    free(change->form);
    change->form = NULL;
    errno = error;
    return -1;
}

// The settings as a form: every key that has a value.
static void write_form(char *form, size_t size, const struct link_settings *settings) {
    size_t at = 0;
    form[0] = 0;
    for (int key = 0; key < LINK_KEYS && at < size; key++) {
        const char *value = link_settings_value(settings, (enum link_key)key);
        if (!value) continue;
        int n = snprintf(form + at, size - at, "%s%s=%s", at > 0 ? "," : "", link_key_names[key], value);
        if (n > 0) at += (size_t)n;
    }
    if (form[0] == 0) snprintf(form, size, "unlimited");
}

void live_link_open(struct live_link *link, const struct link_profile *profile) {
    *link = (struct live_link){.first = profile};
    write_form(link->form, sizeof link->form, &profile->settings);
    debug_line(link, "%s", link->form);
}

static const struct link_profile *profile_now(const struct live_link *link) {
    const struct link_profile *profile = link->now ? link->now : link->first;
    return link->switched ? profile->switch_to : profile;
}

// What the link carries now; of a trace, its mean. null: unlimited.
static json_t *rate_of(const struct live_link *link, const struct direction_settings *settings,
                       uint64_t now_ns) {
    const struct rate_settings *rate = &settings->rate;
    if (rate->kind == RATE_UNLIMITED) return json_null();
    if (rate->kind == RATE_STEPS) return json_number(steps_value(&rate->steps_bps, now_ns - link->zero_ns));
    return json_number(link_rate_bps(settings));
}

static json_t *direction_stats(const struct live_link *link, const struct tun_direction *direction,
                               const struct direction_settings *settings, uint64_t now_ns) {
    const struct path *path = &direction->path;
    const struct queue *queue = &path->link.queue;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}}",
        "rate_bps", rate_of(link, settings, now_ns), "packets_in", json_number(direction->packets_in),
        "bytes_in", json_number(direction->bytes_in), "packets_out", json_number(direction->packets_out),
        "bytes_out", json_number(direction->bytes_out), "queue_packets", json_number(queue->packets),
        "queue_bytes", json_number(queue->size_bytes), "held_packets", json_number(path_held(path)), "marks",
        json_number(queue->marks), "drops", "queue", json_number(queue->drops), "aqm",
        json_number(queue->aqm_drops), "loss", json_number(path->loss.drops), "off",
        json_number(path->onoff.drops), "udp", json_number(path->udp_policy.drops), "moved",
        json_number(path->moved), "unbound",
        json_number(direction->nat_down ? direction->nat_down->unbound : 0), "not_ip",
        json_number(direction->not_ip), "refused", json_number(direction->refused));
}

static json_t *answer_stats(void *context, struct control_error *error) {
    struct live_link *link = context;
    const struct link_profile *profile = profile_now(link);
    uint64_t now_ns = clock_now_ns();
    json_t *stats = json_pack("{s:{s:s, s:o, s:o, s:s, s:o, s:o, s:o}}", "stats", "schema",
                              "trilane/shaper-stats/1", "start_ns", json_number(link->start_ns), "now_ns",
                              json_number(now_ns), "link", link->form, "changes", json_number(link->changes),
                              "down", direction_stats(link, &link->tun_loop->down, &profile->down, now_ns),
                              "up", direction_stats(link, &link->tun_loop->up, &profile->up, now_ns));
    if (!stats) snprintf(error->line, sizeof error->line, "control: memory is short");
    return stats;
}

static int begin_to_steer(void *context, const char *form, uint64_t request, struct control_error *error) {
    struct live_link *link = context;
    const char *reason = NULL;
    tun_loop_catch_up(link->tun_loop); // what is changed is the link as it is now, also after a switch
    if (link->change.busy)
        reason = "control: another change is being read: ask again";
    else if (strlen(form) > LINK_FORM_MAX)
        reason = "link: the form is too long: leave something out";
    else if (link_change_begin(&link->change, profile_now(link), form) < 0)
        reason = "control: no thread to read the change in: ask again";
    if (!reason) {
        link->request = request;
        snprintf(link->change_form, sizeof link->change_form, "%s", form);
        return 0;
    }
    snprintf(error->line, sizeof error->line, "%s", reason);
    return -1;
}

static void forget(struct link_profile *profile) {
    if (!profile) return;
    link_profile_close(profile);
    free(profile);
}

static void note_change(struct live_link *link, uint64_t now_ns) {
    debug_line(link, "changed by %s", link->change_form);
    if (link->changes++ >= LIVE_LINK_CHANGES_REPORTED) return;
    if (!link->changes_reported) link->changes_reported = json_array();
    json_array_append_new(link->changes_reported,
                          json_pack("{s:o, s:s}", "at_ns", json_number(now_ns), "link", link->change_form));
}

static void change_to(void *context, struct link_profile *next, const char *error_line) {
    struct live_link *link = context;
    if (next && next->seed != profile_now(link)->seed) {
        forget(next);
        next = NULL;
        error_line = "link: the seed of a running link stays: leave seed out, or start another link";
    }
    tun_loop_catch_up(link->tun_loop);
    if (next && link->change.now != profile_now(link)) {
        forget(next);
        next = NULL;
        error_line = "control: the link switched while the change was read: ask again";
    }
    if (!next) {
        control_answer(link->control, link->request, NULL, error_line);
        return;
    }
    tun_loop_steer(link->tun_loop, next);
    uint64_t now_ns = clock_now_ns();
    evidence_change(link->evidence, link->change_form, &next->down.rate, &next->up.rate, now_ns);
    forget(link->now);
    link->now = next;
    link->switched = false;
    note_change(link, now_ns);
    write_form(link->form, sizeof link->form, &next->settings);
    json_t *answer = json_pack("{s:s, s:o}", "link", link->form, "at_ns", json_number(now_ns));
    control_answer(link->control, link->request, answer, "control: memory is short");
}

static void moved(void *context, const struct move *move) {
    struct live_link *link = context;
    if (move->kind != MOVE_SWITCH) {
        evidence_rebinding(link->evidence, move_kind_names[move->kind], move->at_ns);
        debug_line(link, "rebinding: %s", move_kind_names[move->kind]);
        return;
    }
    link->switched = true;
    link->zero_ns = move->at_ns;
    const struct link_profile *to = profile_now(link);
    write_form(link->form, sizeof link->form, &to->settings);
    evidence_switch(link->evidence, link->form, &to->down.rate, &to->up.rate, move->at_ns);
    debug_line(link, "switched to %s", link->form);
}

int live_link_begin(struct live_link *link, struct tun_loop *tun_loop, struct evidence *evidence,
                    struct control *control, uint64_t start_ns) {
    link->tun_loop = tun_loop;
    link->evidence = evidence;
    link->start_ns = link->zero_ns = start_ns;
    tun_loop->moved = moved;
    tun_loop->moved_context = link;
    link->control = control;
    if (!control->path) return 0;
    link->change.read = change_to;
    link->change.context = link;
    struct control_actions actions = {.stats = answer_stats, .steer = begin_to_steer, .context = link};
    if (link_change_open(&link->change, tun_loop->loop) < 0) return -1;
    return control_serve(control, tun_loop->loop, &actions);
}

void live_link_close(struct live_link *link) {
    link_change_close(&link->change);
    forget(link->now);
    link->now = NULL;
    json_decref(link->changes_reported);
}
