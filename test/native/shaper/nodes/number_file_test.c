// Files of numbers as people write them, and the line that says what is wrong with one.
#include "shaper/nodes/number_file.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <sys/stat.h>

static char error[256];

static struct number_file *open_text(const char *text, size_t size, double max) {
    FILE *file = fopen(unit_path("numbers"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    error[0] = 0;
    return number_file_open(unit_path("numbers"), max, error, sizeof error);
}

static json_t *load_examples(void) {
    json_error_t bad;
    json_t *examples = json_load_file(TRILANE_ROOT "/schemas/examples/number-files.json", 0, &bad);
    if (!examples) fail_msg("%s: %s", bad.source, bad.text);
    return examples;
}

static struct number_file *open_example(const json_t *example) {
    const char *text = json_string_value(json_object_get(example, "text"));
    return open_text(text, strlen(text), 30);
}

UNIT_TEST(numbers_are_read_and_wrap) {
    size_t index;
    json_t *example, *examples = load_examples(), *valid = json_object_get(examples, "valid");
    assert_true(json_array_size(valid) >= 10);
    json_array_foreach(valid, index, example) {
        const json_t *expected = json_object_get(example, "numbers");
        struct number_file *file = open_example(example);
        if (!file) fail_msg("%s", error);
        size_t count = json_array_size(expected);
        assert_int_equal(number_file_count(file), count);
        for (uint64_t n = 0; n < 3 * count; n++)
            assert_true(number_file_at(file, n) == json_number_value(json_array_get(expected, n % count)));
        number_file_close(file);
    }
    json_decref(examples);
}

UNIT_TEST(what_is_no_number_is_refused_with_its_line) {
    size_t index;
    json_t *example, *examples = load_examples(), *invalid = json_object_get(examples, "invalid");
    assert_true(json_array_size(invalid) >= 20);
    json_array_foreach(invalid, index, example) {
        if (open_example(example))
            fail_msg("%s was taken", json_string_value(json_object_get(example, "text")));
        char place[128];
        snprintf(place, sizeof place, "%s: line %d: \"", unit_path("numbers"),
                 (int)json_integer_value(json_object_get(example, "line")));
        if (strncmp(error, place, strlen(place)) != 0) fail_msg("%s instead of %s", error, place);
    }
    json_decref(examples);
}

UNIT_TEST(errors_name_file_and_line) {
    static const struct {
        const char *text;
        size_t size;
        const char *expected; // after the file's name
    } cases[] = {
        {"", 0, ": line 1: no number: write one a line"},
        {" \n\n", 3, ": line 3: no number: write one a line"},
        {"1\ntwo\n", 6, ": line 2: \"two\" is not a number from 0 to 100: write decimal numbers, one a line"},
        {"1\n\n-1\n", 6, ": line 3: \"-1\" is not a number from 0 to 100: write decimal numbers, one a line"},
        {"101", 3, ": line 1: \"101\" is not a number"},
        {"1 2 nan", 7, ": line 1: \"nan\" is not a number"},
        {"inf", 3, ": line 1: \"inf\" is not a number"},
        {"0x10", 4, ": line 1: \"0x10\" is not a number"},
        {"1e", 2, ": line 1: \"1e\" is not a number"},
        {"1,2", 3, ": line 1: \"1,2\" is not a number"},
        {"e", 1, ": line 1: \"e\" is not a number"},
        {"3\0004", 3, ": line 1: \"3\" is not a number"},
        {"5\n\033[2J", 6, ": line 2: \"?[2J\" is not a number"},
        {"1e999", 5, ": line 1: \"1e999\" is not a number"},
        {"0000000000000000000000000000000000000000000000000000000000000000000000000000001", 79,
         ": line 1: \"000000000000000000000000\" is not a number"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        assert_null(open_text(cases[c].text, cases[c].size, 100));
        assert_memory_equal(error, unit_path("numbers"), strlen(unit_path("numbers")));
        if (strncmp(error + strlen(unit_path("numbers")), cases[c].expected, strlen(cases[c].expected)) != 0)
            fail_msg("%s", error);
        assert_null(strchr(error, '\n'));
    }
}

UNIT_TEST(only_regular_files_are_read) {
    assert_null(number_file_open("/no/such/file", 1, error, sizeof error));
    assert_string_equal(error, "/no/such/file: No such file or directory: name a file of numbers");
    assert_null(number_file_open("/tmp", 1, error, sizeof error));
    assert_string_equal(error, "/tmp: not a regular file: name a file of numbers");
    unlink(unit_path("numbers"));
    assert_int_equal(mkfifo(unit_path("numbers"), 0600), 0); // nobody writes into it
    assert_null(number_file_open(unit_path("numbers"), 1, error, sizeof error));
    assert_non_null(strstr(error, ": not a regular file"));
    unlink(unit_path("numbers"));
}

UNIT_TEST(a_million_numbers_are_read) {
    FILE *stream = fopen(unit_path("numbers"), "w");
    for (int i = 0; i < 1000000; i++)
        fprintf(stream, "%d\n", i % 977);
    fclose(stream);
    struct number_file *file = number_file_open(unit_path("numbers"), 1000, error, sizeof error);
    assert_non_null(file);
    assert_int_equal(number_file_count(file), 1000000);
    for (uint64_t n = 0; n < 1000000; n += 991)
        assert_true(number_file_at(file, n) == (double)(n % 977));
    number_file_close(file);
}

// Any bytes: taken or refused with one line, and never worse.
UNIT_TEST(random_bytes_do_no_harm) {
    static const char alphabet[] = "0123456789.eE+-\n\t x\0\xff";
    srand(5);
    int taken = 0;
    for (int round = 0; round < 20000; round++) {
        char text[100];
        size_t size = (size_t)rand() % sizeof text;
        size_t letters = round % 2 ? sizeof alphabet - 1 : 13;
        for (size_t i = 0; i < size; i++)
            text[i] = rand() % 4 == 0 ? '\n' : alphabet[(size_t)rand() % letters];
        struct number_file *file = open_text(text, size, 1e6);
        taken += file != NULL;
        assert_true(file || (strncmp(error, unit_path("numbers"), strlen(unit_path("numbers"))) == 0 &&
                             !strchr(error, '\n')));
        number_file_close(file);
    }
    assert_in_range(taken, 100, 19900);
}
