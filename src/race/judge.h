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
	uint16_t told;    /* the site with which a race of this access was counted last */
};

/* ---- sites.c ---- */

/* The number of an instruction's site; and of that of a compare-and-swap that finds another value, which only reads. 0:
 * there are too many sites. */
uint16_t site_number(struct races *races, struct race_launch *launch, uint32_t pc);
uint16_t site_of_failed(struct races *races, struct race_launch *launch, uint32_t pc, struct site *failed);

/* ---- pairs.c ---- */

/* Whether an access does not race with other atomic ones of the same bytes, whatever is only counted of them. */
static inline bool site_acts_atomic(const struct races *races, const struct site *site)
{
	assert(site->kernel);
	return site->is_atomic || (site->is_volatile && races->asked.all && !races->asked.volatiles);
}
/* Whether another lane of the warp did the record by the access's instruction, just now. */
bool pair_is_at_once(const struct access *x, const struct record *y);
/* Whether it is a strong write that the strand has observed, or the access acquires what comes after it. */
bool pair_is_read(
	struct races *races, const struct access *x, uint32_t thread, uint32_t epoch, const struct site *site);
/* Judges one record; whether it is still to be remembered. */
bool pair_judge(struct races *races, struct access *x, const struct record *y, uint64_t address);
/* The access races with the record.  False: that is only reported on request. */
bool pair_tell(struct races *races, struct access *x, const struct record *y, uint64_t address);

/* ---- maps.c ---- */

/* A copy has read bytes of its tensor map, at `address`, which the record changed before: what is missing between the
 * two; FOUND_NO_CAUSE: nothing. */
enum found_cause map_detail(
	const struct races *races, const struct access *x, const struct record *y, uint64_t address);

/* ---- cause.c ---- */

static inline bool same_group(const struct race_group *group, uint32_t thread)
{
	return thread - group->first < group->launch->group_stride;
}
/* What is missing between the access and the record, which race; *heard: the word that told one of the access's group
 * of the record, or null; *read: the site of that read. */
enum found_cause cause_of(const struct races *races, const struct access *x, const struct record *y,
	const struct heard **heard, uint16_t *read, enum found_cause *detail);

/* ---- judge.c ---- */

/* Judges an access to a granule, which is at `address`, and remembers it there. */
void judge_one_granule(struct races *races, struct access *x, struct granule *g, uint64_t address);

/* ---- crowd.c ---- */

/* The bytes of an access that no other such access of the same bytes races with; else 0. */
static inline uint8_t crowd_strong_bytes(const struct site *site)
{
	return site->is_atomic && site_is_wide(site) ? site->bytes : 0;
}
/* The granule's second record becomes a crowd; where both are strong, with the first. */
void crowd_begin(struct races *races, const struct race_launch *launch, struct granule *g);
/* Adds the access, which has been judged. */
void crowd_join(struct races *races, const struct access *x, struct crowd *crowd);
/* Judges the access and the granule's crowd. */
void crowd_judge(struct races *races, struct access *x, struct granule *g, uint64_t address);
/* Adds an access that cannot race with any of the crowd. */
void crowd_join_strong(struct races *races, struct access *x, struct crowd *crowd, uint64_t address);
/* Whether it has the same access: by the strand in this epoch, from this place. */
bool crowd_has(const struct access *x, const struct crowd *crowd);
/* Whether it has a strong read by the strand. */
bool crowd_has_read(const struct races *races, const struct access *x, const struct crowd *crowd);

#endif
