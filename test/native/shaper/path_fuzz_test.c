// A million packets of any kind, most of them no proper ones, through whole paths of random settings: under
// sanitizers no node reads or writes what is not a packet's, none is lost unseen, and no packet costs much
// more than any other.
#include "datagram.h"
#include "random_path.h"
#include "shaper/path.h"
#include "test/native/cmocka_unit.h"

#include <time.h>

enum { RUNS = 1000000, STEER_EVERY = 5000 };

struct end {
    struct node node;
    struct packet_pool *pool;
    uint64_t came;
};

static void arrive(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct end *end = (struct end *)node;
    (void)now_ns;
    assert_in_range(packet->size_bytes, 0, PACKET_CAPACITY);
    end->came++;
    packet_return(end->pool, packet);
}

static const struct node_kind end_kind = {arrive, NULL, NULL, NULL};

static uint64_t drops(const struct path *path) {
    const struct queue *queue = &path->link.queue;
    return queue->drops + queue->aqm_drops + path->loss.drops + path->onoff.drops + path->udp_policy.drops +
           path->delay.drops;
}

UNIT_TEST(a_million_packets_of_any_kind_pass_through) {
    struct random_path_files files;
    random_path_open(&files);
    static struct link_profile profile;
    static struct path path;
    struct packet_pool pool = {0};
    struct end end = {.node = {&end_kind, NULL}, .pool = &pool};
    struct random random;
    random_open(&random, 23, 1);
    uint64_t now_ns = 1000, gap_ns = 1;
    path_open(&path, &profile, PATH_DOWN, &pool, &end.node);
    path_start(&path, now_ns);
    clock_t start = clock();
    for (int run = 0; run < RUNS; run++) {
        if (run % STEER_EVERY == 0) {
            profile.down = random_path_settings(&files, &random);
            profile.udp = random_path_udp(&random);
            // Bounded, so that the test's memory is.
            profile.down.queue.limit_bytes = 1500 + random_next(&random) % 300000;
            path_steer(&path, &profile, now_ns);
            gap_ns = 1 + random_next(&random) % 400000;
        }
        struct packet *packet = packet_take(&pool);
        assert_non_null(packet);
        datagram_make_any(packet, &random);
        now_ns += random_next(&random) % gap_ns;
        path_take(&path, packet, now_ns);
    }
    const struct fec_decoder *decoder = &path.fec_decoder;
    assert_int_equal(RUNS + path.duplicate.copies + path.fec_encoder.parity_packets + decoder->repairs,
                     end.came + drops(&path) + decoder->parity_packets + decoder->late + path_held(&path));
    assert_true(end.came > RUNS / 4 && path.link.queue.aqm_drops > RUNS / 1000);
    assert_true(path.link.queue.marks > RUNS / 1000 && decoder->repairs > RUNS / 10000);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20); // 20 us each; here it is 1
    path_close(&path);
    packet_pool_close(&pool);
    random_path_close(&files);
}
