/* Threads that have left the pipelines of a kernel: see left.h. */
#include "explore/left.h"

#include "machine/core/path.h"
#include "machine/gpu/machine.h"
#include "policy/policy.h"

#include <assert.h>

/* Calls, returns to callers and computed branches may lead anywhere. */
static bool is_use(const struct insn *i)
{
	bool acts = i->kind == INSN_MBARRIER && ptx_ops[i->op].effects != EFFECT_READS;

	return acts || i->kind == INSN_COPY || i->kind == INSN_ASYNC || i->kind == INSN_CALL ||
	       i->kind == INSN_CALL_INDIRECT || i->kind == INSN_INDEXED || i->kind == INSN_RETURN;
}

static bool falls_through(const struct insn *i)
{
	return i->flags & INSN_GUARDED || (i->kind != INSN_BRANCH && i->kind != INSN_EXIT);
}

static bool reaches_use(const struct kernel *kernel, const bool *uses, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc];

	return is_use(i) || (i->kind == INSN_BRANCH && uses[i->target]) ||
	       (falls_through(i) && pc + 1 < kernel->code_count && uses[pc + 1]);
}

const bool *left_find_uses(struct arena *arena, const struct kernel *kernel)
{
	bool *uses = arena_new_array(arena, bool, kernel->code_count);
	bool changes = true;

	while (changes) {
		changes = false;
		for (uint32_t pc = kernel->code_count; pc-- > 0;)
			if (!uses[pc] && reaches_use(kernel, uses, pc))
				uses[pc] = changes = true;
	}
	return uses;
}

struct lane_place {
	uint32_t lane, pc;
};

static void note_place(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct lane_place *place = context;

	(void)waiting;
	if (lanes >> place->lane & 1)
		place->pc = pc;
}

bool left_has(const struct machine *machine, uint64_t launch, uint32_t group, uint32_t thread, const bool *uses)
{
	struct core *core = NULL;
	const struct group *at = machine_group(machine, launch, group, &core);
	const struct warp_slot *r = at ? core_slot_of(core, at, thread) : NULL;
	struct lane_place place;

	if (!r || slot_thread_ended(r, thread))
		return true;
	place = (struct lane_place){.lane = thread - r->warp.first_thread, .pc = r->warp.path->pc};
	if (machine->divergence->each_path)
		path_each(r, note_place, &place);
	return !uses[place.pc];
}
