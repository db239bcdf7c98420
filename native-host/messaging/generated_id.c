#include "messaging/generated_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int generate_id(char id[GENERATED_ID_SIZE]) {
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    snprintf(id, GENERATED_ID_SIZE, "%08" PRIx32 "%08" PRIx32, (uint32_t)time(NULL), random);
    return 0;
}

bool is_generated_id(const char *text) {
    return strlen(text) == GENERATED_ID_LENGTH && strspn(text, "0123456789abcdef") == GENERATED_ID_LENGTH;
}

void generated_id_time(const char *id, char text[MADE_TIME_SIZE]) {
    uint32_t seconds = 0;
    sscanf(id, "%8" SCNx32, &seconds);
    time_t time = seconds;
    struct tm parts;
    if (!gmtime_r(&time, &parts) || strftime(text, MADE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}
