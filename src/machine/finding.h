/* A fault of the kernel, as the core that met it records it.  The first of a core is kept; of several cores the earliest
 * (cycle, core) is the launch's, so the choice does not depend on threads. */
#ifndef LOCKSTEP_MACHINE_FINDING_H
#define LOCKSTEP_MACHINE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

struct launch;

#define FINDING_LINES 8
#define FINDING_THREADS 16
#define FINDING_ADDRESSES 8

/* What belongs to a hang beside its first thread. */
struct finding_detail {
	bool proved;
	const char *message;
	uint32_t lines[FINDING_LINES], line_count; /* pcs, each with its role below */
	const char *roles[FINDING_LINES];
	struct finding_thread {
		uint32_t group, thread; /* flat */
		const char *state;
	} threads[FINDING_THREADS];
	uint32_t thread_count;
	const char *addresses[FINDING_ADDRESSES];
	uint32_t address_count;
};

struct finding {
	bool found;
	const struct finding_detail *detail; /* of a hang, in the GPU's arena; null: none */
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
