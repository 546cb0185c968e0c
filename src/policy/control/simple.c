/* One instruction at a time: paper 5, section 8.3, "a primitive core, which is not pipelined". */
#include "model/model.h"
#include "policy/control/control.h"

static void size(const struct gpu_model *model, struct control_window *window)
{
	(void)model;
	*window = (struct control_window){.width = 1, .registers = 1, .queue = 1, .window = 1, .loads = 1, .stores = 1};
}

const struct control_policy control_simple = {
	.name = "simple",
	.summary = "a processor that executes one instruction at a time (paper 5, Table 5)",
	.exists = true,
	.size = size,
};
