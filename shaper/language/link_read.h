// The settings of a link's short form that are more than a quantity: steps, jitter, loss, reordering,
// periods, and words. Opens no file: it returns which one is named.
#pragma once

#include "shaper/language/link_quantity.h"
#include "shaper/nodes/settings.h"

// All return 0, or -1 with the error's line; `name` is the setting's.

typedef int link_read_quantity(const char *name, const char *text, uint64_t *value, struct link_error *error);

// 8mbit, or 8mbit:1mbit@10s:8mbit@20s, each value read by `read`.
int link_read_steps(const char *name, const char *text, const char *example, link_read_quantity *read,
                    struct steps *steps, struct link_error *error);

// `path` is set to the named file's within `text`, else to NULL.
int link_read_jitter(const char *name, const char *text, struct delay_settings *delay, const char **path,
                     struct link_error *error);
int link_read_loss(const char *name, const char *text, struct loss_settings *loss, const char **path,
                   struct link_error *error);

int link_read_reorder(const char *name, const char *text, struct reorder_settings *reorder,
                      struct link_error *error);
int link_read_onoff(const char *name, const char *text, struct onoff_settings *onoff,
                    struct link_error *error);
int link_read_fec(const char *name, const char *text, uint32_t *group, struct link_error *error);

// One of `words`, which end with NULL; `listed` has them for the error. Its place among them.
int link_read_word(const char *name, const char *text, const char *const *words, const char *listed,
                   uint32_t *index, struct link_error *error);

// The share of packets or slots lost, in the long run; of LOSS_FILE: unknown here, 0.
double link_mean_loss(const struct loss_settings *loss);
