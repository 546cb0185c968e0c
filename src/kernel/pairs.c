/* Webs of registers that share a pair: see pairs.h.  Movs are looked at in order of the code; each joins the webs of
 * its registers into one, or stays an instruction. */
#include "kernel/pairs.h"

#include "kernel/insn.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <stdlib.h>

#define NO_WEB 0xffffffffu

/* Of a web, since each write is compared with each member; what machine code has of them is a handful. */
enum { MEMBERS_MOST = 64, WRITES_MOST = 1024 };

/* A mov that takes a pair apart or puts it together: its registers, and which part of a pair each must be. */
struct move {
	uint32_t instruction;
	uint32_t reg[3];
	uint8_t half[3];
	uint32_t count;
};

struct search {
	struct arena *arena;
	const struct flow *flow;
	const struct life *lives;
	struct pairs *pairs;
	uint32_t *web;                    /* per register */
	VECTOR(uint32_t) * writes;        /* per register that a move has: the instructions that write it */
	bool *apart;                      /* per register: it can be in no web with others */
	const struct move **move_at;      /* per instruction */
	uint32_t joined[3], joined_count; /* webs that the move at hand would join */
};

static void add(struct move *move, const struct ptx_register *reg, enum half half)
{
	move->reg[move->count] = reg->index;
	move->half[move->count++] = (uint8_t)half;
}

static bool is_32_bits(const struct ptx_operand *operand)
{
	return operand->kind == OPERAND_REGISTER && type_slot_bytes(operand->reg->type) == 4 &&
	       ptx_types[operand->reg->type].bits == 32;
}

/* A sink takes nothing; a constant, or a half that is both, needs an instruction. */
static bool read_move(const struct ptx_instruction *i, struct move *move)
{
	if (i->op != OP_mov || i->guard || i->operand_count != 2)
		return false;
	bool apart = i->operand[0].kind == OPERAND_VECTOR;
	const struct ptx_operand *pair = &i->operand[apart], *halves = &i->operand[!apart];
	if (halves->kind != OPERAND_VECTOR || halves->count != 2 || pair->kind != OPERAND_REGISTER ||
		type_slot_bytes(pair->reg->type) != 8)
		return false;
	add(move, pair->reg, HALF_BOTH);
	for (uint32_t k = 0; k < 2; k++) {
		const struct ptx_operand *half = &halves->element[k];
		if (is_32_bits(half))
			add(move, half->reg, k ? HALF_HIGH : HALF_LOW);
		else if (!apart || half->kind != OPERAND_SINK)
			return false;
	}
	return move->count == 2 || (move->count == 3 && move->reg[1] != move->reg[2]);
}

/* The scoreboard of an instruction whose result comes from memory has each word of a web twice (decode_scoreboard). */
static bool has_too_many_results(const struct ptx_instruction *i)
{
	uint32_t words = 0;
	if (ptx_ops[i->op].kind != OP_KIND_CORE)
		return false;
	for (struct register_use use = {.of = i}; register_next(&use);)
		words += use.is_write ? type_slot_bytes(use.reg->type) / 4 : 0;
	return 2 * words > INSN_SCOREBOARD;
}

static void note_writes(struct search *s, uint32_t instruction)
{
	const struct ptx_instruction *i = &s->flow->function->code.at[instruction];
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (use.is_write && s->web[use.reg->index] != NO_WEB) {
			*vector_push(s->arena, &s->writes[use.reg->index]) = instruction;
			s->apart[use.reg->index] |= has_too_many_results(i);
		}
}

/* Whether the register of a move would be in the web that is being tried. */
static bool is_joined(const struct search *s, uint32_t reg)
{
	for (uint32_t k = 0; k < s->joined_count; k++)
		if (s->web[reg] == s->joined[k])
			return true;
	return false;
}

/* Whether the instruction would be a mov that vanishes in it. */
static bool would_vanish(const struct search *s, uint32_t instruction)
{
	const struct move *move = s->move_at[instruction];
	for (uint32_t k = 0; move && k < move->count; k++)
		if (!is_joined(s, move->reg[k]) || s->pairs->half[move->reg[k]] != move->half[k])
			return false;
	return move;
}

/* Whether a write of one would overwrite the other. */
static bool overwrites(const struct search *s, uint32_t reg, uint32_t other)
{
	for (uint32_t k = 0; k < s->writes[reg].count; k++) {
		uint32_t at = s->writes[reg].at[k];
		if (lives_at(&s->lives[other], 2 * at + 1) && !would_vanish(s, at))
			return true;
	}
	return false;
}

static bool conflict(const struct search *s, const struct web *a, const struct web *b)
{
	for (uint32_t k = 0; k < a->members.count; k++)
		for (uint32_t l = 0; l < b->members.count; l++) {
			uint32_t left = a->members.at[k], right = b->members.at[l];
			if (s->pairs->half[left] & s->pairs->half[right] &&
				(overwrites(s, left, right) || overwrites(s, right, left)))
				return true;
		}
	return false;
}

static bool is_small(const struct search *s)
{
	uint32_t members = 0, writes = 0;
	for (uint32_t k = 0; k < s->joined_count; k++) {
		const struct web *web = &s->pairs->webs.at[s->joined[k]];
		members += web->members.count;
		for (uint32_t m = 0; m < web->members.count; m++)
			writes += s->writes[web->members.at[m]].count;
	}
	return members <= MEMBERS_MOST && writes <= WRITES_MOST;
}

static bool can_join(const struct search *s)
{
	if (!is_small(s))
		return false;
	for (uint32_t k = 0; k < s->joined_count; k++)
		for (uint32_t l = k + 1; l < s->joined_count; l++)
			if (conflict(s, &s->pairs->webs.at[s->joined[k]], &s->pairs->webs.at[s->joined[l]]))
				return false;
	return true;
}

static void join(struct search *s)
{
	struct web *first = &s->pairs->webs.at[s->joined[0]];
	for (uint32_t k = 1; k < s->joined_count; k++) {
		struct web *other = &s->pairs->webs.at[s->joined[k]];
		for (uint32_t m = 0; m < other->members.count; m++) {
			*vector_push(s->arena, &first->members) = other->members.at[m];
			s->web[other->members.at[m]] = s->joined[0];
		}
		other->members.count = 0;
	}
}

/* Each register is a web of its own at first, and any half. */
static void try_move(struct search *s, const struct move *move)
{
	uint8_t *half = s->pairs->half, before[3];
	bool fits = true;
	s->joined_count = 0;
	for (uint32_t k = 0; k < move->count; k++) {
		uint32_t reg = move->reg[k];
		before[k] = half[reg];
		fits &= half[reg] == HALF_NONE || half[reg] == move->half[k];
		fits &= !s->apart[reg];
		if (!is_joined(s, reg))
			s->joined[s->joined_count++] = s->web[reg];
	}
	if (!fits)
		return;
	for (uint32_t k = 0; k < move->count; k++)
		half[move->reg[k]] = move->half[k];
	if (can_join(s)) {
		join(s);
		return;
	}
	for (uint32_t k = 0; k < move->count; k++)
		half[move->reg[k]] = before[k];
}

static bool is_formal(const struct ptx_function *function, const struct ptx_register *reg)
{
	uint32_t formals = function->signature.parameter_count + function->signature.return_count;
	for (uint32_t k = 0; !function->is_entry && function->formal_registers && k < formals; k++)
		if (function->formal_registers[k] == reg)
			return true;
	return false;
}

/* Formals are where callers want them. */
static bool has_formal(const struct search *s, const struct move *move)
{
	const struct ptx_function *function = s->flow->function;
	for (uint32_t k = 0; k < move->count; k++)
		if (is_formal(function, function->registers.at[move->reg[k]]))
			return true;
	return false;
}

static void find_moves(struct search *s)
{
	const struct ptx_function *function = s->flow->function;
	for (uint32_t k = 0; k < function->code.count; k++) {
		struct move move = {.instruction = k};
		if (!read_move(&function->code.at[k], &move) || has_formal(s, &move))
			continue;
		if (!s->move_at)
			s->move_at = arena_new_array(s->arena, const struct move *, function->code.count);
		struct move *kept = arena_new(s->arena, struct move);
		*kept = move;
		s->move_at[k] = kept;
	}
}

static void begin_webs(struct search *s)
{
	const struct ptx_function *function = s->flow->function;
	uint32_t registers = function->registers.count;
	s->pairs->half = arena_new_array(s->arena, uint8_t, registers);
	s->pairs->vanishes = arena_new_array(s->arena, bool, function->code.count);
	s->web = arena_new_array(s->arena, uint32_t, registers);
	s->apart = arena_new_array(s->arena, bool, registers);
	s->writes = arena_alloc(s->arena, registers * sizeof *s->writes);
	for (uint32_t r = 0; r < registers; r++)
		s->web[r] = NO_WEB;
	for (uint32_t at = 0; at < function->code.count; at++)
		for (uint32_t k = 0; s->move_at[at] && k < s->move_at[at]->count; k++) {
			uint32_t reg = s->move_at[at]->reg[k];
			if (s->web[reg] != NO_WEB)
				continue;
			s->web[reg] = s->pairs->webs.count;
			struct web *web = vector_push(s->arena, &s->pairs->webs);
			*vector_push(s->arena, &web->members) = reg;
		}
	for (uint32_t k = 0; k < function->code.count; k++)
		note_writes(s, k);
}

static int by_start(const void *a, const void *b)
{
	const struct segment *left = a, *right = b;
	return left->start < right->start ? -1 : left->start > right->start;
}

/* The segments of all members, those that touch as one. */
static void unite_lives(const struct search *s, struct web *web)
{
	VECTOR(struct segment) all = {0};
	for (uint32_t m = 0; m < web->members.count; m++) {
		const struct life *life = &s->lives[web->members.at[m]];
		for (uint32_t k = 0; k < life->segments.count; k++)
			*vector_push(s->arena, &all) = life->segments.at[k];
	}
	if (all.count)
		qsort(all.at, all.count, sizeof *all.at, by_start);
	for (uint32_t k = 0; k < all.count; k++) {
		struct segment *last =
			web->life.segments.count ? &web->life.segments.at[web->life.segments.count - 1] : NULL;
		if (!last || all.at[k].start > last->end)
			*vector_push(s->arena, &web->life.segments) = all.at[k];
		else if (all.at[k].end > last->end)
			last->end = all.at[k].end;
	}
}

/* Registers of movs that all stay are in no web. */
static void leave_alone(struct pairs *pairs, struct web *web)
{
	if (web->members.count != 1)
		return;
	pairs->half[web->members.at[0]] = HALF_NONE;
	web->members.count = 0;
}

struct pairs *pairs_find(struct arena *arena, const struct flow *flow, const struct life *lives)
{
	struct search s = {.arena = arena, .flow = flow, .lives = lives, .pairs = arena_new(arena, struct pairs)};
	find_moves(&s);
	if (!s.move_at)
		return s.pairs;
	begin_webs(&s);
	for (uint32_t k = 0; k < flow->function->code.count; k++)
		if (s.move_at[k])
			try_move(&s, s.move_at[k]);
	for (uint32_t k = 0; k < s.pairs->webs.count; k++) {
		leave_alone(s.pairs, &s.pairs->webs.at[k]);
		unite_lives(&s, &s.pairs->webs.at[k]);
	}
	for (uint32_t k = 0; k < flow->function->code.count; k++) {
		const struct move *move = s.move_at[k];
		if (!move)
			continue;
		s.joined_count = 1;
		s.joined[0] = s.web[move->reg[0]];
		s.pairs->vanishes[k] = would_vanish(&s, k);
	}
	return s.pairs;
}
