/* What a model of a GPU can show of a test, and what the rest would need. */
#include "litmus/reach.h"

#include "litmus/kernel.h"

const char *const litmus_freedom_names[LITMUS_FREEDOMS] = {"pass", "stale", "kept", "loads-pass", "proxies", "light",
	"halves", "apart", "own", "late", "back", "unordered"};
const char *const litmus_freedom_words[LITMUS_FREEDOMS] = {
	"accesses of different lines pass each other",
	"an L1 keeps a value that others have overwritten",
	"an L1 does so behind membar and loads past it",
	"weak loads of one location pass each other",
	"surfaces, textures, constants and aliases have paths of their own",
	"a fence.acq_rel lets later loads pass earlier stores",
	"an atomic is not atomic for threads beyond its scope",
	"what has .gpu scope orders nothing for other GPUs",
	"threads of a CTA share no core",
	"a store reaches some cores later than others",
	"a load sees an older value than one before it",
	"a store takes its place before one that was there",
};
#define IN_TURN "all models: a slice of the L2 carries out the accesses of a location one after another"
const char *const litmus_freedom_reasons[LITMUS_FREEDOMS] = {
	[LITMUS_PROXIES] = "all models: they are accesses of global memory",
	[LITMUS_LIGHT] = "all models: fence.acq_rel is carried out as fence.sc",
	[LITMUS_HALVES] = "all models: atomics of any scope are carried out in the L2",
	[LITMUS_APART] = "all models: the GPUs of a test are one",
	[LITMUS_OWN] = "all models: a CTA runs on one core, and its fences wait for all that the CTA has under way",
	[LITMUS_LATE] = "all models: one slice of the L2 has a location for all cores",
	[LITMUS_BACK] = IN_TURN,
	[LITMUS_UNORDERED] = IN_TURN,
};

/* ---- A model's ---- */

/* A copy: the GPU is closed before the report is written. */
static void say(struct arena *arena, struct litmus_freedoms *f, enum litmus_freedom freedom, bool has,
	struct lockstep_field field)
{
	f->has |= (uint32_t)has << freedom;
	f->fields[freedom] = (struct lockstep_field){.path = arena_text(arena, field.path),
		.source = arena_text(arena, field.source),
		.text = field.text ? arena_text(arena, field.text) : NULL,
		.number = field.number};
}

/* As launches are opened: most with the fields of `weak`, some without (launch.c). */
static struct lockstep_field either(const struct lockstep *gpu, const char *always, const char *weak)
{
	struct lockstep_field with = lockstep_field(gpu, weak), without = lockstep_field(gpu, always);
	return without.number > with.number ? without : with;
}

struct litmus_freedoms litmus_freedoms(struct arena *arena, const struct lockstep *gpu)
{
	struct litmus_freedoms f = {.known = true};
	struct lockstep_field policy = lockstep_field(gpu, "policy.coherence"), l1 = lockstep_field(gpu, "l1.global");
	struct lockstep_field jitter = either(gpu, "crossbar.jitter", "weak.jitter");
	struct lockstep_field loads = either(gpu, "crossbar.loads_pass", "weak.loads_pass");
	bool directory = !strcmp(policy.text, "moesi"), none = !strcmp(policy.text, "none");
	bool slices = !jitter.number;
	/* Slices serve each at its own pace, so that even equal ways do not keep the order. */
	if (slices)
		jitter = lockstep_field(gpu, "l2.slices");
	say(arena, &f, LITMUS_PASS, jitter.number > slices, jitter);
	say(arena, &f, LITMUS_STALE, l1.number && !directory, l1.number ? policy : l1);
	say(arena, &f, LITMUS_KEPT, l1.number && none, l1.number ? policy : l1);
	say(arena, &f, LITMUS_LOADS_PASS, loads.number, loads);
	f.known = !l1.number || directory || none || !strcmp(policy.text, "write-through-invalidate");
	return f;
}

/* ---- A test's ---- */

/* What may be missing; of the rest no instruction of the test would notice. */
static uint32_t candidates(const struct litmus_test *test, uint32_t has)
{
	uint32_t may = 1u << LITMUS_STALE | 1u << LITMUS_LOADS_PASS | 1u << LITMUS_LATE | 1u << LITMUS_OWN |
		       1u << LITMUS_BACK | 1u << LITMUS_UNORDERED;
	if (test->proxies)
		may |= 1u << LITMUS_PROXIES;
	if (litmus_places(test, 1).several_gpus)
		may |= 1u << LITMUS_APART;
	for (uint32_t t = 0; t < test->threads.count; t++)
		for (uint32_t k = 0; k < test->threads.at[t].code.count; k++) {
			const struct litmus_instruction *i = &test->threads.at[t].code.at[k];
			if (i->kind == LITMUS_FENCE && i->order == LITMUS_ACQ_REL)
				may |= 1u << LITMUS_LIGHT;
			if (i->kind == LITMUS_ATOM && i->scope != LITMUS_SYS)
				may |= 1u << LITMUS_HALVES;
		}
	return may & ~has;
}

static bool has_end(struct arena *arena, struct litmus_outcomes *ends, const struct litmus_outcome *end)
{
	uint32_t before = ends->list.count;
	litmus_outcome(arena, ends, end->values);
	return ends->list.count == before;
}

/* Of those left, what this machine shows needs `more`. */
static uint32_t explain(const struct litmus_test *test, uint32_t has, uint32_t more, struct litmus_outcomes *outcomes)
{
	struct arena arena = {0};
	struct litmus_outcomes with = {0};
	uint32_t left = 0;
	bool whole = litmus_explore(&arena, test, has | more, &with);
	for (uint32_t k = 0; k < outcomes->list.count; k++) {
		struct litmus_outcome *o = &outcomes->list.at[k];
		if (!o->allowed || o->shows != LITMUS_CANNOT || o->needs)
			continue;
		if (has_end(&arena, &with, o))
			o->needs = more;
		left += !o->needs;
	}
	(void)whole; /* what it has shown it can show */
	arena_free(&arena);
	return left;
}

/* The fewest that are missing: one, two, all. */
static void explain_rest(const struct litmus_test *test, uint32_t has, struct litmus_outcomes *outcomes)
{
	uint32_t may = candidates(test, has), left = 0;
	for (uint32_t k = 0; k < outcomes->list.count; k++)
		left += outcomes->list.at[k].allowed && outcomes->list.at[k].shows == LITMUS_CANNOT;
	for (uint32_t size = 1; size <= 2; size++)
		for (uint32_t more = 1; more <= may && left; more++)
			if (!(more & ~may) && (uint32_t)__builtin_popcount(more) == size)
				left = explain(test, has, more, outcomes);
	if (left)
		explain(test, has, may, outcomes);
}

void litmus_reach(const struct litmus_test *test, const struct litmus_freedoms *freedoms, struct arena *arena,
	struct litmus_outcomes *outcomes)
{
	struct litmus_outcomes shown = {0};
	if (!freedoms->known || !litmus_explore(arena, test, freedoms->has, &shown))
		return;
	for (uint32_t k = 0; k < outcomes->list.count; k++)
		outcomes->list.at[k].shows = has_end(arena, &shown, &outcomes->list.at[k]) ? LITMUS_CAN : LITMUS_CANNOT;
	explain_rest(test, freedoms->has, outcomes);
}
