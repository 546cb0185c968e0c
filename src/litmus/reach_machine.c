/* The abstract machine of reach.h: goes through all its states, depth first. */
#include "litmus/reach.h"

#include "litmus/barriers.h"
#include "litmus/execution.h"

#include <string.h>

/* States of all placements together: about a second. */
#define STATES 400000
/* Values that a line may have at a time, and accesses under way. */
#define VALUES 8
#define ACCESSES 64

/* An access that its thread has issued and the L2 has not carried out. */
struct access {
	uint8_t thread, at; /* the instruction */
	uint8_t core, location;
	uint8_t fences; /* threads whose fence waits for it, a bit each */
	uint8_t behind; /* fences of a CTA on its core since it was issued */
	uint8_t light;  /* light fences of its CTA since then */
	bool half;      /* of an atomic in two halves: its store */
	int32_t a, b;
};

struct line {
	uint32_t count; /* 0: it cannot be there */
	int32_t values[VALUES];
};

struct thread {
	uint8_t at;
	bool fences, fenced; /* waits for all before; has done so, for the release that comes */
	bool held;           /* an acquire waits for its value */
	bool waits;          /* at a barrier */
	uint32_t open;       /* registers whose value is under way */
	int32_t registers[LITMUS_REGISTERS];
};

struct world {
	struct thread threads[LITMUS_THREADS];
	int32_t memory[LITMUS_LOCATIONS];
	struct line lines[LITMUS_THREADS][LITMUS_LOCATIONS]; /* by core */
	uint8_t came[LITMUS_THREADS][LITMUS_BARRIERS];       /* by the CTA's first thread: threads, a bit each */
	uint32_t count;
	struct access under_way[ACCESSES]; /* in the order of issue */
};

struct explorer {
	struct arena *arena, *states;
	const struct litmus_test *test;
	uint32_t freedoms;
	struct litmus_outcomes *outcomes;
	uint32_t core[LITMUS_THREADS], cta[LITMUS_THREADS];
	uint32_t group[LITMUS_THREADS];                /* the CTA for barriers */
	bool cached[LITMUS_THREADS][LITMUS_LOCATIONS]; /* some thread of the core loads the location through the L1 */
	bool shared[LITMUS_THREADS][LITMUS_LOCATIONS]; /* two threads of the core access it */
	bool alone[LITMUS_THREADS];                    /* no other thread of the CTA waits for this one's accesses */
	bool full;
	VECTOR(int32_t *) found, open; /* packed states; `open` are still to be gone on from */
	uint32_t *table, table_size, limit;
};

static bool has(const struct explorer *e, enum litmus_freedom freedom)
{
	return e->freedoms >> freedom & 1;
}

/* Lines keep all values that there were. */
static bool keeps_all(const struct explorer *e)
{
	return has(e, LITMUS_BACK) || has(e, LITMUS_PROXIES);
}

/* ---- What instructions are ---- */

static bool is_access(const struct litmus_instruction *i)
{
	return i->kind == LITMUS_LOAD || i->kind == LITMUS_STORE || i->kind == LITMUS_ATOM;
}

/* Beyond the CTA.  Of several GPUs those of .gpu scope are too, unless they are told apart. */
static bool is_wide(const struct explorer *e, const struct litmus_instruction *i)
{
	return i->order == LITMUS_VOLATILE || i->scope == LITMUS_SYS || has(e, LITMUS_OWN) ||
	       (i->scope == LITMUS_GPU && !has(e, LITMUS_APART));
}

static bool acquires(const struct litmus_instruction *i)
{
	return i->order == LITMUS_ACQUIRE || i->order == LITMUS_ACQ_REL || i->order == LITMUS_SC;
}

static bool releases(const struct litmus_instruction *i)
{
	return i->order == LITMUS_RELEASE || i->order == LITMUS_ACQ_REL || i->order == LITMUS_SC;
}

/* Waits for what came before, as a fence or before a release. */
static bool waits_before(const struct explorer *e, const struct litmus_instruction *i)
{
	return is_wide(e, i) &&
	       (i->kind == LITMUS_FENCE ? true : is_access(i) && i->kind != LITMUS_LOAD && releases(i));
}

static bool is_light(const struct explorer *e, const struct litmus_instruction *i)
{
	return has(e, LITMUS_LIGHT) && i->kind == LITMUS_FENCE && i->order == LITMUS_ACQ_REL;
}

/* An L1 may serve it. */
static bool is_cached(const struct explorer *e, const struct litmus_instruction *i)
{
	if (i->kind != LITMUS_LOAD)
		return false;
	if (has(e, LITMUS_LATE) || keeps_all(e))
		return true;
	return has(e, LITMUS_STALE) &&
	       (i->order == LITMUS_WEAK ||
		       (!has(e, LITMUS_KEPT) && i->order != LITMUS_VOLATILE && i->scope == LITMUS_CTA));
}

/* Its value is bound past the L1, and a line there goes. */
static bool drops_line(const struct explorer *e, const struct litmus_instruction *i)
{
	return i->kind == LITMUS_ATOM || (i->kind == LITMUS_LOAD && !has(e, LITMUS_KEPT) && !has(e, LITMUS_LATE));
}

static bool empties(const struct explorer *e, const struct litmus_instruction *i)
{
	return is_wide(e, i) && !has(e, LITMUS_LATE) && !keeps_all(e) && !(i->membar && has(e, LITMUS_KEPT)) &&
	       (i->kind == LITMUS_FENCE || acquires(i));
}

static const struct litmus_instruction *instruction(const struct explorer *e, const struct access *a)
{
	return &e->test->threads.at[a->thread].code.at[a->at];
}

static const struct litmus_instruction *next_of(const struct explorer *e, const struct world *w, uint32_t thread)
{
	uint32_t at = w->threads[thread].at;
	return at < e->test->threads.at[thread].code.count ? &e->test->threads.at[thread].code.at[at] : NULL;
}

/* ---- Lines ---- */

/* A fetch that comes now keeps the line: nothing is under way that would drop it. */
static bool can_fill(const struct explorer *e, const struct world *w, uint32_t core, uint32_t location)
{
	for (uint32_t k = 0; k < w->count && !keeps_all(e); k++) {
		const struct litmus_instruction *i = instruction(e, &w->under_way[k]);
		if (w->under_way[k].core != core || w->under_way[k].location != location)
			continue;
		if (i->kind != LITMUS_LOAD || drops_line(e, i) || is_cached(e, i))
			return false;
	}
	return true;
}

/* The line may come with what memory has now. */
static void fill(struct explorer *e, struct world *w, uint32_t core, uint32_t location)
{
	struct line *line = &w->lines[core][location];
	if (!e->cached[core][location] || !can_fill(e, w, core, location))
		return;
	for (uint32_t k = keeps_all(e) || !line->count ? 0 : line->count - 1; k < line->count; k++)
		if (line->values[k] == w->memory[location])
			return;
	if (line->count == VALUES)
		e->full = true;
	else
		line->values[line->count++] = w->memory[location];
}

static void empty_core(struct explorer *e, struct world *w, uint32_t core)
{
	for (uint32_t k = 0; k < e->test->locations.count; k++) {
		w->lines[core][k].count = 0;
		fill(e, w, core, k);
	}
}

/* Memory has another value of the location: all who fetch it from now on see it. */
static void changed(struct explorer *e, struct world *w, uint32_t location)
{
	for (uint32_t k = 0; k < e->test->threads.count; k++)
		fill(e, w, k, location);
}

/* ---- Issue ---- */

static int32_t value_of(const struct thread *t, const struct litmus_operand *o)
{
	return o->is_register ? t->registers[o->value] : o->value;
}

static bool is_open(const struct thread *t, const struct litmus_operand *o)
{
	return o->is_register && t->open >> o->value & 1;
}

static bool is_ready(const struct thread *t, const struct litmus_instruction *i)
{
	bool writes = i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOM || i->kind == LITMUS_LOCAL;
	return !t->held && !t->waits && !is_open(t, &i->a) && !is_open(t, &i->b) &&
	       !(writes && i->target != LITMUS_NO_REGISTER && t->open >> i->target & 1);
}

static void send(struct explorer *e, struct world *w, uint32_t thread, const struct litmus_instruction *i)
{
	struct thread *t = &w->threads[thread];
	if (w->count == ACCESSES) {
		e->full = true;
		return;
	}
	w->under_way[w->count++] = (struct access){.thread = (uint8_t)thread,
		.at = t->at,
		.core = (uint8_t)e->core[thread],
		.location = (uint8_t)i->location,
		.a = i->kind == LITMUS_LOAD ? 0 : value_of(t, &i->a),
		.b = i->kind == LITMUS_ATOM && i->operation == LITMUS_CAS ? value_of(t, &i->b) : 0};
	if (i->kind != LITMUS_STORE && i->target != LITMUS_NO_REGISTER)
		t->open |= 1u << i->target;
	t->held = acquires(i);
	t->at++;
}

/* The core's own line takes what is stored, or goes. */
static void issue(struct explorer *e, struct world *w, uint32_t thread, const struct litmus_instruction *i)
{
	struct line *line = &w->lines[e->core[thread]][i->location];
	w->threads[thread].fenced = false;
	if (i->kind == LITMUS_STORE && !has(e, LITMUS_KEPT) && !keeps_all(e) && line->count)
		*line = (struct line){1, {value_of(&w->threads[thread], &i->a)}};
	else if ((i->kind != LITMUS_LOAD || is_cached(e, i) || drops_line(e, i)) && !keeps_all(e))
		line->count = 0;
	send(e, w, thread, i);
}

/* The load finds the line with the value of this number; those before it are gone then. */
static void hit(
	struct explorer *e, struct world *w, uint32_t thread, const struct litmus_instruction *i, uint32_t number)
{
	struct line *line = &w->lines[e->core[thread]][i->location];
	w->threads[thread].registers[i->target] = line->values[number];
	number = keeps_all(e) ? 0 : number;
	line->count -= number;
	memmove(line->values, line->values + number, line->count * sizeof *line->values);
	w->threads[thread].at++;
}

/* ---- Fences ---- */

static void begin_fence(struct explorer *e, struct world *w, uint32_t thread, bool light)
{
	for (uint32_t k = 0; k < w->count; k++) {
		struct access *a = &w->under_way[k];
		bool load = instruction(e, a)->kind != LITMUS_STORE;
		if (e->cta[a->thread] != e->cta[thread])
			continue;
		a->light = (uint8_t)(a->light + light);
		if (!light || load)
			a->fences |= (uint8_t)(1u << thread);
	}
	w->threads[thread].fences = true;
}

static bool fence_is_over(const struct world *w, uint32_t thread)
{
	for (uint32_t k = 0; k < w->count; k++)
		if (w->under_way[k].fences >> thread & 1)
			return false;
	return true;
}

static void end_fence(struct explorer *e, struct world *w, uint32_t thread, const struct litmus_instruction *i)
{
	struct thread *t = &w->threads[thread];
	t->fences = false;
	if (i->kind != LITMUS_FENCE) {
		t->fenced = true;
		return;
	}
	t->at++;
	if (empties(e, i))
		empty_core(e, w, e->core[thread]);
}

/* Loads after it do not pass loads before it. */
static void fence_group(struct explorer *e, struct world *w, uint32_t core)
{
	for (uint32_t k = 0; k < w->count && has(e, LITMUS_LOADS_PASS); k++)
		if (w->under_way[k].core == core)
			w->under_way[k].behind++;
}

static void come(struct explorer *e, struct world *w, uint32_t thread, const struct litmus_instruction *i)
{
	struct thread *t = &w->threads[thread];
	int32_t number = value_of(t, &i->a);
	uint8_t *came = &w->came[e->group[thread]][number & (LITMUS_BARRIERS - 1)];
	uint32_t users = 0;
	for (uint32_t k = 0; k < e->test->threads.count; k++)
		users += e->group[k] == e->group[thread] && litmus_names_barrier(&e->test->threads.at[k], number);
	*came |= (uint8_t)(1u << thread);
	t->waits = !i->arrives;
	t->at++;
	if ((uint32_t)__builtin_popcount(*came) < users)
		return;
	for (uint32_t k = 0; k < e->test->threads.count; k++)
		if (*came >> k & 1)
			w->threads[k].waits = false;
	*came = 0;
	fence_group(e, w, e->core[thread]);
}

/* ---- The L2 ---- */

/* Whether the k-th of those under way may be carried out next. */
static bool may_go(const struct explorer *e, const struct world *w, uint32_t k)
{
	const struct access *mine = &w->under_way[k];
	const struct litmus_instruction *i = instruction(e, mine);
	bool passes = has(e, LITMUS_LOADS_PASS) && i->kind == LITMUS_LOAD && i->order == LITMUS_WEAK;
	for (uint32_t other = 0; other < w->count; other++) {
		const struct access *a = &w->under_way[other];
		bool load = instruction(e, a)->kind == LITMUS_LOAD, same = a->core == mine->core;
		if (other < k && same && !has(e, LITMUS_PASS))
			return false;
		if (other < k && same && a->location == mine->location && !(passes && load))
			return false;
		if (passes && load && same && a->behind > mine->behind)
			return false;
		if (i->kind != LITMUS_LOAD && e->cta[a->thread] == e->cta[mine->thread] && a->light > mine->light)
			return false;
	}
	return true;
}

static int32_t operate(const struct litmus_instruction *i, const struct access *a, int32_t before)
{
	if (i->kind == LITMUS_STORE || a->half)
		return a->a;
	if (i->operation == LITMUS_CAS)
		return before == a->a ? a->b : before;
	return litmus_operate(i->operation, before, a->a);
}

static void answer(struct explorer *e, struct world *w, const struct access *a, int32_t value)
{
	const struct litmus_instruction *i = instruction(e, a);
	struct thread *t = &w->threads[a->thread];
	if (i->target != LITMUS_NO_REGISTER) {
		t->registers[i->target] = value;
		t->open &= ~(1u << i->target);
	}
	if (!acquires(i))
		return;
	t->held = false;
	if (empties(e, i))
		empty_core(e, w, a->core);
}

/* `loses`: what it stores was overwritten before it came. */
static void carry_out(struct explorer *e, struct world *w, uint32_t k, bool loses)
{
	struct access a = w->under_way[k];
	const struct litmus_instruction *i = instruction(e, &a);
	int32_t before = w->memory[a.location], after = i->kind == LITMUS_LOAD ? before : operate(i, &a, before);
	bool halves = has(e, LITMUS_HALVES) && i->kind == LITMUS_ATOM && !a.half && !is_wide(e, i);
	if (halves) {
		w->under_way[k].half = true;
		w->under_way[k].a = after;
	} else {
		memmove(&w->under_way[k], &w->under_way[k + 1], (w->count - k - 1) * sizeof a);
		w->count--;
	}
	if (!halves)
		w->memory[a.location] = after;
	if (i->kind != LITMUS_STORE && !a.half)
		answer(e, w, &a, before);
	changed(e, w, a.location);
	if (!loses)
		return;
	w->memory[a.location] = before;
	changed(e, w, a.location);
}

/* ---- States ---- */

/* In an order that says no more than matters: by core and location, unless locations are in order, too. */
static uint32_t pack_accesses(const struct explorer *e, const struct world *w, int32_t *words)
{
	uint32_t n = 0, orders = has(e, LITMUS_PASS) ? e->test->locations.count : 1;
	for (uint32_t core = 0; core < e->test->threads.count; core++)
		for (uint32_t order = 0; order < orders; order++)
			for (uint32_t k = 0; k < w->count; k++) {
				const struct access *a = &w->under_way[k];
				if (a->core != core || (orders > 1 && a->location != order))
					continue;
				memcpy(words + n, a, sizeof *a);
				n += sizeof *a / sizeof *words;
			}
	return n;
}

/* The words of a state, their number first. */
static const int32_t *pack(const struct explorer *e, const struct world *w, int32_t *words)
{
	uint32_t n = 1;
	for (uint32_t t = 0; t < e->test->threads.count; t++) {
		const struct thread *from = &w->threads[t];
		uint32_t registers = e->test->threads.at[t].registers.count;
		words[n++] = from->at | from->fences << 8 | from->fenced << 9 | from->held << 10 | from->waits << 11;
		words[n++] = (int32_t)from->open;
		memcpy(words + n, from->registers, registers * sizeof *words);
		n += registers;
	}
	memcpy(words + n, w->memory, e->test->locations.count * sizeof *words);
	n += e->test->locations.count;
	for (uint32_t core = 0; core < e->test->threads.count; core++)
		for (uint32_t k = 0; k < e->test->locations.count; k++)
			if (e->cached[core][k]) {
				words[n++] = (int32_t)w->lines[core][k].count;
				memcpy(words + n, w->lines[core][k].values, w->lines[core][k].count * sizeof *words);
				n += w->lines[core][k].count;
			}
	memcpy(words + n, w->came, sizeof w->came);
	n += sizeof w->came / sizeof *words;
	words[n++] = (int32_t)w->count;
	n += pack_accesses(e, w, words + n);
	words[0] = (int32_t)n;
	return words;
}

static void unpack(const struct explorer *e, const int32_t *words, struct world *w)
{
	uint32_t n = 1;
	for (uint32_t t = 0; t < e->test->threads.count; t++) {
		struct thread *to = &w->threads[t];
		uint32_t registers = e->test->threads.at[t].registers.count;
		int32_t bits = words[n++];
		to->at = (uint8_t)bits;
		to->fences = bits >> 8 & 1, to->fenced = bits >> 9 & 1, to->held = bits >> 10 & 1,
		to->waits = bits >> 11 & 1;
		to->open = (uint32_t)words[n++];
		memcpy(to->registers, words + n, registers * sizeof *words);
		n += registers;
	}
	memcpy(w->memory, words + n, e->test->locations.count * sizeof *words);
	n += e->test->locations.count;
	for (uint32_t core = 0; core < e->test->threads.count; core++)
		for (uint32_t k = 0; k < e->test->locations.count; k++)
			if (e->cached[core][k]) {
				w->lines[core][k].count = (uint32_t)words[n++];
				memcpy(w->lines[core][k].values, words + n, w->lines[core][k].count * sizeof *words);
				n += w->lines[core][k].count;
			}
	memcpy(w->came, words + n, sizeof w->came);
	n += sizeof w->came / sizeof *words;
	w->count = (uint32_t)words[n++];
	memcpy(w->under_way, words + n, w->count * sizeof *w->under_way);
}

#define WORDS                                                                                                          \
	(LITMUS_THREADS * (2 + LITMUS_REGISTERS) + LITMUS_LOCATIONS +                                                  \
		LITMUS_THREADS * LITMUS_LOCATIONS * (1 + VALUES) +                                                     \
		(sizeof(struct world) - offsetof(struct world, came)) / 4 + 1)

static uint32_t hash(const int32_t *words)
{
	uint64_t h = 1469598103934665603u;
	for (int32_t k = 0; k < *words; k++)
		h = (h ^ (uint32_t)words[k]) * 1099511628211u;
	return (uint32_t)(h ^ h >> 32);
}

static void record(struct explorer *e, const struct world *w)
{
	int32_t values[LITMUS_VARIABLES] = {0};
	for (uint32_t k = 0; k < e->test->variables.count; k++) {
		const struct litmus_variable *v = &e->test->variables.at[k];
		values[k] =
			v->thread == LITMUS_IN_MEMORY ? w->memory[v->index] : w->threads[v->thread].registers[v->index];
	}
	litmus_outcome(e->arena, e->outcomes, values);
}

static bool settle(struct explorer *e, struct world *w);

/* Adds the state, if it is new; after what makes no difference to others, which is done at once. */
static void reach(struct explorer *e, struct world *w)
{
	int32_t words[WORDS];
	uint32_t done = 0;
	while (settle(e, w))
		;
	for (uint32_t t = 0; t < e->test->threads.count; t++)
		done += !next_of(e, w, t);
	if (done == e->test->threads.count && !w->count) {
		record(e, w);
		return;
	}
	pack(e, w, words);
	for (uint32_t at = hash(words);; at++) {
		uint32_t *entry = &e->table[at & (e->table_size - 1)];
		if (*entry == UINT32_MAX) {
			e->full |= e->found.count >= e->limit;
			if (e->full)
				return;
			int32_t *kept = arena_new_array(e->states, int32_t, (uint32_t)words[0]);
			memcpy(kept, words, (size_t)words[0] * sizeof *words);
			*entry = e->found.count;
			*vector_push(e->states, &e->found) = kept;
			*vector_push(e->states, &e->open) = kept;
			return;
		}
		const int32_t *other = e->found.at[*entry];
		if (*other == *words && !memcmp(other, words, (size_t)*words * sizeof *words))
			return;
	}
}

/* ---- Steps ---- */

static void run_local(struct thread *t, const struct litmus_instruction *i)
{
	int32_t left = value_of(t, &i->a), right = value_of(t, &i->b);
	if (i->kind == LITMUS_BRANCH) {
		t->at = litmus_compare(i->comparison, left, right) ? (uint8_t)i->jump : (uint8_t)(t->at + 1);
		return;
	}
	if (i->kind == LITMUS_LOCAL)
		t->registers[i->target] =
			i->operation == LITMUS_MOVE ? left : litmus_operate(i->operation, left, right);
	t->at++;
}

/* Issued as soon as it can be: later would only keep the L2 from carrying it out. */
static bool is_eager(const struct explorer *e, uint32_t thread, const struct litmus_instruction *i)
{
	uint32_t core = e->core[thread];
	return is_access(i) && e->alone[thread] && !e->cached[core][i->location] && !e->shared[core][i->location];
}

static bool has_lines(const struct explorer *e, uint32_t core)
{
	for (uint32_t k = 0; k < e->test->locations.count; k++)
		if (e->cached[core][k])
			return true;
	return false;
}

/* One thread's step that nobody else can tell from a later one; a branch back is none, so that this ends. */
static bool settle_thread(struct explorer *e, struct world *w, uint32_t thread)
{
	struct thread *t = &w->threads[thread];
	const struct litmus_instruction *i = next_of(e, w, thread);
	if (!i || !is_ready(t, i))
		return false;
	bool quiet = e->alone[thread] && !has_lines(e, e->core[thread]);
	if (i->kind == LITMUS_LOCAL || i->kind == LITMUS_PROXY_FENCE || (i->kind == LITMUS_BRANCH && i->jump > t->at)) {
		run_local(t, i);
	} else if (i->kind == LITMUS_FENCE && !is_wide(e, i) && !has(e, LITMUS_LOADS_PASS)) {
		t->at++;
	} else if (t->fences) {
		if (!quiet || !fence_is_over(w, thread))
			return false;
		end_fence(e, w, thread, i);
	} else if (waits_before(e, i) && !t->fenced) {
		if (!e->alone[thread])
			return false;
		begin_fence(e, w, thread, is_light(e, i));
	} else if (is_eager(e, thread, i)) {
		issue(e, w, thread, i);
	} else {
		return false;
	}
	return true;
}

static bool settle(struct explorer *e, struct world *w)
{
	bool any = false;
	for (uint32_t t = 0; t < e->test->threads.count && !e->full; t++)
		while (!e->full && settle_thread(e, w, t))
			any = true;
	return any && !e->full;
}

/* All ways in which the thread may go on by one step. */
static void step_thread(struct explorer *e, const struct world *from, uint32_t thread)
{
	const struct litmus_instruction *i = next_of(e, from, thread);
	struct world w = *from;
	if (!i || !is_ready(&from->threads[thread], i))
		return;
	if (w.threads[thread].fences) {
		if (!fence_is_over(&w, thread))
			return;
		end_fence(e, &w, thread, i);
	} else if (waits_before(e, i) && !w.threads[thread].fenced) {
		begin_fence(e, &w, thread, is_light(e, i));
	} else if (is_access(i)) {
		issue(e, &w, thread, i);
	} else if (i->kind == LITMUS_FENCE) {
		fence_group(e, &w, e->core[thread]);
		w.threads[thread].at++;
	} else if (i->kind == LITMUS_BARRIER) {
		come(e, &w, thread, i);
	} else {
		run_local(&w.threads[thread], i);
	}
	reach(e, &w);
	if (!is_cached(e, i) || from->threads[thread].fences)
		return;
	for (uint32_t k = 0; k < from->lines[e->core[thread]][i->location].count; k++) {
		w = *from;
		hit(e, &w, thread, i, k);
		reach(e, &w);
	}
}

static void step(struct explorer *e, const int32_t *words)
{
	struct world from = {0}, w;
	unpack(e, words, &from);
	for (uint32_t t = 0; t < e->test->threads.count && !e->full; t++)
		step_thread(e, &from, t);
	for (uint32_t k = 0; k < from.count && !e->full; k++)
		for (int loses = 0; loses <= has(e, LITMUS_UNORDERED) && may_go(e, &from, k); loses++) {
			w = from;
			carry_out(e, &w, k, loses);
			reach(e, &w);
		}
}

/* ---- Placements ---- */

/* What a core's threads have in common. */
static void look_at_cores(struct explorer *e)
{
	uint32_t users[LITMUS_THREADS][LITMUS_LOCATIONS] = {0}, count = e->test->threads.count;
	memset(e->cached, 0, sizeof e->cached);
	for (uint32_t t = 0; t < count; t++) {
		e->alone[t] = true;
		for (uint32_t k = 0; k < e->test->threads.at[t].code.count; k++) {
			const struct litmus_instruction *i = &e->test->threads.at[t].code.at[k];
			if (!is_access(i))
				continue;
			e->cached[e->core[t]][i->location] |= is_cached(e, i);
			users[e->core[t]][i->location] |= 1u << t;
		}
		for (uint32_t other = 0; other < count; other++)
			e->alone[t] &= other == t || e->cta[other] != e->cta[t];
	}
	for (uint32_t core = 0; core < count; core++)
		for (uint32_t k = 0; k < LITMUS_LOCATIONS; k++)
			e->shared[core][k] = __builtin_popcount(users[core][k]) > 1;
}

static void explore_placement(struct explorer *e)
{
	struct world w = {0};
	struct arena states = {0};
	look_at_cores(e);
	e->states = &states;
	memset(&e->found, 0, sizeof e->found);
	memset(&e->open, 0, sizeof e->open);
	memset(e->table, 0xff, e->table_size * sizeof *e->table);
	for (uint32_t t = 0; t < e->test->threads.count; t++)
		for (uint32_t k = 0; k < e->test->threads.at[t].registers.count; k++)
			w.threads[t].registers[k] = e->test->threads.at[t].registers.at[k].initial;
	for (uint32_t k = 0; k < e->test->locations.count; k++)
		w.memory[k] = e->test->locations.at[k].initial;
	for (uint32_t core = 0; core < e->test->threads.count; core++)
		empty_core(e, &w, core);
	reach(e, &w);
	while (e->open.count && !e->full)
		step(e, e->open.at[--e->open.count]);
	e->limit -= e->found.count < e->limit ? e->found.count : e->limit;
	arena_free(&states);
}

/* From the thread on: the first of a CTA gets each core that has a thread, or one of its own. */
static void place(struct explorer *e, uint32_t thread, uint32_t cores)
{
	if (thread == e->test->threads.count) {
		explore_placement(e);
		return;
	}
	if (e->cta[thread] != thread) {
		e->core[thread] = e->core[e->cta[thread]];
		place(e, thread + 1, cores);
		return;
	}
	for (uint32_t core = 0; core <= cores && !e->full; core++) {
		e->core[thread] = core;
		place(e, thread + 1, core == cores ? cores + 1 : cores);
	}
}

bool litmus_explore(
	struct arena *arena, const struct litmus_test *test, uint32_t freedoms, struct litmus_outcomes *outcomes)
{
	struct arena scratch = {0};
	struct explorer e = {.arena = arena, .test = test, .freedoms = freedoms, .outcomes = outcomes, .limit = STATES};
	outcomes->variables = test->variables.count;
	e.table_size = 1u << 20;
	e.table = arena_new_array(&scratch, uint32_t, e.table_size);
	for (uint32_t t = 0; t < test->threads.count; t++) {
		while (!litmus_same_cta(test, e.group[t], t))
			e.group[t]++;
		e.cta[t] = has(&e, LITMUS_OWN) ? t : e.group[t];
	}
	place(&e, 0, 0);
	arena_free(&scratch);
	return !e.full;
}
