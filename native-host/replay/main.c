// trilane-replay: serves a recording in a user and network namespace of its own and runs a command there.
// This file puts the parts together, in the order in which they need one another, and takes them apart again.
#include "archive/recording.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/namespace.h"
#include "base/schedule.h"
#include "base/walls.h"
#include "congestion/tcp_congestion.h"
#include "replay/dns/dns.h"
#include "replay/h2/h2.h"
#include "replay/h3/quic.h"
#include "replay/options.h"
#include "replay/origins/alternative_service.h"
#include "replay/origins/clear_origins.h"
#include "replay/origins/far_network.h"
#include "replay/origins/in_clear.h"
#include "replay/origins/origins.h"
#include "replay/report.h"
#include "replay/server.h"
#include "replay/tcp/stream.h"
#include "replay/tcp/tcp_info.h"
#include "replay/tls/certificate.h"

#include <errno.h>
#include <libgen.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ERROR_SIZE = 512 };
static const char trust_store_variable[] = "SSL_CERT_FILE";
static const uint64_t request_limit_ns = 60 * NS_PER_S; // of the lab's time, as for handshakes
static const uint64_t child_grace_ns = 3 * NS_PER_S;    // a little more than the shaper in it gives its own

struct replay {
    struct options options;
    struct recording recording;
    struct arena arranged; // what the recording's exchanges point to besides the recording's own
    struct clear_origins_counts clear;
    struct certificates *certificates;
    struct report *report;
    struct tcp_info_log *tcp_info;
    struct exchange_site *site;
    struct tls *tls;
    struct loop *loop;
    struct far_network far;
    struct server_parts parts;
    struct server *server;
    struct dns *dns;
    struct child child;
    struct transport_granted granted;
    char tcp_congestion[TCP_CONGESTION_NAME];
    struct rlimit descriptors_before;
    const char *scheduling; // as schedule_promptly reports it
    char *trust_store;      // SSL_CERT_FILE as we were given it; NULL: unset
    int status;
};

static void on_question(void *context, const struct dns_question *question, uint64_t now_ns) {
    struct replay *replay = context;
    report_dns(replay->report, question, now_ns);
}

static void on_child_ended(void *context, int status) {
    struct replay *replay = context;
    replay->status = status;
    loop_stop(replay->loop);
}

static void on_visit(void *context, int signal) {
    struct replay *replay = context;
    (void)signal;
    if (exchange_site_restart(replay->site, clock_now_ns()) < 0)
        log_line("a new visit: not enough memory; repeated answers go on in their order");
}

static void on_interrupted(void *context, int signal) {
    struct replay *replay = context;
    (void)signal;
    if (!replay->options.command) loop_stop(replay->loop);
}

// The command is not to inherit our higher limit: some programs close every descriptor up to it.
static int restore_descriptors(void *context) {
    const struct replay *replay = context;
    setrlimit(RLIMIT_NOFILE, &replay->descriptors_before);
    return 0;
}

static void raise_descriptors(struct replay *replay) {
    getrlimit(RLIMIT_NOFILE, &replay->descriptors_before);
    struct rlimit higher = {.rlim_cur = replay->descriptors_before.rlim_max,
                            .rlim_max = replay->descriptors_before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &higher);
}

// Reported before anything is served, not after minutes of it.
static void check_report_folder(const char *report) {
    char copy[PATH_MAX];
    if (strlen(report) >= sizeof copy) die(EXIT_BAD_INPUT, "--report: the path is too long");
    strcpy(copy, report);
    const char *folder = dirname(copy);
    if (access(folder, W_OK) < 0) die(EXIT_BAD_INPUT, "--report: %s: %s", folder, strerror(errno));
}

static void print_line(const char *text) {
    if (printf("%s\n", text) < 0 || fflush(stdout) != 0)
        die(EXIT_RUN_FAILED, "cannot print: %s", strerror(errno));
}

static void print_spki(struct replay *replay) {
    char text[CERTIFICATES_SPKI_SIZE];
    if (certificates_spki(replay->certificates, text) < 0) die(EXIT_RUN_FAILED, "not enough memory");
    print_line(text);
}

static void print_congestion(void) {
    char text[QUIC_CONGESTION_LIST_SIZE];
    quic_list_congestion_controls(text);
    print_line(text);
}

// quiche reads the system's trust store, 5 ms of work, into each configuration that it makes. A server asks
// for no client certificates, so it is given an empty one, by the variable that BoringSSL looks at.
static void hide_trust_store(struct replay *replay) {
    const char *before = getenv(trust_store_variable);
    replay->trust_store = before ? strdup(before) : NULL;
    setenv(trust_store_variable, "/dev/null", 1);
}

// The command has its own back.
static void restore_trust_store(struct replay *replay) {
    if (replay->trust_store)
        setenv(trust_store_variable, replay->trust_store, 1);
    else
        unsetenv(trust_store_variable);
    free(replay->trust_store);
}

// Before anything reads the recording.
static void arrange_origins(struct replay *replay) {
    const struct options *options = &replay->options;
    struct recording *recording = &replay->recording;
    struct arena *arena = &replay->arranged;
    replay->clear.exchanges = clear_origins_count(recording);
    if ((options->upgrades_clear && clear_origins_upgrade(recording, arena, &replay->clear) < 0) ||
        origins_arrange(recording, options->server.origins, arena) < 0 ||
        (options->clear && in_clear_arrange(recording, arena) < 0) ||
        origins_certify(recording, &options->chain, replay->certificates) < 0 ||
        (options->offer_h3 && alternative_service_offer(recording, arena) < 0))
        die(EXIT_RUN_FAILED, "not enough memory");
}

// Everything that needs the user's own files and rights.
static void load(struct replay *replay, uint64_t start_ns) {
    char error[ERROR_SIZE];
    const struct options *options = &replay->options;
    if (recording_open(&replay->recording, options->home, options->recording, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "%s", error);
    const char *quic_congestion = options->transport.quic.congestion_control;
    if (quic_check_congestion_control(quic_congestion, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "--quic-congestion: %s", error);
    if (options->report) check_report_folder(options->report);
    arrange_origins(replay);
    if (options->tcp_info && tcp_info_open(&replay->tcp_info, options->tcp_info, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "%s", error);
    if (options->behind && certificates_write(replay->certificates, options->behind, error, sizeof error) < 0)
        die(EXIT_RUN_FAILED, "%s", error);
    // The samples of a connection name it as the report does.
    bool keep = options->report || options->tcp_info;
    replay->report = report_open(&replay->recording, keep, start_ns);
    replay->site = replay->report ? exchange_site_open(&replay->recording, replay->report) : NULL;
    if (!replay->site) die(EXIT_RUN_FAILED, "not enough memory");
    if (tls_open(&replay->tls, replay->certificates, error, sizeof error) < 0)
        die(EXIT_RUN_FAILED, "%s", error);
    tls_limit_versions(replay->tls, options_tls_version(options->tls_lowest),
                       options_tls_version(options->tls_highest));
    if (options->early_data) tls_allow_early_data(replay->tls);
}

static void serve(struct replay *replay) {
    char error[ERROR_SIZE];
    const struct options *options = &replay->options;
    if (loop_open(&replay->loop) < 0) die(EXIT_RUN_FAILED, "no event loop: %s", strerror(errno));
    if (far_network_open(&replay->far, replay->loop, &replay->recording, options->ipv6_twins,
                         options->behind != NULL, &options->transport.tcp, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "%s", error);
    exchange_site_think(replay->site, &options->think, replay->loop);
    exchange_site_limit_requests(replay->site, replay->loop, request_limit_ns);
    exchange_site_set(replay->site, &options->server);
    if (options->clear) exchange_site_prepare_clear(replay->site);
    replay->parts = (struct server_parts){.loop = replay->loop,
                                          .site = replay->site,
                                          .report = replay->report,
                                          .tls = replay->tls,
                                          .transport = &options->transport,
                                          .qlog_folder = options->qlog_folder,
                                          .tcp_info = replay->tcp_info,
                                          .behind = options->behind != NULL};
    if (replay->tcp_info) tcp_info_sample_by(replay->tcp_info, replay->loop);
    if (server_open(&replay->server, &replay->parts, &replay->recording, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "%s", error);
    const struct dns_options dns = {.https_alpn = options->https_alpn,
                                    .twins = options->ipv6_twins,
                                    .question = on_question,
                                    .context = replay};
    if (dns_open(&replay->dns, replay->loop, &replay->recording, &dns, error, sizeof error) < 0)
        die(EXIT_RUN_FAILED, "%s", error);
}

static void start_command(struct replay *replay, unsigned inherited_descriptors) {
    replay->child.ended = on_child_ended;
    replay->child.interrupted = on_interrupted;
    replay->child.context = replay;
    static const int visits[] = {SIGUSR1, 0};
    if (child_open(&replay->child, replay->loop) < 0 ||
        loop_on_signals(replay->loop, visits, on_visit, replay) < 0)
        die(EXIT_RUN_FAILED, "signals: %s", strerror(errno));
    if (!replay->options.command) {
        printf("serving \"%s\" on %zu addresses until interrupted; enter with\n"
               "nsenter --target %d --user --net --preserve-credentials COMMAND\n",
               replay->recording.name, replay->far.address_count, (int)getpid());
        fflush(stdout);
        return;
    }
    const struct child_options child = {.argv = replay->options.command,
                                        .inherited_descriptors = inherited_descriptors,
                                        .keep_capabilities = true,
                                        .process_namespace = true,
                                        .prepare = restore_descriptors,
                                        .prepare_context = replay,
                                        .grace_ns = child_grace_ns};
    if (child_start(&replay->child, &child) < 0)
        die(EXIT_RUN_FAILED, "%s: cannot be started: %s", replay->options.command[0], strerror(errno));
}

// As configured, or as the kernel has it if that is known.
static struct transport used_transport(const struct replay *replay) {
    struct transport used = {.tcp = replay->far.tcp, .quic = replay->options.transport.quic};
    used.tcp.pacing = transport_tcp_is_paced(&used.tcp);
    used.tcp.congestion_control = replay->granted.tcp_congestion;
    used.quic.batching = replay->granted.udp_batching;
    used.quic.send_buffer_bytes = replay->granted.udp_send_buffer_bytes;
    used.quic.receive_buffer_bytes = replay->granted.udp_receive_buffer_bytes;
    return used;
}

static void write_report(struct replay *replay) {
    char error[ERROR_SIZE];
    const struct transport used = used_transport(replay);
    const struct report_setting setting = {
        .scheduling = replay->scheduling,
        .think = replay->options.think_text,
        .origins = origins_kind_name(replay->options.server.origins),
        .upgrades_clear = replay->options.upgrades_clear,
        .clear_exchanges = replay->clear.exchanges,
        .redirects_left_out = replay->clear.redirects,
        .addresses = replay->far.address_count,
        .quiche_version = quic_library_version(),
        .nghttp2_version = h2_library_version(),
        .transport = &used,
        .tcp_notsent_lowat_bytes =
            replay->options.transport.tcp.bounds_unsent ? SERVER_NOTSENT_LOWAT_BYTES : 0,
        .tls_record_bytes = STREAM_RECORD_BYTES,
        .tcp_metrics_saved = replay->far.tcp_metrics_saved};
    if (report_write(replay->report, &setting, replay->options.report, error, sizeof error) == 0) return;
    log_line("%s", error);
    replay->status = EXIT_RUN_FAILED;
}

static void close_tcp_info(struct replay *replay) {
    char error[ERROR_SIZE];
    if (tcp_info_close(replay->tcp_info, error, sizeof error) == 0) return;
    log_line("%s", error);
    replay->status = EXIT_RUN_FAILED;
}

static void stop(struct replay *replay) {
    child_close(&replay->child);
    dns_close(replay->dns);
    replay->granted = server_granted(replay->server);
    snprintf(replay->tcp_congestion, sizeof replay->tcp_congestion, "%s", replay->granted.tcp_congestion);
    replay->granted.tcp_congestion = replay->tcp_congestion;
    server_close(replay->server); // before the report, which says how each connection ended
    close_tcp_info(replay);
    if (replay->options.report) write_report(replay);
    exchange_site_close(replay->site);
    report_close(replay->report);
    far_network_close(&replay->far);
    loop_close(replay->loop);
    tls_close(replay->tls);
    certificates_close(replay->certificates);
    arena_free(&replay->arranged);
    recording_close(&replay->recording);
}

// What the recording and the certificates are in; what is written at the end, or for each connection.
static void raise_walls(const struct options *options) {
    static const unsigned calls[] = {WALLS_NETWORK};
    const struct walls walls = {
        .capabilities = WALLS_CAPABILITY(CAP_NET_ADMIN) | WALLS_CAPABILITY(CAP_NET_BIND_SERVICE),
        .calls = calls,
        .call_count = sizeof calls / sizeof calls[0],
        .writes = {options->home, options->report, options->qlog_folder, options->tcp_info, options->behind}};
    walls_raise_or_say(&walls);
}

int main(int argc, char **argv) {
    uint64_t start_ns = clock_now_ns();
    log_program("trilane-replay");
    pid_t parent = getppid();
    unsigned inherited_descriptors = child_inherited_descriptors();
    struct replay replay = {.status = 0};
    options_parse(&replay.options, argc, argv);
    if (replay.options.print_congestion) {
        print_congestion();
        return 0;
    }
    char error[ERROR_SIZE];
    if (certificates_open(&replay.certificates, replay.options.home, error, sizeof error) < 0)
        die(EXIT_BAD_INPUT, "%s", error);
    if (replay.options.print_spki) {
        print_spki(&replay);
        certificates_close(replay.certificates);
        return 0;
    }
    hide_trust_store(&replay);
    load(&replay, start_ns);
    raise_descriptors(&replay);
    signal(SIGPIPE, SIG_IGN);
    namespace_enter_lab();
    child_die_with_parent(parent);
    serve(&replay);
    restore_trust_store(&replay);
    report_ready(replay.report, clock_now_ns());
    replay.scheduling = schedule_promptly();
    start_command(&replay, inherited_descriptors);
    schedule_behind_link();
    // For sockets that are opened later: ports below 1024, congestion controllers that the machine restricts.
    raise_walls(&replay.options);
    if (loop_run(replay.loop) < 0) {
        log_line("the event loop failed: %s", strerror(errno));
        replay.status = EXIT_RUN_FAILED;
    }
    stop(&replay);
    return replay.status;
}
