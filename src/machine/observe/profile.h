/* What each instruction of a launch did and cost, for --profile: exact, nothing is sampled.
 *
 * An observer; gpu->observe has the struct profiles of the GPU.  Each core adds to counts of its own, and they are
 * summed when the result of the launch is made: sums do not depend on the number of threads.
 *
 * What a stall is attributed to.  In a cycle in which a scheduler issues nothing, the counters blame one reason
 * (core/counters.def), and one or more of its warps have it.  All the cycles between two issues of a scheduler that are
 * blamed on a reason go to one of these warps: the one that issues next, if it had the reason in the last of them, else
 * the one in the lowest slot of those that had.  Of the warp, they go to the instruction that it waited for:
 *
 * - unit, no_inst: the one that was to be issued.
 * - wait, long_sb: of those whose results the warp's next instruction needs, the one whose result comes last; for
 *   long_sb, of those that memory answers.
 * - membar, barrier, lock, sleeping: the last one that the warp issued, at which it waits.  Of a warp that has issued
 *   none, since it waits for its dispatch: its first.
 *
 * A cycle without any warp (no_warp) belongs to no instruction. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_PROFILE_H
#define LOCKSTEP_MACHINE_OBSERVE_PROFILE_H

#include "machine/state/core.h"

enum profile_column {
#define PROFILED(how, field) PROFILE_##field,
#include "machine/observe/profile.def"
#undef PROFILED
	PROFILE_COLUMNS
};

/* Of an instruction. */
struct profile_row {
	uint64_t value[PROFILE_COLUMNS];
};

enum profile_part_id {
#define PROFILE_PART(name) PROFILE_PART_##name,
#include "machine/observe/profile_parts.def"
#undef PROFILE_PART
	PROFILE_PARTS
};

struct launch_profile;

/* What an observer beside this one adds to the profile of a launch. */
struct profile_part {
	size_t size; /* which is zero at first */
	/* The launch is over: sums up what the cores have found.  Null: there is nothing to do. */
	void (*sum_up)(struct launch_profile *profile, void *part);
};

/* Of a launch: issued[pc] and rows[pc]. */
struct launch_profile {
	struct arena arena; /* all of it, this included */
	struct launch_profile *next;
	uint64_t ordinal;
	uint32_t code_count;
	struct issue_count *issued;
	struct profile_row *rows;
	struct profile_piece *pieces;        /* the cores' */
	const struct profile_traits *traits; /* of each instruction */
	const uint8_t *tells;                /* likewise, enum told_issue */
	void *part[PROFILE_PARTS];
};

/* Of a GPU: of launches whose profile was not taken. */
struct profiles {
	struct launch_profile *launches;
};

/* What was answered last before a fence was over. */
enum awaited { AWAITED_STORES, AWAITED_ATOMICS, AWAITED_LOADS, AWAITED_OTHER, AWAITED };

/* For contention.c, which hears of the answers to attempts, and adds what the ledger of locks has counted of them. */
struct profile_row *profile_row_of(const struct core_launch *on, const struct insn *i);

/* For those beside it: where they put what they find, between quanta; and which reply the core has taken in last, as
 * what a fence has awaited that is over now. */
struct launch_profile *profile_of(const struct core *core, const struct launch *launch);
enum awaited profile_last_reply(const struct core *core);
bool profile_last_missed(const struct core *core); /* the L2 did not have all of it; known of loads and stores */

/* The profile of a launch that is over, summed; the caller frees it.  Null: no group of it has begun. */
struct launch_profile *profile_take(struct profiles *profiles, uint64_t ordinal);
void profile_free(struct launch_profile *profile);

#endif
