/* The kernel that plays a litmus test, many instances at a time.
 *
 * A team of work-groups, one for each CTA of the test, plays as many instances as a warp has lanes: warp w of a group
 * plays the w-th of its CTA's threads.  Which group is of which team, where each instance's locations lie and how long
 * each thread waits are tables in memory, which the host draws.  Groups without a team only make traffic.  Before a
 * thread plays it may read its locations, so that they are in its L1, and waits until its team is there.  All this adds
 * nothing to the causality order between the instructions of the test, and reads alone, so no outcome becomes allowed
 * by it that the test does not allow. */
#ifndef LOCKSTEP_LITMUS_KERNEL_H
#define LOCKSTEP_LITMUS_KERNEL_H

#include "litmus/test.h"
#include "util/text.h"

#define LITMUS_TRAFFIC UINT32_MAX /* the role of a group without a team */

/* What is drawn for a thread of the launch. */
struct litmus_draw {
	uint32_t delay; /* rounds of waiting before it begins */
	uint32_t warm;  /* bits of the locations that it reads before */
	uint32_t seed;  /* of its waits before each instruction, if the kernel has such */
	uint32_t gap;   /* a mask of their rounds */
};

/* The parameters, in this order. */
struct litmus_parameters {
	uint64_t roles;    /* u32 by group: team * ctas + CTA, or LITMUS_TRAFFIC */
	uint64_t draws;    /* struct litmus_draw by thread */
	uint64_t offsets;  /* u32 by instance and location: of the location in memory */
	uint64_t memory;   /* what holds the locations */
	uint64_t results;  /* s32 by instance and variable; behind them whether some thread gave up a loop */
	uint64_t meetings; /* u32 by team, 64 bytes apart */
	uint64_t traffic;  /* LITMUS_TRAFFIC_BYTES that groups without a team read and write */
	uint32_t rounds;   /* of traffic, by each thread */
};
/* Times that a thread goes back before it gives up; the slowest of a team waits for less than that. */
#define LITMUS_ROUNDS 256
#define LITMUS_TRAFFIC_BYTES 65536
#define LITMUS_MEETING_BYTES 64
#define LITMUS_COPIES 32 /* at most */

/* The CTAs of a test: its threads of one cta and gpu each. */
struct litmus_places {
	uint32_t lanes;                 /* of a warp of the GPU */
	uint32_t ctas;                  /* how many */
	uint32_t warps;                 /* threads of the largest */
	uint32_t cta[LITMUS_THREADS];   /* of each thread */
	uint32_t warp[LITMUS_THREADS];  /* of each thread, in its group */
	uint32_t sizes[LITMUS_THREADS]; /* threads of each CTA */
	bool several_gpus;              /* CTAs of different GPUs are groups of one */
};
struct litmus_places litmus_places(const struct litmus_test *test, uint32_t lanes);

/* How threads are written. */
struct litmus_form {
	/* They wait before each instruction, so that those of other threads come between.  Without, accesses follow
	 * each other as closely as they can, so that memory may reorder them. */
	bool gaps;
	/* Before each instruction they may read a location: through the L1, which then has it, or past the L1, which
	 * then has it no more.  About one of so many does so, a power of two; 0: none. */
	uint32_t touches;
	/* Each thread has so many copies of its code, a power of two, for lanes that differ modulo that.  Lanes of
	 * different copies do not meet again, so their waits differ; where the code is the same, lanes wait for the
	 * slowest.  1 for a test with barriers, to which whole warps come. */
	uint32_t copies;
};

/* The access of the test that a line of such PTX is of, the first is 1; false: none. */
bool litmus_access_of_line(
	const struct litmus_test *test, const char *ptx, uint32_t line, uint32_t *thread, uint32_t *instruction);

/* PTX with the one entry "litmus". */
const char *litmus_kernel(struct arena *arena, const struct litmus_test *test, const struct litmus_places *places,
	const struct litmus_form *form);

#endif
