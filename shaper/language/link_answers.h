// `trilane-shaper --links`: what links mean, for programs that do not read the language themselves. A line of
// JSON in, a line of JSON out, any number of them; opens no network.
#pragma once

#include <jansson.h>

// Questions:
//   {"form": "3mbit/50ms"} or {"profile": {...}}   a link; with "files": true its files are read, too
//   {"named": true}                                 those that have a name
// Answers:
//   {"form", "label", "name", "profile"}            canonical; the label has files by their names; the name
//   is
//                                                   null, or the first that means the same. Of a form without
//                                                   a delay also "undelayed": the form with 50 ms, with 0 ms
//   {"links": [{"name", "form", "summary", "source"}]}
//   {"error": "link: ..."}                          one line that names the thing and the remedy
// NULL when memory is short.
json_t *link_answer(const char *line, size_t size);

// Answers all lines of standard input. The exit status.
int link_answers_run(void);
