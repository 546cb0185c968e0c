/* Misuse of barriers and of instructions with a member mask: what PTX calls undefined or forbids, seen in a run.
 *
 * THE RULES are those of PTX ISA 8.5, 9.7.13 ("Parallel Synchronization and Communication Instructions").
 *   - bar, barrier (9.7.13.1).  `.aligned`, which all forms of bar are: all threads execute the same instruction; in
 *     conditional code only if all evaluate the condition alike, else the behaviour is undefined.  A barrier waits for
 *     the threads of a warp that have not exited.  For sm_6x and below the forms without .aligned are like those with
 *     it, and a warp executes them in convergence.  A thread count is a multiple of the warp size; arrive needs one
 *     that is not 0; warps may use different forms "using the same barrier name and thread count"; red is not to be
 *     mixed with sync or arrive on an active barrier.  Whether a barrier without a count, at which all threads
 *     participate, has the same one as a barrier with that number is not said; an H200 takes it for wrong: suspected.
 *   - bar.warp.sync (9.7.13.2), shfl.sync (9.7.8.6), vote.sync (9.7.13.9), match.sync, redux.sync: undefined if the
 *     executing thread is not in the member mask; they wait until all its threads that have not exited have executed
 *     the instruction with the same mask.  For sm_6x and below all execute it in convergence.
 *   - setmaxnreg (9.7.19.5): all threads of the four warps of a warpgroup (warps from a multiple of four on) execute
 *     the same instruction, and synchronise before the next; .inc asks for at least, .dec for at most what the warp
 * has.
 *   - wgmma (9.7.15): all threads of the four warps of a warpgroup execute the same instructions; its registers are not
 *     accessed before a wait_group that covers it; a wgmma.fence is before the first, and between other accesses of a
 *     register and a multiplication that uses it, unless that only adds to the sums of one before.  A mov counts as no
 *     access, since compilers put movs anywhere: the register to which it goes is what the other one was.
 *   - shfl: a value from a thread that is inactive, or not in the mask, is undefined.  Asked for alone: a sum over a
 *     part of a warp reads such values and does not use them.
 *
 *   - CUDA C++ Programming Guide, "Synchronization Functions": __syncthreads() in conditional code only if the
 * condition is the same for the whole block.  OpenCL C 3.0, 6.15.8: all work-items enter the conditional, and execute
 * the barrier in each round of a loop.  PTX has no such rule, and GPUs count threads by the barrier's number, without
 *     those that have ended: openings.c says what is told.
 *
 * WHAT COUNTS AS PROOF.  Lanes may exit where others go on to a barrier, and a run shows whether they do only in the
 * end.  So lanes that are missing are remembered, and told when they are seen elsewhere: together with lanes that
 * executed it, at another barrier, at this one later, or in code that is behind it.  Lanes that exit without more are
 * noted if that is asked for.
 *
 * The rules of sm_6x hold where the GPU has a reconvergence stack, which cannot wait for lanes of another path.  It
 * includes nothing of the machine: an observer (machine/observe/sync.c) says what happens. */
#ifndef LOCKSTEP_SYNC_SYNC_H
#define LOCKSTEP_SYNC_SYNC_H

#include "found/found.h"

/* What the user asks for. */
struct syncs_asked {
	bool all;                /* what is harmless where it is meant, too */
	bool counts;             /* else: that is only counted, but for shuffles, which would cost more */
	struct found_list apart; /* then: it, of all launches */
};

/* Lanes of a warp that are missing at an instruction which others have executed. */
struct sync_absence {
	uint32_t pc;
	lane_mask executed, missing;
	bool is_barrier;
};
#define SYNC_ABSENCES 8 /* of a warp; of more the oldest is forgotten, and what its missing lanes do from then on */

/* Lanes of a warp at a place. */
struct sync_side {
	uint32_t pc, first_thread;
	lane_mask lanes;
};
/* For one of the kernel's places behind a barrier (kernel/behind.c): lanes that have met the barrier, of marks within a
 * round since they passed the mark last; and those that have passed the mark, if it is exact without, of marks within a
 * round since the barrier opened last. */
struct sync_behind {
	lane_mask met, passed;
};

#define SYNC_WARPS 64    /* of a work-group */
#define SYNC_BARRIERS 18 /* likewise, those that are not named included */

/* A warp; all zero when it begins. */
struct sync_warp {
	struct sync_absence absence[SYNC_ABSENCES]; /* the oldest first */
	uint32_t count;
	lane_mask lost;               /* lanes of which it is not known any more which barriers they have missed */
	uint32_t parted_pc;           /* a .sync instruction that its lanes execute one mask after another: judged */
	lane_mask parted;             /* for these, which have yet to execute it */
	uint32_t came[SYNC_BARRIERS]; /* to each barrier, where last */
	struct sync_behind behind[KERNEL_BEHIND];
	/* Lanes that waited at another barrier than the others of the group, and those: told when the former end
	 * first. */
	struct sync_side lagging, leading;
	lane_mask told; /* lanes that have left out a barrier and ended */
};

/* A barrier of a work-group; all zero when it is not in use. */
struct sync_barrier {
	uint32_t pc, expected;
	bool used, counted, is_reduction;
};

/* Where something happens, and where what is found goes. */
struct sync_place {
	struct found_list *list;
	struct sync_warp *warp;
	const struct kernel *kernel;
	uint64_t launch;
	uint32_t pc, group, first_thread;
	lane_mask live;           /* lanes that have not exited */
	bool stack;               /* the GPU has a reconvergence stack */
	struct found_list *noted; /* where what is harmless goes; null: it is not asked for */
};

/* Lanes come to a barrier; `aligned`: as it is written. */
void sync_come(const struct sync_place *at, lane_mask lanes, bool aligned);
/* The barrier that they come to, with this thread count; `counted`: it is written there, else it is that of all. */
enum sync_form { SYNC_WAITS, SYNC_ARRIVES, SYNC_REDUCES };
void sync_use(const struct sync_place *at, struct sync_barrier *barrier, lane_mask lanes, enum sync_form form,
	bool counted, uint32_t expected);
/* Lanes execute an instruction with member masks, one for each lane; `vary`: they are in a register. */
void sync_meet(const struct sync_place *at, lane_mask lanes, const uint32_t *masks, bool vary);
/* Lanes begin a tensor copy whose map is in global memory, and which no thread of the work-group has acquired (CUDA C++
 * Programming Guide, "Using a modified tensor map": nor does the order of kernels in a stream do that). */
void sync_unacquired(const struct sync_place *at, lane_mask lanes);
/* Lanes execute anything together that shows that they do. */
void sync_pass(const struct sync_place *at, lane_mask lanes);
/* A shuffle of lanes would take its value from these sources (a lane number within the half warp; above 31: its own).
 * `masks` null: it has none. */
void sync_shuffle(const struct sync_place *at, lane_mask lanes, const uint8_t *source, const uint32_t *masks);

/* ---- Threads that leave out a barrier: openings.c ---- */

/* A barrier is about to open: the warps of the work-group, in their order. */
struct sync_opening {
	struct sync_member {
		struct sync_warp *warp;
		uint32_t first_thread;
		lane_mask full, live, here; /* that it began with; that have not ended; that wait there */
	} member[SYNC_WARPS];
	uint32_t count, number;
	bool counted; /* it is for a number of threads, not for all */
};

/* All active lanes of a warp come to a place behind a barrier. */
void sync_go_on(const struct sync_place *at, lane_mask lanes);
/* `at`: the instruction is set by it. */
void sync_open(struct sync_place *at, const struct sync_opening *opening);
/* For openings.c alone: these lanes executed the barrier, and others are or went elsewhere. */
void sync_tell(const struct sync_place *at, struct found_list *list, enum found_cause cause, const struct sync_side *a,
	const struct sync_side *b);

/* ---- setmaxnreg: warpgroups.c ---- */

struct sync_registers_warp {
	uint16_t count; /* of setmaxnreg that it has executed */
	bool ended;
	uint32_t pc; /* of the last */
	lane_mask lanes;
	uint16_t knows[SYNC_WARPS]; /* of each warp, so many of its setmaxnreg come before what this one does now */
};

/* A work-group, from its first setmaxnreg on. */
struct sync_registers {
	uint32_t threads, lanes, warps;
	bool is_told;                                /* a misuse of its */
	struct sync_registers_warp warp[SYNC_WARPS]; /* by their order in the group */
	uint16_t barrier[SYNC_BARRIERS][SYNC_WARPS]; /* what those know who have arrived there */
};

/* Why a warpgroup executes it in part: of a side of SYNC_REGISTERS_PART that is about no lanes, the value; likewise of
 * SYNC_MATRIX_PART. */
enum sync_part { SYNC_PART_SHORT, SYNC_PART_ENDED, SYNC_PART_PASSED, SYNC_PART_LEFT };

void sync_registers_begin(struct sync_registers *s, uint32_t threads, uint32_t lanes);
/* The warp of `at` executes it; `is_defined`: with such a count, when it has so many registers. */
void sync_registers_use(const struct sync_place *at, struct sync_registers *s, lane_mask lanes, uint32_t count,
	uint32_t has, bool is_defined);
/* The warp of `at` ends. */
void sync_registers_end(const struct sync_place *at, struct sync_registers *s);
/* A warp arrives at a barrier; one opens for those that wait there, bits by their order in the group. */
void sync_registers_arrive(struct sync_registers *s, uint32_t warp, uint32_t barrier);
void sync_registers_open(struct sync_registers *s, uint64_t waiting, uint32_t barrier);
/* A warp may have learnt, in another way than by barriers, what all others have done. */
void sync_registers_learn(struct sync_registers *s, uint32_t warp);

/* ---- wgmma: matrices.c ---- */

#define SYNC_WARPGROUPS 16
#define SYNC_MATRIX_PLACES 64 /* of a warpgroup: the last instructions */

/* A register of a warp that wgmma uses. */
struct sync_matrix_register {
	uint32_t pc;      /* of the multiplication that may still use it */
	uint32_t group;   /* which covers that: its number from 1 on; 0: there is none */
	uint32_t touched; /* one more than the pc of the last other access since the last wgmma.fence; 0: none */
	bool is_sum;      /* of that multiplication; else it is of A */
};

struct sync_matrix_warp {
	uint32_t count, groups; /* of the instructions of wgmma that it has executed; of those committed */
	bool ended, fenced;
	uint32_t pc; /* of the last */
	lane_mask lanes;
	struct sync_matrix_register *registers; /* by their numbers in the kernel's functions */
	uint32_t room;                          /* for so many */
};

/* A work-group, from its first wgmma on. */
struct sync_matrices {
	const struct kernel *kernel;
	uint32_t threads, lanes, warps, registers;
	uint64_t launch;
	uint32_t group;
	bool is_told; /* of a part of a warpgroup */
	struct sync_matrix_warp warp[SYNC_WARPS];
	struct sync_warpgroup {
		uint32_t count;                   /* of the warp that has executed most */
		uint32_t pc[SYNC_MATRIX_PLACES];  /* of the last so many */
		uint8_t warp[SYNC_MATRIX_PLACES]; /* which was the first */
	} warpgroup[SYNC_WARPGROUPS];
};

/* What `s` had of a work-group before it is used again; else it is all zero. */
void sync_matrices_begin(
	struct sync_matrices *s, struct arena *arena, const struct sync_place *at, uint32_t threads, uint32_t lanes);
/* The warp of `at` executes an instruction of wgmma for these lanes; `pending`: of wait_group, the groups that may be
 * left. */
void sync_matrices_use(
	const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes, uint32_t pending);
/* Or another instruction that touches registers of wgmma. */
void sync_matrices_touch(const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes);
/* The warp of `at` ends; nothing runs any more. */
void sync_matrices_end(const struct sync_place *at, struct sync_matrices *s);
void sync_matrices_stop(struct found_list *list, struct sync_matrices *s);

#endif
