/* What PTX says of wgmma, applied to what the warps of a work-group do: which warps of a warpgroup execute it, and when
 * its registers are accessed. */
#include "kernel/operand.h"
#include "kernel/registers.h"
#include "sync/sync.h"

#include <string.h>

#define WARPGROUP_THREADS 128

void sync_matrices_begin(
	struct sync_matrices *s, struct arena *arena, const struct sync_place *at, uint32_t threads, uint32_t lanes)
{
	uint32_t registers = 1;

	for (uint32_t f = 0; f < at->kernel->function_count; f++)
		registers += at->kernel->functions[f].matrix_registers;
	s->kernel = at->kernel;
	s->threads = threads;
	s->lanes = lanes;
	s->warps = (threads + lanes - 1) / lanes;
	s->registers = registers;
	s->launch = at->launch;
	s->group = at->group;
	s->is_told = false;
	memset(s->warpgroup, 0, sizeof s->warpgroup);
	for (uint32_t w = 0; w < s->warps; w++) {
		struct sync_matrix_warp *warp = &s->warp[w];
		struct sync_matrix_register *kept = warp->registers;
		uint32_t room = warp->room;

		if (room < registers) {
			kept = arena_new_array(arena, struct sync_matrix_register, registers);
			room = registers;
		}
		memset(kept, 0, registers * sizeof *kept);
		*warp = (struct sync_matrix_warp){.registers = kept, .room = room};
	}
}

/* ---- What is told ---- */

/* Of a warp at a place, and another one's, or an earlier place of its own. */
struct misuse {
	enum found_cause cause;
	uint32_t warp, pc;
	lane_mask lanes, others;
	uint32_t values[2], other_pc;
	bool has_place;
};

static void tell(struct found_list *list, const struct sync_matrices *s, const struct misuse *m)
{
	struct found_side side = {.kernel = s->kernel,
		.pc = m->pc,
		.group = s->group,
		.thread = m->warp * s->lanes,
		.launch = s->launch,
		.lanes = m->lanes,
		.value = m->values[0]};
	struct found found = {.cause = m->cause,
		.side = {side, side},
		.places = (uint8_t)(m->has_place ? 2 : 1),
		.threads = m->others ? 2 : 1,
		.launch = s->launch,
		.count = 1};

	found.side[1].kernel = m->has_place ? s->kernel : NULL;
	found.side[1].pc = m->has_place ? m->other_pc : 0;
	found.side[1].lanes = m->others;
	found.side[1].value = m->values[1];
	found_add(list, &found);
}

/* ---- Warps of a warpgroup ---- */

static uint32_t warpgroup_of(const struct sync_matrices *s, uint32_t warp, uint32_t *first, uint32_t *end)
{
	uint32_t warps = WARPGROUP_THREADS / s->lanes;

	*first = warp / warps * warps;
	*end = *first + warps < s->warps ? *first + warps : s->warps;
	return warp / warps;
}

static void tell_part(
	struct found_list *list, struct sync_matrices *s, uint32_t warp, uint32_t other, enum sync_part why)
{
	const struct sync_matrix_warp *own = &s->warp[warp];

	if (s->is_told) /* what follows from the first is none of its own */
		return;
	s->is_told = true;
	tell(list, s,
		&(struct misuse){
			SYNC_MATRIX_PART, .warp = warp, .pc = own->pc, .lanes = own->lanes, .values = {other, why}});
}

/* The warp has executed its count-th instruction of wgmma: what that says with what the others have done. */
static void compare(const struct sync_place *at, struct sync_matrices *s, uint32_t warp)
{
	uint32_t first, end, which = warpgroup_of(s, warp, &first, &end);
	struct sync_warpgroup *all = &s->warpgroup[which];
	const struct sync_matrix_warp *own = &s->warp[warp];
	uint32_t place = own->count % SYNC_MATRIX_PLACES;

	if (own->count > all->count) {
		all->count = own->count;
		all->pc[place] = at->pc;
		all->warp[place] = (uint8_t)warp;
	} else if (all->count - own->count < SYNC_MATRIX_PLACES && all->pc[place] != at->pc && !s->is_told) {
		s->is_told = true;
		tell(at->list, s,
			&(struct misuse){SYNC_MATRIX_OTHER, .warp = warp, .pc = at->pc, .lanes = own->lanes,
				.values = {all->warp[place]}, .other_pc = all->pc[place], .has_place = true});
	}
	for (uint32_t other = first; other < end; other++)
		if (s->warp[other].ended && s->warp[other].count < own->count)
			tell_part(at->list, s, warp, other, SYNC_PART_ENDED);
}

static void judge_warpgroup(const struct sync_place *at, struct sync_matrices *s, uint32_t warp, lane_mask lanes)
{
	uint32_t first, end;

	warpgroup_of(s, warp, &first, &end);
	if (lanes != at->live && !s->is_told) {
		s->is_told = true;
		tell(at->list, s,
			&(struct misuse){SYNC_MATRIX_PART, .warp = warp, .pc = at->pc, .lanes = lanes,
				.others = at->live & ~lanes});
	}
	if (first * s->lanes + WARPGROUP_THREADS > s->threads)
		tell_part(at->list, s, warp, 0, SYNC_PART_SHORT);
	compare(at, s, warp);
}

void sync_matrices_end(const struct sync_place *at, struct sync_matrices *s)
{
	uint32_t warp = at->first_thread / s->lanes, first, end;

	warpgroup_of(s, warp, &first, &end);
	s->warp[warp].ended = true;
	for (uint32_t other = first; other < end; other++)
		if (s->warp[other].count > s->warp[warp].count)
			tell_part(at->list, s, other, warp, SYNC_PART_ENDED);
}

void sync_matrices_stop(struct found_list *list, struct sync_matrices *s)
{
	for (uint32_t warp = 0; warp < s->warps; warp++) {
		uint32_t first, end, which = warpgroup_of(s, warp, &first, &end);

		for (uint32_t other = first; other < end && !s->warp[warp].ended; other++)
			if (s->warp[other].count == s->warpgroup[which].count &&
				s->warp[warp].count < s->warp[other].count)
				tell_part(list, s, other, warp, SYNC_PART_LEFT);
	}
}

/* ---- Registers ---- */

#define IS_WRITTEN 0x80000000u /* of a finding's value, which is the register's index in its function */

/* Those of a function follow those of the functions before. */
static uint32_t first_register(const struct kernel *kernel, uint32_t function)
{
	uint32_t first = 0;

	for (uint32_t f = 0; f < function; f++)
		first += kernel->functions[f].matrix_registers;
	return first;
}

/* Null: wgmma does not use it. */
static struct sync_matrix_register *register_at(const struct sync_matrices *s, const struct sync_matrix_warp *warp,
	const struct insn *i, const struct ptx_register *reg)
{
	const struct kernel_function *f = &s->kernel->functions[i->function];
	uint32_t number = f->matrix_number ? f->matrix_number[reg->index] : 0;

	return number ? &warp->registers[first_register(s->kernel, i->function) + number] : NULL;
}

static const struct ptx_instruction *written_as(const struct sync_matrices *s, const struct insn *i)
{
	return &s->kernel->functions[i->function].ptx->code.at[i->source];
}

static void tell_register(const struct sync_place *at, struct sync_matrices *s, enum found_cause cause, lane_mask lanes,
	uint32_t value, uint32_t other_pc)
{
	tell(at->list, s,
		&(struct misuse){cause, .warp = at->first_thread / s->lanes, .pc = at->pc, .lanes = lanes,
			.values = {value}, .other_pc = other_pc, .has_place = true});
}

/* A multiplication uses a register: its sums may go on from one to the next. */
static void multiply_with(const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes,
	const struct ptx_register *reg, bool is_sum)
{
	struct sync_matrix_warp *warp = &s->warp[at->first_thread / s->lanes];
	struct sync_matrix_register *r = register_at(s, warp, i, reg);

	if (!r)
		return;
	if (r->touched)
		tell_register(at, s, SYNC_MATRIX_FENCE, lanes, reg->index, r->touched - 1);
	else if (r->group && (r->is_sum || is_sum) && r->is_sum != is_sum)
		tell_register(at, s, SYNC_MATRIX_PENDING, lanes, reg->index | (is_sum ? IS_WRITTEN : 0), r->pc);
	*r = (struct sync_matrix_register){.pc = at->pc, .group = warp->groups + 1, .is_sum = is_sum};
}

static void multiply(const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes)
{
	const struct ptx_operand *o = written_as(s, i)->operand;
	struct sync_matrix_warp *warp = &s->warp[at->first_thread / s->lanes];

	if (!warp->fenced)
		tell(at->list, s,
			&(struct misuse){
				SYNC_MATRIX_FIRST, .warp = at->first_thread / s->lanes, .pc = at->pc, .lanes = lanes});
	warp->fenced = true;
	for (uint32_t part = MATRIX_D; part <= MATRIX_A; part++)
		for (uint32_t k = 0; o[part].kind == OPERAND_VECTOR && k < o[part].count; k++)
			if (o[part].element[k].kind == OPERAND_REGISTER)
				multiply_with(at, s, i, lanes, o[part].element[k].reg, part == MATRIX_D);
}

static void fence(const struct sync_matrices *s, struct sync_matrix_warp *warp)
{
	warp->fenced = true;
	for (uint32_t k = 0; k < s->registers; k++)
		warp->registers[k].touched = 0;
}

static void wait(const struct sync_matrices *s, struct sync_matrix_warp *warp, uint32_t pending)
{
	for (uint32_t k = 0; k < s->registers; k++)
		if (warp->registers[k].group + (uint64_t)pending <= warp->groups)
			warp->registers[k].group = 0;
}

void sync_matrices_use(
	const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes, uint32_t pending)
{
	uint32_t number = at->first_thread / s->lanes;
	struct sync_matrix_warp *warp = &s->warp[number];

	warp->count++;
	warp->pc = at->pc;
	warp->lanes = lanes;
	judge_warpgroup(at, s, number, lanes);
	switch (i->op) {
	case OP_wgmma: multiply(at, s, i, lanes); break;
	case OP_wgmma_fence: fence(s, warp); break;
	case OP_wgmma_commit: warp->groups++; break;
	default: wait(s, warp, pending);
	}
}

/* A mov: what was true of the source is true of the destination. */
static void carry(const struct sync_matrices *s, const struct sync_matrix_warp *warp, const struct insn *i,
	const struct ptx_operand *o)
{
	struct sync_matrix_register *to = o[0].kind == OPERAND_REGISTER ? register_at(s, warp, i, o[0].reg) : NULL;
	const struct sync_matrix_register *from =
		o[1].kind == OPERAND_REGISTER ? register_at(s, warp, i, o[1].reg) : NULL;

	if (to)
		*to = from ? *from : (struct sync_matrix_register){0};
}

void sync_matrices_touch(const struct sync_place *at, struct sync_matrices *s, const struct insn *i, lane_mask lanes)
{
	const struct ptx_instruction *written = written_as(s, i);
	const struct sync_matrix_warp *warp = &s->warp[at->first_thread / s->lanes];

	if (op_is((enum op)i->op, "mov") && written->operand[0].kind != OPERAND_VECTOR &&
		written->operand[1].kind != OPERAND_VECTOR) {
		carry(s, warp, i, written->operand);
		return;
	}
	for (struct register_use use = {.of = written}; register_next(&use);) {
		struct sync_matrix_register *r = register_at(s, warp, i, use.reg);

		if (!r)
			continue;
		if (r->group)
			tell_register(at, s, SYNC_MATRIX_PENDING, lanes,
				use.reg->index | (use.is_write ? IS_WRITTEN : 0), r->pc);
		*r = (struct sync_matrix_register){.touched = at->pc + 1};
	}
}
