/* The instruction cache that all cores share, with fetch.shared.
 *
 * It has one port, which takes a fetch a cycle.  It keeps its lines, by the kernel that they are of, from launch to
 * launch.  A missing line comes from the L2 (fetch.l2), or fetch.miss cycles later.
 *
 * Cores run through a quantum beside each other, so what one does is seen by the others, and by the cache itself, when
 * the quantum is over:
 *   - A core that misses writes that down, and its warp asks again when the next quantum begins.  By then it is known
 *     when the line comes, which is never sooner: no way to the L2 is shorter than a quantum.  Misses of one line by
 *     several cores are one, at the time of the first.
 *   - Fetches of a quantum keep the port from those of the next, as long as they need it in all.  Within a quantum each
 *     core only waits for its own: over more than some quanta the port has its throughput.
 *   - Which line of a set was used last is looked up when one has to go. */
#ifndef LOCKSTEP_MACHINE_CORE_CODE_CACHE_H
#define LOCKSTEP_MACHINE_CORE_CODE_CACHE_H

#include "machine/state/machine.h"

struct code_cache;
struct code_lines;

/* null: each core has its own. */
struct code_cache *code_cache_create(struct arena *arena, const struct gpu_model *model);

/* A kernel's lines there; null: each core has its own cache.  Between quanta only. */
struct code_lines *code_cache_lines(struct gpu *gpu, const struct kernel *kernel);

/* schedule_fetch there.  If the line is missing the buffer stays empty, and fetched_at is when to ask again. */
void code_cache_fetch(struct core *core, struct warp_slot *r, const struct issue_row *row);

/* What the cores have written down in this quantum: once all have run, before time goes on. */
void code_cache_end_quantum(struct machine *machine);

/* Of a pc, those that say where in its line of code it is. */
static inline uint32_t code_line_bits(const struct gpu_model *model)
{
	assert(model->fetch_line >= FETCH_BYTES);
	return (uint32_t)__builtin_ctz(model->fetch_line / FETCH_BYTES);
}

#endif
