/* What the files of the phase check share: the state behind phases.h. */
#ifndef LOCKSTEP_RACE_PHASE_PARTS_H
#define LOCKSTEP_RACE_PHASE_PARTS_H

#include "race/clock.h"
#include "race/phases.h"

#include "util/lookup.h"
#include "util/vector.h"

#include <assert.h>

/* A moment of a group is a number that grows with each look that found a phase complete.  Clocks have an entry for each
 * thread: its last look that is known.  Behind the threads they have one for each object: its phases that are known to
 * be complete, or to have got an arrival. */

/* Lanes of a warp that know the same of others. */
struct part {
	lane_mask lanes;
	vector_clock knows;
	uint32_t looked; /* the moment of their last look; 0: none */
	bool apart;      /* it is not in `knows`: each of the lanes knows of its own look alone */
};

/* Lanes that have done something with an object when so many of its phases were complete. */
struct phase_mark {
	uint32_t object, base, done;
	lane_mask lanes;
};

struct phase_marks {
	VECTOR(struct phase_mark) list; /* of an object, each lane once */
};

struct phase_warp {
	VECTOR(struct part) parts; /* they have all lanes together, each once */
	struct phase_marks states; /* of those that have got a state: the last arrival that gave it */
	struct phase_marks seen;   /* the last look that found a phase complete */
	lane_mask waits[16];       /* by barrier */
};

/* Lanes that have found the last phase complete, and have to do so before the current one completes. */
struct look {
	uint32_t object; /* number */
	uint32_t warp, pc, moment;
	lane_mask lanes;
};

struct completion {
	uint32_t done; /* so many phases were complete then */
	uint32_t warp, pc;
	lane_mask lanes; /* none: it is not known whose */
};

struct phase_object {
	uint64_t offset;
	uint32_t done;           /* phases that are complete since it was initialised */
	uint32_t base;           /* in clocks, so many are entry base + done; what is below is of an object before */
	uint32_t known;          /* all threads know this entry */
	uint32_t most;           /* the largest entry that any thread knows */
	uint32_t starting;       /* lanes that are about to initialise it */
	vector_clock pending;    /* what the arrivals in the current phase know */
	vector_clock over[2];    /* ... in the last phases, and in all before; by the phase's parity */
	struct completion by[2]; /* likewise */
};

struct phase_barrier {
	vector_clock arrived; /* what those know that do not wait */
};

struct phases_group {
	struct phases_shape shape;
	struct phase_warp *warp;
	uint32_t warps;  /* that it has memory for */
	uint32_t moment; /* of the last look */
	uint32_t floor;  /* all threads know of all looks up to this one */
	struct phase_barrier barrier[16];
	VECTOR(struct phase_object) objects;
	VECTOR(struct look) looks;
	struct lookup words; /* clocks */
	VECTOR(uint64_t) keys;
	struct phases_group *next_free;
};

struct phases {
	struct found_list *found;
	struct arena *arena;
	struct clock_pool clocks;
	struct phases_group *free_groups;
};

static inline uint32_t first_of(const struct phases_group *group, uint32_t warp)
{
	assert(warp < group->shape.warps);
	return warp * group->shape.lanes;
}

/* All lanes that the warp has. */
static inline lane_mask lanes_of(const struct phases_group *group, uint32_t warp)
{
	uint32_t count = group->shape.threads - first_of(group, warp);

	assert(count);
	assert(first_of(group, warp) < group->shape.threads);
	return ~(lane_mask)0 >> (64 - (count < group->shape.lanes ? count : group->shape.lanes));
}

/* The entry of an object in clocks. */
static inline uint32_t entry_of(const struct phases_group *group, const struct phase_object *object)
{
	assert(object >= group->objects.at && object < group->objects.at + group->objects.count);
	return group->shape.warps * group->shape.lanes + (uint32_t)(object - group->objects.at);
}

/* ---- phase_order.c ---- */

void phase_begin(struct phases *phases, struct phases_group *group);
void phase_end(struct phases *phases, struct phases_group *group);
/* `into` becomes all that either knows. */
void phase_add(struct phases *phases, vector_clock *into, vector_clock other);
void phase_drop(struct phases *phases, vector_clock *clock);
/* What the lanes know and did; the reference is the caller's. */
vector_clock phase_given(struct phases *phases, const struct phases_at *at);
/* The same of all threads of the group. */
vector_clock phase_all(struct phases *phases, struct phases_group *group);
void phase_learn(struct phases *phases, const struct phases_at *at, vector_clock clock);
/* The lanes have looked, now. */
void phase_looked(struct phases *phases, const struct phases_at *at);
/* Makes the lanes whole parts. */
void phase_split(struct phases *phases, const struct phases_at *at);

#endif
