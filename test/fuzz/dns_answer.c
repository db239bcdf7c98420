// Answers of a name server, as trilane-fetch reads their HTTPS records.
#include "fetch/https_record.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct https_answer answer = {0};
    https_record_read_all(&answer, data, size);
    PROMISE(answer.state == HTTPS_PRESENT || memchr(answer.reason, 0, sizeof answer.reason));
    PROMISE(answer.state != HTTPS_PRESENT || json_array_size(answer.records) > 0);
    json_decref(answer.records);
    json_decref(https_record_read(data, size));
    return 0;
}
