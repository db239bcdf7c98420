#include "shaper/tun/lab_files.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char resolv_conf[] = "/etc/resolv.conf";

// What is shown, as it was before all was hidden.
struct kept {
    char path[PATH_MAX];
    struct stat status;
    bool is_writable;
    int fd; // -1: is not there
};

static void keep(struct kept *kept, const struct lab_shown *shown) {
    kept->is_writable = shown->is_writable;
    kept->fd = realpath(shown->path, kept->path) ? open(kept->path, O_PATH | O_CLOEXEC) : -1;
    if (kept->fd >= 0) fstat(kept->fd, &kept->status);
}

static int make_folders_above(char *path) {
    for (char *at = path; (at = strchr(at + 1, '/'));) {
        *at = '\0';
        const int made = mkdir(path, 0755);
        *at = '/';
        if (made < 0 && errno != EEXIST) return -1;
    }
    return 0;
}

// What a mount forbids already stays forbidden: a user namespace may not take that back.
static int make_read_only(const char *path) {
    static const struct {
        unsigned long has, flag;
    } forbids[] = {{ST_NOSUID, MS_NOSUID},   {ST_NODEV, MS_NODEV},           {ST_NOEXEC, MS_NOEXEC},
                   {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME}, {ST_RELATIME, MS_RELATIME}};
    struct statvfs mounted;
    if (statvfs(path, &mounted) < 0) return -1;
    unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY;
    for (size_t i = 0; i < sizeof forbids / sizeof *forbids; i++)
        if (mounted.f_flag & forbids[i].has) flags |= forbids[i].flag;
    return mount(NULL, path, NULL, flags, NULL);
}

static int show(struct kept *kept) {
    struct stat now;
    if (kept->fd < 0) return 0;
    // What is writable may stand in what is shown to read only.
    if (!kept->is_writable && stat(kept->path, &now) == 0 && now.st_ino == kept->status.st_ino &&
        now.st_dev == kept->status.st_dev)
        return 0;
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", kept->fd);
    if (make_folders_above(kept->path) < 0) return -1;
    const bool is_folder = S_ISDIR(kept->status.st_mode);
    const int made = is_folder ? mkdir(kept->path, 0755) : mknod(kept->path, S_IFREG | 0644, 0);
    if (made < 0 && errno != EEXIST) return -1;
    if (mount(source, kept->path, NULL, MS_BIND | MS_REC, NULL) < 0) return -1;
    return kept->is_writable ? 0 : make_read_only(kept->path);
}

// A folder that was hidden is still there for who stands in it.
static void leave_hidden_folder(const char *before) {
    if (chdir(before) < 0 && chdir("/") < 0) _exit(EXIT_RUN_FAILED);
}

int lab_hide_files(const struct lab_files *files) {
    if (files->hidden_count == 0) return 0;
    struct kept *kept = calloc(files->shown_count + 1, sizeof *kept);
    char here[PATH_MAX];
    const char *failed = kept && getcwd(here, sizeof here) ? NULL : "files of the lab";
    for (size_t i = 0; !failed && i < files->shown_count; i++)
        keep(&kept[i], &files->shown[i]);
    // Where it is a link: ours is put over what it leads to.
    const struct lab_shown resolver = {.path = resolv_conf};
    if (!failed) keep(&kept[files->shown_count], &resolver);
    for (size_t i = 0; !failed && i < files->hidden_count; i++)
        if (mount("tmpfs", files->hidden[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0 &&
            errno != ENOENT)
            failed = files->hidden[i];
    for (size_t i = 0; !failed && i <= files->shown_count; i++)
        if (show(&kept[i]) < 0) failed = kept[i].path;
    if (failed)
        log_line("%s: cannot be hidden from the command, or shown: %s", failed, strerror(errno));
    else
        leave_hidden_folder(here);
    for (size_t i = 0; kept && i <= files->shown_count; i++)
        if (kept[i].fd > 0) close(kept[i].fd);
    free(kept);
    return failed ? -1 : 0;
}

// The file replaces `path` for the command; a system without that file needs none.
static int replace(const char *path, const char *text) {
    struct stat there;
    if (stat(path, &there) < 0 && errno == ENOENT) return 0;
    char source[64];
    snprintf(source, sizeof source, "/tmp/%s", strrchr(path, '/') + 1);
    FILE *file = fopen(source, "we");
    if (!file) return -1;
    int written = fputs(text, file);
    if (fclose(file) != 0 || written < 0 || chmod(source, 0644) < 0) return -1;
    return mount(source, path, NULL, MS_BIND, NULL);
}

int lab_name_files(const char *address) {
    char resolv[128], hosts[512], host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(resolv, sizeof resolv, "nameserver %s\noptions timeout:2 attempts:3\n", address);
    snprintf(hosts, sizeof hosts, "127.0.0.1 localhost %s\n::1 localhost\n", host);
    struct stat there;
    if (stat(resolv_conf, &there) < 0) {
        log_line("/etc/resolv.conf: %s: make one (`sudo touch /etc/resolv.conf`): the command's own is put "
                 "over it",
                 strerror(errno));
        return -1;
    }
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") < 0 ||
        replace(resolv_conf, resolv) < 0 || replace("/etc/nsswitch.conf", "hosts: files dns\n") < 0 ||
        replace("/etc/hosts", hosts) < 0 || umount2("/tmp", MNT_DETACH) < 0) {
        log_line("name service files of the lab: %s", strerror(errno));
        return -1;
    }
    // A name service cache of the machine answers through its socket, whatever the network namespace.
    if (stat("/run/nscd", &there) == 0)
        mount("tmpfs", "/run/nscd", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k");
    return 0;
}
