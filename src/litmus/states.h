/* The states that a test can be in when its threads take turns at memory, each access at once: the graph that says
 * whether it comes to an end.
 *
 * A step of a thread is its next access to memory, fence or barrier, and what it does by itself before its first and
 * after each.  A load that is not weak reads the last write.  A weak one may also read what the thread saw last, for as
 * long as nothing orders it: an acquire operation, a fence and a barrier do.  So a loop that waits for a flag by weak
 * loads need not end. */
#ifndef LOCKSTEP_LITMUS_STATES_H
#define LOCKSTEP_LITMUS_STATES_H

#include "litmus/test.h"

struct litmus_edge {
	uint32_t thread, to; /* a step of that thread leads to that state */
	uint32_t next;       /* edge of the same state; LITMUS_NO_EDGE: none */
};
#define LITMUS_NO_EDGE UINT32_MAX

struct litmus_state {
	uint32_t edges;                  /* the first; LITMUS_NO_EDGE: none */
	uint8_t started, ended, can_run; /* threads, a bit each */
};

struct litmus_graph {
	VECTOR(struct litmus_state) states; /* the first is the start */
	VECTOR(struct litmus_edge) edges;
	bool complete; /* false: there are more states than are looked at */
};

void litmus_make_graph(struct arena *arena, const struct litmus_test *test, struct litmus_graph *graph);

#endif
