// The quantities of a link's short form, with their units: rates, times, queues, shares, whole numbers. Each
// is read exactly: no unit, no sign and no space is guessed.
#pragma once

#include "shaper/language/short_form.h"
#include "shaper/nodes/settings.h"

// `name` is the setting's, for the error. All return 0, or -1 with the error's line.
int link_read_rate(const char *name, const char *text, uint64_t *rate_bps,
                   struct link_error *error); // 0: unlimited
int link_read_time(const char *name, const char *text, uint64_t *time_ns,
                   struct link_error *error); // up to 60s
int link_read_span(const char *name, const char *text, uint64_t *time_ns,
                   struct link_error *error); // up to a day
int link_read_queue(const char *name, const char *text, struct link_queue *queue, struct link_error *error);
int link_read_share(const char *name, const char *text, double *share, struct link_error *error); // 0..1
// To 12 digits: enough for what was given, and none of what computing it left behind (0.1 % is 0.001, not
// 0.0010000000000000002). What lies in the middle is rounded up.
double link_rounded_share(double share);
// `what`: what the number is, for the error, as "seed".
int link_read_whole(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *value,
                    struct link_error *error);
