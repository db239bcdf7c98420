// A conversation with a trilane-host that has a home of its own, for tests of messages.
#pragma once

#include "messaging/dispatch.h"

#include <jansson.h>
#include <stddef.h>

struct setting {
    char *home;
    struct host_paths paths;
    struct answers answers;
    struct host *host;
};

// For cmocka: *state is a setting. Its command line is a path where there is none: no test of messages starts
// programs.
int conversation_set_up(void **state);
int conversation_tear_down(void **state);
#define CONVERSATION_TEST(name)                                                                              \
    UNIT_TEST_OF(name, struct setting *setting, conversation_set_up, conversation_tear_down)

// Begins another conversation in this home, whose host starts these.
void conversation_use(struct setting *setting, const char *cli, const char *host);

// The answer to a message, checked to be one: an id, and either ok or an error with code, message and remedy.
json_t *answer_to(struct host *host, const char *bytes, size_t size);
// The next message that the host has sent, checked as well; NULL where there is none. For those that sends
// several.
json_t *next_answer(void);
json_t *say(struct host *host, const char *text);
// The code of an error, "" for none; in a static buffer. Frees the answer.
const char *code_of(json_t *answer);
// Fails the test unless the answer's code is this. A macro, for the line in what it prints.
#define assert_code(answer, code) assert_string_equal(code_of(answer), code)

#define BEGIN                                                                                                \
    "{\"id\":1,\"type\":\"archive.begin\",\"name\":\"a\",\"url\":\"https://a.example/"                       \
    "\",\"source\":\"test\",\"notes\":{}}"
#define EXCHANGE(origin, more)                                                                               \
    "{\"id\":2,\"type\":\"archive.exchange\",\"transaction\":1,\"exchange\":{\"method\":\"GET\",\"scheme\":" \
    "\"https\","                                                                                             \
    "\"host\":\"a.example\",\"port\":443,\"path\":\"/\",\"request_headers\":[],\"address\":\"192.0.2.1\","   \
    "\"status\":200,\"response_headers\":[],\"body_origin\":\"" origin "\",\"recorded\":{}}" more "}"
#define COMMIT "{\"id\":3,\"type\":\"archive.commit\",\"transaction\":1}"
