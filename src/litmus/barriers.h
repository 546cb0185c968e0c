/* The barriers of a test: which threads come to one, and how many a round of it needs.
 *
 * A barrier belongs to a CTA.  Without a count in the instruction a round needs every thread of the CTA that names the
 * barrier, as Dartagnan takes it: the test's CTA is no larger than the test, and its other threads have other barriers.
 */
#ifndef LOCKSTEP_LITMUS_BARRIERS_H
#define LOCKSTEP_LITMUS_BARRIERS_H

#include "litmus/test.h"

/* Whether two threads are of one CTA. */
static inline bool litmus_same_cta(const struct litmus_test *test, uint32_t a, uint32_t b)
{
	const struct litmus_thread *left = &test->threads.at[a], *right = &test->threads.at[b];
	return left->cta == right->cta && left->gpu == right->gpu;
}

/* Whether the thread has an instruction for the barrier with this number. */
bool litmus_names_barrier(const struct litmus_thread *thread, int32_t number);

bool litmus_has_barriers(const struct litmus_test *test);

/* Why the barriers of the test cannot be played by whole warps, each lane an instance of its own; null: they can.  They
 * can when every thread that names a barrier comes to it as often as the others do, and every round takes them all. */
const char *litmus_unplayable_barriers(const struct litmus_test *test);

#endif
