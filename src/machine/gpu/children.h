/* CUDA dynamic parallelism: what kernels launch on the GPU.
 *
 * A launch whose kernel calls the device runtime has a *family*: the grids that its threads have launched, its streams
 * and events.  A grid waits for those before it in its stream, is *ready* when they have ended, and comes onto the
 * machine as a launch of its own when dispatch.concurrent_kernels allows; a launch whose groups have all ended and that
 * only waits for its children does not count there.  A launch has ended when its groups have and all that it has
 * launched; what is in the stream for tail launches begins when the rest has ended, one after another.
 *
 * A grid is *pending*, as cudaLimitDevRuntimePendingLaunchCount means it, until its groups have ended and all that it
 * has launched but tail launches: so an H200 counts (workloads/silicon/launches.cu, `pending`), where nothing bounds
 * how deep launches nest (`depth`).
 *
 * A warp that waits for what its group has launched (cudaDeviceSynchronize) keeps its place on the core.  So that what
 * is waited for can run, such kernels leave something to deeper ones: at depth d, where those at depth n wait for
 * nothing, n - d cores, and as many of the kernels that run together (launch->kept).  A launch all of whose groups on
 * the machine wait so does not count among these either.
 *
 * All this happens between quanta, or between turns, on one thread. */
#ifndef LOCKSTEP_MACHINE_GPU_CHILDREN_H
#define LOCKSTEP_MACHINE_GPU_CHILDREN_H

#include "machine/runtime/held_call.h"
#include "machine/state.h"
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
	struct child *next; /* in the list where it waits: for its turn as a tail launch, or of what is ready */
	struct family *family;
	bool is_grid, is_pending, done;
	enum child_after after;
	uint32_t waits;              /* for so many others */
	VECTOR(struct child *) then; /* which wait for this one */
	uint64_t called;             /* cycle in which the call of the launch is over; 0: there is no clock */
	struct child_grid grid;
	struct child_wait *wait; /* of a warp, which this lets go on; null: it is none */
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
	struct child *ended; /* for --check races: stands for what of it has; null: nothing */
	uint32_t waiting;    /* warps that wait for these */
};

/* A warp that waits for what its group has launched. */
struct child_wait {
	struct core *core;
	struct held_call call;
	const struct child *all; /* what it waits for */
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

/* `depth`: how many launches from the GPU it is away from the host. */
void children_create(const struct gpu *gpu, struct launch *launch, uint32_t depth);
struct child_block *children_block(struct family *family, uint32_t number);
/* The stream of a handle, for a thread of the group; null: there is none of it.  The named streams above are not. */
struct child_stream *children_stream(struct family *family, uint32_t number, uint64_t handle);
/* A handle of a new stream, or event. */
uint64_t children_new_stream(struct family *family);
uint64_t children_new_event(struct family *family);
struct child_event *children_event(struct family *family, uint64_t handle);
/* Launches, for a thread of the group; `stream` is null for the two named ones. */
const struct child *children_launch(struct family *family, uint32_t number, struct child_stream *stream, bool tail,
	const struct child_grid *grid, uint64_t called);
/* What is enqueued in the stream from now on waits for the event, too. */
void children_wait(struct family *family, struct child_stream *stream, const struct child_event *event);

/* The warp waits until all has ended that its group has launched so far but tail launches: device_call_over is called
 * then.  False: it has. */
bool children_await(struct family *family, struct core *core, const struct held_call *call);
/* Stands for all that the group has launched and that had ended when a warp last waited; null: nobody asks. */
const struct child *children_over(const struct family *family, uint32_t number);
/* Of what the group has launched and has not ended, the first; null: nothing.  And how many. */
const struct child *children_awaited(const struct family *family, uint32_t number, uint32_t *count);
/* Whether grids at this depth may wait for what they launch. */
bool children_may_wait(const struct gpu *gpu, uint32_t depth);
/* A launch, from the host or from the GPU, begins later even if nothing happens before. */
bool children_begin_later(struct machine *machine);

/* Whether nothing that the launch has launched is left. */
static inline bool children_ended(const struct launch *launch)
{
	return !launch->family || (!launch->family->unfinished && !launch->family->tail);
}
/* Tail launches have their turn; what is ready comes onto the machine. */
void children_begin(struct machine *machine);
/* The cycle in which a grid comes onto the machine, if nothing happens before; NEVER: none does. */
uint64_t children_next(struct machine *machine);
/* The launch has ended, with all that it has launched. */
void children_finish(const struct launch *launch);
/* Its groups have ended, and it is there only for what it has launched. */
bool children_only_waits(const struct launch *launch);
/* Launches that run, those that only wait for their children excepted, in either way. */
uint32_t children_running(const struct machine *machine);

#endif
