#include "shaper/evidence/packet_log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Much rarer lines than packets' may be longer.
enum { LONGEST_LINE = 4096 };

static uint64_t since_start_ms(const struct packet_log *log, uint64_t time_ns) {
    return time_ns > log->start_ns ? (time_ns - log->start_ns) / NS_PER_MS : 0;
}

static void add(struct packet_log *log, const char *bytes, size_t size) {
    uint64_t left_out = file_writer_left_out(log->writer);
    if (left_out > log->left_out_noted) {
        char line[64];
        int n = snprintf(line, sizeof line, "# missing %llu\n", (unsigned long long)left_out);
        log->left_out_noted = left_out;
        file_writer_add(log->writer, &(struct iovec){line, (size_t)n}, 1);
    }
    file_writer_add(log->writer, &(struct iovec){(void *)bytes, size}, 1);
}

__attribute__((format(printf, 2, 3))) static void add_line(struct packet_log *log, const char *format, ...) {
    char line[LONGEST_LINE];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (n < 0) return;
    if (n > (int)sizeof line - 2) n = (int)sizeof line - 2;
    for (char *at = line; at < line + n; at++) // what the user wrote may hold a line's end
        if (*at == '\n' || *at == '\r') *at = ' ';
    line[n] = '\n';
    add(log, line, (size_t)n + 1);
}

void packet_log_open(struct packet_log *log, struct file_writer *writer, const struct capacity *capacity,
                     const struct packet_log_head *head) {
    *log = (struct packet_log){.writer = writer, .capacity = capacity, .start_ns = head->start_ns};
    add_line(log, "# mahimahi mm-link (%s) [%s] > %s", head->direction, head->link, head->path);
    add_line(log, "# command line: %s", head->command_line);
    add_line(log, "# written by: trilane-shaper " TRILANE_VERSION);
    add_line(log, "# monotonic start: %llu ns", (unsigned long long)head->start_ns);
    add_line(log, "# init timestamp: %llu", (unsigned long long)(head->start_wall_ns / NS_PER_MS));
    add_line(log, "# base timestamp: 0");
}

static char *put_number(char *at, uint64_t number) {
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}

// By hand, because a packet's line is the only thing here that happens often, and printf costs ten times as
// much.
static void add_event(struct packet_log *log, uint64_t at_ms, char event, const uint64_t *numbers,
                      int count) {
    char line[80];
    char *at = put_number(line, at_ms);
    *at++ = ' ';
    *at++ = event;
    for (int i = 0; i < count; i++) {
        *at++ = ' ';
        at = put_number(at, numbers[i]);
    }
    *at++ = '\n';
    add(log, line, (size_t)(at - line));
}

void packet_log_opportunities(struct packet_log *log, uint64_t now_ns) {
    uint64_t now_ms = since_start_ms(log, now_ns);
    for (; log->capacity->known && log->capacity_ms < now_ms; log->capacity_ms++) {
        uint64_t end_ns = log->start_ns + (log->capacity_ms + 1) * NS_PER_MS;
        uint64_t bytes = capacity_bytes(log->capacity, end_ns - 1);
        if (bytes > log->capacity_bytes)
            add_event(log, log->capacity_ms, '#', (uint64_t[]){bytes - log->capacity_bytes}, 1);
        log->capacity_bytes = bytes;
    }
}

void packet_log_arrival(struct packet_log *log, const struct packet *packet, uint64_t now_ns) {
    packet_log_opportunities(log, now_ns);
    add_event(log, since_start_ms(log, now_ns), '+', (uint64_t[]){packet->size_bytes}, 1);
}

void packet_log_departure(struct packet_log *log, const struct packet *packet, uint64_t end_ns) {
    packet_log_opportunities(log, end_ns);
    uint64_t end_ms = since_start_ms(log, end_ns), arrived_ms = since_start_ms(log, packet->arrived_ns);
    // The difference of what is written, not of what was: the plotters work out the arrival from it.
    uint64_t delay_ms = end_ms > arrived_ms ? end_ms - arrived_ms : 0;
    add_event(log, end_ms, '-', (uint64_t[]){packet->size_bytes, delay_ms}, 2);
}

void packet_log_drop(struct packet_log *log, const struct packet *packet, enum drop_reason reason,
                     uint64_t now_ns) {
    packet_log_opportunities(log, now_ns);
    uint64_t now_ms = since_start_ms(log, now_ns);
    // Those have left the link before, or never reached it: readers would take them off the queue.
    if (reason == DROP_LOSS || reason == DROP_UDP || reason == DROP_MEMORY || reason == DROP_MOVED_SENT)
        add_line(log, "# %llu %s 1 %u", (unsigned long long)now_ms,
                 reason == DROP_LOSS     ? "loss"
                 : reason == DROP_UDP    ? "udp"
                 : reason == DROP_MEMORY ? "memory"
                                         : "moved",
                 packet->size_bytes);
    else
        add_event(log, now_ms, 'd', (uint64_t[]){1, packet->size_bytes}, 2);
}

void packet_log_change(struct packet_log *log, const char *what, const char *form, uint64_t now_ns) {
    packet_log_opportunities(log, now_ns);
    add_line(log, "# %llu %s %s", (unsigned long long)since_start_ms(log, now_ns), what, form);
}
