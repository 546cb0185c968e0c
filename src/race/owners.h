/* Which strands have accessed the words of shared memory that put_off.c puts off. */
#ifndef LOCKSTEP_RACE_OWNERS_H
#define LOCKSTEP_RACE_OWNERS_H

#include "race/parts.h"

/* An access of lanes: `unit` and `owner` have one entry for each of them, in their order. */
struct claim {
	const uint16_t *unit; /* addresses, in units of what a lane accesses */
	uint32_t count;       /* lanes */
	uint32_t shift;       /* a unit has 1 << shift bytes */
	uint32_t owner;       /* of the first lane of the warp */
	lane_mask lanes;
	bool each; /* each lane is a strand; else they are one */
	bool same; /* all have the same address */
	bool writes;
};

/* The page, which has only what was put off, gets owners. */
void owners_make(struct races *races, struct page *page);
/* Notes the access.  False: it may race with an earlier one, and owners are no longer good for anything.  All of its
 * pages have owners. */
bool owners_claim(const struct shadow *shadow, const struct claim *claim);

#endif
