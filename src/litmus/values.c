/* The values of a candidate execution, from the sources of its reads. */
#include "litmus/execution.h"

#include <string.h>

int32_t litmus_operate(enum litmus_operation operation, int32_t a, int32_t b)
{
	switch (operation) {
	case LITMUS_MOVE: return b;
	case LITMUS_ADD: return (int32_t)((uint32_t)a + (uint32_t)b);
	case LITMUS_SUB: return (int32_t)((uint32_t)a - (uint32_t)b);
	case LITMUS_MUL: return (int32_t)((uint32_t)a * (uint32_t)b);
	case LITMUS_AND: return a & b;
	case LITMUS_OR: return a | b;
	case LITMUS_XOR: return a ^ b;
	case LITMUS_MIN: return a < b ? a : b;
	case LITMUS_MAX: return a > b ? a : b;
	case LITMUS_CAS: break; /* has three operands */
	}
	return a;
}

/* No-Thin-Air: reading from a write and depending on a read do not make a circle. */
static bool is_out_of_thin_air(const struct litmus_execution *e)
{
	struct relation r = e->dependency;
	EACH_EVENT(read, e->reads)
		relation_add(&r, e->source[read], read);
	relation_close(&r, e->count);
	return !relation_is_order(&r, e->count);
}

static int32_t operand(const int32_t *registers, const struct litmus_operand *o)
{
	return o->is_register ? registers[o->value] : o->value;
}

/* *event is the instruction's own; true when the path goes where the values lead. */
static bool do_instruction(
	struct litmus_execution *e, const struct litmus_instruction *i, bool taken, int32_t *registers, uint32_t *event)
{
	int32_t a = operand(registers, &i->a), b = operand(registers, &i->b), old = 0;
	if (i->kind == LITMUS_BRANCH)
		return litmus_compare(i->comparison, a, b) == taken;
	if (i->kind == LITMUS_LOCAL) {
		registers[i->target] = i->operation == LITMUS_MOVE ? a : litmus_operate(i->operation, a, b);
		return true;
	}
	if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOM) {
		old = e->values[*event] = e->values[e->source[*event]];
		if (i->target != LITMUS_NO_REGISTER)
			registers[i->target] = old;
		++*event;
	}
	if (i->kind == LITMUS_STORE || i->kind == LITMUS_BARRIER)
		e->values[(*event)++] = a;
	else if (i->kind == LITMUS_ATOM)
		e->values[(*event)++] = i->operation != LITMUS_CAS ? litmus_operate(i->operation, old, a)
					: old == a                 ? b
								   : old;
	else if (i->kind != LITMUS_LOAD)
		++*event;
	return true;
}

/* All threads once, with the values that are known so far. */
static bool do_threads(struct litmus_execution *e)
{
	bool good = true;
	uint32_t event = e->test->locations.count;
	for (uint32_t t = 0; t < e->test->threads.count; t++) {
		const struct litmus_thread *thread = &e->test->threads.at[t];
		for (uint32_t k = 0; k < thread->registers.count; k++)
			e->registers[t][k] = thread->registers.at[k].initial;
		for (uint32_t k = 0; k < e->paths[t]->count; k++) {
			struct litmus_step step = e->paths[t]->steps[k];
			good &= do_instruction(
				e, &thread->code.at[step.instruction], step.taken, e->registers[t], &event);
		}
	}
	return good;
}

bool litmus_settle_values(struct litmus_execution *e)
{
	int32_t before[RELATION_EVENTS];
	bool good;
	if (is_out_of_thin_air(e))
		return false;
	memset(e->values, 0, sizeof e->values);
	for (uint32_t k = 0; k < e->test->locations.count; k++)
		e->values[k] = e->test->locations.at[k].initial;
	/* Values follow from each other without circles, so they settle. */
	do {
		memcpy(before, e->values, sizeof before);
		good = do_threads(e);
	} while (memcmp(before, e->values, sizeof before));
	return good;
}

/* ---- Some sources only ---- */

struct guess {
	const struct litmus_execution *e;
	uint64_t chosen, known; /* reads with sources; events whose values are known */
	int32_t values[RELATION_EVENTS];
	uint32_t registers_known;
	int32_t registers[LITMUS_REGISTERS];
	uint64_t event;
};

static bool guess_operand(const struct guess *g, const struct litmus_operand *o)
{
	return !o->is_register || (g->registers_known >> o->value & 1);
}

static void set_known(uint64_t *mask, uint64_t bit, bool known)
{
	*mask = (*mask & ~EVENT_BIT(bit)) | (known ? EVENT_BIT(bit) : 0);
}

static void guess_memory(struct guess *g, const struct litmus_instruction *i)
{
	const struct litmus_execution *e = g->e;
	int32_t a = operand(g->registers, &i->a), b = operand(g->registers, &i->b), old = 0;
	bool known = guess_operand(g, &i->a) && guess_operand(g, &i->b), old_known = false;
	if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOM) {
		old_known = (g->chosen >> g->event & 1) && (g->known >> e->source[g->event] & 1);
		old = old_known ? g->values[e->source[g->event]] : 0;
		g->values[g->event] = old;
		set_known(&g->known, g->event, old_known);
		if (i->target != LITMUS_NO_REGISTER) {
			g->registers[i->target] = old;
			g->registers_known = (g->registers_known & ~(1u << i->target)) | (uint32_t)old_known
												 << i->target;
		}
		g->event++;
	}
	if (i->kind == LITMUS_LOAD)
		return;
	if (i->kind == LITMUS_ATOM) {
		bool needs_old = i->operation != LITMUS_MOVE;
		known = known && (old_known || !needs_old);
		a = i->operation != LITMUS_CAS ? litmus_operate(i->operation, old, a) : old == a ? b : old;
	}
	g->values[g->event] = a;
	set_known(&g->known, g->event, known);
	g->event++;
}

/* False: the branch does not go so. */
static bool guess_instruction(struct guess *g, const struct litmus_instruction *i, bool taken)
{
	bool known = guess_operand(g, &i->a) && guess_operand(g, &i->b);
	int32_t a = operand(g->registers, &i->a), b = operand(g->registers, &i->b);
	if (i->kind == LITMUS_BRANCH)
		return !known || litmus_compare(i->comparison, a, b) == taken;
	if (i->kind != LITMUS_LOCAL) {
		guess_memory(g, i);
		return true;
	}
	g->registers[i->target] = i->operation == LITMUS_MOVE ? a : litmus_operate(i->operation, a, b);
	g->registers_known = (g->registers_known & ~(1u << i->target)) | (uint32_t)known << i->target;
	return true;
}

static bool guess_threads(struct guess *g)
{
	const struct litmus_execution *e = g->e;
	g->event = e->test->locations.count;
	for (uint32_t t = 0; t < e->test->threads.count; t++) {
		const struct litmus_thread *thread = &e->test->threads.at[t];
		g->registers_known = UINT32_MAX;
		for (uint32_t k = 0; k < thread->registers.count; k++)
			g->registers[k] = thread->registers.at[k].initial;
		for (uint32_t k = 0; k < e->paths[t]->count; k++) {
			struct litmus_step step = e->paths[t]->steps[k];
			if (!guess_instruction(g, &thread->code.at[step.instruction], step.taken))
				return false;
		}
	}
	return true;
}

bool litmus_may_settle(const struct litmus_execution *e, uint64_t chosen)
{
	struct guess g = {
		.e = e,
		.chosen = chosen,
	};
	g.known = EVENT_BIT(e->test->locations.count) - 1;
	for (uint32_t k = 0; k < e->test->locations.count; k++)
		g.values[k] = e->test->locations.at[k].initial;
	/* What later threads write is known the second time. */
	return guess_threads(&g) && guess_threads(&g);
}
