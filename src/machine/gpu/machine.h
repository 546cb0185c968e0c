/* What happens to launches on the machine: they join, end, hang, pause. */
#ifndef LOCKSTEP_MACHINE_GPU_MACHINE_H
#define LOCKSTEP_MACHINE_GPU_MACHINE_H

#include "machine/state.h"

/* Whether the core has been made. */
static inline bool core_is_used(const struct core *core)
{
	return core->machine;
}
/* A core, made when a group first goes there: many launches are smaller than the GPU. */
struct core *machine_core(struct machine *machine, uint32_t index);
/* What the cores have counted since they were made; the launches' instructions are not among it.  What the partitions
 * have counted in all launches so far. */
struct counters machine_core_totals(const struct machine *machine);
struct partition_counters machine_partition_totals(const struct machine *machine);
/* The time since the machine began: cycles, up to the end of a quantum; functional mode: rounds of turns.  And what one
 * of them is called: "cycle", "turn". */
uint64_t machine_clock(const struct machine *machine);
const char *machine_clock_unit(const struct machine *machine);
/* The launch of that ordinal; null: it is not on the machine. */
struct launch *machine_launch(const struct machine *machine, uint64_t ordinal);
/* The work-group of that number of such a launch, and its core; null: it is on none. */
struct group *machine_group(const struct machine *machine, uint64_t launch, uint32_t number, struct core **core);
/* Puts a launch on the machine. */
void machine_join(struct machine *machine, struct launch *launch);
/* Ends a launch, for the machine's ways of running only. */
void machine_finish(struct machine *machine, struct launch *launch, enum gpu_outcome outcome);
/* All launches end: the fault's own with it, the others because of it. Returns the fault's. */
struct launch *machine_fault(struct machine *machine, const struct finding *fault);

/* Nothing will ever happen again, or (not proved) nothing has for long: all launches hang.  Returns the first. */
struct launch *machine_hang(struct machine *machine, bool proved);
/* The launch's finding: it hangs, of unknown cause, with what `detail` says, whose facts are its message. */
void machine_note_hang(struct machine *machine, struct launch *launch, struct finding_detail *detail);
/* Nothing runs any more: the first launch, which has ended, or null, and the GPU is stuck. */
struct launch *machine_dead(struct machine *machine);
/* gpu->pause_at has come; `done`: cycles, or warp instructions. */
bool machine_pauses(struct machine *machine, uint64_t done);
/* Looks whether the launches hang: false, they go on; true, *over is the first, all have ended, or it is null and the
 * GPU stuck. */
bool machine_watch(struct machine *machine, struct launch **over);

#endif
