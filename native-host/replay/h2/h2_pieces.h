// What the HTTP/2 lane has made and its stream has not taken yet: one TLS record of frames or less, whose
// bodies stay where they are in the recording. Does not know HTTP/2: the order is the caller's.
#pragma once

#include "base/buf.h"
#include "replay/tcp/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H2_PIECES_MAX = 64 };

// Bytes on their way to the stream: in `copied` (body is NULL) or in the recording.
struct h2_piece {
    const uint8_t *body;
    size_t size;
};

// Zeroed but for the stream: empty.
struct h2_pieces {
    struct stream *stream;
    struct buf copied;
    struct h2_piece pieces[H2_PIECES_MAX];
    int count;
    size_t waiting_bytes; // in all pieces
    bool failed;          // the stream is no more
};

void h2_pieces_free(struct h2_pieces *pieces);
// True where a frame may be added: a head and a body.
bool h2_pieces_have_room(const struct h2_pieces *pieces);
// Bytes that still fit with those that wait, 0 where there are enough.
size_t h2_pieces_left(const struct h2_pieces *pieces);
// 0, or -1 when memory is short.
int h2_pieces_copy(struct h2_pieces *pieces, const uint8_t *bytes, size_t size);
// `body` stays where it is until the stream has it.
void h2_pieces_add(struct h2_pieces *pieces, const uint8_t *body, size_t size);
// Gives the stream what it takes. True when nothing is left.
bool h2_pieces_hand_over(struct h2_pieces *pieces);
