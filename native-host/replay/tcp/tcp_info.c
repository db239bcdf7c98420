#include "replay/tcp/tcp_info.h"

#include "base/clock.h"
#include "congestion/tcp_congestion.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/tcp.h> // has more of TCP_INFO than netinet/tcp.h
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BUFFER_BYTES = 256 * 1024, NO_SSTHRESH = 0x7fffffff };

struct tcp_info_log {
    FILE *file;
    const char *path;
    struct loop *loop;
    struct loop_timer timer;
    struct tcp_info_watch *first;
    bool failed;
};

int tcp_info_open(struct tcp_info_log **out, const char *path, char *error, size_t error_size) {
    struct tcp_info_log *log = calloc(1, sizeof *log);
    FILE *file = log ? fopen(path, "we") : NULL;
    if (!file) {
        snprintf(error, error_size, "--tcp-info: %s: %s", path, strerror(errno));
        free(log);
        return -1;
    }
    // What is written while a page loads stays in memory; without memory for that it still works.
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    log->file = file;
    log->path = path;
    *out = log;
    return 0;
}

int tcp_info_close(struct tcp_info_log *log, char *error, size_t error_size) {
    if (!log) return 0;
    if (log->loop) loop_timer_clear(log->loop, &log->timer);
    bool failed = ferror(log->file) != 0; // why is not known any more
    errno = 0;
    failed |= fclose(log->file) != 0;
    if (failed)
        snprintf(error, error_size, "%s: not all of it could be written: %s", log->path,
                 errno ? strerror(errno) : "the disk may be full");
    free(log);
    return failed ? -1 : 0;
}

static void write_address(FILE *file, const char *key, int fd,
                          int (*ask)(int, struct sockaddr *, socklen_t *)) {
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char text[INET6_ADDRSTRLEN] = "";
    uint16_t port = 0;
    if (ask(fd, (struct sockaddr *)&address, &size) == 0 && address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
        const uint8_t *bytes = v6->sin6_addr.s6_addr;
        bool mapped = IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
        inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? bytes + 12 : bytes, text, sizeof text);
        port = ntohs(v6->sin6_port);
    } else if (address.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        port = ntohs(v4->sin_port);
    }
    bool brackets = strchr(text, ':') != NULL;
    fprintf(file, ",\"%s\":\"%s%s%s:%u\"", key, brackets ? "[" : "", text, brackets ? "]" : "", port);
}

static int number_of(int fd, int option) {
    int number = 0;
    socklen_t size = sizeof number;
    return getsockopt(fd, SOL_SOCKET, option, &number, &size) == 0 ? number : 0;
}

static void write_opened(const struct tcp_info_watch *watch, const char *lane, uint64_t now_ns) {
    FILE *file = watch->log->file;
    char congestion[TCP_CONGESTION_NAME];
    uint64_t pacing_rate = UINT64_MAX;
    socklen_t rate_size = sizeof pacing_rate;
    tcp_congestion_get(watch->fd, congestion);
    getsockopt(watch->fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_rate, &rate_size);
    bool paced =
        (rate_size == sizeof pacing_rate && pacing_rate != UINT64_MAX) || strncmp(congestion, "bbr", 3) == 0;
    fprintf(file, "{\"event\":\"opened\",\"time_ns\":%" PRIu64 ",\"connection\":%" PRIu64 ",\"lane\":\"%s\"",
            now_ns, watch->connection, lane);
    write_address(file, "local", watch->fd, getsockname);
    write_address(file, "peer", watch->fd, getpeername);
    fprintf(file,
            ",\"congestion_control\":\"%s\",\"paced\":%s,\"send_buffer_bytes\":%d,"
            "\"receive_buffer_bytes\":%d}\n",
            congestion, paced ? "true" : "false", number_of(watch->fd, SO_SNDBUF),
            number_of(watch->fd, SO_RCVBUF));
}

// FNV-1a. The times since something happened are not in it: they change always.
static uint64_t hash_of(const struct tcp_info *info) {
    const uint64_t values[] = {info->tcpi_state,         info->tcpi_ca_state,       info->tcpi_snd_cwnd,
                               info->tcpi_snd_ssthresh,  info->tcpi_snd_mss,        info->tcpi_rtt,
                               info->tcpi_min_rtt,       info->tcpi_unacked,        info->tcpi_lost,
                               info->tcpi_total_retrans, info->tcpi_reordering,     info->tcpi_bytes_sent,
                               info->tcpi_bytes_acked,   info->tcpi_bytes_received, info->tcpi_notsent_bytes,
                               info->tcpi_delivery_rate};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hash = (hash ^ values[i]) * UINT64_C(1099511628211);
    return hash;
}

static void write_sample(struct tcp_info_watch *watch, const char *event, bool always, uint64_t now_ns) {
    struct tcp_info info;
    memset(&info, 0, sizeof info); // an older kernel fills in less
    socklen_t size = sizeof info;
    if (getsockopt(watch->fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return;
    uint64_t hash = hash_of(&info);
    if (!always && hash == watch->last) return;
    watch->last = hash;
    FILE *file = watch->log->file;
    char ssthresh[16] = "null";
    if (info.tcpi_snd_ssthresh < NO_SSTHRESH)
        snprintf(ssthresh, sizeof ssthresh, "%u", info.tcpi_snd_ssthresh);
    fprintf(file,
            "{\"event\":\"%s\",\"time_ns\":%" PRIu64 ",\"connection\":%" PRIu64
            ",\"state\":%u,\"ca_state\":%u,\"cwnd_packets\":%u,\"ssthresh_packets\":%s,\"mss_bytes\":%u,"
            "\"rtt_us\":%u,\"rtt_var_us\":%u,\"min_rtt_us\":%u,",
            event, now_ns, watch->connection, info.tcpi_state, info.tcpi_ca_state, info.tcpi_snd_cwnd,
            ssthresh, info.tcpi_snd_mss, info.tcpi_rtt, info.tcpi_rttvar, info.tcpi_min_rtt);
    fprintf(file,
            "\"unacked_packets\":%u,\"lost_packets\":%u,\"retransmitted_packets\":%u,"
            "\"reordering_packets\":%u,\"bytes_sent\":%llu,\"bytes_acked\":%llu,\"bytes_received\":%llu,"
            "\"unsent_bytes\":%u,",
            info.tcpi_unacked, info.tcpi_lost, info.tcpi_total_retrans, info.tcpi_reordering,
            info.tcpi_bytes_sent, info.tcpi_bytes_acked, info.tcpi_bytes_received, info.tcpi_notsent_bytes);
    // Rates in the kernel are bytes a second, and the greatest number where there is none.
    uint64_t pacing = info.tcpi_pacing_rate < UINT64_MAX / 8 ? 8 * info.tcpi_pacing_rate : 0;
    fprintf(file,
            "\"pacing_bps\":%" PRIu64 ",\"delivery_bps\":%llu,\"application_limited\":%s,\"busy_us\":%llu,"
            "\"receiver_limited_us\":%llu,\"send_buffer_limited_us\":%llu}\n",
            pacing, 8 * info.tcpi_delivery_rate, info.tcpi_delivery_rate_app_limited ? "true" : "false",
            info.tcpi_busy_time, info.tcpi_rwnd_limited, info.tcpi_sndbuf_limited);
}

static void on_interval(void *context, uint64_t now_ns) {
    struct tcp_info_log *log = context;
    for (struct tcp_info_watch *watch = log->first; watch; watch = watch->next)
        write_sample(watch, "sample", false, now_ns);
    if (log->first) loop_timer_set(log->loop, &log->timer, now_ns + TCP_INFO_INTERVAL_MS * NS_PER_MS);
}

void tcp_info_sample_by(struct tcp_info_log *log, struct loop *loop) {
    log->loop = loop;
    log->timer = (struct loop_timer){.due = on_interval, .context = log};
}

void tcp_info_watch(struct tcp_info_log *log, struct tcp_info_watch *watch, int fd, uint64_t connection,
                    const char *lane) {
    uint64_t now_ns = clock_now_ns();
    bool first = !log->first;
    *watch = (struct tcp_info_watch){.log = log, .fd = fd, .connection = connection, .next = log->first};
    if (watch->next) watch->next->previous = watch;
    log->first = watch;
    write_opened(watch, lane, now_ns);
    write_sample(watch, "sample", true, now_ns);
    // Without memory for the timer there are the first and the last sample.
    if (first) loop_timer_set(log->loop, &log->timer, now_ns + TCP_INFO_INTERVAL_MS * NS_PER_MS);
}

void tcp_info_forget(struct tcp_info_watch *watch) {
    struct tcp_info_log *log = watch->log;
    if (!log) return;
    write_sample(watch, "closed", true, clock_now_ns());
    if (watch->previous)
        watch->previous->next = watch->next;
    else
        log->first = watch->next;
    if (watch->next) watch->next->previous = watch->previous;
    watch->log = NULL;
}
