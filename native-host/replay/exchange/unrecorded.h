// What a request is answered that the recording has nothing for: as a live server would, so that the page
// continues. Decides by the request alone, and by what failed when the page was recorded.
//
// - Report: its answer is not awaited. 204. These are what browsers send by themselves for the page
// (reports
//   of CSP and of the Reporting API, <a ping>), and what its scripts send away: every POST of
//   navigator.sendBeacon, fetch or XMLHttpRequest that takes any answer (Accept is "*/*"). Nothing in a
//   request shows whether its fetch was `keepalive`. So that one is sent at all, every CORS preflight is
//   granted, with 204: it counts for nothing by itself.
// - Failed: the URL failed when it was recorded. No answer: the lane breaks off the exchange.
// - Other: 404. Its CORS headers let the page see it: where a page asks another origin, that one grants it,
//   and what did fail for want of it is among the failures.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>

struct request_selectors;

enum unrecorded { UNRECORDED_NOT, UNRECORDED_REPORT, UNRECORDED_OTHER, UNRECORDED_FAILED, UNRECORDED_KINDS };
enum { UNRECORDED_HEADERS_MAX = 8 };

// "report", "other", "failed": as the replay report spells them.
const char *unrecorded_name(enum unrecorded kind);

// Never UNRECORDED_NOT: what becomes of the request if nothing is found for it.
enum unrecorded unrecorded_kind(const struct request_selectors *selectors, const struct recording *recording);

// The response's headers; their number. Values point into `selectors`.
size_t unrecorded_headers(enum unrecorded kind, const struct request_selectors *selectors,
                          struct header headers[UNRECORDED_HEADERS_MAX]);
