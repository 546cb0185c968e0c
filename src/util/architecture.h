/* NVIDIA's names of what code is for: sm_75, sm_90a, sm_120f. */
#ifndef LOCKSTEP_UTIL_ARCHITECTURE_H
#define LOCKSTEP_UTIL_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

struct architecture {
	uint32_t number; /* of sm_75: 75 */
	char variant;    /* 'a' or 'f'; 0: neither */
};

/* "sm_90a"; false: it is no such name. */
bool architecture_read(const char *name, struct architecture *architecture);
/* Whether a device of this compute capability, ten times, runs such code when a driver compiles it: 90 for 9.0.
 * compute_90a runs on 9.0 alone, compute_120f on 12.0 and what comes later with the major version 12, any other on its
 * own capability and all later ones (CUDA C++ programming guide, compute capabilities, feature sets). */
bool architecture_runs_on(struct architecture architecture, uint32_t capability);

#endif
