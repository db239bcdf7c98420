// How deeply the machine's CPUs sleep while we run. Waking a CPU up costs the sleeper and the one who wakes
// it 20 to 100 us in a virtual machine, where the host has to bring it back: that is noise in every packet's
// time. Linux takes requests for quicker wake-ups (PM quality of service, /dev/cpu_dma_latency) from who may
// open that file: root, as a rule. Does not change how programs are scheduled (base/schedule.h).
#pragma once

// Asks for CPUs that wake up quickly, until the descriptor is closed, at the latest with the process: no
// deeper sleep than the first on a real machine, none at all (idle CPUs poll) in a virtual machine. Returns
// the descriptor, closed on exec, or -1 where the system does not let us.
int cpu_idle_hold_shallow(void);
