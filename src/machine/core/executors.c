/* The table of what carries out each kind of instruction. */
#include "machine/core/executors.h"

#include "machine/core/path.h"

static kind_executor *const execute_kind[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags) [INSN_##id] = execute,
#include "kernel/kinds.def"
#undef KIND
};

void core_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	if (!lanes && insn_kinds[i->kind].flags & KIND_LANES)
		control_advance(core, r);
	else
		execute_kind[i->kind](core, r, i, lanes);
}
