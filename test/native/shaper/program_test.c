// trilane-shaper as people run it: what it passes through, what it refuses, and that nothing is left of it.
#include "run.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>

#define SHAPER PROGRAM_TRILANE_SHAPER

static void shaper(struct run *run, const char *link, const char *script) {
    run_words(run, SHAPER, "--link", link, "--", "sh", "-c", script, NULL);
}

UNIT_TEST(exit_status_is_the_commands) {
    struct run run;
    shaper(&run, "3mbit/50ms", "exit 7");
    assert_int_equal(run.status, 7);
    shaper(&run, "3mbit/50ms", "kill -TERM $$");
    assert_int_equal(run.status, 128 + SIGTERM);
    run_words(&run, SHAPER, "--", "/no/such/command", NULL);
    assert_int_equal(run.status, 127);
    assert_string_equal(run.err, "trilane-shaper: /no/such/command: command not found\n");
    run_words(&run, SHAPER, "--", "/etc", NULL);
    assert_int_equal(run.status, 126);
    assert_non_null(strstr(run.err, "/etc: permission denied: make it executable"));
}

UNIT_TEST(command_is_in_an_empty_network_without_privileges) {
    struct run run;
    shaper(
        &run, "3mbit/50ms",
        "id -u; grep CapEff /proc/self/status; cat /etc/resolv.conf; ls /sys/class/net 2>/dev/null | wc -l;"
        "cut -d' ' -f1 /proc/1/stat; awk '$2 == \"00000000\" {print \"default\", $1}' /proc/net/route");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "1000\nCapEff:\t0000000000000000\nnameserver 100.64.0.53\n"));
    assert_non_null(strstr(run.out, "default far\n"));
    run_program(
        &run, (char *[]){SHAPER, "--nameserver", "fd00::53", "--", "head", "-n1", "/etc/resolv.conf", NULL});
    assert_string_equal(run.out, "nameserver fd00::53\n");
}

// Descriptors 0 to 4 are the command's, and no other: 3 and 4 here are the two ends of a pipe.
UNIT_TEST(descriptors_3_and_4_pass_and_no_others) {
    int there[2];
    assert_int_equal(pipe2(there, O_CLOEXEC), 0);
    int read_end = fcntl(there[0], F_DUPFD, 10),
        write_end = fcntl(there[1], F_DUPFD, 10); // out of the script's way
    char script[400];
    snprintf(script, sizeof script,
             "exec 3>&%d 4<&%d 5</dev/null 9</dev/null; exec %s --link 1gbit/0ms -- sh -c "
             "'echo through >&3; read -r line <&4; echo \"$line\"; ls /proc/self/fd | tr \"\\n\" \" \"'",
             write_end, read_end, SHAPER);
    struct run run;
    run_words(&run, "bash", "-c", script, NULL);
    close(there[0]);
    close(there[1]);
    close(read_end);
    close(write_end);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "through\n0 1 2 3 4 5 "); // 5 is what ls itself reads the folder by
}

// Signals and timers are the command's own: none blocked, none ignored but what we were started with.
UNIT_TEST(signals_are_as_usual_in_the_command) {
    struct run run;
    shaper(&run, "3mbit/50ms", "grep -E 'SigBlk|SigIgn' /proc/self/status");
    assert_string_equal(run.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

UNIT_TEST(bad_input_is_one_line_and_status_2) {
    static const struct {
        char *arguments[4];
        const char *line;
    } cases[] = {
        {{"--down", "0mbit"}, "trilane-shaper: link: rate must be above 0 (got \"0mbit\")\n"},
        {{"--link", "3mbit/50ms,colour=red"}, "trilane-shaper: link: no setting \"colour\""},
        {{"--loss", "200%"}, "trilane-shaper: link: loss must be at most 100% (got \"200%\")\n"},
        {{"--nameserver", "here"}, "trilane-shaper: nameserver: \"here\" is not an address"},
        {{NULL}, "trilane-shaper: no command: write it after --"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *argv[8] = {SHAPER};
        int n = 1;
        for (int k = 0; k < 4 && cases[i].arguments[k]; k++)
            argv[n++] = cases[i].arguments[k];
        if (n > 1) {
            argv[n++] = "--";
            argv[n++] = "true";
        }
        struct run run;
        run_program(&run, argv);
        assert_int_equal(run.status, 2);
        assert_memory_equal(run.err, cases[i].line, strlen(cases[i].line));
        assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    }
}

// All that the command starts holds `fd3`: its other end tells when the last has gone.
static void assert_all_gone(int read_end, int within_ms) {
    struct pollfd gone = {.fd = read_end, .events = 0};
    assert_int_equal(poll(&gone, 1, within_ms), 1);
    assert_true(gone.revents & POLLHUP);
}

static char *const lingering[] = {
    SHAPER,
    "--link",
    "3mbit/50ms",
    "--",
    "sh",
    "-c",
    "trap '' TERM INT; setsid sleep 1000 & (sleep 1000 &) ; echo up >&3; while :; do sleep 1000; done",
    NULL};

static pid_t start_lingering(int *read_end, bool wait) {
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = start_program(lingering, ends[1]);
    close(ends[1]);
    char up[3];
    if (wait) assert_int_equal(read(ends[0], up, sizeof up), 3);
    *read_end = ends[0];
    return pid;
}

UNIT_TEST(nothing_is_left_after_kill_9) {
    int read_end;
    pid_t pid = start_lingering(&read_end, true);
    kill(pid, SIGKILL);
    assert_all_gone(read_end, 5000);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(read_end);
}

// Also while it is still being set up.
UNIT_TEST(nothing_is_left_after_kill_9_at_any_moment) {
    srand(5);
    for (int i = 0; i < 60; i++) {
        int read_end;
        pid_t pid = start_lingering(&read_end, false);
        usleep((useconds_t)(rand() % 15000));
        kill(pid, SIGKILL);
        assert_all_gone(read_end, 5000);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        close(read_end);
    }
}

// A command that does not heed SIGTERM has two seconds.
UNIT_TEST(command_that_will_not_end_is_killed) {
    int read_end, status;
    pid_t pid = start_lingering(&read_end, true);
    uint64_t start_ns = clock_now_ns();
    kill(pid, SIGTERM);
    assert_all_gone(read_end, 10000);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(clock_now_ns() - start_ns >= 2 * NS_PER_S);
    assert_int_equal(WEXITSTATUS(status), 128 + SIGKILL);
    close(read_end);
}

UNIT_TEST(signals_are_forwarded_once) {
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    static char *const argv[] = {SHAPER,
                                 "--link",
                                 "3mbit/50ms",
                                 "--",
                                 "bash",
                                 "-c",
                                 "n=0; trap 'n=$((n+1)); sleep 0.3; exit $((40+n))' TERM INT HUP; echo up "
                                 ">&3; while :; do sleep 0.05; done",
                                 NULL};
    for (int i = 0; i < 3; i++) {
        int ends[2], status;
        char up[3];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        pid_t pid = start_program(argv, ends[1]);
        close(ends[1]);
        assert_int_equal(read(ends[0], up, sizeof up), 3);
        kill(pid, signals[i]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WEXITSTATUS(status), 41);
        assert_all_gone(ends[0], 5000);
        close(ends[0]);
    }
}

// What is typed reaches the command by itself: once, and it may go on.
UNIT_TEST(ctrl_c_at_the_terminal_is_the_commands_affair) {
    int terminal, status;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0) {
        execl(SHAPER, SHAPER, "--", "bash", "-c",
              "n=0; trap 'n=$((n+1))' INT; echo up; for i in {1..50}; do sleep 0.05; done; exit $((40+n))",
              NULL);
        _exit(99);
    }
    char text[64];
    assert_true(read(terminal, text, sizeof text) >= 2);
    assert_int_equal(write(terminal, "\x03", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 41);
    close(terminal);
}

// With --die-with-parent the shaper does not outlive a killed parent that could not stop it.
UNIT_TEST(dies_with_its_parent) {
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    static char *const argv[] = {
        "bash", "-c", "\"$0\" --die-with-parent -- sh -c 'echo up >&3; sleep 1000' & wait", SHAPER, NULL};
    pid_t pid = start_program(argv, ends[1]);
    close(ends[1]);
    char up[3];
    assert_int_equal(read(ends[0], up, sizeof up), 3);
    kill(pid, SIGKILL);
    assert_all_gone(ends[0], 5000);
    waitpid(pid, NULL, 0);
    close(ends[0]);
}

UNIT_TEST(forbidden_user_namespaces_are_named_with_the_remedy) {
    struct run run;
    run_words(&run, "unshare", "-U", "-r", "sh", "-c",
              "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" -- true", SHAPER, NULL);
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err, "trilane-shaper: user namespaces are not allowed on this system (unshare: No space left "
                 "on device): run `sudo sysctl -w user.max_user_namespaces=15000`\n");
}

// In a network that stands for a machine's, with all capabilities ambient, as a service may have them. Says
// whether the shaper takes it for a lab, and whether it configured it: then its lo is up.
static void run_in_network(struct run *run, const char *set_token) {
    char script[256];
    snprintf(script, sizeof script,
             "%s; $0 --is-lab; echo $?; $0 --link 3mbit/50ms -- $0 --link 10mbit/20ms -- id -u; "
             "ip -o link show dev lo up | wc -l",
             set_token);
    run_words(run, "unshare", "-U", "--map-user=1000", "--map-group=1000", "-n", "--keep-caps", "bash", "-c",
              script, SHAPER, NULL);
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
}

UNIT_TEST(a_network_is_a_lab_only_by_its_token) {
    struct run run;
    run_in_network(&run, "export TRILANE_LAB=$(readlink /proc/self/ns/net)");
    assert_string_equal(run.out, "0\n1000\n1\n");
    run_in_network(&run, "unset TRILANE_LAB");
    assert_string_equal(run.out, "1\n1000\n0\n");
    run_in_network(&run, "export TRILANE_LAB=net:[4026531840]");
    assert_string_equal(run.out, "1\n1000\n0\n");
}
