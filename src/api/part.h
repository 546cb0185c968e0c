/* What a feature adds to a session: a row of parts.def.  Mostly it asks an observer for something, and puts what that
 * has found of a launch into its result. */
#ifndef LOCKSTEP_API_PART_H
#define LOCKSTEP_API_PART_H

#include <stdbool.h>

struct diagnostic;
struct lockstep;
struct ptx_module;
struct started;

/* Each may be null. */
struct result_part {
	/* What gpu.options ask for, which have been checked one by one: sets gpu.observe, where observers find it.  An
	 * error in `diagnostic` where the model does not allow it. */
	void (*open)(struct lockstep *lockstep, struct diagnostic *diagnostic);
	/* A launch has ended: what there is of it, in started->result. */
	void (*add)(struct lockstep *lockstep, struct started *started);
	/* The module goes: its kernels are no others', whatever comes where they were. */
	void (*forget)(struct lockstep *lockstep, const struct ptx_module *module);
	/* Before the session's arena goes. */
	void (*close)(struct lockstep *lockstep);
};

void parts_open(struct lockstep *lockstep, struct diagnostic *diagnostic);
void parts_add(struct lockstep *lockstep, struct started *started);
void parts_forget(struct lockstep *lockstep, const struct ptx_module *module);
void parts_close(struct lockstep *lockstep);

#endif
