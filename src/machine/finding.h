/* A fault of the kernel, as the core that met it records it.  The first of a core is kept; of several cores the earliest
 * (cycle, core) is the launch's, so the choice does not depend on threads. */
#ifndef LOCKSTEP_MACHINE_FINDING_H
#define LOCKSTEP_MACHINE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

struct launch;

struct finding {
	bool found;
	struct launch *launch; /* whose fault it is */
	uint64_t cycle;
	const char *kind;      /* "fault", "trap", "assert", "hang" */
	const char *cause;     /* "address", "misaligned", "space", "constant", "stack", "trap", "breakpoint", "assert", "barrier" */
	uint32_t pc;
	uint32_t group;        /* flat */
	uint32_t thread;       /* flat in the group */
	bool has_address;
	uint64_t address;
	char message[512];
};

#endif
