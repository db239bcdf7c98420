// What a message's handler has come to.
#pragma once

enum handled {
    REFUSED = -1,         // *error says why
    HANDLED = 0,          // *result has the answer's own fields
    ANSWERED = 1,         // it has answered itself, or will
    CONNECTION_LOST = -2, // nothing can be said any more: nobody reads, or memory is short
};
