// An archive on disk with one small recording, for tests that run trilane-replay. Made with the project's own
// schema.
#pragma once

#include <stddef.h>

#define PAGE_ADDRESS "192.0.2.10"
#define PAGE_ADDRESS_6 "2001:db8::10"
#define PAGE_BODY "<!doctype html><title>page</title>"

enum { PAGE_LARGE_BYTES = 8 * 1024 * 1024 };

// Recording "page": https://a.test/ and http://a.test/ (PAGE_BODY) at PAGE_ADDRESS, https://a.test/large at
// PAGE_ADDRESS_6, https://b.test:8443/ (PAGE_BODY) at PAGE_ADDRESS; recording "broken" lacks its body.
// `home` becomes its folder. 0 or -1.
int page_archive_make(char home[64]);
