/* Which loops synchronise (spin.h): found by spreading "depends on what was read" over the registers of a loop.
 *
 * The result of a lock attempt may get to the exit through data (a comparison) or through control (`done = true` in the
 * branch taken when the lock was free); of a lock that a work-group takes as a whole also through a word of shared
 * memory, which one thread writes and all read after a barrier.  A polling loop's exit must depend on nothing that the
 * loop itself moves on (a counter, a pointer: a search through an array is not waiting). */
#include "kernel/spin.h"

#include "kernel/attempt.h"
#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <string.h>

/* A word of shared memory, by how its address is written. */
struct word {
	const struct ptx_register *reg;
	const struct ptx_variable *variable;
	int64_t offset;
};

struct marks {
	struct arena *arena;
	const struct ptx_module *module;
	const struct flow *flow;
	VECTOR(struct spin) found;
	VECTOR(struct word) words; /* that depend on the value in question */
	bool through_shared;       /* whether dependence is followed through them */
	const struct flow_loop *loop;
	uint64_t *tainted; /* registers that depend on the value in question */
	uint64_t *steady;  /* registers whose value in the loop depends on loads and on what comes from outside only */
	uint64_t *written; /* registers written in the loop */
	uint64_t *room;    /* for two sets of registers: scratch */
	struct flow_room walk;
	const struct ptx_instruction *
		*definition; /* per register: the only one that writes it; null: none does, or several */
	bool changed;        /* more depends on it than before */
};

static const struct ptx_instruction *code_at(const struct marks *m, uint32_t k)
{
	return &m->flow->function->code.at[k];
}

/* The word of shared memory that a load or store accesses.  False: it does not, or its address may be another one in
 * the next turn. */
static bool find_word(const struct marks *m, const struct ptx_instruction *i, struct word *word)
{
	for (uint32_t k = 0; k < i->operand_count; k++) {
		const struct ptx_operand *o = &i->operand[k];
		if (o->kind != OPERAND_ADDRESS)
			continue;
		*word = (struct word){o->reg, o->variable, o->offset};
		return (i->modifiers.space == space_SHARED || (o->variable && o->variable->space == space_SHARED)) &&
		       (!o->reg || !bits_has(m->written, o->reg->index));
	}
	return false;
}

static bool is_tainted_word(const struct marks *m, const struct word *word)
{
	for (uint32_t k = 0; k < m->words.count; k++) {
		const struct word *other = &m->words.at[k];
		if (other->reg == word->reg && other->variable == word->variable && other->offset == word->offset)
			return true;
	}
	return false;
}

static bool loads_tainted(const struct marks *m, const struct ptx_instruction *i)
{
	struct word word;
	return m->words.count && instruction_kind(i) == INSN_LOAD && find_word(m, i, &word) &&
	       is_tainted_word(m, &word);
}

static void taint_writes(struct marks *m, const struct ptx_instruction *i)
{
	struct word word;
	m->changed |= registers_add_written(i, m->tainted);
	if (!m->through_shared || instruction_kind(i) != INSN_STORE || !find_word(m, i, &word) ||
		is_tainted_word(m, &word))
		return;
	*vector_push(m->arena, &m->words) = word;
	m->changed = true;
}

/* All that is written between a tainted branch and the place where its sides meet again depends on it. */
static void taint_region(struct marks *m, uint32_t branch)
{
	struct flow_way way = {.from = branch,
		.avoided = m->flow->blocks[branch].post_dominator,
		.leaves_first = true,
		.within = m->loop};
	const uint64_t *region = flow_reach_in(m->flow, m->walk, way);
	for_each_bit(b, region, m->flow->block_count)
	{
		for (uint32_t k = 0; k < m->flow->blocks[b].count; k++)
			taint_writes(m, code_at(m, m->flow->blocks[b].first + k));
	}
}

static void spread_taint(struct marks *m, uint32_t instruction)
{
	const struct ptx_instruction *i = code_at(m, instruction);
	uint32_t block = m->flow->block_of[instruction];
	if (!registers_read_any(i, m->tainted) && !loads_tainted(m, i))
		return;
	taint_writes(m, i);
	/* A branch that leaves the loop is the exit itself; were its other side a region, the whole loop would depend
	 * on it. */
	if (i->guard && instruction_kind(i) == INSN_BRANCH && bits_has(m->tainted, i->guard->index) &&
		!flow_leaves(m->flow, m->loop, block))
		taint_region(m, block);
}

/* The last instruction of a block when it may leave the loop, else null. */
static const struct ptx_instruction *exit_of(const struct marks *m, uint32_t b)
{
	return m->flow->blocks[b].ends || flow_leaves(m->flow, m->loop, b) ? flow_last(m->flow, b) : NULL;
}

/* Whether a guarded branch or exit that may leave the loop has its guard in both sets. */
static bool exit_depends(const struct marks *m, const uint64_t *set, const uint64_t *also)
{
	each_block(b, m->flow, m->loop)
	{
		const struct ptx_instruction *last = exit_of(m, b);
		if (last && last->guard && bits_has(set, last->guard->index) && bits_has(also, last->guard->index))
			return true;
	}
	return false;
}

static bool is_immediate(const struct ptx_operand *operand, uint64_t value)
{
	return operand->kind == OPERAND_IMMEDIATE && !operand->is_float && operand->bits == value;
}

static bool is_same(const struct ptx_operand *a, const struct ptx_operand *b)
{
	if (a->kind == OPERAND_REGISTER)
		return b->kind == OPERAND_REGISTER && a->reg == b->reg;
	return a->kind == OPERAND_IMMEDIATE && is_immediate(b, a->bits);
}

bool spin_only_looks(const struct ptx_instruction *i)
{
	if (instruction_kind(i) != INSN_ATOMIC || !op_is(i->op, "atom"))
		return false;
	const struct ptx_operand *value = &i->operand[2];
	switch (instruction_atomic(i)) {
	case ATOMIC_ADD:
	case ATOMIC_OR:
	case ATOMIC_XOR: return is_immediate(value, 0);
	case ATOMIC_CAS: return is_same(value, &i->operand[3]);
	default: return false;
	}
}

static bool is_try(const struct ptx_instruction *i)
{
	if (instruction_kind(i) == INSN_LOAD_LOCK)
		return true;
	if (instruction_kind(i) != INSN_ATOMIC)
		return false;
	enum atomic_op op = instruction_atomic(i);
	return (op == ATOMIC_CAS || op == ATOMIC_EXCH || op == ATOMIC_OR) && !spin_only_looks(i);
}

/* ---- What stays the same ---- */

static void clear(const struct marks *m, uint64_t *set)
{
	memset(set, 0, bits_words(m->flow->function->registers.count) * sizeof *set);
}

static void find_written(struct marks *m)
{
	clear(m, m->written);
	each_pc(k, m->flow, m->loop) registers_add_written(code_at(m, k), m->written);
}

static bool keeps_steady(const struct ptx_instruction *i, const uint64_t *steady)
{
	return registers_read_only(i, steady) && !instruction_reads_clock(i);
}

/* What comes from outside, then whatever all writers in the loop make of steady values. */
static void find_steady(struct marks *m)
{
	find_written(m);
	for (uint32_t w = 0; w < bits_words(m->flow->function->registers.count); w++)
		m->steady[w] = ~m->written[w];
	registers_spread_kept(m->flow, m->loop, m->steady, keeps_steady, m->room);
}

/* Asks an mbarrier object how far it is. */
static bool is_test(const struct ptx_instruction *i)
{
	return instruction_kind(i) == INSN_MBARRIER && ptx_ops[i->op].effects == EFFECT_READS;
}

static bool is_memory_load(const struct ptx_instruction *i)
{
	if (is_test(i) || spin_only_looks(i))
		return true;
	return instruction_kind(i) == INSN_LOAD && i->modifiers.space != space_PARAM &&
	       i->modifiers.space != space_CONST && i->modifiers.space != space_LOCAL;
}

/* What depends on loads in the loop through data. */
static void spread_loads(struct marks *m)
{
	clear(m, m->tainted);
	each_pc(k, m->flow, m->loop)
	{
		if (is_memory_load(code_at(m, k)))
			registers_add_written(code_at(m, k), m->tainted);
	}
	registers_spread(m->flow, m->loop, m->tainted);
}

/* A way out that depends on what the loop itself moves on: it will not go round for ever. */
static bool is_bounded(const struct marks *m)
{
	each_block(b, m->flow, m->loop)
	{
		const struct ptx_instruction *last = exit_of(m, b);
		if (last && last->guard && !bits_has(m->steady, last->guard->index))
			return true;
	}
	return false;
}

/* ---- Locks ---- */

/* A compare-and-swap that expects what this turn has read fails only because another one succeeded: an update, unless
 * there are turns without it (a semaphore at zero). */
static bool is_update(struct marks *m, uint32_t instruction)
{
	const struct ptx_instruction *i = code_at(m, instruction);
	if (instruction_atomic(i) != ATOMIC_CAS || i->operand[2].kind != OPERAND_REGISTER)
		return false;
	spread_loads(m);
	return bits_has(m->tainted, i->operand[2].reg->index) &&
	       !flow_can_miss(m->flow, m->walk, m->loop, m->loop->header, m->flow->block_of[instruction]);
}

static bool is_endless_try(struct marks *m, uint32_t instruction)
{
	find_steady(m);
	return registers_read_only(code_at(m, instruction), m->steady) && exit_depends(m, m->tainted, m->steady) &&
	       !is_bounded(m) && !is_update(m, instruction);
}

/* Marks what depends on the result of an attempt, or of a load. */
static void spread_result(struct marks *m, const struct ptx_instruction *i, bool through_shared)
{
	m->through_shared = through_shared;
	m->words.count = 0;
	clear(m, m->tainted);
	registers_add_written(i, m->tainted);
	do {
		m->changed = false;
		each_pc(k, m->flow, m->loop) spread_taint(m, k);
	} while (m->changed);
}

/* The first load from a place that stays the same on which the loop's exit depends. */
static uint32_t find_condition(struct marks *m)
{
	each_pc(k, m->flow, m->loop)
	{
		const struct ptx_instruction *i = code_at(m, k);
		if (!is_memory_load(i) || !registers_read_only(i, m->steady))
			continue;
		spread_result(m, i, false);
		if (exit_depends(m, m->tainted, m->tainted))
			return k;
	}
	return NO_BLOCK;
}

/* Whether the operand is what the attempt finds when the lock is free: what a compare-and-swap expects, of others 0. */
static bool is_free_value(const struct marks *m, const struct ptx_instruction *attempt, const struct ptx_operand *o)
{
	bool compares = instruction_atomic(attempt) == ATOMIC_CAS;
	uint64_t is = 0, wanted = 0;
	if (compares && is_same(o, &attempt->operand[2]))
		return true;
	return attempt_constant(m->definition, o, &is) &&
	       (!compares || attempt_constant(m->definition, &attempt->operand[2], &wanted)) && is == wanted;
}

/* Whether the result, where it is compared at all, is only compared with what it is when the lock was free.  A
 * compare-and-swap that waits for another value is none for a lock: HeteroSync's barrier of all groups sets the count
 * back by one. */
static bool asks_whether_free(const struct marks *m, const struct ptx_instruction *attempt)
{
	each_pc(k, m->flow, m->loop)
	{
		const struct ptx_instruction *i = code_at(m, k);
		if (i->op != OP_setp || attempt->operand[0].kind != OPERAND_REGISTER)
			continue;
		const struct ptx_operand *left = &i->operand[2], *right = &i->operand[3];
		if ((is_same(left, &attempt->operand[0]) && !is_free_value(m, attempt, right)) ||
			(is_same(right, &attempt->operand[0]) && !is_free_value(m, attempt, left)))
			return false;
	}
	return true;
}

/* The loop is left, or not, by what one thread has written to shared memory.  Such words carry much else, so more is
 * asked than of registers: the attempt is the same in each turn and has to do with nothing that the loop itself reads
 * (a visit to a node of a work list, a lock-free update), and the exit depends on nothing that the loop moves on. */
static bool is_group_try(struct marks *m, const struct ptx_instruction *i)
{
	find_steady(m);
	spread_loads(m);
	if (!registers_read_only(i, m->steady) || registers_read_any(i, m->tainted) || !asks_whether_free(m, i))
		return false;
	spread_result(m, i, true);
	return m->words.count && exit_depends(m, m->tainted, m->steady);
}

/* One thread tries, and the others of its work-group learn the result after a barrier in the loop. */
static bool tells_group(struct marks *m, const struct ptx_instruction *attempt)
{
	bool has_barrier = false;
	each_pc(k, m->flow, m->loop) has_barrier |= instruction_kind(code_at(m, k)) == INSN_BARRIER;
	if (has_barrier)
		spread_result(m, attempt, true);
	return has_barrier && m->words.count;
}

/* In the loop at hand. */
static struct attempt attempt_at(struct marks *m, uint32_t instruction)
{
	find_steady(m);
	return (struct attempt){.arena = m->arena,
		.module = m->module,
		.flow = m->flow,
		.loop = m->loop,
		.definition = m->definition,
		.written = m->written,
		.steady = m->steady,
		.walk = m->walk,
		.instruction = instruction};
}

static void find_lock(struct marks *m, uint32_t instruction)
{
	const struct ptx_instruction *i = code_at(m, instruction);
	uint32_t loop = m->flow->blocks[m->flow->block_of[instruction]].loop;
	for (; loop != NO_BLOCK; loop = m->flow->loops[loop].parent) {
		struct spin spin = {.kind = SPIN_LOCK, .loop = loop, .instruction = instruction, .condition = NO_BLOCK};
		m->loop = &m->flow->loops[loop];
		spread_result(m, i, false);
		if (exit_depends(m, m->tainted, m->tainted)) {
			spin.endless = is_endless_try(m, instruction);
			spin.condition = spin.endless ? find_condition(m) : NO_BLOCK;
			find_written(m);
			spin.of_group = tells_group(m, i);
		} else if (is_group_try(m, i)) {
			spin.of_group = true;
			spin.endless = !is_bounded(m);
		} else {
			continue;
		}
		struct attempt attempt = attempt_at(m, instruction);
		spin.takes_any = attempt_takes_any(&attempt);
		if (!attempt_is_lock(&attempt))
			spin = (struct spin){SPIN_UPDATE, loop, instruction, .condition = NO_BLOCK};
		*vector_push(m->arena, &m->found) = spin;
		return;
	}
}

static bool is_found(const struct marks *m, uint32_t instruction)
{
	for (uint32_t k = 0; k < m->found.count; k++)
		if (m->found.at[k].instruction == instruction)
			return true;
	return false;
}

static void find_twins(struct marks *m, const bool *dead_result)
{
	for (uint32_t k = 0, count = m->found.count; k < count; k++) {
		struct spin lock = m->found.at[k];
		m->loop = &m->flow->loops[lock.loop];
		struct attempt attempt = attempt_at(m, lock.instruction);
		for (uint32_t n = 0; lock.kind == SPIN_LOCK && n < m->flow->function->code.count; n++) {
			if (!is_try(code_at(m, n)) || dead_result[n] || is_found(m, n) ||
				!attempt_has_twin(&attempt, n))
				continue;
			*vector_push(m->arena, &m->found) = (struct spin){.kind = SPIN_TWIN,
				.loop = lock.loop,
				.instruction = n,
				.of_group = lock.of_group,
				.takes_any = lock.takes_any,
				.condition = NO_BLOCK};
		}
	}
}

/* ---- Polling ---- */

/* Anything but looking: a loop with it does work. */
static bool only_looks(const struct marks *m)
{
	each_pc(k, m->flow, m->loop)
	{
		const struct ptx_instruction *i = code_at(m, k);
		enum insn_kind kind = instruction_kind(i);
		if (insn_kinds[kind].flags & KIND_WORKS || (kind == INSN_MBARRIER && !is_test(i)) ||
			kind == INSN_LOAD_LOCK || (kind == INSN_ATOMIC && !spin_only_looks(i)))
			return false;
	}
	return true;
}

/* NO_BLOCK: there is none. */
static uint32_t first_load(const struct marks *m)
{
	each_pc(k, m->flow, m->loop) if (is_memory_load(code_at(m, k))) return k;
	return NO_BLOCK;
}

static void find_wait(struct marks *m, uint32_t loop)
{
	m->loop = &m->flow->loops[loop];
	if (!only_looks(m))
		return;
	find_steady(m);
	spread_loads(m);
	if (exit_depends(m, m->tainted, m->steady))
		*vector_push(m->arena, &m->found) = (struct spin){.kind = SPIN_WAIT,
			.loop = loop,
			.instruction = first_load(m),
			.endless = !is_bounded(m),
			.condition = NO_BLOCK};
}

/* By a first operand that is a register: what else an instruction writes (a vector, a second result) is no constant. */
static void find_definitions(struct marks *m)
{
	const struct ptx_function *function = m->flow->function;
	bool *is_written = arena_new_array(m->arena, bool, function->registers.count);
	m->definition = arena_new_array(m->arena, const struct ptx_instruction *, function->registers.count);
	for (uint32_t k = 0; k < function->code.count; k++) {
		const struct ptx_instruction *i = &function->code.at[k];
		if (!i->operand_count || i->operand[0].kind != OPERAND_REGISTER || !operand_is_destination(i, 0))
			continue;
		uint32_t reg = i->operand[0].reg->index;
		m->definition[reg] = is_written[reg] ? NULL : i;
		is_written[reg] = true;
	}
}

/* ---- Loops that end by themselves ---- */

/* Whether a loop may wait for what the instruction reads.  A weak load is none that ptxas would wait for, unless a
 * fence or barrier of the loop orders it: such a load may be moved out of the loop. */
static bool is_heard(const struct ptx_instruction *i, bool ordered)
{
	const struct ptx_modifiers *m = &i->modifiers;
	if (instruction_kind(i) != INSN_LOAD)
		return ptx_ops[i->op].effects & (EFFECT_READS | EFFECT_ATOMIC);
	return m->space == space_LOCAL || m->cache == cache_CV || (m->order && m->order != order_WEAK) ||
	       (ordered && is_memory_load(i));
}

/* A call may read anything, and a branch of several ways has no guard that could depend on it. */
static bool ends_alone(struct marks *m, const struct flow_loop *loop)
{
	uint32_t effects = 0, exits = 0;
	m->loop = loop;
	m->through_shared = false;
	m->words.count = 0;
	clear(m, m->tainted);
	each_pc(k, m->flow, loop) effects |= ptx_ops[code_at(m, k)->op].effects;
	each_block(b, m->flow, loop)
	{
		const struct ptx_instruction *last = exit_of(m, b);
		if (last && !last->guard)
			return false;
		exits += last != NULL;
	}
	if (!exits || effects & EFFECT_CALL)
		return false;
	each_pc(k, m->flow, loop)
	{
		if (is_heard(code_at(m, k), effects & (EFFECT_FENCE | EFFECT_BARRIER)))
			registers_add_written(code_at(m, k), m->tainted);
	}
	do {
		m->changed = false;
		each_pc(k, m->flow, loop) spread_taint(m, k);
	} while (m->changed);
	return !exit_depends(m, m->tainted, m->tainted);
}

struct spins spins_find(
	struct arena *arena, const struct ptx_module *module, const struct flow *flow, const bool *dead_result)
{
	uint32_t words = bits_words(flow->function->registers.count);
	struct marks m = {.arena = arena, .module = module, .flow = flow};
	if (!flow->loop_count)
		return (struct spins){0};
	m.tainted = arena_new_array(arena, uint64_t, words);
	m.steady = arena_new_array(arena, uint64_t, words);
	m.written = arena_new_array(arena, uint64_t, words);
	m.room = arena_new_array(arena, uint64_t, 2 * words);
	m.walk = flow_new_room(flow, arena);
	find_definitions(&m);
	for (uint32_t k = 0; k < flow->function->code.count; k++)
		if (is_try(&flow->function->code.at[k]) && !dead_result[k])
			find_lock(&m, k);
	find_twins(&m, dead_result);
	for (uint32_t l = 0; l < flow->loop_count; l++)
		find_wait(&m, l);
	bool *alone = arena_new_array(arena, bool, flow->loop_count);
	for (uint32_t l = 0; l < flow->loop_count; l++)
		alone[l] = ends_alone(&m, &flow->loops[l]);
	return (struct spins){m.found.at, m.found.count, alone};
}
