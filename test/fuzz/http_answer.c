// What a server answers trilane-fetch over HTTP/1.1 and HTTP/2, whole and in two pieces: it is over once at
// most, and says why it failed.
#include "fetch/byte_stream.h"
#include "target.h"

#include <string.h>

static unsigned overs;

static void on_over(void *context) {
    (void)context;
    overs++;
}

static void talk(const struct exchange_kind *kind, const uint8_t *data, size_t size, size_t first) {
    struct url url;
    struct response response;
    struct buf out = {0};
    const char *why;
    PROMISE(url_parse(&url, "https://shop.example/a?b", &why) == 0);
    struct exchange *exchange = kind->open();
    PROMISE(exchange);
    overs = 0;
    response_begin(&response, 1000, on_over, NULL);
    const struct request request = {&url, "fuzz"};
    kind->ask(exchange, &request, &response, &out);
    kind->received(exchange, data, first, &out);
    kind->received(exchange, data + first, size - first, &out);
    kind->ended(exchange, "the end");
    PROMISE(overs <= 1 && response.is_over == (overs == 1));
    PROMISE(!response.has_failed ||
            (response.reason[0] && memchr(response.reason, 0, sizeof response.reason)));
    kind->close(exchange);
    response_free(&response);
    url_free(&url);
    buf_free(&out);
}

// The first byte says which protocol, and where the pieces part.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const struct exchange_kind *kind = data[0] & 1 ? &h2_exchange : &h1_exchange;
    size_t first = data[0] >> 1;
    talk(kind, data + 1, size - 1, first < size - 1 ? first : size - 1);
    return 0;
}
