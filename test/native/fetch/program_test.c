// trilane-fetch as a program against servers that do not keep to the rules: each URL has its line with where
// and why, in time, and the exit status is 0; and what it says of a command line that it cannot take.
#include "base/buf.h"
#include "base/namespace.h"
#include "hostile_server.h"
#include "rows.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct hostile_case {
    const char *words; // %u is the port, %s the authority's file
    const char *stage; // NULL: none fails
    const char *reason;
    struct hostile hostile;
};

#define HEAD "HTTP/1.1 200 OK\r\n"

static const struct hostile_case cases[] = {
    {"--lane h1 --ca %2$s https://127.0.0.1:%1$u/", NULL, NULL, {.says = HEAD "Content-Length: 2\r\n\r\nok"}},
    {"--lane h1 --insecure --timeout 0.5 https://127.0.0.1:%1$u/",
     "timeout",
     "the TLS handshake was not done in time",
     {.silent = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/", "tls", "", {.hangs_up = true}},
    {"--lane h1 --ca %2$s https://127.0.0.1:%1$u/",
     "tls",
     "the certificate is refused: certificate has expired",
     {.expired = true}},
    {"--lane h1 https://127.0.0.1:%1$u/", "tls", "the certificate is refused: ", {.says = HEAD "\r\n"}},
    {"--lane h1 --ca %2$s --connect 127.0.0.1:%1$u https://shop.example/",
     "tls",
     "the certificate is refused: Hostname mismatch",
     {.says = HEAD "\r\n"}},
    {"--lane h2 --insecure https://127.0.0.1:%1$u/",
     "tls",
     "the server does not speak h2 (ALPN: none)",
     {.says = NULL}},
    {"--lane h1 --insecure --timeout 0.5 https://127.0.0.1:%1$u/",
     "timeout",
     "there was no response in time",
     {.says = NULL, .stays = true}},
    {"--lane h1 --insecure --timeout 0.5 https://127.0.0.1:%1$u/",
     "timeout",
     "the response did not end in time; 3 bytes of its body came",
     {.says = HEAD "\r\nabc", .stays = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "the server ended the connection after 3 of the 5 bytes of content-length",
     {.says = HEAD "Content-Length: 5\r\n\r\nabc"}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "2 bytes came behind the end of the response",
     {.says = HEAD "Content-Length: 1\r\n\r\nabc"}},
    {"--lane h1 --insecure --max-body 2 https://127.0.0.1:%1$u/",
     "response",
     "the body has more than the 2 bytes that --max-body allows",
     {.says = HEAD "\r\nabc"}},
    {"--lane h1 --insecure --follow 3 https://127.0.0.1:%1$u/",
     "response",
     "it redirects for the 4th time: --follow 3 allows no more",
     {.says = "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"}},
    {"--lane h1 --insecure --follow 3 https://127.0.0.1:%1$u/",
     "request",
     "only https:// is fetched",
     {.says = "HTTP/1.1 302 Found\r\nLocation: http://shop.example/\r\nContent-Length: 0\r\n\r\n"}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/", NULL, NULL, {.says = HEAD "\r\nabc"}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "the server ended the connection without close_notify before the end of the response, after 3 bytes of "
     "the body",
     {.says = HEAD "\r\nabc", .dies = true}},
    {"--lane h1 --tls 1.2 --insecure https://127.0.0.1:%1$u/",
     "response",
     "the server ended the connection without close_notify before the end of the response, after 3 bytes of "
     "the body",
     {.says = HEAD "\r\nabc", .dies = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "the server ended the connection without close_notify after 3 of the 5 bytes of content-length",
     {.says = HEAD "Content-Length: 5\r\n\r\nabc", .dies = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     NULL,
     NULL,
     {.says = HEAD "Content-Length: 3\r\n\r\nabc", .dies = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     NULL,
     NULL,
     {.says = HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", .dies = true}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/", "tls", "EXCESSIVE_MESSAGE_SIZE", {.chain = 3000}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "it has more than 100 interim responses (1xx)",
     {.says = "", .again = "HTTP/1.1 103 Early Hints\r\n\r\n"}},
    {"--lane h1 --insecure https://127.0.0.1:%1$u/",
     "response",
     "its fields have more than 262144 bytes",
     {.says = HEAD "name: ", .again = "value"}},
    {"--lane h1 --insecure --timeout 1 https://127.0.0.1:%1$u/",
     "timeout",
     "there was no response in time",
     {.says = "HTTP/1.1 200 ", .again = "reason"}},
    {"--lane h1 --insecure --timeout 1 https://127.0.0.1:%1$u/",
     "timeout",
     "the response did not end in time; ",
     {.says = HEAD "\r\n", .again = "body"}},
    {"--lane h2 --insecure https://127.0.0.1:%1$u/",
     "response",
     "the server asks for answers (PING, SETTINGS) and reads none",
     {.alpn = "h2",
      .says = "\0\0\0\4\0\0\0\0\0",
      .size = 9,
      .again = "\0\0\x08\6\0\0\0\0\0pingpong",
      .again_size = 17}},
    {"--lane h1 --insecure --no-https-record https://localhost:%1$u/",
     NULL,
     NULL,
     {.says = "HTTP/1.1 302 Found\r\nLocation: /\xff\r\nContent-Length: 0\r\n\r\n"}},
};

UNIT_TEST(hostile_servers_have_their_rows) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hostile_server server;
        struct run run;
        char words[512];
        assert_int_equal(hostile_server_start(&server, &cases[i].hostile), 0);
        snprintf(words, sizeof words, cases[i].words, server.port, server.authority);
        rows_fetch(&run, words);
        hostile_server_stop(&server);
        rows_expect(&run, cases[i].stage, cases[i].reason);
    }
}

// Rows are stored for ever: a field of 100 KB is cut, between two characters, and a redirect to it not
// followed.
UNIT_TEST(long_fields_are_cut) {
    struct hostile_server server;
    struct run run;
    struct buf said = {0};
    char words[512];
    assert_int_equal(buf_printf(&said, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nAlt-Svc: h"), 0);
    for (int i = 0; i < 50000; i++)
        assert_int_equal(buf_printf(&said, "\xc3\xa9"), 0);
    assert_int_equal(buf_printf(&said, "\r\nLocation: /%0100000d\r\n\r\n", 7), 0);
    const struct hostile hostile = {.says = (const char *)buf_bytes(&said), .size = buf_size(&said)};
    assert_int_equal(hostile_server_start(&server, &hostile), 0);
    snprintf(words, sizeof words, "--lane h1 --insecure https://127.0.0.1:%u/", server.port);
    rows_fetch(&run, words);
    rows_expect(&run, NULL, NULL);
    json_t *row = json_loads(run.out, JSON_DISABLE_EOF_CHECK, NULL);
    assert_int_equal(strlen(rows_text(row, "location")), 4096);
    assert_int_equal(strlen(rows_text(row, "alt_svc")), 4095);
    assert_string_equal(rows_text(row, "alt_svc") + 4093, "\xc3\xa9");
    json_decref(row);
    snprintf(words, sizeof words, "--lane h1 --insecure --follow 3 https://127.0.0.1:%u/", server.port);
    rows_fetch(&run, words);
    rows_expect(&run, "response", "it redirects to a URL of 8 KB or more");
    hostile_server_stop(&server);
    buf_free(&said);
}

// In a lab in which 203.0.113.7 is as far away as the internet: the exit status is how many of these were as
// expected.
static int redirect_in_a_lab(void) {
    static const struct {
        const char *host, *location, *says;
    } steps[] = {
        {"203.0.113.7", "127.0.0.1",
         "it redirects from a public address to a loopback one: fetch that URL itself"},
        {"203.0.113.7", "10.9.9.9",
         "it redirects from a public address to a local one: fetch that URL itself"},
        {"10.9.9.9", "127.0.0.1",
         "it redirects from a local address to a loopback one: fetch that URL itself"},
        // It leads on to itself, as often as it may.
        {"10.9.9.9", "203.0.113.7", "it redirects for the 3th time: --follow 2 allows no more"},
        {"127.0.0.1", "10.9.9.9", "it redirects for the 3th time: --follow 2 allows no more"},
        {"127.0.0.1", "127.0.0.1", "it redirects for the 3th time: --follow 2 allows no more"},
    };
    namespace_enter_lab();
    if (system("PATH=$PATH:/sbin:/usr/sbin; ip link set lo up && ip route add local 203.0.113.7 dev lo && "
               "ip route add local 10.9.9.9 dev lo") != 0)
        return 0;
    int expected = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct hostile_server server;
        struct run run;
        char says[256], words[256];
        snprintf(says, sizeof says,
                 "HTTP/1.1 302 Found\r\nLocation: https://%s:%zu/\r\nContent-Length: 0\r\n\r\n",
                 steps[i].location, 9000 + i);
        const struct hostile hostile = {.says = says, .lab_port = (uint16_t)(9000 + i)};
        if (hostile_server_start(&server, &hostile) < 0) return expected;
        snprintf(words, sizeof words, "--lane h1 --insecure --follow 2 https://%s:%u/", steps[i].host,
                 server.port);
        rows_fetch(&run, words);
        expected += strstr(run.out, steps[i].says) != NULL;
        hostile_server_stop(&server);
    }
    return expected;
}

UNIT_TEST(redirects_lead_no_nearer) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(redirect_in_a_lab());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 6);
}

// What a server did while nobody looked: it ended the connection, or went on with what nobody had asked for.
UNIT_TEST(a_connection_that_is_spoilt_is_not_used_again) {
    static const struct {
        const char *lane;
        struct hostile hostile;
    } spoilt[] = {
        {"h1", {.says = HEAD "Content-Length: 2\r\n\r\nok"}},
        {"h1", {.says = HEAD "Content-Length: 2\r\n\r\nok", .dies = true}},
        {"h1",
         {.says = HEAD "Content-Length: 2\r\n\r\nok",
          .later = HEAD "Content-Length: 1\r\n\r\n!",
          .stays = true}},
        {"h2", {.alpn = "h2", .says = "\0\0\0\4\0\0\0\0\0\0\0\1\1\5\0\0\0\1\x88", .size = 19}},
    };
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        struct hostile_server server;
        struct run run;
        char words[512];
        assert_int_equal(hostile_server_start(&server, &spoilt[i].hostile), 0);
        snprintf(words, sizeof words,
                 "--lane %1$s --insecure --reuse --urls "
                 "<(echo https://127.0.0.1:%2$u/1; sleep 1; echo https://127.0.0.1:%2$u/2)",
                 spoilt[i].lane, server.port);
        rows_fetch(&run, words);
        hostile_server_stop(&server);
        rows_expect_two_connections(&run);
    }
}

// A UDP socket that nobody reads.
static uint16_t deaf_port(int *fd) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof name;
    *fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(*fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(getsockname(*fd, (struct sockaddr *)&name, &size), 0);
    return ntohs(name.sin_port);
}

UNIT_TEST(nobody_there_has_its_row) {
    static const char *const lanes[] = {"h1", "h2", "h2-0rtt", "h3", "h3-0rtt"};
    struct run run;
    char words[256];
    int fd;
    const uint16_t port = deaf_port(&fd);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        snprintf(words, sizeof words, "--lane %s --insecure https://127.0.0.1:1/", lanes[i]);
        rows_fetch(&run, words);
        rows_expect(&run, "connect", "Connection refused");
        snprintf(words, sizeof words, "--lane %s --insecure --no-https-record https://nothing.invalid/",
                 lanes[i]);
        rows_fetch(&run, words);
        rows_expect(&run, "dns", "");
    }
    snprintf(words, sizeof words, "--lane h3 --insecure --connect-timeout 0.4 https://127.0.0.1:%u/", port);
    rows_fetch(&run, words);
    rows_expect(&run, "timeout", "the server did not answer in time over QUIC");
    rows_fetch(&run, "--ip 6 https://127.0.0.1/");
    rows_expect(&run, "dns", "the URL's address is of the other version of IP");
    close(fd);
}

UNIT_TEST(keys_are_added_to_the_file_that_the_environment_names) {
    static const struct hostile hostile = {.says = HEAD "Content-Length: 2\r\n\r\nok"};
    struct hostile_server server;
    struct run run;
    char words[128], keys[4096] = "";
    const char *path = unit_file("keys", "# first\n");
    const int fd = open(path, O_RDONLY);
    assert_int_equal(hostile_server_start(&server, &hostile), 0);
    snprintf(words, sizeof words, "--lane h1 --insecure https://127.0.0.1:%u/", server.port);
    setenv("SSLKEYLOGFILE", path, 1);
    rows_fetch(&run, words);
    rows_expect(&run, NULL, NULL);
    assert_true(pread(fd, keys, sizeof keys - 1, 0) > 8);
    assert_ptr_equal(strstr(keys, "# first\n"), keys);
    assert_non_null(strstr(keys, "\nCLIENT_HANDSHAKE_TRAFFIC_SECRET "));
    assert_non_null(strstr(keys, "\nSERVER_TRAFFIC_SECRET_0 "));
    setenv("SSLKEYLOGFILE", "/nonexistent/keys", 1);
    rows_fetch(&run, words);
    assert_string_equal(
        run.err, "trilane-fetch: SSLKEYLOGFILE: /nonexistent/keys: No such file or directory: name another "
                 "file, or unset it\n");
    assert_int_equal(run.status, 2);
    unsetenv("SSLKEYLOGFILE");
    hostile_server_stop(&server);
    close(fd);
}

UNIT_TEST(each_line_of_a_file_has_its_row) {
    struct run run;
    size_t lines = 0;
    rows_fetch(
        &run,
        "--lane h1 --urls <(echo; echo '# none'; for i in $(seq 20); do echo https://127.0.0.1:1/$i; done; "
        "echo 'https://bad host/'; printf x)");
    assert_int_equal(run.status, 0);
    for (const char *line = run.out; (line = strchr(line, '\n')); line++)
        lines++;
    assert_int_equal(lines, 22);
}

UNIT_TEST(command_lines_are_checked) {
    static const struct {
        const char *words, *said;
    } bad[] = {
        {"", "no URL: name one, or a file of them by --urls (see --help)"},
        {"--lane h4 https://x/", "lane: must be h1, h2, h2-0rtt, h3 or h3-0rtt (got \"h4\")"},
        {"--tls 1.2 --lane h3 https://x/", "tls: lane h3 has 1.3 only: leave --tls out"},
        {"--ip 6 --connect 127.0.0.1 https://x/",
         "connect: the address is none of IPv6: give --ip 4, or another address"},
        {"--connect shop.example https://x/",
         "connect: must be an address, ADDRESS:PORT or [ADDRESS]:PORT (got \"shop.example\")"},
        {"--timeout 0 https://x/", "timeout: must be seconds from 0.001 to 86400 (got \"0\")"},
        {"--ca /nonexistent https://x/", "/nonexistent: has no certificates in PEM that can be read"},
        {"--urls /nonexistent", "urls: /nonexistent: No such file or directory"},
        {"--user-agent '\r' https://x/", "user-agent: must be printable ASCII"},
        {"--lane h3 --qlog /nonexistent https://x/",
         "qlog: /nonexistent: cannot hold qlogs: No such file or directory"},
        {"--follow 51 https://x/", "follow: must be a number from 0 to 50 (got \"51\")"},
        {"--nonsense", "--nonsense: no such option (see --help)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct run run;
        char said[256];
        rows_fetch(&run, bad[i].words);
        snprintf(said, sizeof said, "trilane-fetch: %s\n", bad[i].said);
        assert_string_equal(run.err, said);
        assert_int_equal(run.status, 2);
        assert_string_equal(run.out, "");
    }
}
