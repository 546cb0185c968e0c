/* Processor time of a group of processes. */
#ifndef LOCKSTEP_UTIL_CPU_TIME_H
#define LOCKSTEP_UTIL_CPU_TIME_H

#include <sys/types.h>

/* Seconds, user and system, of the live processes of a group and of the children that they have waited for (proc(5),
 * /proc/PID/stat), in steps of the kernel's clock tick.  0 when there is none. */
double cpu_time_of_group(pid_t group);

#endif
