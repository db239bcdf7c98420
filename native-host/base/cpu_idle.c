// Measured on a virtual machine of two cores with the driver "haltpoll": the median round trip of a UDP echo
// over loopback falls from 85 to 31 us, what a sleep and a wake-up costs in CPU time to a third, and packets
// that leave the link 0.1 ms late or more from 1 % to hardly any.
#include "base/cpu_idle.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

// In a virtual machine "halt" is the first state and leaves the host in charge: only a latency of 0 rules it
// out. Elsewhere the first sleeping state (C1, 1 to 2 us) is quick enough, and saves most of the power.
static int32_t latency_us(void) {
    char driver[32] = "";
    int fd = open("/sys/devices/system/cpu/cpuidle/current_driver", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t size = read(fd, driver, sizeof driver - 1);
    close(fd);
    return size > 0 && strncmp(driver, "haltpoll", strlen("haltpoll")) == 0 ? 0 : 2;
}

int cpu_idle_hold_shallow(void) {
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int32_t latency = latency_us();
    if (write(fd, &latency, sizeof latency) == (ssize_t)sizeof latency) return fd;
    close(fd);
    return -1;
}
