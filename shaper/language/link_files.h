// Whether a link names a file of this machine, at any depth: a trace, numbers of jitter or loss, or a
// profile, as the link or as the one that it switches to. Says so of the form's parse, as whoever reads the
// form parses it; opens none. A stranger's link needs nothing else.
#pragma once

#include "shaper/language/short_form.h"

// For a form, and for a change to one. 0: it names none. 1: it does. -1, with the error's line: it is no
// form, and nothing can be said of it.
int link_form_names_file(const char *form, struct link_error *error);
