/* 2-way light out-of-order, a slim window: paper 5, section 8.3 and Table 5. */
#include "model/model.h"
#include "policy/control/control.h"

static void size(const struct gpu_model *m, struct control_window *window)
{
	uint32_t all = m->control_light_ooo_2_registers, kept = m->control_architectural;

	*window = (struct control_window){.overlaps = true,
		.width = m->control_light_ooo_2_width,
		.registers = all > kept ? all - kept : 1,
		.queue = m->control_light_ooo_2_queue,
		.window = m->control_light_ooo_2_window,
		.loads = m->control_light_ooo_2_loads,
		.stores = m->control_light_ooo_2_stores};
}

const struct control_policy control_light_ooo_2 = {
	.name = "light-ooo-2",
	.summary = "2-way light out-of-order, a slim window (paper 5, Table 5)",
	.exists = true,
	.size = size,
};
