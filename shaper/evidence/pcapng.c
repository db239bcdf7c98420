// Blocks as the pcapng specification (draft-ietf-opsawg-pcapng) has them, in this machine's byte order, which
// the section header says.
#include "shaper/evidence/pcapng.h"

#include "shaper/evidence/pcapng_block.h"
#include "shaper/evidence/pcapng_keys.h"

#include <stdio.h>
#include <string.h>

enum {
    BYTE_ORDER_MAGIC = 0x1A2B3C4D,
    LINKTYPE_RAW = 101,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_USER_APPLICATION = 4, // of a section
    OPTION_NAME = 2,             // of an interface
    OPTION_DESCRIPTION = 3,
    OPTION_TIME_RESOLUTION = 9,
    OPTION_FLAGS = 2,    // of a packet
    OPTION_RECEIVED = 4, // of statistics
    OPTION_DROPPED = 5,
    FLAG_INBOUND = 1,
    FLAG_OUTBOUND = 2,
    NANOSECONDS = 9, // 10^-9 s
};

// A block's parts before and after a packet's bytes. Longest: two comments.
struct draft {
    uint8_t bytes[2048];
    size_t size;
};

static void put(struct draft *draft, const void *bytes, size_t size) {
    if (size > sizeof draft->bytes - draft->size) size = sizeof draft->bytes - draft->size;
    memcpy(draft->bytes + draft->size, bytes, size);
    draft->size += size;
}

static void put_16(struct draft *draft, uint16_t value) {
    put(draft, &value, sizeof value);
}

static void put_32(struct draft *draft, uint32_t value) {
    put(draft, &value, sizeof value);
}

static void put_64(struct draft *draft, uint64_t value) {
    put(draft, &value, sizeof value);
}

static void pad(struct draft *draft) {
    while (draft->size % 4 != 0)
        put(draft, "", 1);
}

static void put_option(struct draft *draft, uint16_t code, const void *value, size_t size) {
    put_16(draft, code);
    put_16(draft, (uint16_t)size);
    put(draft, value, size);
    pad(draft);
}

static void put_text(struct draft *draft, uint16_t code, const char *text) {
    put_option(draft, code, text, strlen(text));
}

static void put_time(struct draft *draft, const struct pcapng *pcapng, uint64_t time_ns) {
    uint64_t wall_ns = time_ns + pcapng->wall_offset_ns;
    put_32(draft, (uint32_t)(wall_ns >> 32));
    put_32(draft, (uint32_t)wall_ns);
}

// The block's type and length, the draft, `middle` (a packet, padded), `after`, and the length again.
static size_t add_block(struct pcapng *pcapng, uint32_t type, const struct draft *before, const void *middle,
                        size_t middle_size, const struct draft *after) {
    static const uint8_t zeros[4];
    size_t padding = (4 - middle_size % 4) % 4;
    size_t after_size = after ? after->size : 0;
    uint32_t head[2] = {type, (uint32_t)(12 + before->size + middle_size + padding + after_size)};
    struct iovec parts[] = {
        {head, sizeof head},
        {(void *)before->bytes, before->size},
        {(void *)middle, middle_size},
        {(void *)zeros, padding},
        {after ? (void *)after->bytes : NULL, after_size},
        {&head[1], sizeof head[1]},
    };
    file_writer_add(pcapng->writer, parts, sizeof parts / sizeof parts[0]);
    return head[1];
}

static size_t add_section(struct pcapng *pcapng, const struct pcapng_head *head) {
    struct draft draft = {.size = 0};
    put_32(&draft, BYTE_ORDER_MAGIC);
    put_16(&draft, 1); // version 1.0
    put_16(&draft, 0);
    put_64(&draft, UINT64_MAX); // a section of unknown length
    char comment[1024];
    snprintf(comment, sizeof comment,
             "link: %s; time stamps are this machine's monotonic clock plus %llu ns; command: %s", head->link,
             (unsigned long long)pcapng->wall_offset_ns, head->command_line);
    put_text(&draft, OPTION_COMMENT, comment);
    put_text(&draft, OPTION_USER_APPLICATION, "trilane-shaper " TRILANE_VERSION);
    put_32(&draft, OPTION_END);
    return add_block(pcapng, PCAPNG_SECTION, &draft, NULL, 0, NULL);
}

static size_t add_interface(struct pcapng *pcapng, const char *name, const char *description) {
    struct draft draft = {.size = 0};
    put_16(&draft, LINKTYPE_RAW);
    put_16(&draft, 0);
    put_32(&draft, 0); // packets are whole
    put_text(&draft, OPTION_NAME, name);
    put_text(&draft, OPTION_DESCRIPTION, description);
    put_option(&draft, OPTION_TIME_RESOLUTION, &(uint8_t){NANOSECONDS}, 1);
    put_32(&draft, OPTION_END);
    return add_block(pcapng, PCAPNG_INTERFACE, &draft, NULL, 0, NULL);
}

uint64_t pcapng_open(struct pcapng *pcapng, struct file_writer *writer, const struct pcapng_head *head) {
    *pcapng = (struct pcapng){.writer = writer, .wall_offset_ns = head->start_wall_ns - head->start_ns};
    size_t size = add_section(pcapng, head);
    size += add_interface(pcapng, "down", "servers to command");
    size += add_interface(pcapng, "up", "command to servers");
    if (!head->place_for_keys || !file_writer_is_regular(writer)) return 0;
    static const uint8_t zeros[PCAPNG_KEYS_PLACE - 12];
    add_block(pcapng, PCAPNG_FILLER, &(struct draft){.size = 0}, zeros, sizeof zeros, NULL);
    return size;
}

static const char *reason_text(enum drop_reason reason) {
    switch (reason) {
    case DROP_QUEUE:
        return "trilane: dropped (queue): the queue was full";
    case DROP_AQM:
        return "trilane: dropped (aqm): the queue's management decided so";
    case DROP_LOSS:
        return "trilane: dropped (loss): lost on the link, as configured";
    case DROP_OFF:
        return "trilane: dropped (off): the link was off";
    case DROP_UDP:
        return "trilane: dropped (udp): the network refuses this UDP packet";
    case DROP_MOVED_QUEUED:
    case DROP_MOVED_SENT:
        return "trilane: dropped (moved): under way on the link that was switched from";
    case DROP_UNBOUND:
        return "trilane: dropped (unbound): for an address or port that the NAT had given up";
    default:
        return "trilane: dropped (memory): this machine was short of memory";
    }
}

static void add_packet(struct pcapng *pcapng, enum pcapng_interface interface, const struct packet *packet,
                       uint64_t time_ns, const char *comment) {
    struct draft before = {.size = 0}, after = {.size = 0};
    put_32(&before, interface);
    put_time(&before, pcapng, time_ns);
    put_32(&before, packet->size_bytes);
    put_32(&before, packet->size_bytes);
    uint32_t flags = interface == PCAPNG_DOWN ? FLAG_INBOUND : FLAG_OUTBOUND; // as the command sees it
    put_option(&after, OPTION_FLAGS, &flags, sizeof flags);
    if (comment) put_text(&after, OPTION_COMMENT, comment);
    char *pending = pcapng->comment[interface];
    if (*pending) {
        put_text(&after, OPTION_COMMENT, pending);
        *pending = 0;
    }
    put_32(&after, OPTION_END);
    add_block(pcapng, PCAPNG_PACKET, &before, packet->bytes, packet->size_bytes, &after);
}

void pcapng_delivered(struct pcapng *pcapng, enum pcapng_interface interface, const struct packet *packet,
                      uint64_t end_ns) {
    add_packet(pcapng, interface, packet, end_ns, NULL);
}

void pcapng_dropped(struct pcapng *pcapng, enum pcapng_interface interface, const struct packet *packet,
                    enum drop_reason reason, uint64_t now_ns) {
    add_packet(pcapng, interface, packet, now_ns, reason_text(reason));
}

static void add_statistics(struct pcapng *pcapng, enum pcapng_interface interface,
                           const struct pcapng_statistics *statistics, uint64_t now_ns) {
    struct draft draft = {.size = 0};
    put_32(&draft, interface);
    put_time(&draft, pcapng, now_ns);
    char *pending = pcapng->comment[interface];
    if (pending[0] != '\0') put_text(&draft, OPTION_COMMENT, pending);
    pending[0] = '\0';
    if (statistics) {
        put_option(&draft, OPTION_RECEIVED, &statistics->received, sizeof statistics->received);
        put_option(&draft, OPTION_DROPPED, &statistics->dropped, sizeof statistics->dropped);
    }
    put_32(&draft, OPTION_END);
    add_block(pcapng, PCAPNG_STATISTICS, &draft, NULL, 0, NULL);
}

void pcapng_change(struct pcapng *pcapng, const char *what, const char *form, uint64_t now_ns) {
    for (int i = 0; i < 2; i++) {
        if (pcapng->comment[i][0] != '\0') add_statistics(pcapng, (enum pcapng_interface)i, NULL, now_ns);
        snprintf(pcapng->comment[i], sizeof pcapng->comment[i], "trilane: %s at %llu.%09llu: %s", what,
                 (unsigned long long)((now_ns + pcapng->wall_offset_ns) / 1000000000),
                 (unsigned long long)((now_ns + pcapng->wall_offset_ns) % 1000000000), form);
    }
}

void pcapng_end(struct pcapng *pcapng, enum pcapng_interface interface,
                const struct pcapng_statistics *statistics, uint64_t end_ns) {
    add_statistics(pcapng, interface, statistics, end_ns);
}
