/* Wavefront yield (paper 5, section 6): all state of a warp goes to memory, and its context is free for another. */
#ifndef LOCKSTEP_MACHINE_LSU_YIELD_H
#define LOCKSTEP_MACHINE_LSU_YIELD_H

#include "machine/state/launch.h"

/* Of a warp: paper 5, section 7: program counters, execution masks, NDRange identifiers and so on. */
#define YIELD_FIXED_BYTES 856

/* Bytes of the state: registers of four bytes and predicates of a bit for each lane, live and dead ones. */
static inline uint32_t yield_state_bytes(uint32_t lanes, uint32_t registers, uint32_t predicates)
{
	return YIELD_FIXED_BYTES + registers * 4 * lanes + predicates * lanes / 8;
}
static inline uint32_t yield_kernel_bytes(const struct kernel *kernel)
{
	return yield_state_bytes(kernel->lanes, kernel->registers_per_thread, kernel->functions[0].predicate_count - 1);
}

/* Where the state of the group's warp goes: memory that no other group has.  Between quanta, when it is placed. */
void yield_grant(struct core *core, const struct group *group, uint64_t context);
/* Memory of a group that has ended; 0: none. */
uint64_t yield_take_memory(struct core *core);
/* A warp that has come to yield, and waits for a place for its restart context. */
struct yield_asks {
	uint32_t core, slot; /* of a warp */
	uint64_t since;      /* core cycle */
};

/* Bytes of a restart context: where the state is, and the resource. */
#define YIELD_ENTRY_BYTES 16

/* Those of the core that have come to yield since this was last asked for.  Between quanta. */
uint64_t yield_asking(struct core *core);
/* The place of the warp's restart context: it goes on.  Between quanta. */
void yield_admit(struct core *core, uint32_t slot, uint64_t entry);
/* Those that have yielded since this was last asked for, in order.  Between quanta. */
struct yielded *yield_take(struct core *core);
/* Its first instruction, which was issued once, loads the state. */
void yield_restarted(struct core *core, const struct warp_slot *r, struct yielded *yielded);
/* Shared memory that groups have which have yielded. */
uint32_t yield_shared(const struct core *core);

#endif
