// Links in their language and as JSON. What is said to name no file opens none: open() is ours here and
// counts.
#include "shaper/language/link_answers.h"
#include "shaper/language/link_files.h"
#include "target.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool watches;
static unsigned opened;

// In the place of the C library's, for all of this program.
int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (watches) opened++;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

// The answer is one object, and an error one line.
static void ask(const char *line, size_t size) {
    json_t *answer = link_answer(line, size);
    PROMISE(json_is_object(answer));
    const char *error = json_string_value(json_object_get(answer, "error"));
    PROMISE(!error || !strchr(error, '\n'));
    json_decref(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ask((const char *)data, size);
    char *form = malloc(size + 1);
    PROMISE(form);
    memcpy(form, data, size);
    form[size] = 0;
    struct link_error error;
    bool names = link_form_names_file(form, &error) != 0;
    json_t *question = json_pack("{s:s, s:b}", "form", form, "files", 1);
    char *line = question ? json_dumps(question, JSON_COMPACT) : NULL; // NULL: not UTF-8
    if (line) {
        opened = 0;
        watches = true;
        ask(line, strlen(line));
        watches = false;
        PROMISE(names || opened == 0);
    }
    free(line);
    json_decref(question);
    free(form);
    return 0;
}
