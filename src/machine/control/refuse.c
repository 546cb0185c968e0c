/* What a kernel must not have to be firmware. */
#include "machine/control/processor.h"

#include "kernel/kernel.h"

static bool is_refused(const struct insn *i)
{
	switch (i->kind) {
	case INSN_PLAIN: return ptx_ops[i->op].effects & EFFECT_CROSS_LANE;
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC:
		return i->access.space == space_SHARED || i->access.space == space_SURFACE ||
		       (i->kind == INSN_ATOMIC && i->access.elements > 1);
	case INSN_CLOCK:
	case INSN_BRANCH:
	case INSN_INDEXED:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_RETURN:
	case INSN_EXIT:
	case INSN_NANOSLEEP:
	case INSN_TRAP:
	case INSN_BREAKPOINT:
	case INSN_FENCE:
	case INSN_FIRMWARE: return false;
	default: return true;
	}
}

const char *control_refuses(struct arena *arena, const struct kernel *kernel)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (is_refused(&kernel->code[pc])) {
			struct place place = kernel_place(kernel, pc);

			return arena_printf(arena, "%s:%u: firmware %s: the control processor has nothing for this: %s",
				place.file, place.line, kernel->entry->name, kernel_text(arena, kernel, pc));
		}
	return NULL;
}
