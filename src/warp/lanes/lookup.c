/* From an instruction to its function, in this variant. */
#include "warp/lanes/lanes.h"

/* Float rows: roundings other than to nearest are carried out elsewhere, lane by lane. */
static exec_function *lane_function(const struct insn *i)
{
	struct lane_functions functions = V(integer_rows)[i->op][i->type];
	if (functions.plain)
		return functions.plain;
	functions = V(float_rows)[i->op][i->type];
	if (!functions.plain)
		return NULL;
	if (i->modifiers.rounding && i->modifiers.rounding != rounding_RN)
		return choose_rounded(i);
	return !i->modifiers.flags              ? functions.plain
	       : i->modifiers.flags == FLAG_FTZ ? functions.flushing
						: V(choose_limited)(i);
}

exec_function *V(lanes_lookup)(const struct insn *i, const struct insn_extra *extra)
{
	switch (i->op) {
#define LANE(id, ...)                                                                                                  \
	case OP_##id:                                                                                                  \
		return lane_function(i);
#define WARP(id, spelling, allow, flags, shape, types, result, latency, effects, function)                             \
	case OP_##id:                                                                                                  \
		return choose_##function(i, extra);
#define CORE(id, ...)
#define REFUSED(id, ...)
#include "ptx/ops.def"
#undef LANE
#undef WARP
#undef CORE
#undef REFUSED
	default: return NULL;
	}
}
