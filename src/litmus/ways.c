/* The ways through a thread: each branch goes on or goes to its label, and what goes back does so a few times.
 *
 * Registers whose values follow from the code alone are followed, so a loop that counts to a constant has one way. */
#include "litmus/execution.h"

#include <string.h>

#define WAYS 256

struct walk {
	struct arena *arena;
	const struct litmus_thread *thread;
	struct litmus_ways *ways;
	uint32_t rounds;
	struct litmus_step steps[LITMUS_STEPS];
};

/* What changes on the way. */
struct walker {
	uint32_t at, count; /* the next instruction; steps so far */
	uint32_t known;     /* registers, a bit each */
	int32_t registers[LITMUS_REGISTERS];
	uint32_t decided; /* branches so far whose operands were not known */
	/* Of each branch: how often it went back, not counting rounds in which nothing was decided; and `decided` as it
	 * was the last time. */
	uint8_t back[LITMUS_INSTRUCTIONS];
	uint32_t decided_then[LITMUS_INSTRUCTIONS];
};

static bool is_known(const struct walker *w, const struct litmus_operand *o, int32_t *value)
{
	*value = o->is_register ? w->registers[o->value] : o->value;
	return !o->is_register || (w->known >> o->value & 1);
}

static void set_register(struct walker *w, const struct litmus_instruction *i)
{
	int32_t a, b;
	if (i->target == LITMUS_NO_REGISTER)
		return;
	bool known = i->kind == LITMUS_LOCAL && is_known(w, &i->a, &a);
	known = known && (i->operation == LITMUS_MOVE || is_known(w, &i->b, &b));
	if (known)
		w->registers[i->target] = i->operation == LITMUS_MOVE ? a : litmus_operate(i->operation, a, b);
	w->known = (w->known & ~(1u << i->target)) | (uint32_t)known << i->target;
}

static void keep(struct walk *walk, uint32_t count)
{
	struct litmus_step *steps = arena_new_array(walk->arena, struct litmus_step, count + 1);
	memcpy(steps, walk->steps, count * sizeof *steps);
	*vector_push(walk->arena, &walk->ways->list) = (struct litmus_path){steps, count};
}

static void walk_on(struct walk *walk, struct walker w);

static void take(struct walk *walk, struct walker w, const struct litmus_instruction *i)
{
	uint32_t at = w.at;
	if (i->jump <= at && w.decided != w.decided_then[at]) {
		if (w.back[at]++ == walk->rounds) {
			walk->ways->cut = true;
			return;
		}
		w.decided_then[at] = w.decided;
	}
	walk->steps[w.count - 1].taken = true;
	w.at = i->jump;
	walk_on(walk, w);
}

/* Both ways, unless it is known which; the label's first. */
static void branch(struct walk *walk, struct walker w, const struct litmus_instruction *i)
{
	int32_t a, b;
	bool left = is_known(&w, &i->a, &a), right = is_known(&w, &i->b, &b), known = left && right;
	bool goes = known && litmus_compare(i->comparison, a, b);
	w.decided += !known;
	if (!known || goes)
		take(walk, w, i);
	if (goes)
		return;
	walk->steps[w.count - 1].taken = false;
	w.at++;
	walk_on(walk, w);
}

static void walk_on(struct walk *walk, struct walker w)
{
	uint32_t beyond = walk->thread->code.count;
	while (w.at < beyond && walk->ways->list.count <= WAYS) {
		const struct litmus_instruction *i = &walk->thread->code.at[w.at];
		if (w.count == LITMUS_STEPS) {
			walk->ways->cut = true;
			return;
		}
		walk->steps[w.count++] = (struct litmus_step){(uint8_t)w.at, false};
		if (i->kind == LITMUS_BRANCH) {
			branch(walk, w, i);
			return;
		}
		set_register(&w, i);
		w.at++;
	}
	if (w.at == beyond)
		keep(walk, w.count);
}

bool litmus_find_ways(struct arena *arena, const struct litmus_thread *thread, uint32_t rounds,
	struct litmus_ways *ways, struct diagnostic *diagnostic)
{
	struct walk walk = {.arena = arena, .thread = thread, .ways = ways, .rounds = rounds};
	struct walker first = {
		.known = thread->registers.count < 32 ? (1u << thread->registers.count) - 1 : UINT32_MAX};
	for (uint32_t k = 0; k < thread->registers.count; k++)
		first.registers[k] = thread->registers.at[k].initial;
	*ways = (struct litmus_ways){0};
	walk_on(&walk, first);
	if (ways->list.count <= WAYS)
		return true;
	diagnose(diagnostic, thread->code.at[0].place,
		"the thread has too many branches, expected at most %u ways through it", WAYS);
	return false;
}
