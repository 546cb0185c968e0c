/* Tests of causes (counterfactual.h): what each change does to the GPU, and what shows that a launch makes progress. */
#include "explore/counterfactual.h"

#include "explore/again.h"
#include "explore/names.h"
#include "explore/shown.h"
#include "machine/gpu/machine.h"
#include "machine/state/machine.h"
#include "policy/policy.h"
#include "util/demangle.h"
#include "util/text.h"

#include <string.h>

struct experiment {
	struct machine *machine;
	const struct change *change;
	struct arena *arena;
	struct again *again;
	struct again_limits limits;
	uint64_t ended; /* threads that have ended in the hang, or by the change */
	uint32_t times; /* the limit of the last run, from the change on: so many times as long as it took to hang */
	bool at_hang;   /* the change is made at the hang, not at the start */
	struct shown *shown; /* the checks of the next run; null: none */
	const char *words;   /* what is changed */
};

static struct counterfactual untried(const char *why)
{
	return (struct counterfactual){.verdict = COUNTERFACTUAL_UNTRIED, .words = why};
}

static struct counterfactual untried_for_time(void)
{
	return (struct counterfactual){.verdict = COUNTERFACTUAL_UNTRIED,
		.no_time = true,
		.words = "there was no time to try (--explain-limit)"};
}

/* ---- The changes that hold from the start ---- */

static uint32_t cores_for_all(const struct machine *machine)
{
	uint64_t cores = 0;

	for (const struct launch *l = machine->launches.first; l; l = l->next)
		cores += (l->total_groups + l->group.per_core - 1) / l->group.per_core;
	return cores < UINT32_MAX ? (uint32_t)cores : UINT32_MAX;
}

/* As many lock bits as a core has words of shared memory. */
static uint32_t bits_for_all(const struct machine *machine)
{
	return machine->model->core_shared / 4;
}

static void make_independent(struct gpu *gpu, struct gpu_model *model)
{
	model->divergence = "independent";
	gpu->divergence = divergence_find(model->divergence, &(struct diagnostic){0});
}

static void set_order(struct gpu *gpu, struct gpu_model *model)
{
	gpu->options.seed ^= 0x9e3779b97f4a7c15ull;
	model->functional_drawn = 0; /* again_shuffle draws */
	make_independent(gpu, model);
	model->scheduler = "random";
	gpu->scheduler = scheduler_find(model->scheduler, &(struct diagnostic){0});
	gpu->scheduler_fields = NULL;
	if (!gpu->dispatch->guarantees)
		return;
	model->dispatch = "in-order"; /* so that no progress model's schedule decides which group runs */
	gpu->dispatch = dispatch_find(model->dispatch, &(struct diagnostic){0});
	gpu->schedule_list = NULL;
}

/* Arrivals are made for threads, between quanta. */
static bool makes_arrivals(const struct change *change)
{
	return change->kind == CHANGE_MBARRIER && (change->mend == MEND_LEAVE || change->mend == MEND_ARRIVAL ||
							  change->mend == MEND_DUE || change->mend == MEND_RANK);
}

static void watch_gpu(struct gpu *gpu, struct gpu_model *model, void *context)
{
	const struct experiment *x = context;

	(void)model;
	if (x->shown)
		shown_begin(x->shown, gpu, x->change->mend != MEND_TO && !makes_arrivals(x->change));
}

static void change_gpu(struct gpu *gpu, struct gpu_model *model, void *context)
{
	const struct experiment *x = context;

	watch_gpu(gpu, model, context);
	switch (x->change->kind) {
	case CHANGE_INDEPENDENT: make_independent(gpu, model); break;
	case CHANGE_RESIDENT:
		model->core_count = cores_for_all(x->machine);
		model->lesser_cores = 0;
		model->concurrent_kernels = UINT32_MAX;
		break;
	case CHANGE_FRESH: model->l1_global = 0; break;
	case CHANGE_FAIR:
		model->dispatch = "fair";
		gpu->dispatch = dispatch_find(model->dispatch, &(struct diagnostic){0});
		gpu->schedule_list = NULL;
		break;
	case CHANGE_BITS: model->shared_lock_bits = bits_for_all(x->machine); break;
	case CHANGE_JITTER: model->crossbar_jitter = model->weak_jitter; break;
	case CHANGE_ORDER: set_order(gpu, model); break;
	case CHANGE_MBARRIER: gpu->experiment.mend = x->change; break;
	default: break;
	}
}

#define MOST_CORES 256 /* as core.count */

/* Null: the change can be made; else why not. */
static const char *refuses(const struct experiment *x)
{
	const struct machine *machine = x->machine;

	switch (x->change->kind) {
	case CHANGE_NONE: return "Lockstep has no change that would test this cause";
	case CHANGE_INDEPENDENT: return machine->independent ? "its threads are independent already" : NULL;
	case CHANGE_RESIDENT:
		return cores_for_all(machine) > MOST_CORES
			       ? "a GPU on which all work-groups are resident would need too many cores"
			       : NULL;
	case CHANGE_FRESH: return machine->model->l1_global ? NULL : "the L1 does not cache global memory";
	case CHANGE_FAIR: return machine->mode->takes_turns ? NULL : "progress models need the functional mode";
	default: return NULL;
	}
}

/* ---- Words ---- */

static const char *the_word(const struct experiment *x)
{
	return name_of_word(x->arena, x->machine->space, x->change->space, x->change->address);
}

static const char *the_thread(const struct experiment *x)
{
	return name_of_thread(
		x->arena, &machine_launch(x->machine, x->change->launch)->values, x->change->group, x->change->thread);
}

static const char *the_arrivers(const struct experiment *x)
{
	uint64_t others = x->change->values[2];

	return others ? arena_printf(x->arena, "%s and %llu other%s", the_thread(x), (unsigned long long)others,
				others > 1 ? "s" : "")
		      : the_thread(x);
}

/* "2 in place of 1, and 1 in place of 2" */
static const char *other_numbers(const struct experiment *x)
{
	const struct mend_turns *turns = x->change->turns;
	struct text text = {.arena = x->arena};

	for (uint32_t k = 0; k < MEND_NUMBERS; k++)
		if (turns->to[k] < MEND_NUMBERS)
			text_print(&text, "%s%u in place of %u", text.length ? ", " : "", turns->to[k], k);
	return text.at;
}

static bool leaves_out(const struct mend_turns *turns)
{
	for (uint32_t k = 0; k < MEND_NUMBERS; k++)
		if (turns->to[k] == MEND_NONE)
			return true;
	return false;
}

/* " in rank 1 and rank 3", where the change is in these alone. */
static const char *in_ranks(const struct experiment *x)
{
	struct text text = {.arena = x->arena};

	for (uint32_t left = x->change->ranks; left; left &= left - 1)
		text_print(&text, "%srank %u", text.length ? " and " : " in ", (uint32_t)__builtin_ctz(left));
	return text.length ? text.at : "";
}

/* "the mbarriers of rank 1 and rank 3", of the stages of a change. */
static const char *ranks_words(const struct experiment *x)
{
	struct text text = {.arena = x->arena};

	for (const struct mend_stages *s = x->change->stages; s; s = s->next)
		text_print(&text, "%srank %u", s == x->change->stages ? "the mbarriers of " : " and ", s->rank);
	return text.at;
}

/* An instruction before the k-th of those that are meant is told with the same words. */
static bool is_told(const struct experiment *x, const struct kernel *kernel, uint32_t k, const char *place)
{
	const struct change *c = x->change;
	bool is_told = !strcmp(place, kernel_place_text(x->arena, kernel, c->pc));

	while (k-- > 0 && !is_told)
		is_told = !strcmp(place, kernel_place_text(x->arena, kernel, c->pcs[k]));
	return is_told;
}

/* The place that is told, and those of the other instructions that are meant, each once. */
static const char *places_of(const struct experiment *x, const struct kernel *kernel)
{
	const struct change *c = x->change;
	struct text text = {.arena = x->arena};

	text_print(&text, "%s", kernel_place_text(x->arena, kernel, c->pc));
	for (uint32_t k = 0; k < c->pc_count; k++) {
		const char *place = kernel_place_text(x->arena, kernel, c->pcs[k]);

		if (!is_told(x, kernel, k, place))
			text_print(&text, " and at %s", place);
	}
	return text.at;
}

/* "'full' + 0x8", or the address where no variable is known. */
static const char *mbarrier_name(const struct experiment *x, const struct kernel *kernel, uint64_t offset)
{
	const struct shared_place *place = kernel_shared_at(kernel, offset);

	if (!place)
		return name_of_word(x->arena, x->machine->space, space_SHARED, offset);
	return arena_printf(x->arena, "'%s'%s", demangle_brief(x->arena, place->variable->name),
		offset > place->offset
			? arena_printf(x->arena, " + 0x%llx", (unsigned long long)(offset - place->offset))
			: "");
}

static const char *map_words(const struct experiment *x, const char *place)
{
	static const char *const what[] = {"arrivals", "waits", "expect_tx"};
	const struct change *c = x->change;
	const struct kernel *kernel = machine_launch(x->machine, c->launch)->kernel;
	uint64_t back = c->stages->count - c->values[1];
	bool is_back = back < c->values[1];

	if (c->values[1])
		return arena_printf(x->arena, "with the %s at %s at the mbarrier %llu stage%s %s", what[c->values[0]],
			places_of(x, kernel), (unsigned long long)(is_back ? back : c->values[1]),
			(is_back ? back : c->values[1]) == 1 ? "" : "s", is_back ? "back" : "further");
	return arena_printf(x->arena, "with the %s at %s at the mbarrier%s %s in place of %s", what[c->values[0]],
		place, c->stages->count > 1 ? "s from" : "", mbarrier_name(x, kernel, c->stages->to[0]),
		mbarrier_name(x, kernel, c->stages->from[0]));
}

static const char *mend_words(const struct experiment *x)
{
	const struct change *c = x->change;
	const struct kernel *kernel = machine_launch(x->machine, c->launch)->kernel;
	const char *place = kernel_place_text(x->arena, kernel, c->pc);

	switch (c->mend) {
	case MEND_COUNT:
		return arena_printf(x->arena, "with a count of %llu at %s", (unsigned long long)c->values[0], place);
	case MEND_BYTES:
		return arena_printf(x->arena, "with %llu bytes expected at %s%s%s", (unsigned long long)c->values[0],
			place, in_ranks(x),
			c->value_count < 2 && !c->values[1]
				? ""
				: arena_printf(x->arena, " %s phase %llu%s", c->value_count > 1 ? "in" : "from",
					  (unsigned long long)c->values[1], c->value_count > 1 ? "" : " on"));
	case MEND_ARRIVES:
		return arena_printf(x->arena,
			kernel->code[c->pc].op == OP_cp_async_arrive ? "with .noinc at %s"
								     : "with an arrival beside the expect_tx at %s",
			place);
	case MEND_PARITY:
		return c->value_count ? arena_printf(x->arena, "with the other parity at %s, of the mbarrier at %s",
						place, the_word(x))
				      : arena_printf(x->arena, "with the other parity at %s%s", places_of(x, kernel),
						in_ranks(x));
	case MEND_DUE:
		if (c->values[1] == MEND_AS_OTHER_RANKS)
			return arena_printf(x->arena,
				c->of_copies ? "with the copies at %s of %s also telling %s"
					     : "with the arrivals at %s of %s also made at %s",
				place, the_arrivers(x), ranks_words(x));
		if (c->of_copies)
			return arena_printf(
				x->arena, "with the copies at %s of %s that are left out made", place, the_arrivers(x));
		return arena_printf(
			x->arena, "with the arrivals at %s of %s that are left out made", place, the_arrivers(x));
	case MEND_ONCE:
		return arena_printf(x->arena, "with no second arrival of a thread in the same phase at %s", place);
	case MEND_IN_TURN: return arena_printf(x->arena, "with a parity that changes with each phase at %s", place);
	case MEND_NO_INIT: return arena_printf(x->arena, "without the second initialisation at %s", place);
	case MEND_OBJECT:
		return arena_printf(
			x->arena, "with the copy at %s telling the mbarrier at which its thread expects bytes", place);
	case MEND_LOOK:
		return arena_printf(
			x->arena, "with no phase ending before %s has looked at the one before", the_thread(x));
	case MEND_LEAVE:
		return arena_printf(x->arena,
			c->values[0] ? "with the %s at %s made for threads that have ended"
				     : "with the %s at %s made for threads that have gone on to the end of the kernel",
			kernel->code[c->pc].kind == INSN_MBARRIER ? "arrivals" : "copies", place);
	case MEND_ARRIVAL:
		if (c->values[1] == MEND_EACH_PHASE)
			return arena_printf(
				x->arena, "with an arrival of %s, as at %s, in each phase", the_arrivers(x), place);
		return arena_printf(x->arena, "with one more arrival of %s at %s, in phase %llu of the mbarrier at %s",
			the_arrivers(x), place, (unsigned long long)c->values[1], the_word(x));
	case MEND_TO:
		return arena_printf(x->arena,
			"with the arrivals of %s at %s going to the stage for which the thread has waited last",
			the_arrivers(x), place);
	case MEND_MAP: return map_words(x, place);
	case MEND_RANK:
		return arena_printf(x->arena, "with the arrivals at %s of %s made at the same mbarrier of rank %u",
			place, the_arrivers(x), c->stages->rank);
	case MEND_IN_ORDER:
		return arena_printf(x->arena,
			c->stages->parity_alone
				? "with the waits at %s asking for one phase after the other at each stage"
				: "with the waits at %s going through the stages in order",
			place);
	case MEND_TWICE:
		return arena_printf(x->arena,
			"with a warp's second arrival at barrier %u in one phase put off to the next", c->barrier);
	case MEND_THREADS:
		return arena_printf(x->arena, "with a thread count of %llu in place of %llu at %s",
			(unsigned long long)c->values[0], (unsigned long long)c->values[1],
			c->values[2] ? "each instruction that gives that" : place);
	case MEND_NUMBER: return arena_printf(x->arena, "with a barrier number of its own at %s", place);
	case MEND_OTHER:
		if (leaves_out(c->turns))
			return arena_printf(x->arena, "without the first arrival of %s at %s", the_arrivers(x), place);
		return arena_printf(x->arena, "with barrier %s at %s%s", other_numbers(x), place,
			c->values[3] ? arena_printf(x->arena, " for %s", the_arrivers(x)) : "");
	case MEND_FIRST:
		return arena_printf(x->arena, "with a first arrival of %llu threads at barrier %u%s",
			(unsigned long long)c->values[0], c->barrier,
			c->turns->wait_count ? ", and at the other barriers at which its threads wait" : "");
	case MEND_SINGLE:
		return arena_printf(
			x->arena, "without a second arrival of a warp at barrier %u between two waits", c->barrier);
	case MEND_TURN:
		return arena_printf(x->arena,
			c->values[3] ? "with an arrival after each wait at %s of %s"
				     : "with the arrivals at %s of %s that are left out made",
			place, the_arrivers(x));
	case MEND_GONE:
		return arena_printf(x->arena, "with the arrivals that %s would have made later", the_arrivers(x));
	}
	return "";
}

static const char *words_of(const struct experiment *x)
{
	const struct change *c = x->change;

	switch (c->kind) {
	case CHANGE_INDEPENDENT: return "with independent threads (--divergence independent)";
	case CHANGE_RESIDENT:
		return arena_printf(x->arena, "with %u cores, enough for all work-groups at once (--set core.count=%u)",
			cores_for_all(x->machine), cores_for_all(x->machine));
	case CHANGE_FRESH: return "without an L1 for global memory (--set l1.global=0)";
	case CHANGE_BITS:
		return arena_printf(x->arena, "with a lock bit for every word (--set shared.lock_bits=%u)",
			bits_for_all(x->machine));
	case CHANGE_FAIR: return "with every work-group scheduled (--dispatch fair)";
	case CHANGE_JITTER:
		return arena_printf(x->arena,
			"with packet latencies that vary, as on a real GPU (--set crossbar.jitter=%u)",
			x->machine->model->weak_jitter);
	case CHANGE_ORDER: return "with independent threads in random order";
	case CHANGE_MBARRIER: return mend_words(x);
	case CHANGE_RELEASE:
		return arena_printf(x->arena, "with the lock %s%s released at the end of %s",
			c->is_bit ? "bit of " : "", the_word(x), the_thread(x));
	case CHANGE_UNDO:
		return arena_printf(x->arena, "with %s left at %s when %s would overwrite that", the_word(x),
			name_of_value(x->arena, c->bytes, c->values[0]),
			name_of_value(x->arena, c->bytes, c->values[1]));
	default: return NULL;
	}
}

/* ---- The changes at the hang ---- */

static bool remove_thread(struct experiment *x)
{
	bool held_locks = false, is_there = again_remove_thread(x->again, x->change, &held_locks);

	x->words = arena_printf(x->arena, "with %s removed%s", the_thread(x),
		held_locks ? " and its locks released" : " at a moment when it holds no lock");
	x->ended++;
	return is_there;
}

static bool end_loop(struct experiment *x)
{
	uint32_t ended = again_end_loop(x->again, x->change);

	x->words = arena_printf(x->arena, "with the %s in that loop ended and the locks of %s released",
		ended == 1 ? "thread" : arena_printf(x->arena, "%u threads", ended),
		ended == 1 ? "that thread" : "those threads");
	x->ended += ended;
	return ended;
}

static bool let_past(struct experiment *x, const struct queued_work *work)
{
	x->words = arena_printf(x->arena, "with %s run concurrently with it", work->what);
	return again_let_past(x->again, work);
}

static bool change_at_hang(struct experiment *x, uint32_t attempt)
{
	const struct change *c = x->change;

	switch (c->kind) {
	case CHANGE_WORD:
		x->words = arena_printf(x->arena, "with %s set to %s", the_word(x),
			name_of_value(x->arena, c->bytes, c->values[attempt]));
		return again_word(x->again, c, c->values[attempt]);
	case CHANGE_BIT:
		x->words = arena_printf(x->arena, "with the lock bit of %s freed", the_word(x));
		return again_free_bit(x->again, c);
	case CHANGE_PHASE: x->words = "with the phase of the mbarrier completed"; return again_end_phase(x->again, c);
	case CHANGE_BARRIER:
		x->words = c->barrier == CLUSTER_BARRIER ? "with the cluster's barrier opened"
							 : arena_printf(x->arena, "with barrier %u opened", c->barrier);
		return again_open_barrier(x->again, c);
	case CHANGE_REGISTERS:
		x->words = "with as many registers in the work-group's pool as setmaxnreg.inc asks for";
		return again_give_registers(x->again, c);
	case CHANGE_ORDER: return remove_thread(x);
	case CHANGE_GIVE_BACK:
		x->words = arena_printf(x->arena, "with the lock %s%s released by %s %s", c->is_bit ? "bit of " : "",
			the_word(x), the_thread(x), c->is_own ? "before it takes it again" : "while it waits");
		return again_give_back(x->again, c);
	case CHANGE_QUEUED: return let_past(x, &x->machine->gpu->host.queued[c->values[attempt]]);
	default: return end_loop(x);
	}
}

static uint32_t attempts_of(const struct change *change)
{
	bool has_values = change->kind == CHANGE_WORD || change->kind == CHANGE_QUEUED ||
			  (change->kind == CHANGE_RELEASE && !change->is_bit);

	return has_values ? change->value_count : 1;
}

/* ---- Running ---- */

static const char *outcome_words(enum again_outcome outcome)
{
	if (outcome == AGAIN_COMPLETED)
		return "the kernel completes";
	if (outcome == AGAIN_HANGS)
		return "the kernel goes on, and hangs later";
	return "the kernel goes on";
}

/* Whether the launch has made more progress than the one that hangs.  If it hangs again, perhaps elsewhere, only a
 * change that was made at the hang, or to a lock shortly before, can be what let it continue until then: after a change
 * at the start other things may have differed, too.  And if only the order is changed, or times are, threads may end by
 * chance before it hangs again: then it must complete.  A thread that gives a lock back must make progress
 * itself. */
static bool went_on(const struct experiment *x, enum again_outcome outcome)
{
	if (outcome == AGAIN_COMPLETED)
		return true;
	if (outcome != AGAIN_LIMIT && outcome != AGAIN_HANGS)
		return false;
	if (x->change->kind == CHANGE_GIVE_BACK && !x->change->is_own)
		return again_owner_has_ended(x->again, x->change);
	if (x->change->kind == CHANGE_RELEASE || x->change->kind == CHANGE_UNDO)
		return again_ended(x->again) > x->ended || again_is_further(x->again, x->machine) ||
		       again_has_taken_more(x->again, x->machine);
	if (x->change->kind == CHANGE_QUEUED) /* what was let past does things of its own */
		return again_first_left_waits(x->again);
	if (x->at_hang)
		return again_left_waits(x->again) || again_ended(x->again) > x->ended;
	return outcome == AGAIN_LIMIT && x->change->kind != CHANGE_ORDER && x->change->kind != CHANGE_JITTER &&
	       (again_ended(x->again) > x->ended || again_is_further(x->again, x->machine));
}

static struct counterfactual judge(const struct experiment *x, enum again_outcome outcome)
{
	struct counterfactual c = {.verdict = COUNTERFACTUAL_WENT_ON, .completed = outcome == AGAIN_COMPLETED};

	if (went_on(x, outcome)) {
		c.words = arena_printf(x->arena, "%s, %s", x->words, outcome_words(outcome));
		return c;
	}
	switch (outcome) {
	case AGAIN_TIME_OVER: return untried_for_time();
	case AGAIN_FAULT: return untried(arena_printf(x->arena, "%s, the kernel faults", x->words));
	case AGAIN_LIMIT:
		return untried(arena_printf(x->arena,
			"%s, the kernel neither ended nor made progress in %sthe time to the hang", x->words,
			x->times > 1 ? arena_printf(x->arena, "%u times ", x->times) : ""));
	default: break;
	}
	if (x->change->kind == CHANGE_END) /* that the loop cannot end was seen in its code */
		return untried(arena_printf(x->arena, "%s, the kernel hangs elsewhere, too", x->words));
	c.verdict = COUNTERFACTUAL_CONTRADICTED;
	c.words = arena_printf(x->arena, "%s, the kernel still hangs", x->words);
	return c;
}

/* Runs it unchanged; true: it hangs again. */
static bool hangs_again(struct experiment *x, struct counterfactual *instead)
{
	enum again_outcome outcome = again_run(x->again, x->limits);

	if (outcome == AGAIN_HANGS)
		return true;
	*instead = outcome == AGAIN_TIME_OVER
			   ? judge(x, outcome)
			   : untried("when it is run again from its start, with empty caches, it does not hang");
	return false;
}

#define MOST_TIMES 8 /* the first limit times this at most, for a run that neither hangs nor makes progress */

/* A changed GPU may be much slower: as long as nothing is decided, the limit is doubled. */
static enum again_outcome run_until_decided(struct experiment *x)
{
	struct again_limits limits = x->limits;
	enum again_outcome outcome = again_run(x->again, limits);

	x->times = 2;
	while (outcome == AGAIN_LIMIT && !went_on(x, outcome) && limits.cycles < MOST_TIMES * x->limits.cycles) {
		limits.cycles *= 2;
		x->times *= 2;
		outcome = again_run(x->again, limits);
	}
	return outcome;
}

static struct again_limits from_here(const struct experiment *x)
{
	return (struct again_limits){
		.cycles = again_elapsed(x->again) + x->limits.cycles / 2, .until = x->limits.until};
}

/* From now on as long as it took to hang; a thread that gives a lock back gets up to sixteen times as long until it has
 * ended, as others come first. */
static enum again_outcome run_from_here(struct experiment *x)
{
	struct again_limits limits = from_here(x);
	enum again_outcome outcome = again_run(x->again, limits);

	for (x->times = 1; outcome == AGAIN_LIMIT && x->change->kind == CHANGE_GIVE_BACK && !went_on(x, outcome) &&
			   x->times < 2 * MOST_TIMES;
		x->times *= 2) {
		limits.cycles += x->times * x->limits.cycles / 2;
		outcome = again_run(x->again, limits);
	}
	return outcome;
}

static struct counterfactual try_at_hang(struct experiment *x)
{
	struct counterfactual c = untried("");

	x->again = again_begin(x->machine, NULL, NULL);
	if (!hangs_again(x, &c)) {
		again_end(x->again);
		return c;
	}
	x->at_hang = true;
	if (!again_note_waits(x->again, from_here(x))) {
		again_end(x->again);
		return untried("when it is run again from its start, the hang is not permanent");
	}
	for (uint32_t k = 0; k < attempts_of(x->change) && c.verdict != COUNTERFACTUAL_WENT_ON; k++) {
		c = change_at_hang(x, k) ? judge(x, run_from_here(x))
					 : untried(x->change->kind == CHANGE_QUEUED
							   ? "the queued work cannot run concurrently with it"
							   : "what would be changed is not there when it is run again");
		c.attempt = k;
	}
	again_end(x->again);
	return c;
}

/* Whether it also hangs with nothing changed, where that is not certain; if not, *instead says so. */
static bool hangs_unchanged(struct experiment *x, struct counterfactual *instead)
{
	bool hangs;

	if (x->machine->is_first && !x->machine->space->host_writes)
		return true;
	x->again = again_begin(x->machine, NULL, NULL);
	hangs = hangs_again(x, instead);
	again_end(x->again);
	return hangs;
}

/* Makes the changes that are none to the GPU. */
static void change_run(struct experiment *x, uint32_t attempt)
{
	switch (x->change->kind) {
	case CHANGE_ORDER: again_shuffle(x->again, x->machine->seed); break;
	case CHANGE_RELEASE: again_release_at_end(x->again, x->change, x->change->values[attempt]); break;
	case CHANGE_UNDO: again_undo_write(x->again, x->change); break;
	case CHANGE_MBARRIER:
		if (makes_arrivals(x->change))
			again_arrive(x->again, x->change);
		break;
	default: break;
	}
}

/* Null: it was changed; else why not. */
static const char *why_unchanged(const struct experiment *x)
{
	if (again_was_changed(x->again))
		return NULL;
	switch (x->change->kind) {
	case CHANGE_RELEASE: return "the lock was free at its owner's end when the kernel was run again";
	case CHANGE_UNDO: return "the word did not keep the overwriting value long enough for that to be undone";
	default: return NULL;
	}
}

#define MOST_GONE 64 /* times that mbarriers get arrivals */

/* MEND_GONE: what the warps would have done at mbarriers is done when the launch comes to a stop. */
static enum again_outcome run_for_gone(struct experiment *x)
{
	enum again_outcome outcome = run_until_decided(x);
	bool is_meant = x->change->kind == CHANGE_MBARRIER && x->change->mend == MEND_GONE;

	for (uint32_t k = 0; is_meant && outcome == AGAIN_HANGS && k < MOST_GONE; k++) {
		if (!again_arrive_for_gone(x->again, x->change))
			break;
		outcome = run_until_decided(x);
	}
	return outcome;
}

/* ---- What a mended launch shows ---- */

/* Whether the checks see what is changed as if the kernel had it so.  Else they would miss arrivals that Lockstep
 * makes, or see an initialisation that has done nothing; and MEND_LOOK is for threads whose order nothing makes sure
 * of. */
static bool is_checkable(const struct experiment *x)
{
	const struct change *change = x->change;

	if (change->kind != CHANGE_MBARRIER)
		return false;
	switch (change->mend) {
	case MEND_LOOK:
	case MEND_NO_INIT:
	case MEND_LEAVE:
	case MEND_RANK:
	case MEND_FIRST:
	case MEND_TURN:
	case MEND_GONE: return false;
	case MEND_IN_ORDER: return change->stages->parity_alone;
	case MEND_ARRIVAL: return !change->values[2]; /* else it arrives for others, too */
	case MEND_DUE: return !change->of_copies;
	/* the checks hear of what cp.async.mbarrier.arrive tells by itself */
	case MEND_TO:
	case MEND_MAP:
		return machine_launch(x->machine, change->launch)->kernel->code[change->pc].kind == INSN_MBARRIER;
	default: return true;
	}
}

/* Runs it with checks to the end that it is known to have.  *is_told: they have heard of all that was changed. */
static enum again_outcome run_shown(struct experiment *x, struct shown *shown, bool is_changed, bool *is_told)
{
	struct again_limits limits = {.cycles = MOST_TIMES * x->limits.cycles, .until = x->limits.until};
	enum again_outcome outcome;

	x->shown = shown;
	x->again = again_begin(x->machine, is_changed ? change_gpu : watch_gpu, x);
	if (is_changed)
		change_run(x, 0);
	outcome = again_run(x->again, limits);
	*is_told = !again_is_untold(x->again);
	again_end(x->again);
	x->shown = NULL;
	return outcome;
}

/* The launch completes with the change.  If it then has races that it did not have up to the hang, the change lets
 * threads go on that should have waited. */
static void look_for_races(struct experiment *x, struct counterfactual *c)
{
	struct shown changed = {0}, unchanged = {0}, nothing = {0};
	bool is_told, is_plain;
	enum again_outcome outcome = run_shown(x, &changed, true, &is_told);
	const struct found *found;

	if (outcome != AGAIN_TIME_OVER && is_told && shown_new(&changed, &unchanged))
		outcome = run_shown(x, &unchanged, false, &is_plain);
	found = is_told ? shown_new(&changed, &unchanged) : NULL;
	c->is_clean = is_told && !shown_new(&changed, &nothing);
	c->is_racy = is_told && !c->is_clean && !found;
	if (outcome == AGAIN_TIME_OVER)
		*c = untried_for_time();
	else if (found) {
		c->hides = true;
		c->words = arena_printf(x->arena, "%s, but then %s", c->words, shown_words(x->arena, found));
	}
	shown_end(&changed);
	shown_end(&unchanged);
}

static struct counterfactual try_from_start(struct experiment *x)
{
	struct counterfactual c = untried("");

	if (!hangs_unchanged(x, &c))
		return c;
	x->words = words_of(x);
	for (uint32_t k = 0; k < attempts_of(x->change) && c.verdict != COUNTERFACTUAL_WENT_ON; k++) {
		x->again = again_begin(x->machine, change_gpu, x);
		change_run(x, k);
		c = judge(x, run_for_gone(x));
		if (c.verdict == COUNTERFACTUAL_CONTRADICTED && why_unchanged(x))
			c = untried(why_unchanged(x));
		again_end(x->again);
	}
	if (c.completed && is_checkable(x))
		look_for_races(x, &c);
	return c;
}

/* Whether packets take the same times, and would not under --weak. */
static bool is_in_step(const struct machine *machine)
{
	return !machine->mode->at_once && !machine->model->crossbar_jitter && machine->model->weak_jitter;
}

/* Threads that undo each other's work may do so only as long as they keep in step. */
static struct counterfactual try_jitter(struct experiment *x)
{
	static const struct change jitter = {.kind = CHANGE_JITTER};
	const struct change *order = x->change;
	struct counterfactual c;

	if (!is_in_step(x->machine))
		return untried("");
	x->change = &jitter;
	c = try_from_start(x);
	x->change = order;
	return c;
}

static struct counterfactual try_order(struct experiment *x)
{
	struct counterfactual c = try_jitter(x), at_hang;

	if (c.verdict == COUNTERFACTUAL_WENT_ON)
		return c;
	c = try_from_start(x);
	if (c.verdict == COUNTERFACTUAL_WENT_ON)
		return c;
	at_hang = try_at_hang(x);
	return at_hang.verdict == COUNTERFACTUAL_WENT_ON ? at_hang : c;
}

struct counterfactual counterfactual_try(
	struct machine *machine, const struct change *change, double seconds, struct arena *arena)
{
	struct experiment x = {.machine = machine,
		.change = change,
		.arena = arena,
		.ended = again_ended_on(machine),
		.limits = {.cycles = again_limit_for(machine), .until = again_clock() + seconds}};
	const char *why = refuses(&x);

	if (seconds <= 0)
		return machine->gpu->explain_seconds > 0 ? untried_for_time()
							 : untried("it was not tried (--explain-limit 0)");
	if (!why)
		why = again_refuses(machine);
	if (why)
		return untried(why);
	if (change_is_at_hang(change->kind))
		return try_at_hang(&x);
	if (change->kind == CHANGE_ORDER)
		return try_order(&x);
	return try_from_start(&x);
}
