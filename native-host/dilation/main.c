// trilane-dilate K -- COMMAND: runs COMMAND, and all that it starts, with time that passes K times slower for
// it. Sets the environment and becomes COMMAND; how time is dilated is dilated_time.c's.
#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: trilane-dilate K -- COMMAND [ARGUMENT]...\n"
    "Runs COMMAND with time that passes K times slower (1 to 100): its clocks, sleeps, timers and time-outs, "
    "and\n"
    "those of all that it starts. A lab that is dilated as a whole has the link that it was asked for, in "
    "its own\n"
    "time, and K times as long for each packet.\n"
    "\n"
    "Not dilated are timers inside the kernel (TCP's delayed ACKs, CUBIC's growth, the 1 s until a SYN is "
    "repeated)\n"
    "and the speed of computation. TCP's minimum RTO is, in trilane-shaper's lab. Give trilane-replay\n"
    "--tcp-congestion reno, which grows by round trips alone; trilane does.\n"
    "\n"
    "Example:\n"
    "  trilane-dilate 10 -- trilane-shaper --link 10mbit/50ms -- ping -c 3 100.64.0.1\n";

enum { MAX_DILATION = 100 };

static const char library[] = "libtrilane_dilated_time.so";

static void set(const char *name, const char *value) {
    if (setenv(name, value, 1) < 0) die(EXIT_RUN_FAILED, "environment: %s", strerror(errno));
}

static void set_number(const char *name, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    set(name, text);
}

// The library lies beside this program.
static void preload(void) {
    char path[4096], list[8192];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - sizeof library);
    if (size < 0) die(EXIT_RUN_FAILED, "/proc/self/exe: %s", strerror(errno));
    path[size] = '\0';
    strcpy(strrchr(path, '/') + 1, library);
    if (access(path, R_OK) < 0) die(EXIT_RUN_FAILED, "%s: %s: run `npm run setup`", path, strerror(errno));
    if (strpbrk(path, " :"))
        die(EXIT_RUN_FAILED, "%s: a preloaded library's path has no blank and no colon: move the checkout",
            path);
    const char *others = getenv("LD_PRELOAD");
    snprintf(list, sizeof list, "%s%s%s", path, others ? ":" : "", others ? others : "");
    set("LD_PRELOAD", list);
}

int main(int argc, char **argv) {
    log_program("trilane-dilate");
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("trilane-dilate " TRILANE_VERSION);
        return 0;
    }
    char *end = NULL;
    long dilation = argc > 1 ? strtol(argv[1], &end, 10) : 0;
    if (argc < 2 || end == argv[1] || *end || dilation < 1 || dilation > MAX_DILATION)
        die(EXIT_BAD_INPUT, "K must be a whole number from 1 to %d: write `trilane-dilate 10 -- COMMAND`",
            MAX_DILATION);
    if (argc < 4 || strcmp(argv[2], "--") != 0)
        die(EXIT_BAD_INPUT, "no command: write it after --, as `trilane-dilate 10 -- COMMAND`");
    if (clock_dilation() > 1)
        die(EXIT_BAD_INPUT, "time is dilated here already (by %u): dilate once", clock_dilation());
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t wall_ns = wall.tv_sec * (int64_t)NS_PER_S + wall.tv_nsec;
    set_number("TRILANE_DILATION", dilation);
    set_number("TRILANE_WALL_NS", wall_ns - (int64_t)clock_now_ns() / dilation);
    preload();
    execvp(argv[3], argv + 3);
    die(EXIT_RUN_FAILED, "%s: %s", argv[3], strerror(errno));
}
