// The files are made in a tmpfs that is mounted only for the moment: binding them elsewhere keeps them alive.
#include "shaper/near.h"

#include "base/log.h"
#include "base/namespace.h"
#include "base/netlink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint32_t mtu = 1500;
// Packets the kernel keeps for us while we do not run: 10 ms at 10 Gbit/s. What does not fit would be lost
// uncounted.
static const uint32_t tun_queue_packets = 10000;

static void check(int result, const char *what) {
    if (result < 0) die(EXIT_RUN_FAILED, "%s: %s", what, strerror(errno));
}

// A kernel without IPv6, or with it switched off, makes a lab without IPv6.
static void check_6(int result, const char *what) {
    if (result < 0 && errno != EAFNOSUPPORT && errno != EOPNOTSUPP && errno != EACCES) check(result, what);
}

static int open_side(const char *name, const char *address, const char *address_6) {
    // No router solicitations and no neighbours: nothing on the link but what the endpoints send.
    namespace_set_sysctl("net/ipv6/conf/default/addr_gen_mode", "1");
    namespace_set_sysctl("net/ipv6/conf/default/accept_ra", "0");
    int fd = namespace_open_tun(name);
    struct netlink netlink;
    check(netlink_open(&netlink), "netlink");
    check(netlink_link_up(&netlink, "lo", 0), "interface lo");
    check(netlink_set_queue(&netlink, name, tun_queue_packets), "interface queue");
    check(netlink_link_up(&netlink, name, mtu), "interface");
    check(netlink_add_address(&netlink, name, address, 32), "address");
    check_6(netlink_add_address(&netlink, name, address_6, 128), "IPv6 address");
    netlink_close(&netlink);
    return fd;
}

int far_open(void) {
    static const char name[] = "near";
    int fd = open_side(name, FAR_ADDRESS, FAR_ADDRESS_6);
    struct netlink netlink;
    check(netlink_open(&netlink), "netlink");
    // No congestion control here: the servers choose theirs, and a route's would win over it.
    check(netlink_add_route(&netlink, name, NEAR_ADDRESS, 32, NULL), "route");
    check_6(netlink_add_route(&netlink, name, NEAR_ADDRESS_6, 128, NULL), "IPv6 route");
    netlink_close(&netlink);
    return fd;
}

int near_open(void) {
    static const char name[] = "far";
    int fd = open_side(name, NEAR_ADDRESS, NEAR_ADDRESS_6);
    struct netlink netlink;
    check(netlink_open(&netlink), "netlink");
    check(netlink_add_route(&netlink, name, "0.0.0.0", 0, "cubic"), "default route");
    check_6(netlink_add_route(&netlink, name, "::", 0, "cubic"), "default IPv6 route");
    netlink_close(&netlink);
    // Where a container mounts /proc/sys read-only these stay as they are: the namespace is new, so that
    // there are no metrics from before; and ping then needs a capability.
    namespace_set_sysctl("net/ipv4/tcp_no_metrics_save", "1");
    char groups[32];
    snprintf(groups, sizeof groups, "%u %u", (unsigned)getegid(), (unsigned)getegid());
    namespace_set_sysctl("net/ipv4/ping_group_range", groups);
    return fd;
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

int near_name_files(const char *address) {
    char resolv[128], hosts[512], host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(resolv, sizeof resolv, "nameserver %s\noptions timeout:2 attempts:3\n", address);
    snprintf(hosts, sizeof hosts, "127.0.0.1 localhost %s\n::1 localhost\n", host);
    struct stat there;
    if (stat("/etc/resolv.conf", &there) < 0) {
        log_line("/etc/resolv.conf: %s: make one (`sudo touch /etc/resolv.conf`): the command's own is put "
                 "over it",
                 strerror(errno));
        return -1;
    }
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") < 0 ||
        replace("/etc/resolv.conf", resolv) < 0 || replace("/etc/nsswitch.conf", "hosts: files dns\n") < 0 ||
        replace("/etc/hosts", hosts) < 0 || umount2("/tmp", MNT_DETACH) < 0) {
        log_line("name service files of the lab: %s", strerror(errno));
        return -1;
    }
    // A name service cache of the machine answers through its socket, whatever the network namespace.
    if (stat("/run/nscd", &there) == 0)
        mount("tmpfs", "/run/nscd", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k");
    return 0;
}
