// A capture of both directions in pcapng, which Wireshark, tshark and tcpdump read. Each packet stands in it
// once, when its fate is known: with the time at which it left the lab's link (the delay included), or, with
// a comment that says why, with the time at which it was dropped. Times are nanoseconds since 1970. Two
// interfaces, "down" (to the command) and "up"; raw IP.
//
// TLS keys: the lines that programs write to the file named by SSLKEYLOGFILE are copied into a Decryption
// Secrets Block. Readers want it before the packets that it opens, and the keys are known only after them: a
// place is kept for it at the file's beginning. Where the capture is no file that can be gone back in (a
// pipe), keys come as early as they are known.
#pragma once

#include "shaper/evidence/file_writer.h"
#include "shaper/nodes/packet.h"

#include <stdbool.h>

enum pcapng_interface { PCAPNG_DOWN, PCAPNG_UP };

struct pcapng {
    struct file_writer *writer;
    uint64_t wall_offset_ns; // since 1970 less monotonic
    char comment[2][512];    // for the next packet of an interface; "": none
};

struct pcapng_head {
    const char *link; // short form
    const char *command_line;
    uint64_t start_ns;
    uint64_t start_wall_ns; // the same moment since 1970
    bool place_for_keys;
};

// The writer, on which nothing was written yet, stays the caller's. Returns where in the file the place for
// keys is; 0: none.
uint64_t pcapng_open(struct pcapng *pcapng, struct file_writer *writer, const struct pcapng_head *head);

void pcapng_delivered(struct pcapng *pcapng, enum pcapng_interface interface, const struct packet *packet,
                      uint64_t end_ns);
void pcapng_dropped(struct pcapng *pcapng, enum pcapng_interface interface, const struct packet *packet,
                    enum drop_reason reason, uint64_t now_ns);

// The change becomes a comment of each interface's next packet, or of its statistics where another change
// or the end comes first.
// `what`: "link changed", for one.
void pcapng_change(struct pcapng *pcapng, const char *what, const char *form, uint64_t now_ns);

// At the end: what each interface got and lost, for `capinfos` and the like.
struct pcapng_statistics {
    uint64_t received; // packets
    uint64_t dropped;  // by the link
};
void pcapng_end(struct pcapng *pcapng, enum pcapng_interface interface,
                const struct pcapng_statistics *statistics, uint64_t end_ns);
