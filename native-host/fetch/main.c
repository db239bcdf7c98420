// trilane-fetch: what objects cost over one lane, a line of JSON each. Reads the URLs, prints the lines.
// Ends with who started it.
#include "base/child.h"
#include "base/log.h"
#include "base/walls.h"
#include "fetch/fetch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fetch(struct fetcher *fetcher, const char *url) {
    json_t *row = fetcher_fetch(fetcher, url);
    char *line = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(row);
    if (!line) die(EXIT_RUN_FAILED, "memory is short");
    if (puts(line) == EOF || fflush(stdout) == EOF)
        die(EXIT_RUN_FAILED, "standard output: %s", strerror(errno));
    free(line);
}

// Blank lines and those that begin with # are none.
static void fetch_all_of(struct fetcher *fetcher, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t size; (size = getline(&line, &room, file)) >= 0;) {
        line[strcspn(line, "\r\n")] = 0;
        const char *url = line + strspn(line, " \t");
        if (*url && *url != '#') fetch(fetcher, url);
    }
    free(line);
}

// Names and authorities are the system's.
static void raise_walls(const struct fetch_options *options) {
    static const unsigned calls[] = {WALLS_NETWORK, __NR_perf_event_open};
    const struct walls walls = {.calls = calls,
                                .call_count = sizeof calls / sizeof calls[0],
                                .reads = {"/etc", "/run/systemd/resolve", "/run/NetworkManager",
                                          "/run/resolvconf", options->authorities},
                                .writes = {options->qlog_folder}};
    walls_raise_or_say(&walls);
}

int main(int argc, char **argv) {
    struct fetch_options options;
    struct fetcher *fetcher;
    char error[512];
    const pid_t parent = getppid();
    log_program("trilane-fetch");
    options_read(&options, argc, argv);
    child_die_with_parent(parent);
    signal(SIGPIPE, SIG_IGN);
    FILE *file = NULL;
    if (options.urls_file) {
        file = strcmp(options.urls_file, "-") == 0 ? stdin : fopen(options.urls_file, "re");
        if (!file) die(EXIT_BAD_INPUT, "urls: %s: %s", options.urls_file, strerror(errno));
    }
    // Before the walls, which would have to leave the file's whole folder open.
    if (options.key_log_path && !(options.key_log = fopen(options.key_log_path, "ae")))
        die(EXIT_BAD_INPUT, "SSLKEYLOGFILE: %s: %s: name another file, or unset it", options.key_log_path,
            strerror(errno));
    // Before its first thread. It needs no capability, whoever starts it.
    raise_walls(&options);
    if (fetcher_open(&fetcher, &options, error, sizeof error) < 0) die(EXIT_BAD_INPUT, "%s", error);
    for (size_t i = 0; i < options.url_count; i++)
        fetch(fetcher, options.urls[i]);
    if (file) fetch_all_of(fetcher, file);
    const bool unread = file && ferror(file);
    if (file && file != stdin) fclose(file);
    fetcher_close(fetcher);
    if (options.key_log) fclose(options.key_log);
    if (unread) die(EXIT_RUN_FAILED, "urls: %s could not be read to its end", options.urls_file);
    return 0;
}
