/* Control processors: what executes firmware, beside the cores (paper 5: M. Orr and others, Fine-grain Task Aggregation
 * and Coordination on GPUs, 2014, sections 7 and 8.3). */
#ifndef LOCKSTEP_POLICY_CONTROL_H
#define LOCKSTEP_POLICY_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_model;

/* What a control processor keeps of the instructions that it has begun and not ended. */
struct control_window {
	bool overlaps;      /* an instruction may begin before the one before it has ended */
	uint32_t width;     /* instructions in a cycle: that enter, that begin, that leave */
	uint32_t registers; /* for results of instructions in the window */
	uint32_t queue;     /* instructions that have not begun */
	uint32_t window;    /* instructions, in all */
	uint32_t loads, stores;
};

struct control_policy {
	const char *name, *summary;
	/* There is such a processor; else launches with firmware are refused. */
	bool exists;
	/* How large the window is on this model.  Null where there is no processor. */
	void (*size)(const struct gpu_model *model, struct control_window *window);
};

#endif
