/* The machine: made for a launch on an idle GPU; and what happens to launches on it: they join, end, hang, pause. */
#ifndef LOCKSTEP_MACHINE_GPU_MACHINE_H
#define LOCKSTEP_MACHINE_GPU_MACHINE_H

#include "machine/state/launch_state.h"

/* `first` is the launch for which it is made. */
struct machine *machine_create(struct gpu *gpu, const struct launch *first);
/* As machine_create does; again where the process has no such threads, as the machine was read from a file. */
void machine_begin_threads(struct machine *machine);
void machine_destroy(struct machine *machine);
/* Makes memory and the heap what they were when the machine was made or, the second time, what they were before the
 * first; in between the machine is paused, and others may run on the same memory that have snapshots of their own and
 * put them back (gpu->puts_back).  False: what it was is not kept. */
bool machine_swap(struct machine *machine);

/* Puts a launch on the machine. */
void machine_join(struct machine *machine, struct launch *launch);
/* Takes off the list of active launches those that have no more use for the cores. */
void machine_drop_ended(struct machine *machine);
/* The launch has done all that it was to do: it ends when machine_finish_done is called next. */
void machine_note_done(struct launch *launch);
/* The first of those that have ended now; null: none. */
struct launch *machine_finish_done(struct machine *machine);
/* Ends a launch, for the machine's ways of running only. */
void machine_finish(struct machine *machine, struct launch *launch, enum gpu_outcome outcome);
/* What of its counters all modes have, for machine_mode.count. */
void machine_count(struct launch *launch);
/* operations.c: adds those of a launch that has ended, in timing mode. */
void count_operations(struct counters *counters, const struct launch *launch);
/* energy.c: of a launch that has ended, in timing mode; cycles and counters of the result are there. */
struct energy energy_of(const struct launch *launch, const struct gpu_result *result);
/* All launches end: the fault's own with it, the others because of it. Returns the fault's. */
struct launch *machine_fault(struct machine *machine, const struct finding *fault);

/* Nothing will ever happen again, or (not proved) nothing has for long: all launches hang.  Returns the first. */
struct launch *machine_hang(struct machine *machine, bool proved);
/* The launch's finding: it hangs, of unknown cause, with what `detail` says, whose facts are its message. */
void machine_note_hang(struct machine *machine, struct launch *launch, struct finding_detail *detail);
/* The launches hang: the first, which has ended, or, where the GPU pauses then, null, and it is stuck. */
struct launch *machine_stuck(struct machine *machine, bool pauses, bool proved);
/* Nothing runs any more: the first launch, which has ended, or null, and the GPU is stuck. */
struct launch *machine_dead(struct machine *machine);
/* Tells the user, if he asks, how far the first launch has come, which has run for so many cycles. */
void machine_show_progress(const struct machine *machine, uint64_t cycles);
/* gpu->pause.at has come. */
bool machine_pauses(struct machine *machine);
/* Looks whether the launches hang: false, they go on; true, *over is the first, all have ended, or it is null and the
 * GPU stuck. */
bool machine_watch(struct machine *machine, struct launch **over);

#endif
