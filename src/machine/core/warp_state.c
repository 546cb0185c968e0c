/* The bytes that make up a warp's state. */
#include "machine/core/warp_state.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>

static size_t divergence_used(const struct core *core, const struct launch *launch, const struct warp *w)
{
	const struct divergence_model *model = core->machine->divergence;
	size_t used = model->state_used ? model->state_used(w->divergence) : launch->warp.divergence_bytes;

	if (used > launch->warp.divergence_bytes)
		contract_broken(POLICY_divergence, model, "state_used returned %zu bytes, expected at most %zu", used,
			launch->warp.divergence_bytes);
	return used;
}

uint32_t state_pieces(const struct core *core, struct warp_slot *r, struct piece piece[STATE_PIECES])
{
	const struct launch *launch = r->core_launch->launch;
	struct warp *w = &r->warp;
	bool grows = launch->kernel->recursive || launch->kernel->uses.stack_top;
	uint32_t count = 0, local = grows ? launch->warp.stack_bytes : launch->kernel->stack_bytes;

	piece[count++] = (struct piece){w->divergence, divergence_used(core, launch, w)};
	piece[count++] = (struct piece){w->predicate_file, launch->warp.predicate_count * sizeof(lane_mask)};
	piece[count++] = (struct piece){w->registers, (size_t)launch->warp.register_words * sizeof(uint32_t)};
	piece[count++] = (struct piece){w->wide_registers, (size_t)launch->warp.register_words * sizeof(uint32_t)};
	piece[count++] = (struct piece){&w->carry_bits, sizeof w->carry_bits};
	if (local)
		piece[count++] = (struct piece){w->local, (size_t)local * w->lanes};
	if (w->stack_tops)
		piece[count++] = (struct piece){
			w->stack_tops, ((size_t)launch->warp.call_depth + 1) * w->lanes * sizeof(uint32_t)};
	assert(count <= STATE_PIECES);
	return count;
}
