#include "messaging/child_command.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_NOT_STARTED = 127, LAST_WORDS_SIZE = 8192 };

__attribute__((noreturn)) static void run(const struct child_command *command, pid_t parent) {
    static const int ordinary[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD};
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, command->death_signal) < 0 || getppid() != parent) _exit(STATUS_NOT_STARTED);
    int in = open("/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(command->out, STDOUT_FILENO) < 0 ||
        dup2(command->err, STDERR_FILENO) < 0)
        _exit(STATUS_NOT_STARTED);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        signal(ordinary[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(command->folder) == 0) execv(command->argv[0], command->argv);
    dprintf(STDERR_FILENO, "trilane: %s: cannot be started (%s): run `npm run setup` again\n",
            command->argv[0], strerror(errno));
    _exit(STATUS_NOT_STARTED);
}

void command_words_add(struct command_words *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *word = NULL;
    if (command->count < COMMAND_WORDS_MAX - 1 && vasprintf(&word, format, arguments) >= 0)
        command->words[command->count++] = word;
    else
        command->count = COMMAND_WORDS_MAX;
    va_end(arguments);
}

bool command_words_are_whole(const struct command_words *command) {
    return command->count < COMMAND_WORDS_MAX;
}

void command_words_free(struct command_words *command) {
    for (int i = 0; i < COMMAND_WORDS_MAX; i++)
        free(command->words[i]);
}

pid_t child_command_start(const struct child_command *command) {
    pid_t parent = command->as_sibling ? getppid() : getpid();
    pid_t pid = command->as_sibling
                    ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL)
                    : fork();
    if (pid == 0) run(command, parent);
    // Here too, so that the group is there whoever runs first.
    if (pid > 0) setpgid(pid, pid);
    return pid;
}

int child_command_check(const char *program, struct message_error *error) {
    struct stat file;
    if (stat(program, &file) == 0 && S_ISREG(file.st_mode) && access(program, X_OK) == 0) return 0;
    return message_fail(error, "failed",
                        "run `npm run setup` in Trilane's folder, then `trilane install-host`",
                        "%s: the command line is not there", program);
}

// The last line that says something, without its end; NULL where there is none.
static char *last_line(char *text) {
    for (size_t size = strlen(text); size > 0 && strchr("\n\r \t", text[size - 1]); size--)
        text[size - 1] = '\0';
    if (*text == '\0') return NULL;
    char *start = strrchr(text, '\n');
    return start ? start + 1 : text;
}

// Of a document of error.schema.json, as --json prints it, the message, to be released; of any other line
// NULL.
static json_t *documented_message(const char *line) {
    json_t *document = *line == '{' ? json_loads(line, 0, NULL) : NULL;
    json_t *message = json_object_get(document, "message");
    if (!json_is_string(message)) message = NULL;
    json_incref(message);
    json_decref(document);
    return message;
}

static void fail_in_words(const char *line, struct message_error *error) {
    static const char program[] = "trilane: ";
    if (strncmp(line, program, strlen(program)) == 0) line += strlen(program);
    // Errors of the command line name the thing, then the remedy.
    const char *remedy = NULL;
    for (const char *at = line; (at = strstr(at, ": ")); at += 2)
        remedy = at;
    int size = remedy ? (int)(remedy - line) : (int)strlen(line);
    message_fail(error, "failed", remedy ? remedy + 2 : "see `trilane doctor`", "%.*s", size, line);
}

void child_command_error(int fd, const char *what, struct message_error *error) {
    char text[LAST_WORDS_SIZE];
    struct stat file;
    off_t size = fstat(fd, &file) == 0 ? file.st_size : 0;
    off_t from = size < LAST_WORDS_SIZE ? 0 : size - LAST_WORDS_SIZE + 1;
    ssize_t n = pread(fd, text, sizeof text - 1, from);
    text[n > 0 ? n : 0] = '\0';
    for (ssize_t i = 0; i < n; i++)
        if (text[i] == '\0') text[i] = '?';
    char *line = last_line(text);
    if (!line) {
        message_fail(error, "failed", "try again, and see `trilane doctor`", "%s: ended without a word",
                     what);
        return;
    }
    json_t *message = documented_message(line);
    fail_in_words(message ? json_string_value(message) : line, error);
    json_decref(message);
}
