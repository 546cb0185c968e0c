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

#include "machine/state/child.h"
#include "machine/state/machine.h"

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
/* device_call.c: all that a warp waits for has ended; `awaited` represents it. */
void device_call_over(const struct child *awaited);
/* Of what the group has launched and has not ended, the first; null: nothing.  And how many. */
const struct child *children_awaited(const struct family *family, uint32_t number, uint32_t *count);
/* Whether grids at this depth may wait for what they launch. */
bool children_may_wait(const struct gpu *gpu, uint32_t depth);
/* A launch, from the host or from the GPU, begins later even if nothing happens before. */
bool children_begin_later(struct machine *machine);

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
