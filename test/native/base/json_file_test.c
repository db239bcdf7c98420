// json_file: the whole document or the file as it was.
#include "base/json_file.h"
#include "test/native/cmocka_unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int entries(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

UNIT_TEST(written_file_reads_back_and_replaces) {
    char folder[64], path[80];
    snprintf(path, sizeof path, "%s/report.json", unit_new_folder(folder));
    for (int i = 1; i <= 2; i++) {
        json_t *document = json_pack("{s:i}", "turn", i);
        assert_int_equal(json_file_write(path, document), 0);
        json_decref(document);
        json_t *read = json_load_file(path, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(read, "turn")), i);
        json_decref(read);
        assert_int_equal(entries(folder), 1);
    }
}

UNIT_TEST(failure_leaves_nothing) {
    json_t *document = json_pack("{s:i}", "turn", 1);
    assert_int_equal(json_file_write("/nonexistent/folder/report.json", document), -1);
    assert_int_equal(errno, ENOENT);
    // A folder stands where the file should go: the document is written and cannot be renamed.
    char folder[64], path[80], inside[96];
    snprintf(path, sizeof path, "%s/taken", unit_new_folder(folder));
    snprintf(inside, sizeof inside, "%s/x", path);
    assert_int_equal(mkdir(path, 0700) + mkdir(inside, 0700), 0);
    assert_int_equal(json_file_write(path, document), -1);
    assert_int_equal(entries(folder), 1);
    json_decref(document);
}

// As on a full disk: the first byte cannot be written.
UNIT_TEST(full_disk_is_an_error) {
    char folder[64], path[80];
    snprintf(path, sizeof path, "%s/report.json", unit_new_folder(folder));
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    json_t *document = json_pack("{s:i}", "turn", 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int result = json_file_write(path, document), why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, -1);
    assert_int_equal(why, EFBIG);
    assert_int_equal(entries(folder), 0);
    json_decref(document);
}

// The temporary file's name is no one's to foresee: a symlink under the one that it had is not followed.
UNIT_TEST(a_symlink_is_not_followed) {
    char folder[64], path[80], temporary[96], victim[80];
    snprintf(path, sizeof path, "%s/report.json", unit_new_folder(folder));
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(temporary, sizeof temporary, "%s.%d.tmp", path, (int)getpid());
    assert_int_equal(symlink(victim, temporary), 0);
    json_t *document = json_pack("{s:i}", "turn", 1);
    assert_int_equal(json_file_write(path, document), 0);
    assert_int_equal(access(victim, F_OK), -1);
    json_decref(document);
    assert_int_equal(entries(folder), 2);
}

// A rename would replace them: a report for /dev/null, written by root, would leave the machine without one.
UNIT_TEST(devices_pipes_and_descriptors_are_written_into) {
    char folder[64], device[80], pipe[80], file[80], descriptor[64], text[64];
    snprintf(device, sizeof device, "%s/device", unit_new_folder(folder));
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    snprintf(file, sizeof file, "%s/file", folder);
    json_t *document = json_pack("{s:i}", "turn", 1);
    struct stat there;

    assert_int_equal(symlink("/dev/full", device), 0);
    assert_int_equal(json_file_try(device), 0);
    assert_int_equal(json_file_write(device, document), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(lstat(device, &there), 0);
    assert_true(S_ISLNK(there.st_mode));

    assert_int_equal(mkfifo(pipe, 0600), 0);
    int end = open(pipe, O_RDWR | O_CLOEXEC);
    assert_int_equal(json_file_try(pipe), 0);
    assert_int_equal(json_file_write(pipe, document), 0);
    assert_int_equal(read(end, text, sizeof text), strlen("{\"turn\":1}\n"));
    assert_memory_equal(text, "{\"turn\":1}\n", strlen("{\"turn\":1}\n"));
    close(end);

    int open_file = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(open_file, "before\n", 7), 7);
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", open_file);
    assert_int_equal(json_file_write(descriptor, document), 0);
    assert_int_equal(pread(open_file, text, sizeof text, 0), strlen("before\n{\"turn\":1}\n"));
    close(open_file);

    json_decref(document);
    assert_int_equal(entries(folder), 3);
}
