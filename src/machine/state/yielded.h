/* A wavefront that has yielded: what it was, until it is restarted on the same core (lsu/yield.h).
 *
 * What its lines in memory hold beside the resource is not read again: the values of registers lie here. */
#ifndef LOCKSTEP_MACHINE_STATE_YIELDED_H
#define LOCKSTEP_MACHINE_STATE_YIELDED_H

#include "machine/state/core.h"

struct yielded {
	struct yielded *next;
	uint64_t context; /* address of its state in memory */
	uint32_t bytes;   /* of that */
	uint64_t since;   /* cycle */
	struct core_launch *on;
	uint32_t core;
	uint32_t number;   /* of the group */
	uint32_t place[2]; /* within the call of dispatch, and how many groups that has */
	uint64_t argument;
	lane_mask live, carry;
	char *registers; /* and predicates, divergence state: a place of core_launch.warps */
	uint8_t *local, *shared;
};

#endif
