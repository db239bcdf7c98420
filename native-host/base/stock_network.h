// The TCP of a lab as Linux ships it, whatever the machine's own network has been tuned to. Does not choose
// congestion control.
#pragma once

// Sets the sysctls of the current network namespace, whose defaults follow the machine's in part, to the
// kernel's stock values. What cannot be set (an older kernel, /proc/sys read-only) stays as it is.
void stock_network_set(void);
