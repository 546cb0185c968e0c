/* A control processor that is out-of-order, by the model's control.NAME.*: paper 5, section 8.3 and Table 5. */
#ifndef LOCKSTEP_POLICY_CONTROL_OUT_OF_ORDER_H
#define LOCKSTEP_POLICY_CONTROL_OUT_OF_ORDER_H

#include "model/model.h"
#include "policy/control/control.h"

/* Results of instructions in the window are in the registers beyond the architectural ones. */
#define OUT_OF_ORDER(id, name_, summary_)                                                                              \
	static void size(const struct gpu_model *m, struct control_window *window)                                     \
	{                                                                                                              \
		uint32_t all = m->control_##id##_registers, kept = m->control_architectural;                           \
		*window = (struct control_window){.overlaps = true,                                                    \
			.width = m->control_##id##_width,                                                              \
			.registers = all > kept ? all - kept : 1,                                                      \
			.queue = m->control_##id##_queue,                                                              \
			.window = m->control_##id##_window,                                                            \
			.loads = m->control_##id##_loads,                                                              \
			.stores = m->control_##id##_stores};                                                           \
	}                                                                                                              \
	const struct control_policy control_##id = {.name = name_, .summary = summary_, .exists = true, .size = size}

#endif
