/* Work-group barriers: bar.*, barrier.*; and what the exit of lanes means for those that wait. */
#ifndef LOCKSTEP_MACHINE_CORE_BARRIER_H
#define LOCKSTEP_MACHINE_CORE_BARRIER_H

#include "machine/state/core.h"

void barrier_lanes_exited(struct core *core, struct group *group);
/* The active path of a warp waits at a barrier, at the instruction. */
void barrier_wait(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t number);
/* Releases all that wait at a barrier from cycle `at` on, or one after another. */
void barrier_open_at(struct core *core, struct group *group, uint32_t number, uint64_t at);
/* A warp that waits at a barrier goes on from cycle `at` on. */
void barrier_let_go(struct core *core, struct warp_slot *r, uint32_t number, uint64_t at);
/* Between quanta: releases all that wait at a named barrier, as if the rest had come. */
void barrier_open(struct core *core, struct group *group, uint32_t number);

#endif
