#include "shaper/nodes/packet_heap.h"

#include "shaper/nodes/node.h"

#include <stdlib.h>

static bool leaves_before(const struct packet_heap_entry *a, const struct packet_heap_entry *b) {
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->turn < b->turn;
}

int packet_heap_add(struct packet_heap *heap, struct packet *packet, uint64_t due_ns) {
    if (heap->count == heap->room) {
        uint64_t room = heap->room > 0 ? 2 * heap->room : 256;
        struct packet_heap_entry *entries = realloc(heap->entries, room * sizeof *entries);
        if (!entries) return -1;
        heap->entries = entries;
        heap->room = room;
    }
    struct packet_heap_entry entry = {due_ns, heap->turns++, packet};
    uint64_t place = heap->count++;
    for (; place > 0 && leaves_before(&entry, &heap->entries[(place - 1) / 2]); place = (place - 1) / 2)
        heap->entries[place] = heap->entries[(place - 1) / 2];
    heap->entries[place] = entry;
    return 0;
}

struct packet *packet_heap_remove(struct packet_heap *heap) {
    struct packet *packet = heap->entries[0].packet;
    struct packet_heap_entry last = heap->entries[--heap->count];
    uint64_t place = 0;
    for (;;) {
        uint64_t child = 2 * place + 1;
        if (child + 1 < heap->count && leaves_before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (child >= heap->count || !leaves_before(&heap->entries[child], &last)) break;
        heap->entries[place] = heap->entries[child];
        place = child;
    }
    heap->entries[place] = last;
    return packet;
}

uint64_t packet_heap_due_ns(const struct packet_heap *heap) {
    return heap->count > 0 ? heap->entries[0].due_ns : NODE_NEVER;
}

void packet_heap_close(struct packet_heap *heap) {
    free(heap->entries);
}
