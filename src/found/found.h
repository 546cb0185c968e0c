/* What the checks of --check find: races (race/), uninitialised reads (init/), misuse of barriers and member masks
 * (sync/).  Each thing is kept once over all launches, as it was seen first, with how often it was seen. */
#ifndef LOCKSTEP_FOUND_FOUND_H
#define LOCKSTEP_FOUND_FOUND_H

#include "kernel/kernel.h"
#include "util/lookup.h"
#include "util/vector.h"

enum found_kind { FOUND_RACE, FOUND_INIT, FOUND_SYNC, FOUND_KINDS };

/* Why it is wrong; each has its remedy.  A detail comes with a cause, and says both in other words. */
enum found_cause {
	FOUND_NO_CAUSE,
#define FOUND_CAUSE(kind, id, name, certainty, what, remedy) kind##_##id,
#include "found/causes.def"
#undef FOUND_CAUSE
#define RACE_DETAIL(id, what, remedy) RACE_DETAIL_##id,
#include "found/details.def"
#undef RACE_DETAIL
	FOUND_CAUSES
};

struct found_cause_text {
	enum found_kind kind;
	const char *name, *certainty; /* null: it is a detail */
	const char *what, *remedy;
};
extern const struct found_cause_text found_causes[FOUND_CAUSES];

/* A thread at a place in the code, or lanes of a warp. */
struct found_side {
	const struct kernel *kernel; /* null: it is gone */
	uint32_t pc, group,
		thread;    /* flat; of an asynchronous copy the thread that began it; of lanes the warp's first */
	uint64_t launch;   /* ordinal */
	lane_mask lanes;   /* misuse: which it is about */
	uint32_t value;    /* misuse: the thread count */
	bool reads_source; /* it is an asynchronous copy's read of its source, not its write */
	bool reads_map;    /* likewise of its tensor map */
};

struct found {
	enum found_cause cause, detail; /* detail: FOUND_NO_CAUSE: none */
	/* A race: as they came.  Misuse: the instruction; where the others were, and which they are. */
	struct found_side side[2];
	uint8_t places, threads; /* sides that have a place of their own; and a thread or lanes */
	uint8_t space;           /* of races and reads: space_GLOBAL, space_SHARED or space_LOCAL */
	bool has_owner, has_heard;
	uint8_t heard_space;
	/* Of reads: asynchronous copies have brought bytes that nothing had written to such memory; something has
	 * written others of the bytes: it may be padding that goes with a structure. */
	bool may_be_carried, is_part;
	uint32_t owner;          /* of shared memory: the work-group whose it is */
	uint64_t address;        /* of the bytes that it is about, the first; shared and local memory: an offset */
	uint64_t bytes, missing; /* of a read, and how many of them nothing had written */
	uint64_t object;         /* of a read: where the allocation or the shared variable begins; local memory: 0 */
	uint64_t heard;          /* a fence is missing: the word by which the later thread heard of the earlier one */
	/* Where that was written, and read; null: not known. */
	struct found_place {
		const struct kernel *kernel;
		uint32_t pc;
	} written_at, read_at;
	uint64_t launch; /* the ordinal of that in which it was seen first */
	uint64_t count;  /* accesses by lanes, or uses */
	/* For whoever tells of it: where it is told, and how often it had been seen then. */
	struct {
		bool is_told;
		uint64_t finding, count;
	} told;
};

/* Places and causes that have been added, and the number of the thing that this is: lines have several places. */
struct found_key {
	const struct kernel *kernel[2];
	uint64_t object;
	uint32_t pc[2];
	uint8_t reads[2], cause, detail, space, is_part, places, none;
	uint64_t number;
};

#define FOUND_MOST 1000u /* things of a list; of others only their number is known */

/* In the order in which it was found. */
struct found_list {
	struct arena *arena;
	uint64_t checked; /* accesses by lanes, or uses, that were looked at */
	VECTOR(struct found) of;
	uint64_t more; /* things that are not kept; at least so many */
	VECTOR(struct found_key) known;
	uint32_t last;       /* of them: the one that was added last */
	struct lookup table; /* by a hash of its fields: the place of a key in `known`, plus one */
	struct lookup lines; /* by a hash of what makes things the same: their place in `of`, plus one */
};

/* Adds what was found; to what is there, if it is the same: by cause, object, and places or lines (found.c). */
void found_add(struct found_list *list, const struct found *found);
/* All that is in the other list goes to this one. */
void found_take(struct found_list *list, struct found_list *from);
/* The module's kernels go: what was found in them stays, and nothing is added to it. */
void found_forget(struct found_list *list, const struct ptx_module *module);

#endif
