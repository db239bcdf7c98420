// What trilane-replay ran with, as its report has it (schemas/replay-report.schema.json). Does not know what
// it served.
#pragma once

#include "replay/report.h"

#include <jansson.h>

// Each is a new reference; NULL when memory is short.
json_t *report_versions_json(const struct report_setting *setting);
json_t *report_origins_json(const struct report_setting *setting);
json_t *report_transport_json(const struct report_setting *setting);
