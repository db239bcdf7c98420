// When the kernel lets a program run: a shaper that wakes up late is a link that is late, and a server or a
// shaper that waits for the browser's threads measures this machine instead of the network. Does not change
// how much CPU time anything gets in the long run: these programs sleep most of the time.
#pragma once

// Runs this process as promptly as the system allows. Returns how: "fifo" (real-time: root, or
// RLIMIT_RTPRIO), else "short-slice" (what the ordinary scheduler lets anybody ask for, Linux 6.12), else
// "default". Processes started and programs executed inherit it: in a user namespace root is not root any
// more, so the first program of a lab takes it for all, before it enters.
const char *schedule_promptly(void);

// Behind the link, which inherited the first rank, but before the browser: for the servers, once the link
// runs.
void schedule_behind_link(void);

// As any program: for what is not to run at the link's rank.
void schedule_ordinarily(void);

// For the command, which is not to overtake the link: as any program, and a little nicer where the link is in
// no rank above it.
void schedule_command(void);

// How deeply the machine's CPUs sleep while we run. Waking a CPU up costs the sleeper and the one who wakes
// it 20 to 100 us in a virtual machine, where the host has to bring it back: that is noise in every packet's
// time. Linux takes requests for quicker wake-ups (PM quality of service, /dev/cpu_dma_latency) from who may
// open that file: root, as a rule.
//
// Asks for CPUs that wake up quickly, until the descriptor is closed, at the latest with the process: no
// deeper sleep than the first on a real machine, none at all (idle CPUs poll) in a virtual machine. Returns
// the descriptor, closed on exec, or -1 where the system does not let us.
int schedule_shallow_idle(void);
