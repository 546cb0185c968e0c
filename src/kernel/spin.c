/* Which loops synchronise: lock attempts and polling.
 *
 * INSN_LOCK_TRY: an atomic exchange, compare-and-swap or `or` in a loop that is left, or not, by its result.  The result may
 * get there through data (a comparison) or through control (`done = true` in the branch taken when the lock was free).
 * INSN_WAIT_BRANCH: the back edges of a loop that only looks: it stores nothing and synchronises nobody, and some exit depends
 * on a value loaded from an address that stays the same, and on nothing that the loop itself moves on (a counter, a pointer:
 * a search through an array is not waiting). */
#include "kernel/bits.h"
#include "kernel/decode.h"

#include <string.h>

struct marks {
	struct decoder *d;
	const struct flow *flow;
	const struct flow_loop *loop;
	uint64_t *tainted; /* registers that depend on the value in question */
	uint64_t *steady;  /* registers whose value in the loop depends on loads and on what comes from outside only */
	uint64_t *written; /* registers written in the loop */
	uint64_t *region;  /* blocks: scratch */
	uint32_t *stack;
	bool changed;
};

struct reads {
	const uint64_t *set;
	bool any, all; /* members of the set among the registers read */
};

static void look(void *context, struct ptx_register *reg, bool is_write)
{
	struct reads *reads = context;
	if (is_write)
		return;
	reads->any |= bits_has(reads->set, reg->index);
	reads->all &= bits_has(reads->set, reg->index);
}

static struct reads reads_of(const struct ptx_instruction *i, const uint64_t *set)
{
	struct reads reads = {set, false, true};
	flow_registers(i, look, &reads);
	return reads;
}

static void taint(void *context, struct ptx_register *reg, bool is_write)
{
	struct marks *m = context;
	if (!is_write || bits_has(m->tainted, reg->index))
		return;
	bits_add(m->tainted, reg->index);
	m->changed = true;
}

static void note_write(void *context, struct ptx_register *reg, bool is_write)
{
	if (is_write)
		bits_add(context, reg->index);
}

typedef void loop_visit(struct marks *m, const struct ptx_instruction *i, uint32_t block);

static void each_instruction(struct marks *m, const uint64_t *blocks, loop_visit *visit)
{
	for_each_bit (b, blocks, m->flow->block_count)
		for (uint32_t k = 0; k < m->flow->blocks[b].count; k++)
			visit(m, &m->flow->function->code.at[m->flow->blocks[b].first + k], b);
}

static void taint_writes(struct marks *m, const struct ptx_instruction *i, uint32_t block)
{
	(void)block;
	flow_registers(i, taint, m);
}

/* All that is written between a tainted branch and the place where its sides meet again depends on it. */
static void taint_region(struct marks *m, uint32_t branch)
{
	const struct flow_block *from = &m->flow->blocks[branch];
	uint32_t depth = 0, words = bits_words(m->flow->block_count);
	memset(m->region, 0, words * sizeof *m->region);
	m->stack[depth++] = branch;
	while (depth) {
		const struct flow_block *block = &m->flow->blocks[m->stack[--depth]];
		for (uint32_t s = 0; s < block->successor_count; s++) {
			uint32_t to = block->successors[s];
			if (to == from->post_dominator || bits_has(m->region, to) || !bits_has(m->loop->blocks, to))
				continue;
			bits_add(m->region, to);
			m->stack[depth++] = to;
		}
	}
	each_instruction(m, m->region, taint_writes);
}

static void spread_taint(struct marks *m, const struct ptx_instruction *i, uint32_t block)
{
	if (!reads_of(i, m->tainted).any)
		return;
	flow_registers(i, taint, m);
	/* A branch that leaves the loop is the exit itself; were its other side a region, the whole loop would depend on it. */
	if (i->guard && instruction_kind(i) == INSN_BRANCH && bits_has(m->tainted, i->guard->index)) {
		bool leaves = false;
		for (uint32_t s = 0; s < m->flow->blocks[block].successor_count; s++)
			leaves |= !bits_has(m->loop->blocks, m->flow->blocks[block].successors[s]);
		if (!leaves)
			taint_region(m, block);
	}
}

static void spread_all(struct marks *m)
{
	do {
		m->changed = false;
		each_instruction(m, m->loop->blocks, spread_taint);
	} while (m->changed);
}

/* Whether a guarded branch or exit in the loop that may leave it has its guard in the set. */
static bool exit_depends(const struct marks *m, const uint64_t *set, const uint64_t *also)
{
	for_each_bit (b, m->loop->blocks, m->flow->block_count) {
		const struct flow_block *block = &m->flow->blocks[b];
		const struct ptx_instruction *last = &m->flow->function->code.at[block->first + block->count - 1];
		bool leaves = block->ends;
		for (uint32_t s = 0; s < block->successor_count; s++)
			leaves |= !bits_has(m->loop->blocks, block->successors[s]);
		if (leaves && last->guard && bits_has(set, last->guard->index) && bits_has(also, last->guard->index))
			return true;
	}
	return false;
}

static bool is_try(const struct ptx_instruction *i)
{
	if (instruction_kind(i) != INSN_ATOMIC)
		return false;
	enum atomic_op op = instruction_atomic(i);
	return op == ATOMIC_CAS || op == ATOMIC_EXCH || op == ATOMIC_OR;
}

static void clear(const struct marks *m, uint64_t *set)
{
	memset(set, 0, m->flow->live_words * sizeof *set);
}

static struct insn *decoded(const struct marks *m, uint32_t instruction)
{
	struct insn *insn = &m->d->code.at[m->d->function->pc_of[instruction]];
	while (insn->source == instruction && insn->inserted)
		insn++;
	return insn;
}

static void mark_try(struct marks *m, uint32_t instruction)
{
	const struct ptx_instruction *i = &m->flow->function->code.at[instruction];
	uint32_t loop = m->flow->blocks[m->flow->block_of[instruction]].loop;
	for (; loop != NO_BLOCK; loop = m->flow->loops[loop].parent) {
		m->loop = &m->flow->loops[loop];
		clear(m, m->tainted);
		flow_registers(i, taint, m);
		spread_all(m);
		if (exit_depends(m, m->tainted, m->tainted)) {
			decoded(m, instruction)->flags |= INSN_LOCK_TRY;
			return;
		}
	}
}

/* ---- Polling ---- */

/* Asks an mbarrier object how far it is. */
static bool is_test(const struct ptx_instruction *i)
{
	return instruction_kind(i) == INSN_MBARRIER && ptx_ops[i->op].effects == EFFECT_READS;
}

static bool is_memory_load(const struct ptx_instruction *i)
{
	if (is_test(i))
		return true;
	return instruction_kind(i) == INSN_LOAD && i->modifiers.space != space_PARAM &&
	       i->modifiers.space != space_CONST && i->modifiers.space != space_LOCAL;
}

/* Anything but looking: a loop with it does work. */
static bool only_looks(const struct marks *m)
{
	for_each_bit (b, m->loop->blocks, m->flow->block_count)
		for (uint32_t k = 0; k < m->flow->blocks[b].count; k++) {
			const struct ptx_instruction *i = &m->flow->function->code.at[m->flow->blocks[b].first + k];
			switch (instruction_kind(i)) {
			case INSN_MBARRIER:
				if (!is_test(i))
					return false;
				break;
			case INSN_COPY:
			case INSN_FRAGMENT:
			case INSN_STORE:
			case INSN_ATOMIC:
			case INSN_BARRIER:
			case INSN_CALL:
			case INSN_SYNC:
				return false;
			default:
				break;
			}
		}
	return true;
}

static void unsteady(void *context, struct ptx_register *reg, bool is_write)
{
	if (is_write)
		bits_remove(context, reg->index);
}

static void take_unsteady(struct marks *m, const struct ptx_instruction *i, uint32_t block)
{
	(void)block;
	if (!reads_of(i, m->steady).all || (ptx_ops[i->op].effects & EFFECT_CLOCK))
		flow_registers(i, unsteady, m->region);
}

/* The least set: what comes from outside, then whatever all writers in the loop make of steady values.  A counter reads
 * itself, so it never gets in. */
static void find_steady(struct marks *m)
{
	uint32_t words = m->flow->live_words;
	clear(m, m->written);
	for_each_bit (b, m->loop->blocks, m->flow->block_count)
		for (uint32_t k = 0; k < m->flow->blocks[b].count; k++)
			flow_registers(
				&m->flow->function->code.at[m->flow->blocks[b].first + k], note_write, m->written);
	for (uint32_t w = 0; w < words; w++)
		m->steady[w] = ~m->written[w];
	for (bool changed = true; changed;) {
		changed = false;
		memset(m->region, 0xff, words * sizeof *m->region);
		each_instruction(m, m->loop->blocks, take_unsteady);
		for (uint32_t w = 0; w < words; w++) {
			changed |= m->steady[w] != m->region[w];
			m->steady[w] = m->region[w];
		}
	}
}

static void taint_loads(struct marks *m, const struct ptx_instruction *i, uint32_t block)
{
	(void)block;
	if (is_memory_load(i))
		flow_registers(i, taint, m);
}

static void taint_data(struct marks *m, const struct ptx_instruction *i, uint32_t block)
{
	(void)block;
	if (reads_of(i, m->tainted).any)
		flow_registers(i, taint, m);
}

static void mark_polling(struct marks *m, const struct flow_loop *loop)
{
	m->loop = loop;
	if (!only_looks(m))
		return;
	find_steady(m);
	clear(m, m->tainted);
	each_instruction(m, loop->blocks, taint_loads);
	do {
		m->changed = false;
		each_instruction(m, loop->blocks, taint_data);
	} while (m->changed);
	if (!exit_depends(m, m->tainted, m->steady))
		return;
	const struct flow_block *header = &m->flow->blocks[loop->header];
	for (uint32_t p = 0; p < header->predecessor_count; p++) {
		const struct flow_block *from = &m->flow->blocks[header->predecessors[p]];
		if (!bits_has(loop->blocks, header->predecessors[p]))
			continue;
		struct insn *branch = decoded(m, from->first + from->count - 1);
		if (branch->flags & INSN_BACKWARD)
			branch->flags |= INSN_WAIT_BRANCH;
	}
}

void spin_mark(struct decoder *d, struct function_state *function)
{
	const struct flow *flow = function->flow;
	uint32_t words =
		flow->live_words > bits_words(flow->block_count) ? flow->live_words : bits_words(flow->block_count);
	struct marks m = {.d = d, .flow = flow};
	if (!flow->loop_count)
		return;
	m.tainted = arena_new_array(d->arena, uint64_t, words);
	m.steady = arena_new_array(d->arena, uint64_t, words);
	m.written = arena_new_array(d->arena, uint64_t, words);
	m.region = arena_new_array(d->arena, uint64_t, words);
	m.stack = arena_new_array(d->arena, uint32_t, flow->block_count + 1);
	for (uint32_t k = 0; k < function->ptx->code.count; k++)
		if (is_try(&function->ptx->code.at[k]) && !function->slots->dead_result[k])
			mark_try(&m, k);
	for (uint32_t l = 0; l < flow->loop_count; l++)
		mark_polling(&m, &flow->loops[l]);
}
