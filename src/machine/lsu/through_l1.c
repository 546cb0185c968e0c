/* Loads and stores of lines through the L1. */
#include "machine/lsu/through_l1.h"

#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/port.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/stale.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>

/* The coherence policy decides, unless there is no L1 for what is loaded. */
static enum l1_load load_decision(const struct core *core, const struct l1_access *access, bool is_fetch)
{
	const struct gpu_model *model = core->machine->model;

	if (!model->l1_global && !(is_fetch && model->l1_texture))
		return L1_LOAD_BYPASS;
	return contract_load(core->machine->coherence, core->coherence_state, access);
}

static inline bool load(struct core *core, struct operation *op, const struct transaction *t)
{
	struct l1_access access = l1_access_of(&op->insn->access);
	uint8_t sectors = core->l1.all_sectors == 1 ? 1 : op->kind->sectors(core, op, t);
	enum l1_load decision = load_decision(core, &access, op->kind->is_fetch);
	const struct l1_line *hit = decision == L1_LOAD_CACHED ? l1_lookup(&core->l1, t->line, sectors) : NULL;
	uint32_t token;

	assert(t->lanes && t->line % LEAST_LINE == 0);
	assert(t->operation < core->lsu.operation_fresh);
	assert(op == &core->lsu.operations[t->operation]);
	if (hit) {
		core->counters.l1_loads++;
		core->counters.l1_hits++;
		if (space_was_written(core->machine->space, t->line, *l1_since(&core->l1, hit)))
			stale_suspect(core, op, t, hit);
		op->kind->deliver(core, op, t->lanes, l1_data(&core->l1, hit), t->line);
		load_store_answered(core, op, core->now + core->machine->model->l1_latency);
		return true;
	}
	if (decision == L1_LOAD_BYPASS_EVICT)
		l1_write(&core->l1, t->line, NULL, false);
	switch (l1_join(&core->l1, t->line, sectors, decision != L1_LOAD_CACHED,
		(struct l1_waiter){.lanes = t->lanes, .user = t->operation}, &token)) {
	case L1_FULL: core->lsu.queue_stalled = true; return false;
	case L1_JOINED: core->counters.l1_merged++; break;
	case L1_SEND:
		port_send_load(core, t->line, sectors,
			(struct port_load){
				.kept = decision == L1_LOAD_CACHED, .passes = op->insn->access.order <= order_WEAK},
			token);
		break;
	}
	if (decision == L1_LOAD_CACHED)
		core->counters.l1_loads++;
	else
		core->counters.l1_bypassed++;
	return true;
}

bool through_l1_load(struct core *core, struct operation *op, const struct transaction *t)
{
	return core->owned ? owned_send(core, op, t, OWNED_LOAD) : load(core, op, t);
}

#define TAKEN_TOKEN 0x80u /* in the token of a store: a line of the L1 has taken its bytes */

/* Comes back with the acknowledgement of a store: the group's slot and the epoch. */
static uint32_t store_token(const struct core *core, const struct operation *op)
{
	assert((size_t)(op->group - core->groups.at) < core->groups.count);
	return (op->epoch % FENCE_EPOCHS) | (uint32_t)(op->group - core->groups.at) << 8;
}

static inline bool store(struct core *core, struct operation *op, const struct transaction *t)
{
	struct l1_access access = l1_access_of(&op->insn->access);
	enum l1_store decision = contract_store(core->machine->coherence, core->coherence_state, &access);
	struct message *m = outbox_write(core->outbox, sizeof(struct store_payload));
	uint32_t bytes = op->kind->gather(op, t->lanes, t->line, message_payload(m));
	uint32_t token = store_token(core, op);

	assert(t->lanes && t->line % LEAST_LINE == 0);
	assert(op->pending);
	m->payload_bytes = sizeof(struct store_payload);
	if (decision == L1_STORE_EVICT) {
		l1_write(&core->l1, t->line, NULL, false);
	} else if (decision == L1_STORE_UPDATE && l1_write(&core->l1, t->line, message_payload(m), true)) {
		token |= TAKEN_TOKEN;
		++*l1_own_stores(&core->l1, t->line);
	}
	port_sign(op, m);
	port_post(core, m, MESSAGE_STORE, t->line, bytes, token);
	observe_written(core, op->slot, op->address, t->lanes, NULL);
	load_store_part_done(core, op, core->now);
	return true;
}

bool through_l1_store(struct core *core, struct operation *op, const struct transaction *t)
{
	return core->owned ? owned_send(core, op, t, OWNED_STORE) : store(core, op, t);
}

void through_l1_loaded(struct core *core, const struct message *m)
{
	uint32_t waiter = core->l1.misses[m->token].first;

	l1_fill(&core->l1, m->token, m->sectors, message_payload(m));
	while (waiter != L1_NONE) {
		const struct l1_waiter *w = &core->l1.waiters[waiter];
		struct operation *op = &core->lsu.operations[w->user];

		assert(w->user < core->lsu.operation_fresh);
		assert(w->lanes && !(w->lanes & ~op->lanes));
		op->kind->deliver(core, op, w->lanes, message_payload(m), m->line);
		load_store_answered(core, op, core->now);
		waiter = w->next;
	}
	l1_release(&core->l1, m->token);
}

void through_l1_stored(struct core *core, const struct message *m)
{
	uint32_t token = m->token;

	if (token & OPERATION_TOKEN) {
		assert((token & ~OPERATION_TOKEN) < core->lsu.operation_fresh);
		load_store_answered(core, &core->lsu.operations[token & ~OPERATION_TOKEN], core->now);
		return;
	}
	assert(!(token & TAKEN_TOKEN) || *l1_own_stores(&core->l1, m->line));
	if (token & TAKEN_TOKEN)
		--*l1_own_stores(&core->l1, m->line);
	assert(token >> 8 < core->groups.count);
	fence_answered(core, &core->groups.at[token >> 8], token % FENCE_EPOCHS);
}
