#include "guard/connect_filter.h"

#include "base/call_filter.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define ASK FILTER_ANSWER(SECCOMP_RET_USER_NOTIF)

static void compose(struct call_filter *filter) {
    static const struct sock_filter ask[] = {ASK}, absent[] = {FILTER_REFUSE(ENOSYS)},
                                    refuse[] = {FILTER_REFUSE(EPERM)};
    static const struct sock_filter ask_for_an_address[] = {
        FILTER_LOAD_LOW(4), FILTER_IF_EQUAL(0, 0, 2), FILTER_LOAD_HIGH(4), FILTER_IF_EQUAL(0, 1, 0), ASK,
        FILTER_ALLOW,
    };
    // TCP, UDP and what `ping` sends; of the kernel its routes and devices. SCTP and multipath TCP connect to
    // what their peer or an option names.
    static const struct sock_filter sockets[] = {
        FILTER_LOAD_LOW(0),
        FILTER_IF_EQUAL(AF_UNIX, 11, 0),
        FILTER_IF_EQUAL(AF_NETLINK, 7, 0),
        FILTER_IF_EQUAL(AF_INET, 1, 0),
        FILTER_IF_EQUAL(AF_INET6, 0, 9),
        FILTER_LOAD_LOW(2),
        FILTER_IF_EQUAL(0, 6, 0),
        FILTER_IF_EQUAL(IPPROTO_TCP, 5, 0),
        FILTER_IF_EQUAL(IPPROTO_UDP, 4, 0),
        FILTER_IF_EQUAL(IPPROTO_ICMP, 3, 2),
        FILTER_LOAD_LOW(2),
        FILTER_IF_EQUAL(NETLINK_ROUTE, 1, 0),
        FILTER_IF_EQUAL(NETLINK_KOBJECT_UEVENT, 0, 1),
        FILTER_ALLOW,
        FILTER_REFUSE(EAFNOSUPPORT),
    };
    // A source route or routing header of the socket's own: its packets go there first.
    static const struct sock_filter socket_options[] = {
        FILTER_LOAD_LOW(1),
        FILTER_IF_EQUAL(IPPROTO_IP, 0, 2),
        FILTER_LOAD_LOW(2),
        FILTER_IF_EQUAL(IP_OPTIONS, 5, 4),
        FILTER_IF_EQUAL(IPPROTO_IPV6, 0, 3),
        FILTER_LOAD_LOW(2),
        FILTER_IF_EQUAL(IPV6_RTHDR, 2, 0),
        FILTER_IF_EQUAL(IPV6_2292PKTOPTIONS, 1, 0),
        FILTER_ALLOW,
        FILTER_REFUSE(EPERM),
    };
    // Processes that share descriptors would be as threads to one another, but not counted as such.
    static const struct sock_filter new_processes[] = {
        FILTER_LOAD_LOW(0),
        FILTER_IF_ANY(CLONE_FILES, 0, 2),
        FILTER_IF_ANY(CLONE_THREAD, 1, 0),
        FILTER_REFUSE(EPERM),
        FILTER_ALLOW,
    };
    call_filter_open(filter);
    CALL_FILTER_ON(filter, __NR_connect, ask);
    CALL_FILTER_ON(filter, __NR_sendmsg, ask);
    CALL_FILTER_ON(filter, __NR_sendmmsg, ask);
    CALL_FILTER_ON(filter, __NR_sendto, ask_for_an_address);
    CALL_FILTER_ON(filter, __NR_socket, sockets);
    CALL_FILTER_ON(filter, __NR_setsockopt, socket_options);
    CALL_FILTER_ON(filter, __NR_clone, new_processes);
    CALL_FILTER_ON(filter, __NR_clone3, absent); // its flags are in memory; the C library falls back to clone
    CALL_FILTER_ON(filter, __NR_io_uring_setup, absent);
    CALL_FILTER_ON(filter, __NR_pidfd_getfd, refuse);
    CALL_FILTER_ON(filter, __NR_process_vm_writev, refuse);
    CALL_FILTER_ON(filter, __NR_ptrace, refuse);
}

int connect_filter_install(void) {
    struct call_filter filter;
    compose(&filter);
    // A signal must not interrupt a call while it is made; kernels before 5.19 know no such thing.
    const int fd =
        call_filter_install(&filter, SECCOMP_RET_ALLOW,
                            SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    if (fd >= 0 || errno != EINVAL) return fd;
    compose(&filter);
    return call_filter_install(&filter, SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}
