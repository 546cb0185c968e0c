/* Whether a register is alive in front of an instruction (alive.h). */
#include "kernel/alive.h"

#include "kernel/bits.h"
#include "kernel/registers.h"

#include <assert.h>

/* Behind the block. */
static bool is_alive_behind(const struct flow *flow, uint32_t block, const struct ptx_register *reg)
{
	for (uint32_t k = 0; k < flow->live_count; k++)
		if (flow->live[k] == reg)
			return bits_has(flow->live_out[block], k);
	return false;
}

bool flow_is_alive(const struct flow *flow, uint32_t instruction, const struct ptx_register *reg)
{
	assert(instruction < flow->function->code.count);
	uint32_t block = flow->block_of[instruction];
	uint32_t end = flow->blocks[block].first + flow->blocks[block].count;
	for (uint32_t k = instruction; k < end; k++) {
		bool writes = false;
		for (struct register_use use = {.of = &flow->function->code.at[k]}; register_next(&use);)
			if (use.reg == reg && !use.is_write)
				return true;
			else if (use.reg == reg)
				writes = true;
		if (writes)
			return false;
	}
	return is_alive_behind(flow, block, reg);
}
