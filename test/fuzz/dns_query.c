// Queries of a lab's browser, as the replay's name server answers them: never more than was asked to be
// written, never of another query.
#include "replay/dns/dns_zone.h"
#include "target.h"

#include <string.h>

static const struct recorded_exchange exchanges[] = {
    {.seq = 0, .scheme = "https", .host = "www.example.org", .port = 443, .address = "192.0.2.10"},
    {.seq = 1, .scheme = "https", .host = "www.example.org", .port = 443, .address = "2001:db8::10"},
    {.seq = 2, .scheme = "http", .host = "plain.example.org", .port = 80, .address = "192.0.2.11"},
};
static const struct recording recording = {.name = "fuzz",
                                           .exchanges = (struct recorded_exchange *)exchanges,
                                           .exchange_count = sizeof exchanges / sizeof *exchanges};

// `question`: NULL if none could be read.
static void check(const uint8_t *answer, size_t size, bool tcp, const struct dns_question *question) {
    PROMISE(answer[2] & 0x80 && (tcp || size <= 1232));
    if (!question) {
        PROMISE(answer[6] == 0 && answer[7] == 0); // answers
        return;
    }
    PROMISE(answer[4] == 0 && answer[5] == 1);
    PROMISE((answer[3] & 0xf) == (question->outcome == DNS_NXDOMAIN ? 3 : 0) && question->name[0]);
    for (const char *c = question->name; *c; c++)
        PROMISE(*c >= '!' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct dns_zone *zone;
    static uint8_t answer[DNS_MESSAGE_MAX];
    char error[256];
    if (!zone) PROMISE(dns_zone_open(&zone, &recording, "h2,h3", true, error, sizeof error) == 0);
    for (int tcp = 0; tcp < 2; tcp++) {
        struct dns_question question;
        bool asked = false;
        size_t answered = dns_answer(zone, data, size, tcp, answer, &question, &asked);
        PROMISE(answered <= sizeof answer);
        PROMISE(answered == 0 || (answered >= 12 && size >= 12 && memcmp(answer, data, 2) == 0));
        PROMISE(!asked || (answered > 0 && memchr(question.name, 0, sizeof question.name)));
        if (answered > 0) check(answer, answered, tcp, asked ? &question : NULL);
    }
    return 0;
}
