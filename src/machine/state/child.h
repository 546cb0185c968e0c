/* What kernels launch on the GPU, and what waits for it: gpu/children.h says how that goes. */
#ifndef LOCKSTEP_MACHINE_STATE_CHILD_H
#define LOCKSTEP_MACHINE_STATE_CHILD_H

#include "machine/state/launch.h"
#include "util/device_runtime.h"
#include "util/vector.h"

/* What CUDA calls them. */
#define STREAM_TAIL 3
#define STREAM_FORGET 4

/* Kernels that no module has, by which the device runtime copies and fills: addresses that no function has.  Their
 * parameters are of 64 bits: where to, from where or with what, and how many bytes or words of 4. */
enum child_own { CHILD_COPY_BYTES = 1, CHILD_COPY_WORDS, CHILD_FILL_BYTES, CHILD_FILL_WORDS, CHILD_OWN_END };

struct child_grid {
	uint64_t function; /* address, or enum child_own */
	uint32_t grid[3], block[3], shared_bytes;
	uint32_t parameter_bytes; /* as gpu->check_child says */
	bool waits;               /* likewise: its kernel calls cudaDeviceSynchronize */
	const void *parameters;   /* null while it is only checked */
};

/* What was last to let a grid begin. */
enum child_after { CHILD_AFTER_NOTHING, CHILD_AFTER_GRID, CHILD_AFTER_FAMILY };

/* Something in a stream: a grid, or what waits for several. */
struct child {
	struct child *next; /* in the list where it waits for its turn as a tail launch */
	uint64_t order;     /* among those that were ready */
	struct family *family;
	bool is_grid, is_pending, done;
	enum child_after after;
	uint32_t waits;              /* for so many others */
	VECTOR(struct child *) then; /* which wait for this one */
	uint64_t called;             /* cycle in which the call of the launch is over; 0: there is no clock */
	struct child_grid grid;
	struct child_wait *wait; /* of a warp, which goes on when this has ended; null: none waits */
	struct race_grid *race;  /* for --check races; null: nobody asks */
};

/* Open: between create and destroy. */
struct child_stream {
	struct child *last; /* null: nothing was enqueued */
	bool open;
};

struct child_event {
	struct child *recorded; /* likewise */
	bool open;
};

/* Of a work-group: its implicit stream, and the last error of each thread. */
struct child_block {
	struct child_stream stream;
	uint16_t *errors; /* null: none has one */
	/* What it has launched, but tail launches, in order; where the kernel waits for it, and without what had ended
	 * when it last did. */
	VECTOR(struct child *) launched;
	struct child *ended; /* for --check races: represents those of them that have; null: none */
	uint32_t waiting;    /* warps that wait for these */
};

/* A warp that waits for what its group has launched: for the child whose `wait` this is. */
struct child_wait {
	struct core *core;
	struct held_call call;
};

struct family {
	struct launch *launch;
	uint32_t depth;          /* 0: the host has launched it */
	struct race_grid *race;  /* for --check races, once it has begun; null: nobody asks */
	uint32_t waiting_groups; /* which have a warp that waits */
	uint32_t unfinished;     /* children; without tail launches that have not had their turn */
	struct child *tail, *last_tail;
	struct child_block **blocks; /* by flat index in the grid; null: it has called nothing yet */
	VECTOR(struct child_stream) streams;
	VECTOR(struct child_event) events;
};

/* Whether nothing that the launch has launched is left. */
static inline bool children_ended(const struct launch *launch)
{
	assert(!launch->family || launch->family->launch == launch);
	return !launch->family || (!launch->family->unfinished && !launch->family->tail);
}
/* Between quanta: whether the warp waits for what its group has launched. */
static inline bool device_call_waits(const struct warp_slot *r)
{
	const struct insn *i = &r->warp.kernel->code[r->warp.path->pc];

	assert(r->warp.path->pc < r->warp.kernel->code_count);
	return r->held && r->warp.path->active && i->kind == INSN_DEVICE && i->component == DEVICE_WAIT;
}

#endif
