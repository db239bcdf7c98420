// When the kernel lets a program run: a shaper that wakes up late is a link that is late, and a server or a
// shaper that waits for the browser's threads measures this machine instead of the network. Does not change
// how much CPU time anything gets in the long run: these programs sleep most of the time.
#ifndef TRILANE_BASE_SCHEDULE_H
#define TRILANE_BASE_SCHEDULE_H

// The link comes before the servers, and both before the browser.
enum schedule_rank { SCHEDULE_SERVER = 1, SCHEDULE_LINK = 2 };

// Lets this process and those it starts ask for real-time scheduling later, also inside a user namespace,
// where root is not root any more. Does nothing without the privilege.
void schedule_keep_privilege(void);

// Runs this thread as promptly as the system allows, its children as before. Returns how: "fifo" (real-time:
// root, or RLIMIT_RTPRIO), else "short-slice" (the scheduler's latency-nice way, open to anybody,
// Linux 6.12), else "default".
const char *schedule_promptly(enum schedule_rank rank);

// Takes the leave of schedule_keep_privilege back, for a command that is not to overtake the link.
void schedule_drop_privilege(void);

#endif
