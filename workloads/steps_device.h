/* What kernels of steps over the vertices of a graph share (steps.h): the flag by which a thread asks for another
 * iteration, and the vertices of a thread in the portable form.  OpenCL C 2.0. */
#ifndef LOCKSTEP_WORKLOADS_STEPS_DEVICE_H
#define LOCKSTEP_WORKLOADS_STEPS_DEVICE_H

#include <lockstep_barrier.h>

static inline void ask_for_another(global uint *flag, uint iteration)
{
	atomic_store_explicit(
		(volatile global atomic_uint *)flag, iteration, memory_order_relaxed, memory_scope_device);
}

/* Whether a thread has asked in this iteration; to be read behind a barrier between work-groups. */
static inline bool asked(global uint *flag, uint iteration)
{
	return atomic_load_explicit((volatile global atomic_uint *)flag, memory_order_relaxed, memory_scope_device) >=
	       iteration;
}

/* The vertices v of this thread, where p is the p_context of its group and `vertices` their number. */
#define EACH(v) for (uint v = p_get_global_id(&p); v < vertices; v += p_get_global_size(&p))

#endif
