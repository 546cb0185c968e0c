/* Lanes of a warp that leave out a barrier and go on to code that the others reach only behind it.
 *
 * Where lanes are scheduled independently, they need not be seen together: those that leave it out may have ended
 * before the others come to it, or be still to come.  So the stores of each lane since its last barrier are remembered.
 * Lanes that have executed the barrier may execute one of these stores, too.  If no way leads from there to the
 * barrier, the store is behind it, and the lanes which came there without it have left it out.  A thread that ends
 * early executes no such store. */
#include "sync/sync.h"

#include "kernel/bits.h"
#include "kernel/flow.h"

/* Whether a way leads from the instruction to the barrier: in the kernel itself, whose code runs once.  Of functions
 * that it calls this is not known; then it is said that one does. */
static bool leads_to(const struct kernel *kernel, uint32_t from, uint32_t barrier)
{
	const struct insn *a = &kernel->code[from], *b = &kernel->code[barrier];
	const struct ptx_function *function = kernel->functions[a->function].ptx;
	struct arena arena = {0};
	struct flow *flow;
	bool leads;

	if (a->function != b->function || function != kernel->entry || a->source >= function->code.count ||
		b->source >= function->code.count)
		return true;
	flow = flow_analyse(&arena, function);
	leads = flow->block_of[a->source] == flow->block_of[b->source] && a->source < b->source;
	leads |=
		bits_has(flow_reach(flow, &arena,
				 (struct flow_way){
					 .from = flow->block_of[a->source], .avoided = NO_BLOCK, .leaves_first = true}),
			flow->block_of[b->source]);
	arena_free(&arena);
	return leads;
}

/* The same, with what was asked before. */
static bool may_lead_to(const struct sync_place *at, uint32_t from, uint32_t barrier)
{
	struct sync_way *way = &at->ways[(from ^ barrier << 2) % SYNC_WAYS];

	if (way->kernel != at->kernel || way->from != from || way->barrier != barrier)
		*way = (struct sync_way){.kernel = at->kernel,
			.from = from,
			.barrier = barrier,
			.leads = leads_to(at->kernel, from, barrier)};
	return way->leads;
}

/* Lanes have come to a barrier.  Whether they are some of those that this turn lacked: if it is another barrier, that
 * is told by itself. */
static bool come_again(struct sync_turn *turn, uint32_t pc, lane_mask lanes)
{
	bool joins = turn->executed && !(lanes & ~turn->absent);

	turn->executed = joins && turn->pc == pc ? turn->executed | lanes : turn->executed & ~lanes;
	turn->absent &= ~lanes;
	return joins;
}

void sync_turn(const struct sync_place *at, lane_mask lanes, lane_mask all)
{
	struct sync_warp *warp = at->warp;
	bool joined = false;

	if (lanes == all && !warp->turns && !warp->stores) /* as in nearly all kernels */
		return;
	for (uint32_t k = 0; k < SYNC_TURNS; k++)
		joined |= come_again(&warp->turn[k], at->pc, lanes);
	for (uint32_t k = 0; k < SYNC_STORES; k++)
		warp->store[k].lanes &= ~lanes;
	if (!joined && (all & ~lanes))
		warp->turn[warp->turns++ % SYNC_TURNS] =
			(struct sync_turn){.pc = at->pc, .executed = lanes, .absent = all & ~lanes};
}

/* The lanes that have executed the store since their last barrier; with these from now on. */
static lane_mask stored_by(const struct sync_place *at, lane_mask lanes)
{
	struct sync_warp *warp = at->warp;
	struct sync_store *store = NULL;
	lane_mask before;

	for (uint32_t k = 0; k < SYNC_STORES && !store; k++)
		store = warp->store[k].pc == at->pc ? &warp->store[k] : NULL;
	if (!store) {
		store = &warp->store[warp->stores++ % SYNC_STORES];
		*store = (struct sync_store){.pc = at->pc};
	}
	before = store->lanes;
	store->lanes |= lanes;
	return before;
}

/* Of the lanes that the turn lacked, some have executed the store before, or do so now. */
static void tell_passed(const struct sync_place *at, struct sync_turn *turn, lane_mask passed)
{
	turn->absent &= ~passed;
	if (!may_lead_to(at, at->pc, turn->pc))
		sync_tell_passed(at, turn, passed);
}

void sync_turn_store(const struct sync_place *at, lane_mask lanes)
{
	struct sync_warp *warp = at->warp;
	lane_mask all = stored_by(at, lanes) | lanes;

	for (uint32_t k = 0; k < SYNC_TURNS; k++) {
		struct sync_turn *turn = &warp->turn[k];

		if ((all & turn->executed) && (all & turn->absent))
			tell_passed(at, turn, all & turn->absent);
	}
}
