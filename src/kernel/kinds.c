/* The table of kinds, and the kind of each row of ops.def. */
#include "kernel/kinds.h"

const struct kind_info insn_kinds[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags)                                                 \
	[INSN_##id] = {CLASS_##class, KIND_UNIT_##unit, flags},
#include "kernel/kinds.def"
#undef KIND
};

/* What lanes do alone is plain; what the members of a mask do together is SYNC. */
#define KIND_OF_LANES(effects) ((effects)&EFFECT_MEMBERS ? INSN_SYNC : INSN_PLAIN)

const uint8_t insn_kind_of_op[OP_COUNT] = {
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning)                              \
	[OP_##id] = KIND_OF_LANES(effects),
#define WARP(id, spelling, allow, flags, shape, types, result, latency, effects, function)                             \
	[OP_##id] = KIND_OF_LANES(effects),
#define CORE(id, spelling, allow, flags, shape, types, result, latency, effects, kind) [OP_##id] = INSN_##kind,
#define REFUSED(id, spelling, reason)
#include "ptx/ops.def"
#undef LANE
#undef WARP
#undef CORE
#undef REFUSED
};
