#include "messaging/answers.h"

#include "messaging/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    // JSON writes a byte as six at most (\u0001), and something stands around the text.
    PART_SIZE = 160 * 1024,
    // Below this a document is parsed and answered in one message, whatever its escapes come to.
    RESULT_SIZE_MAX = FRAME_OUT_MAX / 8,
};

// Takes `message` over.
static int send_message(const struct answers *answers, json_t *message) {
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text) return -1;
    int status = answers->send(answers->context, text, strlen(text));
    free(text);
    return status;
}

int answers_error(const struct answers *answers, json_t *id, const struct message_error *error) {
    return send_message(answers,
                        json_pack("{s:O?, s:b, s:{s:s, s:s, s:s}}", "id", id, "ok", 0, "error", "code",
                                  error->code, "message", error->message, "remedy", error->remedy));
}

int answers_done(const struct answers *answers, json_t *id, json_t *result) {
    json_t *answer = json_pack("{s:O, s:b}", "id", id, "ok", 1);
    if (!answer || json_object_update(answer, result) < 0) {
        json_decref(answer);
        return -1;
    }
    char *text = json_dumps(answer, JSON_COMPACT);
    json_decref(answer);
    if (!text) return -1;
    size_t size = strlen(text);
    int status;
    if (size <= FRAME_OUT_MAX) {
        status = answers->send(answers->context, text, size);
    } else {
        struct message_error error;
        message_fail(&error, "too-large", "ask for less", "the answer is larger than a message may be");
        status = answers_error(answers, id, &error);
    }
    free(text);
    return status;
}

int answers_event(const struct answers *answers, json_t *id, const char *event, json_t *fields) {
    json_t *message = json_pack("{s:O, s:s}", "id", id, "event", event);
    if (!message || json_object_update(message, fields) < 0) {
        json_decref(message);
        return -1;
    }
    return send_message(answers, message);
}

// ---- Documents ----

// Fills `bytes` from `offset` on. How many there were, or -1.
static ssize_t read_at(int fd, char *bytes, size_t size, off_t offset) {
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, bytes + done, size - done, offset + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int answer_result(const struct answers *answers, json_t *id, const char *bytes, size_t size,
                         const struct message_error *damaged) {
    json_t *document = json_loadb(bytes, size, 0, NULL);
    if (!json_is_object(document)) {
        json_decref(document);
        return answers_error(answers, id, damaged);
    }
    json_t *result = json_pack("{s:o}", "result", document);
    int status = result ? answers_done(answers, id, result) : -1;
    json_decref(result);
    return status;
}

// How many of the bytes end with a whole character of UTF-8.
static size_t whole_characters(const char *bytes, size_t size) {
    size_t end = size;
    while (end > 0 && size - end < 3 && ((unsigned char)bytes[end - 1] & 0xc0) == 0x80)
        end--;
    if (end == 0) return size;
    unsigned char first = (unsigned char)bytes[end - 1];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return size - (end - 1) < length ? end - 1 : size;
}

static int answer_parts(const struct answers *answers, json_t *id, int fd, char *bytes,
                        const struct message_error *damaged) {
    json_int_t index = 0;
    for (off_t offset = 0;; index++) {
        ssize_t n = read_at(fd, bytes, PART_SIZE, offset);
        if (n < 0) return answers_error(answers, id, damaged);
        if (n == 0) break;
        size_t size = n == PART_SIZE ? whole_characters(bytes, (size_t)n) : (size_t)n;
        json_t *data = json_stringn(bytes, size); // NULL for what is not UTF-8
        json_t *fields = data ? json_pack("{s:I, s:o}", "index", index, "data", data) : NULL;
        int status = fields ? answers_event(answers, id, "part", fields) : 1;
        json_decref(fields);
        if (status < 0) return -1;
        if (status > 0) return answers_error(answers, id, damaged);
        offset += (off_t)size;
    }
    json_t *result = json_pack("{s:I}", "parts", index);
    int status = result ? answers_done(answers, id, result) : -1;
    json_decref(result);
    return status;
}

int answers_document(const struct answers *answers, json_t *id, int fd, const struct message_error *damaged) {
    struct stat file;
    if (fstat(fd, &file) < 0) return answers_error(answers, id, damaged);
    char *bytes = malloc(PART_SIZE);
    if (!bytes) return -1;
    ssize_t n = 0;
    int status;
    if (file.st_size > RESULT_SIZE_MAX)
        status = answer_parts(answers, id, fd, bytes, damaged);
    else if ((n = read_at(fd, bytes, PART_SIZE, 0)) < 0)
        status = answers_error(answers, id, damaged);
    else
        status = answer_result(answers, id, bytes, (size_t)n, damaged);
    free(bytes);
    return status;
}
