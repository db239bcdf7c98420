// Random settings of a whole path, of all kinds that there are.
#pragma once

#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

// What the settings borrow: from files, made and removed by these.
struct random_path_files {
    struct number_file *losses;
    struct number_file *jitters;
    struct trace *trace;
};

void random_path_open(struct random_path_files *files);
void random_path_close(struct random_path_files *files);

// Every node is left out as often as it is set. Times are some ten milliseconds, rates from 100 kbit/s to
// 1 Gbit/s.
struct direction_settings random_path_settings(const struct random_path_files *files, struct random *random);

// Nothing as often as anything.
struct udp_settings random_path_udp(struct random *random);
