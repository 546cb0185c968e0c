/* What the files that judge accesses share. */
#ifndef LOCKSTEP_RACE_JUDGE_H
#define LOCKSTEP_RACE_JUDGE_H

#include "race/parts.h"

/* An access of one lane. */
struct access {
	struct race_warp *warp;
	const struct race_access *all; /* of its instruction */
	const struct site *site;
	struct strand *u;
	uint32_t lane, strand;
	struct record record;
	uint64_t address; /* of the element */
	bool has_read;    /* the strand's own strong read of the granule is remembered */
	uint16_t told;    /* a race of this access with this site has been counted */
};

/* ---- sites.c ---- */

/* The number of an instruction's site; of a compare-and-swap that finds another value, which reads, and its site.  0:
 * there are too many. */
uint16_t site_number(struct races *races, struct race_launch *launch, uint32_t pc);
uint16_t site_of_failed(struct races *races, struct race_launch *launch, uint32_t pc, struct site *failed);

/* ---- pairs.c ---- */

/* Whether both are strong for each other; `between`: the narrowest scope that has both threads.  Both are of the same
 * bytes: what is aligned to its size, and overlaps. */
bool pair_is_strong(const struct site *a, const struct site *b, enum race_scope between);
/* Whether it is a strong write that the strand has observed. */
bool pair_is_observed(struct races *races, const struct access *x, uint32_t thread, const struct site *site);
/* Judges one record; whether it is still to be remembered. */
bool pair_judge(struct races *races, struct access *x, const struct record *y, uint64_t address);
/* It races with the record.  False: it is told only if that is asked for. */
bool pair_tell(struct races *races, struct access *x, const struct record *y, uint64_t address);

/* ---- cause.c ---- */

static inline bool same_group(const struct race_group *group, uint32_t thread)
{
	return thread - group->first < group->launch->group_stride;
}
/* What is missing between the access and the record, which race; *heard: the word by which one of the access's group
 * has heard of the record, or null. */
enum found_cause cause_of(const struct races *races, const struct access *x, const struct record *y,
	const struct heard **heard, enum found_cause *detail);

/* ---- judge.c ---- */

/* Judges an access to a granule, at that address, and remembers it there. */
void judge_one_granule(struct races *races, struct access *x, struct granule *g, uint64_t address);

/* ---- crowd.c ---- */

/* Of an access that races with none of the same kind the bytes; else 0. */
static inline uint8_t crowd_strong_bytes(const struct site *site)
{
	return site->is_atomic && site_is_wide(site) ? site->bytes : 0;
}
/* Makes one of the granule's second record, and of the first where both are strong. */
void crowd_begin(struct races *races, const struct race_launch *launch, struct granule *g);
/* The access, which has been judged, is one of the crowd. */
void crowd_join(struct races *races, const struct access *x, struct crowd *crowd);
/* The crowd's records are judged. */
void crowd_judge(struct races *races, struct access *x, struct granule *g, uint64_t address);
/* The access cannot race with any of the crowd: it joins them. */
void crowd_join_strong(struct races *races, struct access *x, struct crowd *crowd, uint64_t address);
/* Whether it has such an access of the strand in this epoch, from this place. */
bool crowd_has(const struct access *x, const struct crowd *crowd);
/* Whether it has a strong read of the strand's. */
bool crowd_has_read(const struct races *races, const struct access *x, const struct crowd *crowd);

#endif
