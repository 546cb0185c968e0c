/* A warp: registers, predicates, and what its lanes are doing now.
 *
 * Registers are lane-major: slot s is `uint32_t[lanes]`, so one instruction is a loop over neighbouring words which the
 * compiler turns into a few vector instructions. */
#ifndef LOCKSTEP_WARP_WARP_H
#define LOCKSTEP_WARP_WARP_H

#include "kernel/kernel.h"
#include "policy/diverge/diverge.h"

#include <assert.h>

struct warp_time; /* answers clock, smid, ...: owned by the machine */

struct warp {
	/* Read and written by every instruction: first cache line. */
	struct path *path;     /* what runs now: pc, active lanes, frame; first member of the divergence state */
	uint32_t *bank[3];     /* narrow and wide registers of the current frame; launch constants: see slot_ref */
	lane_mask *predicates; /* predicates of the current frame; [0] is all ones in every frame */
	uint64_t now;          /* core cycle of the instruction being executed: clock */
	lane_mask carry_bits;

	const struct kernel *kernel;
	void *divergence;         /* state of the divergence model */
	uint32_t *registers;      /* bottom of the narrow register file (bank[0] at depth 0) */
	uint32_t *wide_registers; /* likewise of the wide one (bank[1]) */
	lane_mask *predicate_file;

	uint64_t *carry; /* per warp: condition code, one bit a lane (add.cc ...); points to carry_bits */
	lane_mask live;  /* lanes that exist and have not exited */
	lane_mask full;  /* lanes that existed at the start */
	const struct lane_memory *memory; /* of that many */

	/* Local memory: `lanes` threads interleaved by word, so equal offsets of neighbouring lanes are neighbours:
	 * byte b of lane l is at (b / 4 * lanes + l) * 4 + b % 4. */
	uint8_t *local;
	uint32_t local_bytes; /* per lane */
	uint32_t stack_base;  /* of the current frame, bytes: kept in step with path->frame */
	uint32_t *stack_tops; /* per depth of calls and lane: alloca takes from the end of local memory downwards, and
			       * what lies above this is taken.  A call copies them, so a return frees what the callee
			       * took.  Null: no alloca */

	uint8_t *shared; /* the work-group's shared memory */
	uint32_t shared_bytes;

	/* Who it is */
	uint32_t group[3];     /* ctaid */
	uint32_t first_thread; /* flat index in the work-group of lane 0 */
	uint32_t core, slot;   /* smid, warp slot (warpid) */
	uint32_t lanes;        /* 32 or 64 */
	const struct launch_values *launch;
};

/* What a work-group has said by participant; count 0: nothing. */
struct participant {
	uint32_t number, count; /* of those that take part */
};

/* Values every warp of a launch shares; source of the launch constants. */
struct launch_values {
	uint32_t grid[3], block[3];
	uint32_t cluster[3];   /* work-groups of a cluster, at least 1 each; they divide the grid's */
	bool explicit_cluster; /* the kernel or its launch says so */
	uint64_t grid_id;
	uint32_t dynamic_shared, total_shared, reserved_shared; /* total: without what is reserved */
	uint32_t core_count, warps_per_core;
	uint32_t envreg[32];
	/* core cycles to ns: cycles * numerator / denominator */
	uint64_t nanoseconds_numerator, nanoseconds_denominator;
	/* where the module's constant variables lie among global addresses, for isspacep */
	uint64_t constant_first, constant_bytes;
	const uint8_t *parameters; /* kernel parameter block */
	uint32_t parameter_bytes;
	struct participant *participants; /* of each work-group; null: the kernel has no participant */
};

/* Work-groups of a cluster. */
static inline uint32_t launch_cluster_size(const struct launch_values *launch)
{
	return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

/* Where in the grid a work-group of that number lies. */
static inline void launch_place_group(const struct launch_values *launch, uint32_t number, uint32_t at[3])
{
	at[0] = number % launch->grid[0];
	at[1] = number / launch->grid[0] % launch->grid[1];
	at[2] = number / launch->grid[0] / launch->grid[1];
}

/* The rank in its cluster of a work-group. */
static inline uint32_t launch_cluster_rank(const struct launch_values *launch, const uint32_t group[3])
{
	const uint32_t *cluster = launch->cluster;

	return group[0] % cluster[0] + cluster[0] * (group[1] % cluster[1] + cluster[1] * (group[2] % cluster[2]));
}

/* The values of a slot, of all lanes. */
static inline void *slot_at(const struct warp *w, slot_ref ref)
{
	return w->bank[ref >> 30] + (ref & SLOT_OFFSET);
}

/* Where a byte of a lane's local memory is. */
static inline uint8_t *local_byte(const struct warp *w, uint32_t lane, uint32_t offset)
{
	assert(lane < w->lanes);
	assert(offset < w->local_bytes);
	return w->local + ((size_t)(offset / 4) * w->lanes + lane) * 4 + offset % 4;
}

/* One lane's value in a slot of 4 or 8 bytes. */
static inline uint64_t slot_value(const struct warp *w, slot_ref ref, uint32_t bytes, uint32_t lane)
{
	const void *values = slot_at(w, ref);

	return bytes == 8 ? ((const uint64_t *)values)[lane] : ((const uint32_t *)values)[lane];
}

static inline void slot_set_value(const struct warp *w, slot_ref ref, uint32_t bytes, uint32_t lane, uint64_t value)
{
	void *values = slot_at(w, ref);

	if (bytes == 8)
		((uint64_t *)values)[lane] = value;
	else
		((uint32_t *)values)[lane] = (uint32_t)value;
}

/* The lanes in which the instruction's predicate source holds. */
static inline lane_mask predicate_source(const struct warp *w, const struct insn *i)
{
	return i->ps_invert ? ~w->predicates[i->ps] : w->predicates[i->ps];
}

static inline void write_predicate(struct warp *w, uint16_t predicate, lane_mask active, lane_mask value)
{
	if (predicate != NO_PREDICATE)
		w->predicates[predicate] = (w->predicates[predicate] & ~active) | (value & active);
}

/* From a decoded instruction to its function. */
typedef exec_function *chooser(const struct insn *i, const struct insn_extra *extra);
/* exec functions for decoded instructions: installed with kernel_set_exec_lookup. Null when the row has no function for
 * the type: then the table is incomplete, which a unit test rules out.  When insn->inserted is set the answer is
 * frame_exec_lookup's (warp/frame.h). */
exec_function *warp_exec_lookup(const struct insn *insn, const struct insn_extra *extra, uint32_t lanes);
/* How many different values the lanes of a match compare; of 64 lanes, of the half that has more. */
uint32_t warp_different_values(const struct warp *w, const struct insn *i, lane_mask active);

/* What an operation is on a word of global memory: sums of .f32 take subnormals for zeros of the same sign and give
 * none, which they do in shared memory (PTX ISA, atom; seen on an H200). */
static inline enum atomic_op atomic_in_global(enum atomic_op op, enum ptx_type type)
{
	return op == ATOMIC_ADD && type == TYPE_F32 ? ATOMIC_ADD_FTZ : op;
}

/* Applies an atomic operation to `bytes` at `where` (type decides width and signedness), returns the old bits. */
uint64_t atomic_apply(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b);
/* The same, as one atomic operation of the host, on a word that other threads of the process may change at the same
 * time.  Not of 16 bytes: they are no type's. */
uint64_t atomic_apply_shared(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b);

/* Fills the constant bank's launch part and a new warp's fixed slots. */
void warp_fill_launch_constants(const struct kernel *kernel, const struct launch_values *launch, uint32_t *constants);
void warp_fill_start(struct warp *w);

#endif
