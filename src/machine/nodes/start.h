/* Making a core, and starting work-groups on it. */
#ifndef LOCKSTEP_MACHINE_NODES_START_H
#define LOCKSTEP_MACHINE_NODES_START_H

#include "machine/state/launch.h"

/* Before `arena` goes, which the core was made in. */
void core_clear(struct core *core, struct arena *arena);
/* Groups of the launch that could start now. */
uint32_t core_free_groups(const struct launch *launch, uint32_t index);
/* A core will start the group when the next quantum begins: it costs most of what is done between quanta, and cores do
 * it beside each other.  Until then nothing but core_free_groups asks what the core has. */
void core_promise_group(struct core_launch *on, uint32_t index, uint32_t number, uint64_t at);
/* The core starts what it was promised; it is made, when a group goes there for the first time: many launches are
 * smaller than the GPU.  Returns the last group. */
struct group *core_start_promised(struct machine *machine, uint32_t index);
/* Between quanta, before core_start_group: the launch will have one group more on the core.  A promise does it. */
void core_give_place(struct core_launch *on, uint32_t index);
struct group *core_start_group(struct core *core, struct core_launch *on, uint32_t number, uint64_t at);
/* Whether the group of a warp that has yielded would find room; restarts it. */
bool core_has_room_again(const struct core *core, const struct yielded *yielded);
struct group *core_restart_group(struct core *core, const struct yielded *yielded, uint64_t at);
/* What a warp of the launch needs for registers, divergence state and local memory. */
size_t core_warp_bytes(const struct launch *launch);

/* Where in warp_slot.register_ready_file those of predicates begin. */
size_t core_predicates_ready(const struct launch *launch, uint32_t lanes);
/* There are that many ready times of registers and predicates; those for the next class of readers follow. */
size_t core_reader_stride(const struct launch *launch, uint32_t lanes);

#endif
