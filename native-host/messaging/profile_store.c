#include "messaging/profile_store.h"

#include "base/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NAME_SIZE = GENERATED_ID_SIZE + 16, DESCRIPTION_SIZE_MAX = 4096, SLUG_SIZE = 61 };

// What a reader's string may hold: no browser hands over more.
static const uint64_t profile_size_max = UINT64_C(512) << 20;

struct profile_upload {
    int folder; // HOME/profiles
    int fd;     // ID.part, locked for as long as it is being written
    uint64_t size;
    char first, last; // of the text, white space left out; 0: none yet
    char *name;
    char id[GENERATED_ID_SIZE];
    char path[PATH_MAX]; // the folder's, for messages
};

static void file_name(char name[NAME_SIZE], const char *id, const char *extension) {
    snprintf(name, NAME_SIZE, "%s.%s", id, extension);
}

static int folder_path(char path[PATH_MAX], const char *home, struct message_error *error) {
    if (snprintf(path, PATH_MAX, "%s/profiles", home) < PATH_MAX) return 0;
    return message_fail(error, "failed", "choose another with --home", "the data folder's path is too long");
}

static int write_whole(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

// ---- Writing ----

// What hosts that were killed left: no one holds a lock on it.
static void remove_left(int folder) {
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    if (!entries) {
        if (again >= 0) close(again);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".part") != 0) continue;
        int fd = openat(folder, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, entry->d_name, 0);
        close(fd);
    }
    closedir(entries);
}

static int check_room(const char *path, uint64_t bytes, struct message_error *error) {
    struct statvfs disk;
    if (bytes > profile_size_max)
        return message_fail(error, "too-large", "profile the page without bodies",
                            "profile of %llu bytes: at most %llu are kept", (unsigned long long)bytes,
                            (unsigned long long)profile_size_max);
    if (statvfs(path, &disk) == 0 && bytes / disk.f_frsize >= disk.f_bavail) {
        errno = ENOSPC;
        return message_fail_errno(error, path);
    }
    return 0;
}

static void free_upload(struct profile_upload *upload) {
    if (upload->fd >= 0) close(upload->fd);
    if (upload->folder >= 0) close(upload->folder);
    free(upload->name);
    free(upload);
}

static int open_part(struct profile_upload *upload, struct message_error *error) {
    char part[NAME_SIZE];
    if (folders_make(upload->path) < 0 ||
        (upload->folder = open(upload->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
        generate_id(upload->id) < 0)
        return message_fail_errno(error, upload->path);
    // Under the folder's lock, or another host could take the file for one that was left before it is locked.
    flock(upload->folder, LOCK_EX);
    remove_left(upload->folder);
    file_name(part, upload->id, "part");
    upload->fd = openat(upload->folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = upload->fd < 0 || flock(upload->fd, LOCK_EX | LOCK_NB) < 0 ? -1 : 0;
    if (status < 0) status = message_fail_errno(error, upload->path);
    flock(upload->folder, LOCK_UN);
    return status;
}

int profile_upload_open(struct profile_upload **out, const char *home, const char *name, uint64_t bytes,
                        struct message_error *error) {
    struct profile_upload *upload = calloc(1, sizeof *upload);
    if (!upload) return message_fail_memory(error);
    upload->folder = upload->fd = -1;
    int status = 0;
    if (!(upload->name = strdup(name))) status = message_fail_memory(error);
    if (status == 0) status = folder_path(upload->path, home, error);
    if (status == 0) status = open_part(upload, error);
    if (status == 0) status = check_room(upload->path, bytes, error);
    if (status < 0)
        profile_upload_abort(upload);
    else
        *out = upload;
    return status;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int profile_upload_add(struct profile_upload *upload, const char *text, size_t size,
                       struct message_error *error) {
    if (upload->size + size > profile_size_max) return check_room(upload->path, upload->size + size, error);
    for (size_t i = 0; i < size && !upload->first; i++)
        if (!is_space(text[i])) upload->first = text[i];
    for (size_t i = size; i > 0; i--) {
        if (is_space(text[i - 1])) continue;
        upload->last = text[i - 1];
        break;
    }
    if (write_whole(upload->fd, text, size) < 0) return message_fail_errno(error, upload->path);
    upload->size += size;
    return 0;
}

static int write_description(const struct profile_upload *upload) {
    char file[NAME_SIZE];
    file_name(file, upload->id, "json");
    json_t *description = json_pack("{s:s}", "name", upload->name);
    char *text = description ? json_dumps(description, JSON_COMPACT) : NULL;
    json_decref(description);
    if (!text) {
        errno = ENOMEM;
        return -1;
    }
    int fd = openat(upload->folder, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = fd < 0 ? -1 : write_whole(fd, text, strlen(text));
    if (fd >= 0 && close(fd) < 0) status = -1;
    free(text);
    return status;
}

int profile_upload_commit(struct profile_upload *upload, char id[GENERATED_ID_SIZE],
                          struct message_error *error) {
    char part[NAME_SIZE], whole[NAME_SIZE], description[NAME_SIZE];
    file_name(part, upload->id, "part");
    file_name(whole, upload->id, "har");
    file_name(description, upload->id, "json");
    int status = 0;
    if (upload->first != '{' || upload->last != '}') {
        status = message_fail(error, "invalid", "send all of the HAR's text",
                              "profile: its text is not a whole JSON object");
    } else if (write_description(upload) < 0 || renameat(upload->folder, part, upload->folder, whole) < 0) {
        status = message_fail_errno(error, upload->path);
        unlinkat(upload->folder, description, 0);
    }
    if (status < 0) {
        profile_upload_abort(upload);
        return -1;
    }
    memcpy(id, upload->id, GENERATED_ID_SIZE);
    free_upload(upload);
    return 0;
}

void profile_upload_abort(struct profile_upload *upload) {
    char part[NAME_SIZE];
    file_name(part, upload->id, "part");
    unlinkat(upload->folder, part, 0);
    free_upload(upload);
}

// ---- Reading and removing ----

// The folder, or -1: *there says whether that is because there is none.
static int open_folder(const char *home, bool *there, struct message_error *error) {
    char path[PATH_MAX];
    *there = true;
    if (folder_path(path, home, error) < 0) return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == ENOENT)
        *there = false;
    else if (folder < 0)
        message_fail_errno(error, path);
    return folder;
}

static int fail_not_found(const char *id, struct message_error *error) {
    return message_fail(error, "not-found", "see profile.list", "profile %s: there is none", id);
}

// The folder of a profile that is requested, or -1.
static int open_folder_of(const char *home, const char *id, struct message_error *error) {
    bool there;
    int folder = open_folder(home, &there, error);
    if (folder < 0 && !there) fail_not_found(id, error);
    return folder;
}

static int fail_at(const char *id, const char *path, struct message_error *error) {
    return errno == ENOENT ? fail_not_found(id, error) : message_fail_errno(error, path);
}

// What people call it; "" where its description has gone.
static json_t *read_name(int folder, const char *id) {
    char file[NAME_SIZE], text[DESCRIPTION_SIZE_MAX];
    file_name(file, id, "json");
    int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (fd >= 0) close(fd);
    json_t *description = size > 0 ? json_loadb(text, (size_t)size, 0, NULL) : NULL;
    json_t *name = json_object_get(description, "name");
    name = json_is_string(name) ? json_incref(name) : json_string("");
    json_decref(description);
    return name;
}

static int newest_first(const struct dirent **a, const struct dirent **b) {
    return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_profile_file(const struct dirent *entry) {
    char id[GENERATED_ID_SIZE];
    snprintf(id, sizeof id, "%.*s", GENERATED_ID_LENGTH, entry->d_name);
    return is_generated_id(id) && strcmp(entry->d_name + GENERATED_ID_LENGTH, ".har") == 0;
}

// 0, or -1 when memory is short. A file that has gone meanwhile is left out.
static int add_listed(json_t *profiles, int folder, const char *file) {
    char id[GENERATED_ID_SIZE], saved[MADE_TIME_SIZE];
    struct stat info;
    snprintf(id, sizeof id, "%.*s", GENERATED_ID_LENGTH, file);
    if (fstatat(folder, file, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(info.st_mode)) return 0;
    generated_id_time(id, saved);
    return json_array_append_new(profiles, json_pack("{s:s, s:o, s:I, s:s}", "profile", id, "name",
                                                     read_name(folder, id), "bytes", (json_int_t)info.st_size,
                                                     "saved", saved));
}

int profile_list(json_t **profiles, bool *more, const char *home, const char *after,
                 struct message_error *error) {
    bool there;
    *more = false;
    int folder = open_folder(home, &there, error);
    if (folder < 0 && there) return -1;
    if (!(*profiles = json_array())) {
        if (folder >= 0) close(folder);
        return message_fail_memory(error);
    }
    if (!there) return 0;
    struct dirent **entries = NULL;
    int count = scandirat(folder, ".", &entries, is_profile_file, newest_first);
    int status = 0;
    for (int i = 0; i < count; i++) {
        // What was saved or removed since the page before does not move what follows it.
        bool listed = !after || strncmp(entries[i]->d_name, after, GENERATED_ID_LENGTH) < 0;
        if (status == 0 && listed && json_array_size(*profiles) == PROFILES_LISTED_MAX)
            *more = true;
        else if (status == 0 && listed)
            status = add_listed(*profiles, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    close(folder);
    if (count >= 0 && status == 0) return 0;
    json_decref(*profiles);
    *profiles = NULL;
    return message_fail_memory(error);
}

int profile_open(int *fd, const char *home, const char *id, struct message_error *error) {
    int folder = open_folder_of(home, id, error);
    if (folder < 0) return -1;
    char file[NAME_SIZE];
    file_name(file, id, "har");
    *fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int status = *fd < 0 ? fail_at(id, file, error) : 0;
    close(folder);
    return status;
}

int profile_find(const char *home, const char *id, struct message_error *error) {
    int fd = -1;
    if (profile_open(&fd, home, id, error) < 0) return -1;
    close(fd);
    return 0;
}

// What a file may be called after this name: letters and digits as they are, anything else a "-".
static void slug_of(char slug[SLUG_SIZE], const char *name) {
    size_t size = 0;
    for (; *name && size < SLUG_SIZE - 1; name++) {
        bool kept = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                    (*name >= '0' && *name <= '9');
        if (kept)
            slug[size++] = *name;
        else if (size > 0 && slug[size - 1] != '-')
            slug[size++] = '-';
    }
    while (size > 0 && slug[size - 1] == '-')
        size--;
    slug[size] = '\0';
}

static int copy_bytes(int from, int to) {
    char bytes[64 * 1024];
    for (;;) {
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return (int)n;
        if (write_whole(to, bytes, (size_t)n) < 0) return -1;
    }
}

// 0, or -1 with errno and nothing left.
static int copy_file(int folder, const char *file, const char *path) {
    int from = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (from < 0) return -1;
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = to < 0 ? -1 : copy_bytes(from, to);
    if (to >= 0 && close(to) < 0) status = -1; // a full disk may show only here
    int why = errno;
    if (to >= 0 && status < 0) unlink(path);
    close(from);
    errno = why;
    return status;
}

// People may keep the profiles on another disk, through a link or a mount: across disks there is only a copy.
static int link_or_copy(int folder, const char *file, const char *path) {
    if (linkat(folder, file, AT_FDCWD, path, 0) == 0) return 0;
    return errno == EXDEV ? copy_file(folder, file, path) : -1;
}

int profile_link(char path[PATH_MAX], const char *home, const char *id, const char *folder,
                 struct message_error *error) {
    char file[NAME_SIZE], slug[SLUG_SIZE];
    int profiles = open_folder_of(home, id, error);
    if (profiles < 0) return -1;
    json_t *name = read_name(profiles, id);
    slug_of(slug, name ? json_string_value(name) : "");
    json_decref(name);
    file_name(file, id, "har");
    // Two pages may have one name; the id's second half is its random one.
    int size = snprintf(path, PATH_MAX, "%s/%s-%s.har", folder, slug[0] ? slug : "page",
                        id + GENERATED_ID_LENGTH / 2);
    int status = 0;
    if (size >= PATH_MAX) errno = ENAMETOOLONG;
    if (size >= PATH_MAX || link_or_copy(profiles, file, path) < 0) status = fail_at(id, path, error);
    close(profiles);
    return status;
}

int profile_remove(const char *home, const char *id, struct message_error *error) {
    int folder = open_folder_of(home, id, error);
    if (folder < 0) return -1;
    char file[NAME_SIZE];
    file_name(file, id, "har");
    int status = unlinkat(folder, file, 0) < 0 ? fail_at(id, file, error) : 0;
    file_name(file, id, "json");
    if (status == 0) unlinkat(folder, file, 0);
    close(folder);
    return status;
}
