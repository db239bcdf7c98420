// Drop-head: first in, first out, and what has waited longest is dropped until what arrives fits. Senders
// learn of the drop a queue's length earlier than behind a drop-tail queue.
#pragma once

#include "shaper/nodes/queue.h"

extern const struct queue_kind drop_head_kind;
