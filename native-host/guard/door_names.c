// RFC 1035, section 4. An answer is the query's header and question, and one record that points at the name
// there (section 4.1.4). What follows the question, as EDNS's record, is not answered.
#include "guard/door_names.h"

#include <ctype.h>
#include <string.h>

enum {
    HEADER = 12,
    FLAGS = 2,
    QUESTIONS = 4,
    ANSWERS = 6,
    IS_ANSWER = 0x80,
    OPCODE = 0x78,
    RECURSION_DESIRED = 0x01,
    RECURSION_AVAILABLE = 0x80,
    NAME_ERROR = 3,
    TYPE_A = 1,
    CLASS_INTERNET = 1,
    LABEL_MAX = 63
};

static const uint8_t ttl_and_size[] = {0, 0, 0, 60, 0, sizeof(struct in_addr)};

static uint16_t get_16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

// The question's name as text, and where it ends; 0: malformed.
static size_t read_name(const uint8_t *query, size_t size, char name[DOOR_NAME_MAX]) {
    size_t at = HEADER, length = 0;
    while (at < size && query[at] > 0) {
        size_t label = query[at++];
        if (label > LABEL_MAX || at + label > size || length + label + 1 >= DOOR_NAME_MAX) return 0;
        if (length > 0) name[length++] = '.';
        for (size_t i = 0; i < label; i++)
            name[length++] = (char)tolower(query[at++]);
    }
    name[length] = 0;
    return at < size ? at + 1 : 0;
}

static const struct door_name *find(const struct door_name *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].name, name) == 0) return &names[i];
    return NULL;
}

size_t door_names_answer(const struct door_name *names, size_t count, const uint8_t *query, size_t query_size,
                         uint8_t answer[DOOR_ANSWER_MAX]) {
    char name[DOOR_NAME_MAX];
    if (query_size < HEADER || query_size > DOOR_QUERY_MAX || query[FLAGS] & (IS_ANSWER | OPCODE) ||
        get_16(query + QUESTIONS) != 1)
        return 0;
    size_t end = read_name(query, query_size, name);
    if (end == 0 || end + 4 > query_size) return 0;
    uint16_t type = get_16(query + end), class = get_16(query + end + 2);
    size_t size = end + 4;
    const struct door_name *found = find(names, count, name);
    memcpy(answer, query, size);
    memset(answer + ANSWERS, 0, HEADER - ANSWERS);
    answer[FLAGS] = (uint8_t)(IS_ANSWER | (query[FLAGS] & RECURSION_DESIRED));
    answer[FLAGS + 1] = (uint8_t)(RECURSION_AVAILABLE | (found ? 0 : NAME_ERROR));
    if (!found || type != TYPE_A || class != CLASS_INTERNET) return size;
    answer[ANSWERS + 1] = 1;
    static const uint8_t head[] = {0xc0, HEADER, 0, TYPE_A, 0, CLASS_INTERNET};
    memcpy(answer + size, head, sizeof head);
    size += sizeof head;
    memcpy(answer + size, ttl_and_size, sizeof ttl_and_size);
    size += sizeof ttl_and_size;
    memcpy(answer + size, &found->address, sizeof found->address);
    return size + sizeof found->address;
}
