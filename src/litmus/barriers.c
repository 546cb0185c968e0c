/* What is known of a test's barriers before it runs. */
#include "litmus/barriers.h"

#include "litmus/parser.h"

/* ---- Numbers ---- */

static bool is_written(const struct litmus_thread *t, int32_t target)
{
	for (uint32_t k = 0; k < t->code.count; k++)
		if (t->code.at[k].target == (uint32_t)target)
			return true;
	return false;
}

static bool check_number(struct litmus_parser *p, const struct litmus_thread *t, struct litmus_instruction *i)
{
	if (i->a.is_register && !is_written(t, i->a.value))
		i->a = (struct litmus_operand){false, t->registers.at[i->a.value].initial};
	if (i->a.is_register || (i->a.value >= 0 && i->a.value < LITMUS_BARRIERS))
		return true;
	diagnose(p->lexer.diagnostic, i->place, "there is no barrier %d, expected one from 0 to %d", i->a.value,
		LITMUS_BARRIERS - 1);
	return false;
}

bool litmus_check_barriers(struct litmus_parser *p)
{
	for (uint32_t t = 0; t < p->test->threads.count; t++) {
		struct litmus_thread *thread = &p->test->threads.at[t];
		for (uint32_t k = 0; k < thread->code.count; k++)
			if (thread->code.at[k].kind == LITMUS_BARRIER && !check_number(p, thread, &thread->code.at[k]))
				return false;
	}
	return true;
}

static bool is_of_barrier(const struct litmus_instruction *i, int32_t number)
{
	return i->kind == LITMUS_BARRIER && !i->a.is_register && i->a.value == number;
}

bool litmus_names_barrier(const struct litmus_thread *thread, int32_t number)
{
	for (uint32_t k = 0; k < thread->code.count; k++)
		if (is_of_barrier(&thread->code.at[k], number))
			return true;
	return false;
}

bool litmus_has_barriers(const struct litmus_test *test)
{
	for (uint32_t t = 0; t < test->threads.count; t++)
		for (uint32_t k = 0; k < test->threads.at[t].code.count; k++)
			if (test->threads.at[t].code.at[k].kind == LITMUS_BARRIER)
				return true;
	return false;
}

/* ---- Playing ---- */

/* A branch leads over the instruction, or back over it. */
static bool is_branched_over(const struct litmus_thread *t, uint32_t at)
{
	for (uint32_t k = 0; k < t->code.count; k++) {
		const struct litmus_instruction *i = &t->code.at[k];
		if (i->kind == LITMUS_BRANCH && ((k < at && at < i->jump) || (i->jump <= at && at < k)))
			return true;
	}
	return false;
}

static uint32_t count_arrivals(const struct litmus_thread *t, int32_t number)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < t->code.count; k++)
		count += is_of_barrier(&t->code.at[k], number);
	return count;
}

/* Of the CTA of thread `t`: what the instruction's barrier is missing. */
static const char *unplayable(const struct litmus_test *test, uint32_t t, const struct litmus_instruction *i)
{
	uint32_t users = 0, own = count_arrivals(&test->threads.at[t], i->a.value);
	for (uint32_t k = 0; k < test->threads.count; k++) {
		uint32_t arrivals = count_arrivals(&test->threads.at[k], i->a.value);
		if (!litmus_same_cta(test, t, k) || !arrivals)
			continue;
		users++;
		if (arrivals != own)
			return "threads come to a barrier different numbers of times";
	}
	if (i->quorum && i->quorum < users)
		return "more threads come to a barrier than a round takes, so PTX leaves some of them waiting";
	return i->quorum > users ? "a barrier needs more threads than come to it, so none goes on" : NULL;
}

const char *litmus_unplayable_barriers(const struct litmus_test *test)
{
	for (uint32_t t = 0; t < test->threads.count; t++)
		for (uint32_t k = 0; k < test->threads.at[t].code.count; k++) {
			const struct litmus_instruction *i = &test->threads.at[t].code.at[k];
			if (i->kind != LITMUS_BARRIER)
				continue;
			if (i->a.is_register)
				return "the number of a barrier is known only at run time, so how many come to it is "
				       "not";
			if (is_branched_over(&test->threads.at[t], k))
				return "a branch leads over a barrier";
			const char *why = unplayable(test, t, i);
			if (why)
				return why;
		}
	return NULL;
}
