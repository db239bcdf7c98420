// Which connection a QUIC packet belongs to, by its destination connection id. Does not own what it points
// to.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CID_MAX = 20, CID_BYTES = 16 /* of ours */ };

struct cid {
    uint8_t size;
    uint8_t bytes[CID_MAX];
};

struct cid_entry {
    struct cid cid;
    void *owner; // NULL: free
};

// Zeroed: empty. Open addressing with linear probing; at most half full.
struct cid_table {
    struct cid_entry *entries;
    size_t capacity; // a power of two
    size_t count;
};

void cid_table_free(struct cid_table *table);
void *cid_table_find(const struct cid_table *table, const struct cid *cid);
// The id must not be in it yet. 0, or -1 when memory is short.
int cid_table_add(struct cid_table *table, const struct cid *cid, void *owner);
void cid_table_remove(struct cid_table *table, const struct cid *cid);
