// A JSON document written whole or not at all. Does not read.
#ifndef TRILANE_BASE_JSON_FILE_H
#define TRILANE_BASE_JSON_FILE_H

#include <jansson.h>

// Writes `document` to a temporary file beside `path` and renames it there. 0, or -1 with errno and nothing
// left.
int json_file_write(const char *path, const json_t *document);

#endif
