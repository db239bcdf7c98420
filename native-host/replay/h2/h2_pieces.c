#include "replay/h2/h2_pieces.h"

#include <string.h>

void h2_pieces_free(struct h2_pieces *p) {
    buf_free(&p->copied);
}

bool h2_pieces_have_room(const struct h2_pieces *p) {
    return !p->failed && h2_pieces_left(p) > 0 && p->count <= H2_PIECES_MAX - 2;
}

size_t h2_pieces_left(const struct h2_pieces *p) {
    const size_t limit_bytes = stream_ahead_bytes(p->stream);
    return p->waiting_bytes < limit_bytes ? limit_bytes - p->waiting_bytes : 0;
}

int h2_pieces_copy(struct h2_pieces *p, const uint8_t *bytes, size_t size) {
    if (buf_add(&p->copied, bytes, size) < 0) return -1;
    struct h2_piece *last = p->count > 0 ? &p->pieces[p->count - 1] : NULL;
    if (last && !last->body)
        last->size += size;
    else
        p->pieces[p->count++] = (struct h2_piece){NULL, size};
    p->waiting_bytes += size;
    return 0;
}

void h2_pieces_add(struct h2_pieces *p, const uint8_t *body, size_t size) {
    p->pieces[p->count++] = (struct h2_piece){body, size};
    p->waiting_bytes += size;
}

static void drop_front(struct h2_pieces *p, size_t size) {
    p->waiting_bytes -= size;
    int gone = 0;
    while (size > 0) {
        struct h2_piece *piece = &p->pieces[gone];
        size_t part = size < piece->size ? size : piece->size;
        if (piece->body)
            piece->body += part;
        else
            buf_drain(&p->copied, part);
        piece->size -= part;
        size -= part;
        if (piece->size == 0) gone++;
    }
    p->count -= gone;
    memmove(p->pieces, p->pieces + gone, (size_t)p->count * sizeof *p->pieces);
}

bool h2_pieces_hand_over(struct h2_pieces *p) {
    while (p->count > 0 && !p->failed) {
        struct iovec list[H2_PIECES_MAX];
        const uint8_t *copied = buf_bytes(&p->copied);
        for (int i = 0; i < p->count; i++) {
            const struct h2_piece *piece = &p->pieces[i];
            list[i] = (struct iovec){(void *)(uintptr_t)(piece->body ? piece->body : copied), piece->size};
            if (!piece->body) copied += piece->size;
        }
        ssize_t taken = stream_writev(p->stream, list, p->count);
        if (taken == STREAM_AGAIN) return false;
        if (taken <= 0)
            p->failed = true;
        else
            drop_front(p, (size_t)taken);
    }
    return !p->failed;
}
