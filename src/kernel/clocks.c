/* What the clock decides (clocks.h), by spreading sets of registers over the code of the entry. */
#include "kernel/clocks.h"

#include "kernel/bits.h"
#include "kernel/decode.h"
#include "kernel/registers.h"

#include <string.h>

struct clocks {
	struct decoder *d;
	const struct flow *flow;
	const struct ptx_function *function;
	struct kernel_clocks *found;
	uint32_t words;    /* of a set of registers */
	uint64_t *tainted; /* depend on a clock */
	uint64_t *times;   /* hold the time */
	uint64_t *room;    /* for two sets: scratch */
	struct flow_room walk;

	/* Of the loop at hand; null: of none */
	const struct flow_loop *loop;
	uint64_t *written; /* in it */
	uint64_t *fixed;   /* the same in each turn */
	uint64_t *steady;  /* likewise, or as memory or the clock have it: not what is counted */
	uint32_t *writer;  /* per register that is written in it: the only instruction that does; or SEVERAL */
};

static const struct ptx_instruction *code_at(const struct clocks *c, uint32_t k)
{
	return &c->function->code.at[k];
}

/* Computes registers from registers alone. */
static bool is_plain(const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	return kind == INSN_PLAIN || kind == INSN_CLOCK;
}

static bool depends_on_clock(const struct clocks *c, const struct ptx_instruction *i)
{
	return instruction_reads_clock(i) || registers_read_any(i, c->tainted);
}

/* ---- Registers that hold the time ---- */

/* Of registers that hold the time, or have nothing to do with it. */
static bool keeps_time(const struct ptx_instruction *i, const uint64_t *set)
{
	/* a guarded write leaves the time that was there before */
	struct ptx_instruction unguarded = *i;
	unguarded.guard = NULL;
	return (!i->guard || bits_has(set, i->guard->index)) && (is_plain(i) || instruction_kind(i) == INSN_SYNC) &&
	       registers_read_only(&unguarded, set);
}

static void find_times(struct clocks *c)
{
	for (uint32_t k = 0; k < c->function->code.count; k++)
		if (instruction_reads_clock(code_at(c, k)))
			registers_add_written(code_at(c, k), c->tainted);
	registers_spread(c->flow, NULL, c->tainted);
	for (uint32_t w = 0; w < c->words; w++)
		c->times[w] = ~c->tainted[w];
	registers_spread_kept(c->flow, NULL, c->times, keeps_time, c->room);
	for (uint32_t w = 0; w < c->words; w++)
		c->times[w] &= c->tainted[w];
}

/* ---- Loops that end by the clock ---- */

#define SEVERAL (NO_BLOCK - 1)
#define MOST_BLOCKS 2048 /* of a function in which branches are followed: in proportion to the square */
#define MOST_STEPS 12    /* from a comparison back to the clock */

static void find_writers(struct clocks *c)
{
	memset(c->written, 0, c->words * sizeof *c->written);
	each_pc(k, c->flow, c->loop)
	{
		for (struct register_use use = {.of = code_at(c, k)}; register_next(&use);)
			if (use.is_write) {
				c->writer[use.reg->index] = bits_has(c->written, use.reg->index) ? SEVERAL : k;
				bits_add(c->written, use.reg->index);
			}
	}
}

static bool writes(const struct ptx_instruction *i, const struct ptx_register *reg)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (use.is_write && use.reg == reg)
			return true;
	return false;
}

/* The instruction whose value of the register the one at `k` reads: the last one before it in its block, or the only
 * one of the loop.  NO_BLOCK: not known, or it is written under a guard. */
static uint32_t definition(const struct clocks *c, const struct ptx_register *reg, uint32_t k)
{
	uint32_t found = NO_BLOCK, first = c->flow->blocks[c->flow->block_of[k]].first;
	for (uint32_t j = k; j-- > first && found == NO_BLOCK;)
		found = writes(code_at(c, j), reg) ? j : NO_BLOCK;
	if (found == NO_BLOCK && c->loop && bits_has(c->written, reg->index) && c->writer[reg->index] != SEVERAL)
		found = c->writer[reg->index];
	return found == NO_BLOCK || code_at(c, found)->guard ? NO_BLOCK : found;
}

static bool is_parameter(const struct ptx_instruction *i)
{
	return instruction_kind(i) == INSN_LOAD &&
	       (i->modifiers.space == space_PARAM || i->modifiers.space == space_CONST);
}

static bool keeps_fixed(const struct ptx_instruction *i, const uint64_t *fixed)
{
	return (is_plain(i) || is_parameter(i)) && !instruction_reads_clock(i) && registers_read_only(i, fixed);
}

/* What the loop does not write is both; times are steady. */
static void find_still(struct clocks *c)
{
	for (uint32_t w = 0; w < c->words; w++) {
		c->fixed[w] = ~c->written[w];
		c->steady[w] = ~c->written[w] | c->times[w];
	}
	registers_spread_kept(c->flow, c->loop, c->fixed, keeps_fixed, c->room);
	registers_spread_kept(c->flow, c->loop, c->steady, registers_read_only, c->room);
}

static bool has(const uint64_t *set, const struct ptx_operand *o)
{
	return o->kind == OPERAND_REGISTER && bits_has(set, o->reg->index);
}

static uint16_t operand_bits(const struct ptx_instruction *i, uint32_t k)
{
	return ptx_types[ptx_operand_type(i->op, i->type, k)].bits;
}

/* How a value goes on in the loop: with the clock, or against it. */
struct trend {
	enum { UNKNOWN, FIXED, RISES, FALLS } way;
	bool wraps; /* it is made of 32 bits of the clock */
};

static struct trend special_trend(enum ptx_special special)
{
	switch (special) {
	case SPECIAL_CLOCK64:
	case SPECIAL_GLOBALTIMER: return (struct trend){RISES, false};
	case SPECIAL_CLOCK:
	case SPECIAL_GLOBALTIMER_LO: return (struct trend){RISES, true};
	default: return (struct trend){UNKNOWN, false};
	}
}

/* Of a sum; of a difference with `b` turned round. */
static struct trend sum_of(struct trend a, struct trend b)
{
	struct trend sum = {UNKNOWN, a.wraps || b.wraps};
	if (a.way == FIXED || a.way == b.way)
		sum.way = b.way;
	else if (b.way == FIXED)
		sum.way = a.way;
	return sum;
}

static struct trend turned(struct trend t)
{
	return (struct trend){t.way == RISES ? FALLS : t.way == FALLS ? RISES : t.way, t.wraps};
}

/* A constant by which a value is multiplied or divided, so that it goes the same way. */
static bool is_positive(const struct ptx_operand *o)
{
	if (o->kind != OPERAND_IMMEDIATE)
		return false;
	return o->is_float32 ? o->bits && !(o->bits >> 31 & 1) : (int64_t)o->bits > 0;
}

/* A row of bits up to bit 31 or a higher one: what is left of a clock rises, and begins anew. */
static bool is_low_mask(const struct ptx_operand *o)
{
	uint64_t lowest = o->bits & (~o->bits + 1);
	return o->kind == OPERAND_IMMEDIATE && !o->is_float && o->bits >> 31 && !((o->bits + lowest) & o->bits);
}

static struct trend trend_of(const struct clocks *c, const struct ptx_operand *o, uint32_t k, uint32_t steps);

/* Of what an instruction computes: the clock, and what becomes of it by adding, subtracting, or dividing by what is
 * fixed, or of its low bits. */
static struct trend result_trend(const struct clocks *c, uint32_t k, uint32_t steps)
{
	const struct ptx_instruction *i = code_at(c, k);
	struct trend a = {UNKNOWN, false};
	if (i->operand_count > 1)
		a = trend_of(c, &i->operand[1], k, steps);
	switch (i->op) {
	case OP_mov: break;
	case OP_cvt:
		if (operand_bits(i, 0) < 32 || operand_bits(i, 1) < 32)
			a.way = UNKNOWN;
		break;
	case OP_add_int: a = sum_of(a, trend_of(c, &i->operand[2], k, steps)); break;
	case OP_sub_int: a = sum_of(a, turned(trend_of(c, &i->operand[2], k, steps))); break;
	case OP_shr:
	case OP_div_int:
	case OP_div_f32:
	case OP_div_f64:
	case OP_mul_f32:
	case OP_mul_f64:
		if (!is_positive(&i->operand[2]))
			a.way = UNKNOWN;
		break;
	case OP_and:
		if (a.way != RISES || !is_low_mask(&i->operand[2]))
			a.way = UNKNOWN;
		a.wraps = true;
		break;
	default: a.way = UNKNOWN;
	}
	a.wraps |= operand_bits(i, 0) < 64 && ptx_types[ptx_operand_type(i->op, i->type, 0)].kind != KIND_FLOAT;
	return a;
}

static struct trend trend_of(const struct clocks *c, const struct ptx_operand *o, uint32_t k, uint32_t steps)
{
	uint32_t from;
	if (o->kind == OPERAND_IMMEDIATE || has(c->fixed, o))
		return (struct trend){FIXED, false};
	if (o->kind == OPERAND_SPECIAL)
		return special_trend(o->special);
	from = o->kind == OPERAND_REGISTER && steps ? definition(c, o->reg, k) : NO_BLOCK;
	return from == NO_BLOCK ? (struct trend){UNKNOWN, false} : result_trend(c, from, steps - 1);
}

/* What a predicate becomes for ever as time goes on. */
struct outcome {
	int becomes; /* 1: true; -1: false; 0: neither */
	bool wraps;
};

/* Of setp. */
static struct outcome compared(const struct clocks *c, uint32_t k)
{
	const struct ptx_instruction *i = code_at(c, k);
	struct trend a = trend_of(c, &i->operand[2], k, MOST_STEPS), b = trend_of(c, &i->operand[3], k, MOST_STEPS);
	enum ptx_type_kind kind = ptx_types[i->type[0]].kind;
	bool may_fall = kind == KIND_SIGNED || kind == KIND_FLOAT; /* below any value */
	struct outcome outcome = {0, a.wraps || b.wraps};
	int more;

	switch (i->modifiers.compare) {
	case compare_GT:
	case compare_GE:
	case compare_HI:
	case compare_HS: more = 1; break;
	case compare_LT:
	case compare_LE:
	case compare_LO:
	case compare_LS: more = -1; break;
	default: return outcome;
	}
	if ((a.way == RISES && b.way == FIXED) || (a.way == FIXED && b.way == FALLS && may_fall))
		outcome.becomes = more;
	if ((a.way == FIXED && b.way == RISES) || (a.way == FALLS && b.way == FIXED && may_fall))
		outcome.becomes = -more;
	return outcome;
}

static struct outcome joined(bool is_and, struct outcome a, struct outcome b)
{
	int wanted = is_and ? -1 : 1; /* one that becomes so is enough */
	struct outcome outcome = {0, false};
	if (a.becomes == wanted || b.becomes == wanted)
		outcome = a.becomes == wanted ? a : b;
	else if (a.becomes == -wanted && b.becomes == -wanted)
		outcome = (struct outcome){-wanted, a.wraps || b.wraps};
	return outcome;
}

static struct outcome outcome_of(
	const struct clocks *c, const struct ptx_register *reg, bool negated, uint32_t k, uint32_t steps);

static struct outcome operand_outcome(const struct clocks *c, const struct ptx_operand *o, uint32_t k, uint32_t steps)
{
	return o->kind == OPERAND_REGISTER ? outcome_of(c, o->reg, o->negated, k, steps) : (struct outcome){0, false};
}

static struct outcome result_outcome(const struct clocks *c, uint32_t k, uint32_t steps)
{
	const struct ptx_instruction *i = code_at(c, k);
	struct outcome outcome = {0, false};
	switch (i->op) {
	case OP_setp:
	case OP_setp_float:
		if (i->operand[1].kind == OPERAND_REGISTER) /* it writes two */
			return outcome;
		outcome = compared(c, k);
		if (i->modifiers.boolean == boolean_NONE)
			return outcome;
		if (i->modifiers.boolean == boolean_XOR)
			return (struct outcome){0, false};
		return joined(
			i->modifiers.boolean == boolean_AND, outcome, operand_outcome(c, &i->operand[4], k, steps));
	case OP_and_pred:
	case OP_or_pred:
		return joined(i->op == OP_and_pred, operand_outcome(c, &i->operand[1], k, steps),
			operand_outcome(c, &i->operand[2], k, steps));
	case OP_not_pred:
		outcome = operand_outcome(c, &i->operand[1], k, steps);
		outcome.becomes = -outcome.becomes;
		return outcome;
	case OP_mov: return operand_outcome(c, &i->operand[1], k, steps);
	default: return outcome;
	}
}

static struct outcome outcome_of(
	const struct clocks *c, const struct ptx_register *reg, bool negated, uint32_t k, uint32_t steps)
{
	uint32_t from = steps ? definition(c, reg, k) : NO_BLOCK;
	struct outcome outcome = {0, false};
	if (from != NO_BLOCK)
		outcome = result_outcome(c, from, steps - 1);
	if (negated)
		outcome.becomes = -outcome.becomes;
	return outcome;
}

/* Whether the branch at the end of a block leaves the loop when its guard holds, or when it does not. */
static bool leaves(const struct clocks *c, const struct ptx_instruction *i, uint32_t k, bool when)
{
	uint32_t to = k + 1;
	if (instruction_kind(i) != INSN_BRANCH)
		return false;
	for (uint32_t o = 0; when && o < i->operand_count; o++)
		if (i->operand[o].kind == OPERAND_LABEL)
			to = i->operand[o].target;
	return to >= c->function->code.count || !flow_loop_has(c->loop, c->flow->block_of[to]);
}

static uint8_t *mark_of(const struct clocks *c, uint32_t instruction)
{
	return &c->found->marks[c->d->functions.at[0].pc_of[instruction + 1] - 1];
}

static uint32_t last_of(const struct clocks *c, uint32_t block)
{
	return c->flow->blocks[block].first + c->flow->blocks[block].count - 1;
}

/* Marks the exits of the loop that are taken when the time has come; whether there are any. */
static bool mark_tests(const struct clocks *c)
{
	bool any = false;
	each_block(b, c->flow, c->loop)
	{
		uint32_t k = last_of(c, b);
		const struct ptx_instruction *i = code_at(c, k);
		struct outcome outcome = {0, false};
		if (i->guard)
			outcome = outcome_of(c, i->guard, i->guard_negated, k, MOST_STEPS);
		if (!outcome.becomes || !leaves(c, i, k, outcome.becomes > 0))
			continue;
		*mark_of(c, k) |= outcome.wraps ? CLOCK_WRAPS : CLOCK_TEST;
		any = true;
	}
	return any;
}

/* Whether an exit depends on what the loop counts. */
static bool is_counted(const struct clocks *c)
{
	each_block(b, c->flow, c->loop)
	{
		const struct ptx_register *guard = flow_last(c->flow, b)->guard;
		if (guard && !bits_has(c->steady, guard->index) &&
			(c->flow->blocks[b].ends || flow_leaves(c->flow, c->loop, b)))
			return true;
	}
	return false;
}

static bool goes_to_header(const struct clocks *c, uint32_t block)
{
	for (uint32_t s = 0; s < c->flow->blocks[block].successor_count; s++)
		if (c->flow->blocks[block].successors[s] == c->loop->header)
			return true;
	return false;
}

static void mark_loop(struct clocks *c, const struct flow_loop *loop)
{
	bool ends, counted;
	c->loop = loop;
	find_writers(c);
	find_still(c);
	ends = mark_tests(c);
	counted = !ends && is_counted(c);
	each_block(b, c->flow, loop)
	{
		if (ends)
			*mark_of(c, last_of(c, b)) |= CLOCK_LOOP;
		else if (counted && goes_to_header(c, b))
			*mark_of(c, last_of(c, b)) |= CLOCK_COUNTED;
	}
}

/* ---- What else is done with times ---- */

/* What others may notice, or wait for. */
static bool acts(const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	return kind == INSN_ATOMIC || kind == INSN_CALL_INDIRECT || insn_kinds[kind].flags & KIND_WORKS;
}

/* Whether the value of a predicate that the instruction at `k` reads depends on a clock; by what its block says, if it
 * does. */
static bool is_tainted_at(const struct clocks *c, const struct ptx_register *reg, uint32_t k)
{
	uint32_t from = definition(c, reg, k);
	if (from != NO_BLOCK && code_at(c, from)->op != OP_selp)
		return depends_on_clock(c, code_at(c, from));
	return bits_has(c->tainted, reg->index);
}

/* What is executed, or not, as a clock has it.  Whether more depends on the clock now. */
static bool taint(struct clocks *c, const struct ptx_instruction *i)
{
	c->found->decides |= acts(i);
	return registers_add_written(i, c->tainted);
}

/* All blocks between a branch and the place where its sides meet; a way out of its loop among them is decided by the
 * clock, and so is whether the branch is executed again. */
static bool taint_between(struct clocks *c, uint32_t branch)
{
	const struct flow_block *from = &c->flow->blocks[branch];
	const struct flow_loop *loop = &c->flow->loops[from->loop];
	struct flow_way way = {.from = branch, .avoided = from->post_dominator, .leaves_first = true, .within = loop};
	const uint64_t *between = flow_reach_in(c->flow, c->walk, way);
	bool grew = false;
	c->found->decides |= bits_has(between, branch);
	for_each_bit(b, between, c->flow->block_count)
	{
		const struct flow_block *block = &c->flow->blocks[b];
		for (uint32_t k = block->first; k < block->first + block->count; k++)
			grew |= taint(c, code_at(c, k));
		for (uint32_t s = 0; s < block->successor_count; s++)
			c->found->decides |= block->successors[s] != from->post_dominator &&
					     !flow_loop_has(loop, block->successors[s]);
	}
	return grew;
}

/* A branch in a loop, and what its loop does or leaves undone by it. */
static bool follow_branch(struct clocks *c, uint32_t block)
{
	uint32_t k = last_of(c, block);
	const struct ptx_instruction *i = code_at(c, k);
	const struct flow_block *b = &c->flow->blocks[block];
	if (!i->guard || *mark_of(c, k) & (CLOCK_TEST | CLOCK_WRAPS) || !is_tainted_at(c, i->guard, k))
		return false;
	if (!b->ends && !flow_leaves(c->flow, &c->flow->loops[b->loop], block))
		return taint_between(c, block);
	c->found->decides = true;
	return false;
}

/* Spreads `tainted` over what branches decide; true: to more. */
static bool follow_control(struct clocks *c)
{
	bool grew = false;
	for (uint32_t b = 0; b < c->flow->block_count; b++) {
		const struct flow_block *block = &c->flow->blocks[b];
		if (block->loop == NO_BLOCK)
			continue;
		for (uint32_t k = block->first; k < last_of(c, b); k++)
			if (code_at(c, k)->guard && is_tainted_at(c, code_at(c, k)->guard, k))
				grew |= taint(c, code_at(c, k));
		grew |= follow_branch(c, b);
	}
	for (uint32_t k = 0; k < c->function->code.count; k++)
		if (depends_on_clock(c, code_at(c, k)))
			grew |= registers_add_written(code_at(c, k), c->tainted);
	return grew;
}

static bool has_side_effect(const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	return kind == INSN_STORE || kind == INSN_ATOMIC || kind == INSN_CALL || kind == INSN_CALL_INDIRECT;
}

static bool reads_clock(const struct ptx_function *function)
{
	for (uint32_t k = 0; k < function->code.count; k++)
		if (instruction_reads_clock(&function->code.at[k]))
			return true;
	return false;
}

static void find_other_uses(struct clocks *c)
{
	c->loop = NULL;
	for (uint32_t k = 0; k < c->function->code.count; k++) {
		const struct ptx_instruction *i = code_at(c, k);
		if (c->flow->blocks[c->flow->block_of[k]].loop != NO_BLOCK && has_side_effect(i))
			c->found->escape |= registers_read_any(i, c->tainted);
	}
	for (uint32_t f = 1; f < c->d->functions.count; f++)
		c->found->escape |= reads_clock(c->d->functions.at[f].ptx);
	c->found->decides |= c->flow->block_count > MOST_BLOCKS;
	while (!c->found->decides && follow_control(c))
		;
}

/* ---- Which slots hold times at a branch ---- */

struct clock_frame {
	bool *time[2], *predicate; /* narrow and wide: per slot; per predicate */
	uint32_t slots, predicates;
};

static void set_register(const struct clocks *c, struct clock_frame *frame, const struct ptx_register *reg, bool time)
{
	const struct assignment *a = c->d->functions.at[0].slots;
	uint32_t bytes = type_slot_bytes(reg->type), first = a->slot[reg->index];
	if (first == NO_SLOT)
		return;
	if (!bytes)
		frame->predicate[first] = time;
	for (uint32_t s = first; s < first + bytes / 4; s++)
		frame->time[bytes > 4][s] = time;
}

static struct clock_frame frame_at(const struct clocks *c, uint32_t block)
{
	const struct function_state *state = &c->d->functions.at[0];
	struct clock_frame frame = {.slots = state->slots->slot_count + state->temporaries + 1,
		.predicates = state->slots->predicate_count};
	for (uint32_t k = 0; k < 2; k++)
		frame.time[k] = arena_new_array(c->d->arena, bool, frame.slots);
	frame.predicate = arena_new_array(c->d->arena, bool, frame.predicates);
	for (uint32_t r = 0; r < c->function->registers.count; r++)
		if (bits_has(c->times, r))
			set_register(c, &frame, c->function->registers.at[r], true);
	for_each_bit(l, c->flow->live_out[block], c->flow->live_count) if (!bits_has(c->times, c->flow->live[l]->index))
		set_register(c, &frame, c->flow->live[l], false);
	for (uint32_t s = state->slots->slot_count; s < frame.slots; s++)
		frame.time[0][s] = frame.time[1][s] = true;
	return frame;
}

static struct clock_values *values_at(const struct clocks *c, uint32_t block)
{
	struct clock_values *values = arena_new(c->d->arena, struct clock_values);
	struct clock_frame frame = frame_at(c, block);
	values->slot = arena_new_array(c->d->arena, slot_ref, 2 * frame.slots);
	values->predicate = arena_new_array(c->d->arena, uint16_t, frame.predicates);
	for (uint32_t wide = 0; wide < 2; wide++)
		for (uint32_t s = 0; s < frame.slots; s++)
			if (frame.time[wide][s])
				values->slot[values->slot_count++] = s * c->d->kernel->lanes | (wide ? SLOT_WIDE : 0);
	for (uint32_t p = 1; p < frame.predicates; p++)
		if (frame.predicate[p])
			values->predicate[values->predicate_count++] = (uint16_t)p;
	return values;
}

static void find_values(const struct clocks *c)
{
	for (uint32_t b = 0; b < c->flow->block_count; b++) {
		uint32_t pc = (uint32_t)(mark_of(c, last_of(c, b)) - c->found->marks);
		if (c->d->kernel->code[pc].flags & INSN_BACKWARD && !(c->found->marks[pc] & CLOCK_LOOP))
			c->found->times[pc] = values_at(c, b);
	}
}

struct kernel_clocks *clocks_find(struct decoder *d)
{
	struct clocks c = {.d = d, .flow = d->functions.at[0].flow, .function = d->functions.at[0].ptx};
	uint64_t **sets[] = {&c.tainted, &c.times, &c.written, &c.fixed, &c.steady};
	uint32_t count = d->kernel->functions[0].count;
	bool any = false;
	for (uint32_t f = 0; f < d->functions.count && !any; f++)
		any = reads_clock(d->functions.at[f].ptx);
	if (!any)
		return NULL;
	c.words = bits_words(c.function->registers.count);
	for (uint32_t k = 0; k < sizeof sets / sizeof *sets; k++)
		*sets[k] = arena_new_array(d->arena, uint64_t, c.words);
	c.room = arena_new_array(d->arena, uint64_t, 2 * c.words);
	c.walk = flow_new_room(c.flow, d->arena);
	c.writer = arena_new_array(d->arena, uint32_t, c.function->registers.count);
	c.found = arena_new(d->arena, struct kernel_clocks);
	c.found->marks = arena_new_array(d->arena, uint8_t, count);
	c.found->times = arena_new_array(d->arena, struct clock_values *, count);
	find_times(&c);
	for (uint32_t l = 0; l < c.flow->loop_count; l++)
		mark_loop(&c, &c.flow->loops[l]);
	find_other_uses(&c);
	find_values(&c);
	return c.found;
}
