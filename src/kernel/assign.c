/* Register slots by liveness.
 *
 * Every register's life is a list of segments over instruction positions, with holes where it is dead; registers are
 * placed in order of first life, each in the lowest slot whose tenants are all dead meanwhile.  Instruction i reads at
 * position 2i and writes at 2i + 1.  A result may take the slot of a source that dies in the same instruction only if
 * exec goes lane by lane over slots of one width; all others would overwrite what another lane, or another element, has
 * yet to read.  For the same reason 64- and 128-bit registers are aligned to their size: two of them overlap wholly or
 * not at all.  Lanes on diverged paths may use a shared slot at the same time; slot_ref says why that is safe. */
#include "kernel/assign.h"
#include "kernel/bits.h"
#include "kernel/operand.h"

#include <stdlib.h>
#include <string.h>

struct segment {
	uint32_t start, end; /* positions, end exclusive */
};

struct life {
	VECTOR(struct segment) segments; /* from the last to the first while they are gathered, then in order */
	struct ptx_register *reg;
};

struct gather {
	struct arena *arena;
	struct life *lives; /* per register */
	uint64_t *live;
	const uint64_t *open; /* what is alive now, at the start of the block before: of flow->live; null: nothing */
	uint32_t *end;        /* per live register: where the segment being gathered ends */
	uint32_t instruction;
	uint32_t write_position;
	/* some result of the instruction, of those some predicate, is read later */
	bool used, used_predicate;
	bool any, any_predicate; /* it has a result, a predicate among them */
};

static void open_life(struct gather *g, struct ptx_register *reg, uint32_t end)
{
	if (bits_has(g->live, reg->index))
		return;
	bits_add(g->live, reg->index);
	g->end[reg->index] = end;
}

static void close_life(struct gather *g, struct ptx_register *reg, uint32_t start)
{
	struct life *life = &g->lives[reg->index];
	uint32_t end = g->end[reg->index];
	bits_remove(g->live, reg->index);
	life->reg = reg;
	if (life->segments.count && life->segments.at[life->segments.count - 1].start <= end) {
		life->segments.at[life->segments.count - 1].start = start;
		return;
	}
	*vector_push(g->arena, &life->segments) = (struct segment){start, end};
}

static void gather_write(void *context, struct ptx_register *reg, bool is_write)
{
	struct gather *g = context;
	if (!is_write)
		return;
	g->any = true;
	g->used |= bits_has(g->live, reg->index);
	if (reg->type == TYPE_PRED) {
		g->any_predicate = true;
		g->used_predicate |= bits_has(g->live, reg->index);
	}
	open_life(g, reg, 2 * g->instruction + 2); /* a dead result still occupies its slot while it is written */
	close_life(g, reg, g->write_position);
}

static void gather_read(void *context, struct ptx_register *reg, bool is_write)
{
	struct gather *g = context;
	if (!is_write)
		open_life(g, reg, 2 * g->instruction + 1);
}

struct widths {
	uint32_t bytes;
	bool mixed;
};

static void compare_width(void *context, struct ptx_register *reg, bool is_write)
{
	struct widths *widths = context;
	uint32_t bytes = type_slot_bytes(reg->type);
	(void)is_write;
	widths->mixed |= bytes && widths->bytes && bytes != widths->bytes;
	if (bytes)
		widths->bytes = bytes;
}

/* Whether results may be written over sources that die here. */
static bool goes_lane_by_lane(const struct ptx_instruction *instruction)
{
	struct widths widths = {0};
	if (ptx_ops[instruction->op].kind != OP_KIND_LANE)
		return false;
	for (uint32_t k = 0; k < instruction->operand_count; k++)
		if (instruction->operand[k].kind == OPERAND_VECTOR || instruction->operand[k].kind == OPERAND_SPECIAL ||
			(instruction->operand[k].kind == OPERAND_REGISTER &&
				instruction->operand[k].reg->type == TYPE_PRED))
			return false;
	flow_registers(instruction, compare_width, &widths);
	return !widths.mixed;
}

/* From the start of the block behind, whose live-ins are alive, to the end of this one: the lives of most go on. */
static void cross_to(struct gather *g, const struct flow *flow, const uint64_t *live_out, uint32_t position)
{
	for (uint32_t word = 0; word < bits_words(flow->live_count); word++) {
		uint64_t now = g->open ? g->open[word] : 0, out = live_out[word];
		for (uint64_t left = now & ~out; left; left &= left - 1)
			close_life(g, flow->live[64 * word + (uint32_t)__builtin_ctzll(left)], position);
		for (uint64_t left = out & ~now; left; left &= left - 1)
			open_life(g, flow->live[64 * word + (uint32_t)__builtin_ctzll(left)], position);
	}
}

static void gather_block(
	struct gather *g, const struct flow *flow, const struct flow_block *block, struct assignment *assignment)
{
	uint32_t number = (uint32_t)(block - flow->blocks), end = block->first + block->count;
	cross_to(g, flow, flow->live_out[number], 2 * end);
	for (uint32_t k = end; k-- > block->first;) {
		const struct ptx_instruction *i = &flow->function->code.at[k];
		g->instruction = k;
		g->write_position = 2 * k + goes_lane_by_lane(i);
		g->used = g->any = g->used_predicate = g->any_predicate = false;
		flow_registers(i, gather_write, g);
		flow_registers(i, gather_read, g);
		assignment->dead_result[k] = g->any && !g->used;
		assignment->dead_predicate[k] = g->any_predicate && !g->used_predicate;
	}
	g->open = flow->live_in[number];
}

static struct life *gather_lives(struct arena *arena, const struct flow *flow, struct assignment *assignment)
{
	uint32_t count = flow->function->registers.count;
	struct gather g = {.arena = arena};
	g.lives = arena_new_array(arena, struct life, count);
	g.live = arena_new_array(arena, uint64_t, bits_words(count));
	g.end = arena_new_array(arena, uint32_t, count);
	for (uint32_t b = flow->block_count; b-- > 0;) /* they follow one another, from instruction 0 on */
		gather_block(&g, flow, &flow->blocks[b], assignment);
	for_each_bit(r, g.open, g.open ? flow->live_count : 0) close_life(&g, flow->live[r], 0);
	for (uint32_t r = 0; r < count; r++) {
		struct life *life = &g.lives[r];
		for (uint32_t s = 0; s < life->segments.count / 2; s++) {
			struct segment other = life->segments.at[life->segments.count - 1 - s];
			life->segments.at[life->segments.count - 1 - s] = life->segments.at[s];
			life->segments.at[s] = other;
		}
	}
	return g.lives;
}

/* The tenants of one slot: segments in order, none overlapping. */
struct tenancy {
	VECTOR(struct segment) segments;
};

/* Index of the first tenant that ends behind `start`. */
static uint32_t first_behind(const struct tenancy *slot, uint32_t start)
{
	uint32_t low = 0, high = slot->segments.count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (slot->segments.at[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool is_free(const struct tenancy *slot, const struct life *life)
{
	for (uint32_t s = 0; s < life->segments.count; s++) {
		uint32_t at = first_behind(slot, life->segments.at[s].start);
		if (at < slot->segments.count && slot->segments.at[at].start < life->segments.at[s].end)
			return false;
	}
	return true;
}

static void occupy(struct arena *arena, struct tenancy *slot, const struct life *life)
{
	for (uint32_t s = 0; s < life->segments.count; s++) {
		uint32_t at = first_behind(slot, life->segments.at[s].start);
		vector_push(arena, &slot->segments);
		memmove(&slot->segments.at[at + 1], &slot->segments.at[at],
			(slot->segments.count - 1 - at) * sizeof(struct segment));
		slot->segments.at[at] = life->segments.at[s];
	}
}

struct file {
	VECTOR(struct tenancy) slots;
};

static bool fits(const struct file *file, uint32_t first, uint32_t width, const struct life *life)
{
	for (uint32_t k = first; k < first + width && k < file->slots.count; k++)
		if (!is_free(&file->slots.at[k], life))
			return false;
	return true;
}

static uint32_t place(struct arena *arena, struct file *file, uint32_t lowest, uint32_t width, const struct life *life)
{
	uint32_t slot = (lowest + width - 1) / width * width;
	while (!fits(file, slot, width, life))
		slot += width;
	while (file->slots.count < slot + width)
		vector_push(arena, &file->slots);
	for (uint32_t k = slot; k < slot + width; k++)
		occupy(arena, &file->slots.at[k], life);
	return slot;
}

static int by_start(const void *a, const void *b)
{
	const struct life *left = *(const struct life *const *)a, *right = *(const struct life *const *)b;
	uint32_t l = left->segments.at[0].start, r = right->segments.at[0].start;
	if (l != r)
		return l < r ? -1 : 1;
	return left->reg->index < right->reg->index ? -1 : left->reg->index > right->reg->index;
}

bool formal_is_register(const struct ptx_variable *formal)
{
	return formal->space == space_NONE;
}

const struct ptx_variable *formal_of(const struct ptx_prototype *signature, uint32_t formal)
{
	uint32_t parameters = signature->parameter_count;
	return formal < parameters ? signature->parameters[formal] : signature->returns[formal - parameters];
}

uint32_t formal_slot(const struct ptx_prototype *signature, uint32_t formal)
{
	uint32_t slot = 0;
	for (uint32_t k = 0;; k++) {
		const struct ptx_variable *variable = formal_of(signature, k);
		uint32_t width = formal_is_register(variable) ? type_slot_bytes(variable->type) / 4 : 0;
		if (width)
			slot = (slot + width - 1) / width * width;
		if (k == formal)
			return slot;
		slot += width;
	}
}

/* Formals keep their slots for the whole function: the caller writes them before and reads them after it. */
static void place_formals(struct arena *arena, const struct ptx_function *function, struct file *file, uint32_t *slot)
{
	const struct ptx_prototype *signature = &function->signature;
	static const struct segment always = {0, UINT32_MAX};
	struct life life = {0};
	if (function->is_entry || !function->formal_registers)
		return;
	*vector_push(arena, &life.segments) = always;
	for (uint32_t k = 0; k < signature->parameter_count + signature->return_count; k++)
		if (function->formal_registers[k])
			slot[function->formal_registers[k]->index] = place(arena, file, formal_slot(signature, k),
				type_slot_bytes(function->formal_registers[k]->type) / 4, &life);
}

struct assignment *assign_slots(struct arena *arena, const struct flow *flow, uint32_t reserved)
{
	uint32_t count = flow->function->registers.count, lives = 0;
	struct assignment *a = arena_new(arena, struct assignment);
	struct file registers = {0}, predicates = {0};
	a->slot = arena_new_array(arena, uint32_t, count);
	a->dead_result = arena_new_array(arena, bool, flow->function->code.count);
	a->dead_predicate = arena_new_array(arena, bool, flow->function->code.count);
	for (uint32_t r = 0; r < count; r++)
		a->slot[r] = NO_SLOT;
	struct life *life = gather_lives(arena, flow, a);
	struct life **order = arena_new_array(arena, struct life *, count);
	for (uint32_t r = 0; r < count; r++)
		if (life[r].segments.count)
			order[lives++] = &life[r];
	if (lives)
		qsort(order, lives, sizeof *order, by_start);
	place_formals(arena, flow->function, &registers, a->slot);
	for (uint32_t k = 0; k < lives; k++) {
		struct ptx_register *reg = order[k]->reg;
		uint32_t width = type_slot_bytes(reg->type) / 4;
		if (a->slot[reg->index] == NO_SLOT)
			a->slot[reg->index] = width ? place(arena, &registers, reserved, width, order[k])
						    : place(arena, &predicates, 1, 1, order[k]);
	}
	a->slot_count = registers.slots.count > reserved ? registers.slots.count : reserved;
	a->predicate_count = predicates.slots.count ? predicates.slots.count : 1;
	return a;
}
