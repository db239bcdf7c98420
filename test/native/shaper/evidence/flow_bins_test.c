// Bins of flows in virtual time: what each record says, and that they add up to the counters of flows
// whatever a link does to packets.
#include "../datagram.h"
#include "../random_path.h"
#include "shaper/evidence/evidence.h"
#include "shaper/path.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <endian.h>

enum { MOST = 100 };

struct records {
    uint32_t count;
    uint64_t at[MOST][FLOW_BIN_COLUMNS];
};

static void keep(void *context, const uint64_t record[FLOW_BIN_COLUMNS]) {
    struct records *records = context;
    assert_true(records->count < MOST);
    memcpy(records->at[records->count++], record, sizeof records->at[0]);
}

static struct packet packet_of(uint32_t size_bytes, uint64_t arrived_ns) {
    return (struct packet){.size_bytes = size_bytes, .arrived_ns = arrived_ns};
}

static const uint64_t bin_ns = 10 * NS_PER_MS;

static void reach(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down) {
    flow_bins_arrived(bins, flow, packet, down, packet->arrived_ns);
    flow_bins_queued(bins, flow, packet, down, packet->arrived_ns);
}

static void assert_record(const struct records *records, uint32_t i, const uint64_t expected[]) {
    for (int column = 0; column < FLOW_BIN_COLUMNS; column++)
        if (records->at[i][column] != expected[column])
            fail_msg("record %u: %s is %llu", i, flow_bin_columns[column],
                     (unsigned long long)records->at[i][column]);
}

// A slow link sends a packet for longer than a bin: of each bin there is a record, of silence there is none.
UNIT_TEST(what_waits_is_there_in_every_bin) {
    struct records records = {0};
    struct flow_bins bins;
    flow_bins_open(&bins, bin_ns, keep, &records);
    struct packet first = packet_of(1000, 25 * NS_PER_MS), second = packet_of(500, 26 * NS_PER_MS);
    reach(&bins, 7, &first, true);
    reach(&bins, 7, &second, true);
    flow_bins_left(&bins, 7, &first, true, 45 * NS_PER_MS);
    flow_bins_left(&bins, 7, &second, true, 55 * NS_PER_MS);
    struct packet later = packet_of(100, 1000 * NS_PER_MS);
    reach(&bins, 7, &later, true);
    assert_int_equal(records.count, 4);
    flow_bins_left(&bins, 7, &later, true, 1001 * NS_PER_MS);
    flow_bins_end(&bins);
    assert_int_equal(records.count, 5);
    assert_record(&records, 0, (uint64_t[]){20 * NS_PER_MS, 7, 0, 1500, 0, 1500, 0, 0, 0, 0, 0});
    assert_record(&records, 1, (uint64_t[]){30 * NS_PER_MS, 7, 0, 0, 0, 1500, 0, 0, 0, 0, 0});
    assert_record(&records, 2, (uint64_t[]){40 * NS_PER_MS, 7, 0, 0, 1000, 1500, 20 * NS_PER_MS, 1, 0, 0, 0});
    assert_record(&records, 3, (uint64_t[]){50 * NS_PER_MS, 7, 0, 0, 500, 500, 29 * NS_PER_MS, 1, 0, 0, 0});
    assert_record(&records, 4, (uint64_t[]){1000 * NS_PER_MS, 7, 0, 100, 100, 100, NS_PER_MS, 1, 0, 0, 0});
    flow_bins_close(&bins);
}

// One that finds the queue full never waited; one that is taken out of it did. What an unlimited link takes
// has not waited either.
UNIT_TEST(peak_is_of_what_lasted) {
    struct records records = {0};
    struct flow_bins bins;
    flow_bins_open(&bins, bin_ns, keep, &records);
    struct packet kept = packet_of(1000, 1 * NS_PER_MS), refused = packet_of(900, 2 * NS_PER_MS),
                  taken_out = packet_of(300, 3 * NS_PER_MS), passed = packet_of(1200, 9 * NS_PER_MS);
    reach(&bins, 0, &kept, false);
    reach(&bins, 0, &refused, false);
    flow_bins_dropped(&bins, 0, &refused, false, DROP_QUEUE, 2 * NS_PER_MS);
    reach(&bins, 0, &taken_out, false);
    flow_bins_marked(&bins, 0, false, 4 * NS_PER_MS);
    flow_bins_dropped(&bins, 0, &taken_out, false, DROP_AQM, 4 * NS_PER_MS);
    flow_bins_left(&bins, 0, &kept, false, 9 * NS_PER_MS);
    flow_bins_dropped(&bins, 0, &kept, false, DROP_LOSS, 9 * NS_PER_MS);
    reach(&bins, 200, &passed, false);
    flow_bins_left(&bins, 200, &passed, false, 9 * NS_PER_MS);
    flow_bins_dropped(&bins, 200, &passed, false, DROP_OFF, 9 * NS_PER_MS);
    flow_bins_advance(&bins, 10 * NS_PER_MS - 1);
    assert_int_equal(records.count, 0);
    flow_bins_advance(&bins, 10 * NS_PER_MS);
    assert_int_equal(records.count, 2);
    assert_record(&records, 0, (uint64_t[]){0, 0, 1, 2200, 1000, 1300, 8 * NS_PER_MS, 1, 2, 1, 1});
    assert_record(&records, 1, (uint64_t[]){0, 200, 1, 1200, 1200, 0, 0, 1, 0, 0, 1});
    flow_bins_close(&bins);
}

// Directions go on by themselves; what comes too late for its bin is in the next one, and in no other.
UNIT_TEST(late_tellings_are_counted_once) {
    struct records records = {0};
    struct flow_bins bins;
    flow_bins_open(&bins, bin_ns, keep, &records);
    struct packet down = packet_of(1000, 35 * NS_PER_MS), up = packet_of(40, 5 * NS_PER_MS);
    flow_bins_arrived(&bins, 1, &down, true, 35 * NS_PER_MS);
    flow_bins_arrived(&bins, 1, &up, false, 5 * NS_PER_MS);
    flow_bins_advance(&bins, 30 * NS_PER_MS);
    flow_bins_dropped(&bins, 1, &up, false, DROP_MEMORY, 6 * NS_PER_MS);
    flow_bins_end(&bins);
    assert_int_equal(records.count, 3);
    assert_record(&records, 0, (uint64_t[]){0, 1, 1, 40, 0, 0, 0, 0, 0, 0, 0});
    assert_record(&records, 1, (uint64_t[]){30 * NS_PER_MS, 1, 0, 1000, 0, 0, 0, 0, 0, 0, 0});
    assert_record(&records, 2, (uint64_t[]){30 * NS_PER_MS, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1});
    flow_bins_close(&bins);
}

// --- A whole path, its evidence, and the file.

enum { FLOWS = 6, PACKETS = 3000, ROUNDS = 60 };

struct end {
    struct node node;
    struct packet_pool *pool;
};

static void arrive(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct packet_pool *pool = ((struct end *)node)->pool;
    pool->watcher->delivered(pool->watcher, packet, now_ns);
    packet_return(pool, packet);
}

static const struct node_kind end_kind = {arrive, NULL, NULL, NULL};

struct side {
    struct packet_pool pool;
    struct end end;
    struct path path;
};

static void open_side(struct side *side, struct evidence *evidence, const struct link_profile *profile,
                      bool down, uint64_t start_ns) {
    side->pool.watcher = evidence_watcher(evidence, down);
    side->end = (struct end){.node = {&end_kind, NULL}, .pool = &side->pool};
    path_open(&side->path, profile, down ? PATH_DOWN : PATH_UP, &side->pool, &side->end.node);
    path_start(&side->path, start_ns);
}

static void send(struct side *side, struct random *random, uint32_t number, uint64_t now_ns) {
    struct packet *packet = packet_take(&side->pool);
    assert_non_null(packet);
    uint16_t flow = (uint16_t)(random_next(random) % FLOWS);
    datagram_make(packet, flow % 2 ? 4 : 6, flow, number, 4 + (uint32_t)(random_next(random) % 1400), 2);
    path_advance(&side->path, now_ns);
    side->pool.watcher->arrived(side->pool.watcher, packet, now_ns);
    path_take(&side->path, packet, now_ns);
}

static void traffic(struct side sides[2], uint64_t seed, uint64_t now_ns) {
    struct random random;
    random_open(&random, seed, 1);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (random_next(&random) % 4)
            now_ns += random_next(&random) % (random_next(&random) % 50 ? 2 : 100) * NS_PER_MS / 2;
        send(&sides[random_next(&random) % 2], &random, i, now_ns);
    }
    for (int i = 0; i < 2; i++)
        path_advance(&sides[i].path, now_ns + NS_PER_S);
}

struct sums {
    uint64_t of[2 * FLOWS + 8][2][FLOW_BIN_COLUMNS]; // FEC's parity packets are flows of their own
};

// The records of the file, each in its order, none of nothing.
static void add_up(struct sums *sums, const char *path, uint64_t length_ns) {
    static const char expected[] =
        "{\"schema\":\"trilane/records/1\",\"columns\":[\"time_ns\",\"flow\",\"direction\",\"arrived_bytes\","
        "\"left_bytes\",\"queue_peak_bytes\",\"queue_delay_sum_ns\",\"left_packets\",\"dropped_packets\","
        "\"marked_packets\",\"lost_packets\"],\"bin_ns\":3000000}\n";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char header[sizeof expected];
    assert_non_null(fgets(header, sizeof header, file));
    assert_string_equal(header, expected);
    memset(sums, 0, sizeof *sums);
    uint64_t record[FLOW_BIN_COLUMNS];
    size_t read;
    while ((read = fread(record, 1, sizeof record, file)) == sizeof record) {
        uint64_t any = 0;
        for (int i = 0; i < FLOW_BIN_COLUMNS; i++)
            record[i] = le64toh(record[i]);
        assert_true(record[FLOW_BIN_FLOW] < sizeof sums->of / sizeof sums->of[0]);
        assert_true(record[FLOW_BIN_DIRECTION] < 2);
        assert_int_equal(record[FLOW_BIN_TIME_NS] % length_ns, 0);
        uint64_t *sum = sums->of[record[FLOW_BIN_FLOW]][record[FLOW_BIN_DIRECTION]];
        assert_true(record[FLOW_BIN_TIME_NS] > sum[FLOW_BIN_TIME_NS]);
        sum[FLOW_BIN_TIME_NS] = record[FLOW_BIN_TIME_NS];
        for (int i = FLOW_BIN_ARRIVED_BYTES; i < FLOW_BIN_COLUMNS; i++) {
            any |= record[i];
            sum[i] += record[i];
        }
        assert_true(any > 0);
    }
    assert_int_equal(read, 0);
    fclose(file);
}

static void assert_same(const uint64_t sum[FLOW_BIN_COLUMNS], const struct flow_counts *counts) {
    const uint64_t *lost = counts->lost_packets;
    assert_int_equal(sum[FLOW_BIN_ARRIVED_BYTES], counts->sent_bytes);
    assert_int_equal(sum[FLOW_BIN_LEFT_BYTES], counts->queued_bytes);
    assert_int_equal(sum[FLOW_BIN_LEFT_PACKETS], counts->queued_packets);
    assert_int_equal(sum[FLOW_BIN_QUEUE_DELAY_NS], counts->queue_delay_sum_ns);
    assert_int_equal(sum[FLOW_BIN_MARKED_PACKETS], counts->marked_packets);
    assert_int_equal(sum[FLOW_BIN_DROPPED_PACKETS], lost[DROP_QUEUE] + lost[DROP_AQM]);
    assert_int_equal(sum[FLOW_BIN_LOST_PACKETS], lost[DROP_LOSS] + lost[DROP_OFF] + lost[DROP_MEMORY]);
}

// Adds what happened to `tally`, so that the test can see that all of it did.
static void round_adds_up(const struct link_profile *profile, const char *folder, uint64_t seed,
                          uint64_t tally[FLOW_BIN_COLUMNS]) {
    char bins[256], counters[256];
    snprintf(bins, sizeof bins, "%s/bins", folder);
    snprintf(counters, sizeof counters, "%s/counters", folder);
    static struct evidence evidence;
    struct evidence_error error;
    struct evidence_options options = {
        .flow_counters = counters, .flow_bins = bins, .flow_bin_ns = 3 * NS_PER_MS};
    struct evidence_run run = {.link = "any",
                               .command_line = "any",
                               .down_rate = &profile->down.rate,
                               .up_rate = &profile->up.rate,
                               .start_ns = 777 * NS_PER_S + 1};
    struct loop *loop;
    assert_int_equal(loop_open(&loop), 0);
    assert_int_equal(evidence_open(&evidence, &options, &error), 0);
    assert_int_equal(evidence_begin(&evidence, loop, &run), 0);
    assert_int_equal(evidence_start_writing(&evidence), 0);
    static struct side sides[2];
    memset(sides, 0, sizeof sides);
    for (int i = 0; i < 2; i++)
        open_side(&sides[i], &evidence, profile, i == 0, run.start_ns);
    traffic(sides, seed, run.start_ns);
    uint32_t count = evidence.flows.count;
    struct flow flows[2 * FLOWS + 8];
    assert_true(count >= FLOWS && count <= sizeof flows / sizeof flows[0]);
    memcpy(flows, evidence.flows.flows, count * sizeof flows[0]);
    assert_int_equal(evidence_close(&evidence, &run, run.start_ns + NS_PER_S), 0);
    loop_close(loop);
    for (int i = 0; i < 2; i++) {
        path_close(&sides[i].path);
        packet_pool_close(&sides[i].pool);
    }
    static struct sums sums;
    add_up(&sums, bins, 3 * NS_PER_MS);
    for (uint32_t flow = 0; flow < count; flow++) {
        assert_same(sums.of[flow][0], &flows[flow].down);
        assert_same(sums.of[flow][1], &flows[flow].up);
        for (int i = FLOW_BIN_ARRIVED_BYTES; i < FLOW_BIN_COLUMNS; i++)
            tally[i] += sums.of[flow][0][i] + sums.of[flow][1][i];
    }
}

UNIT_TEST(sums_over_bins_are_the_counters) {
    struct random_path_files files;
    random_path_open(&files);
    struct random random;
    random_open(&random, 9, 1);
    uint64_t tally[FLOW_BIN_COLUMNS] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static struct link_profile profile;
        memset(&profile, 0, sizeof profile);
        profile.down = random_path_settings(&files, &random);
        profile.up = random_path_settings(&files, &random);
        profile.seed = round;
        round_adds_up(&profile, unit_folder(), round, tally);
    }
    for (int i = FLOW_BIN_ARRIVED_BYTES; i < FLOW_BIN_COLUMNS; i++)
        assert_true(tally[i] > ROUNDS);
    random_path_close(&files);
}
