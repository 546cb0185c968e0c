/* 4-way out-of-order: paper 5, section 8.3 and Table 5. */
#include "model/model.h"
#include "policy/control/control.h"

static void size(const struct gpu_model *m, struct control_window *window)
{
	uint32_t all = m->control_ooo_4_registers, kept = m->control_architectural;

	*window = (struct control_window){.overlaps = true,
		.width = m->control_ooo_4_width,
		.registers = all > kept ? all - kept : 1,
		.queue = m->control_ooo_4_queue,
		.window = m->control_ooo_4_window,
		.loads = m->control_ooo_4_loads,
		.stores = m->control_ooo_4_stores};
}

const struct control_policy control_ooo_4 = {
	.name = "ooo-4",
	.summary = "4-way out-of-order (paper 5, Table 5)",
	.exists = true,
	.size = size,
};
