/* Makes the graph of a test's states, breadth first. */
#include "litmus/states.h"

#include "litmus/barriers.h"
#include "litmus/execution.h"

#include <string.h>

/* States that are looked at: far below a second, and some 20 MB. */
#define STATES 50000

/* A state in words, which are compared: of each thread where it is, whether it has started and whether it waits; its
 * registers; memory; what it saw of each location; of each barrier which threads have arrived, and whether it has
 * opened before. */
struct layout {
	uint32_t registers[LITMUS_THREADS], memory, seen, barriers, words;
	uint32_t cta[LITMUS_THREADS]; /* the first thread of its CTA */
};

struct builder {
	struct arena *arena;
	const struct litmus_test *test;
	struct litmus_graph *graph;
	struct layout layout;
	VECTOR(int32_t *) contents; /* by state */
	uint32_t *table;            /* of states by hash; UINT32_MAX: free */
	uint32_t table_size, from;
	int32_t *work; /* the state that is being made */
};

#define AT(word) ((uint32_t)(word)&0xffff)
#define STARTED 0x10000
#define WAITS 0x20000

static uint32_t barrier_word(const struct builder *b, uint32_t thread, int32_t number)
{
	return b->layout.barriers + b->layout.cta[thread] * LITMUS_BARRIERS +
	       ((uint32_t)number & (LITMUS_BARRIERS - 1));
}
#define HAD_ROUND 0x100

static void lay_out(struct builder *b)
{
	const struct litmus_test *test = b->test;
	struct layout *l = &b->layout;
	bool barriers = false, weak = false;
	l->words = test->threads.count;
	for (uint32_t t = 0; t < test->threads.count; t++) {
		l->registers[t] = l->words;
		l->words += test->threads.at[t].registers.count;
		while (!litmus_same_cta(test, l->cta[t], t))
			l->cta[t]++;
		for (uint32_t k = 0; k < test->threads.at[t].code.count; k++) {
			const struct litmus_instruction *i = &test->threads.at[t].code.at[k];
			barriers |= i->kind == LITMUS_BARRIER;
			weak |= i->kind == LITMUS_LOAD && i->order == LITMUS_WEAK;
		}
	}
	l->memory = l->words;
	l->words += test->locations.count;
	l->seen = weak ? l->words : 0;
	l->words += weak ? test->threads.count * test->locations.count : 0;
	l->barriers = l->words;
	l->words += barriers ? test->threads.count * LITMUS_BARRIERS : 0;
}

/* ---- States by their contents ---- */

static uint32_t hash(const int32_t *words, uint32_t count)
{
	uint64_t h = 1469598103934665603u;
	for (uint32_t k = 0; k < count; k++)
		h = (h ^ (uint32_t)words[k]) * 1099511628211u;
	return (uint32_t)(h ^ h >> 32);
}

static struct litmus_state summary(const struct builder *b, const int32_t *words)
{
	struct litmus_state s = {.edges = LITMUS_NO_EDGE};
	for (uint32_t t = 0; t < b->test->threads.count; t++) {
		bool started = words[t] & STARTED, ended = started && AT(words[t]) == b->test->threads.at[t].code.count;
		s.started |= (uint8_t)(started << t);
		s.ended |= (uint8_t)(ended << t);
		s.can_run |= (uint8_t)((!ended && !(words[t] & WAITS)) << t);
	}
	return s;
}

/* The number of the state with these words, which is new when there was none; UINT32_MAX: there are too many. */
static uint32_t find_state(struct builder *b, const int32_t *words)
{
	uint32_t bytes = b->layout.words * (uint32_t)sizeof *words, at = hash(words, b->layout.words);
	for (;; at++) {
		uint32_t *entry = &b->table[at & (b->table_size - 1)];
		if (*entry == UINT32_MAX && b->contents.count == STATES)
			return UINT32_MAX;
		if (*entry == UINT32_MAX) {
			*entry = b->contents.count;
			int32_t *kept = arena_new_array(b->arena, int32_t, b->layout.words);
			memcpy(kept, words, bytes);
			*vector_push(b->arena, &b->contents) = kept;
			*vector_push(b->arena, &b->graph->states) = summary(b, words);
			return *entry;
		}
		if (!memcmp(b->contents.at[*entry], words, bytes))
			return *entry;
	}
}

/* ---- Barriers ---- */

static uint32_t users_of(const struct builder *b, uint32_t thread, int32_t number)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < b->test->threads.count; t++)
		count += litmus_same_cta(b->test, t, thread) && litmus_names_barrier(&b->test->threads.at[t], number);
	return count;
}

/* All it saw may be older than what is ordered before it now. */
static void see_all(struct builder *b, uint32_t thread)
{
	uint32_t count = b->test->locations.count;
	if (b->layout.seen)
		memcpy(&b->work[b->layout.seen + thread * count], &b->work[b->layout.memory], count * sizeof *b->work);
}

static void run_alone(struct builder *b, uint32_t thread);

static void let_go(struct builder *b, uint32_t word)
{
	int32_t came = b->work[word] & 0xff;
	b->work[word] = HAD_ROUND;
	for (uint32_t t = 0; t < b->test->threads.count; t++)
		if (came >> t & 1 && b->work[t] & WAITS) {
			b->work[t] = (b->work[t] & ~WAITS) + 1;
			see_all(b, t);
			run_alone(b, t);
		}
}

static int32_t value_of(const struct builder *b, uint32_t thread, const struct litmus_operand *o)
{
	return o->is_register ? b->work[b->layout.registers[thread] + (uint32_t)o->value] : o->value;
}

static void come(struct builder *b, uint32_t thread, const struct litmus_instruction *i)
{
	int32_t number = value_of(b, thread, &i->a);
	uint32_t word = barrier_word(b, thread, number), needed = i->quorum ? i->quorum : users_of(b, thread, number);
	b->work[word] |= 1 << thread;
	if (i->arrives)
		b->work[thread]++;
	else
		b->work[thread] |= WAITS;
	if ((uint32_t)__builtin_popcount((uint32_t)b->work[word] & 0xff) >= needed)
		let_go(b, word);
}

/* When nobody can go on, those go on that are more than a round of their barrier takes (meet.c). */
static void release_rest(struct builder *b)
{
	uint32_t count = b->test->threads.count * LITMUS_BARRIERS;
	if (b->layout.words == b->layout.barriers || summary(b, b->work).can_run)
		return;
	for (uint32_t k = 0; k < count; k++)
		if (b->work[b->layout.barriers + k] & HAD_ROUND && b->work[b->layout.barriers + k] & 0xff)
			let_go(b, b->layout.barriers + k);
}

/* ---- Steps ---- */

static void set_register(struct builder *b, uint32_t thread, uint32_t target, int32_t value)
{
	if (target != LITMUS_NO_REGISTER)
		b->work[b->layout.registers[thread] + target] = value;
}

/* What others do not see, up to the next access; a branch back is the last of a step, so that a step ends. */
static void run_alone(struct builder *b, uint32_t thread)
{
	const struct litmus_thread *t = &b->test->threads.at[thread];
	uint32_t at = AT(b->work[thread]);
	for (bool back = false; at < t->code.count && !back;) {
		const struct litmus_instruction *i = &t->code.at[at];
		int32_t left = value_of(b, thread, &i->a), right = value_of(b, thread, &i->b);
		if (i->kind == LITMUS_BRANCH) {
			bool taken = litmus_compare(i->comparison, left, right);
			back = taken && i->jump <= at;
			at = taken ? i->jump : at + 1;
		} else if (i->kind == LITMUS_LOCAL) {
			set_register(b, thread, i->target,
				i->operation == LITMUS_MOVE ? left : litmus_operate(i->operation, left, right));
			at++;
		} else {
			break;
		}
	}
	b->work[thread] = (b->work[thread] & ~0xffff) | (int32_t)at;
}

/* `old`: a weak load reads what the thread saw last. */
static void access_memory(struct builder *b, uint32_t thread, const struct litmus_instruction *i, bool old)
{
	int32_t a = value_of(b, thread, &i->a), *word = &b->work[b->layout.memory + i->location];
	int32_t *seen =
		b->layout.seen ? &b->work[b->layout.seen + thread * b->test->locations.count + i->location] : word;
	int32_t before = old ? *seen : *word;
	if (i->order == LITMUS_ACQUIRE || i->order == LITMUS_ACQ_REL)
		see_all(b, thread);
	if (i->kind == LITMUS_STORE)
		*word = a;
	else if (i->kind == LITMUS_ATOM && i->operation == LITMUS_CAS)
		*word = before == a ? value_of(b, thread, &i->b) : before;
	else if (i->kind == LITMUS_ATOM)
		*word = litmus_operate(i->operation, before, a);
	*seen = old ? before : *word;
	if (i->kind != LITMUS_STORE)
		set_register(b, thread, i->target, before);
	b->work[thread]++;
}

static void connect(struct builder *b, uint32_t thread)
{
	release_rest(b);
	uint32_t to = find_state(b, b->work);
	if (to == UINT32_MAX) {
		b->graph->complete = false;
		return;
	}
	struct litmus_state *from = &b->graph->states.at[b->from];
	*vector_push(b->arena, &b->graph->edges) = (struct litmus_edge){thread, to, from->edges};
	from->edges = b->graph->edges.count - 1;
}

static void step(struct builder *b, uint32_t thread, bool old)
{
	const struct litmus_thread *t = &b->test->threads.at[thread];
	memcpy(b->work, b->contents.at[b->from], b->layout.words * sizeof *b->work);
	b->work[thread] |= STARTED;
	run_alone(b, thread);
	uint32_t at = AT(b->work[thread]);
	const struct litmus_instruction *i = at < t->code.count ? &t->code.at[at] : NULL;
	if (i && i->kind == LITMUS_BARRIER) {
		come(b, thread, i);
	} else if (i && (i->kind == LITMUS_FENCE || i->kind == LITMUS_PROXY_FENCE)) {
		see_all(b, thread);
		b->work[thread]++;
	} else if (i && (i->kind == LITMUS_LOAD || i->kind == LITMUS_STORE || i->kind == LITMUS_ATOM)) {
		access_memory(b, thread, i, old);
	}
	if (!(b->work[thread] & WAITS))
		run_alone(b, thread);
	connect(b, thread);
	if (i && !old && i->kind == LITMUS_LOAD && i->order == LITMUS_WEAK)
		step(b, thread, true);
}

static void start(struct builder *b)
{
	const struct litmus_test *test = b->test;
	b->work = arena_new_array(b->arena, int32_t, b->layout.words + 1);
	for (uint32_t t = 0; t < test->threads.count; t++)
		for (uint32_t k = 0; k < test->threads.at[t].registers.count; k++)
			b->work[b->layout.registers[t] + k] = test->threads.at[t].registers.at[k].initial;
	for (uint32_t k = 0; k < test->locations.count; k++)
		b->work[b->layout.memory + k] = test->locations.at[k].initial;
	for (uint32_t t = 0; t < test->threads.count; t++)
		see_all(b, t);
	find_state(b, b->work);
}

void litmus_make_graph(struct arena *arena, const struct litmus_test *test, struct litmus_graph *graph)
{
	struct builder b = {.arena = arena, .test = test, .graph = graph, .table_size = 2 * 65536};
	*graph = (struct litmus_graph){.complete = true};
	b.table = arena_new_array(arena, uint32_t, b.table_size);
	memset(b.table, 0xff, b.table_size * sizeof *b.table);
	lay_out(&b);
	start(&b);
	for (; b.from < b.contents.count && graph->complete; b.from++)
		for (uint32_t t = 0; t < test->threads.count; t++)
			if (graph->states.at[b.from].can_run >> t & 1)
				step(&b, t, false);
}
