#include "replay/h3/cid_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

// FNV-1a. Ours are random, and no client in a lab chooses ids that collide.
static size_t slot_of(const struct cid_table *table, const struct cid *cid) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < cid->size; i++)
        hash = (hash ^ cid->bytes[i]) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 32) & (table->capacity - 1);
}

static bool same(const struct cid *a, const struct cid *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void cid_table_free(struct cid_table *table) {
    free(table->entries);
    *table = (struct cid_table){0};
}

static struct cid_entry *find(const struct cid_table *table, const struct cid *cid) {
    if (table->count == 0) return NULL;
    for (size_t i = slot_of(table, cid);; i = (i + 1) & (table->capacity - 1)) {
        struct cid_entry *entry = &table->entries[i];
        if (!entry->owner) return NULL;
        if (same(&entry->cid, cid)) return entry;
    }
}

void *cid_table_find(const struct cid_table *table, const struct cid *cid) {
    struct cid_entry *entry = find(table, cid);
    return entry ? entry->owner : NULL;
}

static void put(struct cid_table *table, const struct cid_entry *entry) {
    size_t i = slot_of(table, &entry->cid);
    while (table->entries[i].owner)
        i = (i + 1) & (table->capacity - 1);
    table->entries[i] = *entry;
    table->count++;
}

static int grow(struct cid_table *table) {
    struct cid_table larger = {.capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries) return -1;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].owner) put(&larger, &table->entries[i]);
    free(table->entries);
    *table = larger;
    return 0;
}

int cid_table_add(struct cid_table *table, const struct cid *cid, void *owner) {
    if (table->count * 2 >= table->capacity && grow(table) < 0) return -1;
    put(table, &(struct cid_entry){*cid, owner});
    return 0;
}

void cid_table_remove(struct cid_table *table, const struct cid *cid) {
    struct cid_entry *entry = find(table, cid);
    if (!entry) return;
    entry->owner = NULL;
    table->count--;
    // Those behind it may have been put here past it: put them again, up to the next free place.
    size_t i = (size_t)(entry - table->entries);
    for (;;) {
        i = (i + 1) & (table->capacity - 1);
        struct cid_entry moved = table->entries[i];
        if (!moved.owner) return;
        table->entries[i].owner = NULL;
        table->count--;
        put(table, &moved);
    }
}
