// Conditional requests (RFC 9110, 13): what If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since
// and If-Range say of a recorded response. Pure.
#pragma once

#include "archive/recording.h"
#include "replay/exchange/request_selectors.h"

#include <stdbool.h>

enum precondition { PRECONDITION_HOLDS, PRECONDITION_NOT_MODIFIED, PRECONDITION_FAILED };

// Of a GET or HEAD whose answer is `recorded`, a 200 or 206, in the order of RFC 9110, 13.2.2.
enum precondition precondition_of(const struct request_selectors *selectors,
                                  const struct recorded_exchange *recorded);

// False: the request's Range is to be ignored, since what it continues is another representation.
bool precondition_range_holds(const struct request_selectors *selectors,
                              const struct recorded_exchange *recorded);

// Seconds since 1970 of an HTTP date in any of its three forms (RFC 9110, 5.6.7). -1: it is none.
long long http_date_parse(const char *text, size_t size);
