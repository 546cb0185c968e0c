/* The debugger's runs: forwards, replayed up to a position, searched backwards; and the moments that it keeps.
 *
 * A run stops within a hook (machine/observe/debug.c), where the debugger asks for commands.  To go forwards the hook
 * returns.  To go back everything above debugger_finish is left by longjmp, and an image is put in place: so nothing of
 * what the run had on the stack matters. */
#include "debug/engine.h"

#include "machine/gpu/launches.h"
#include "machine/observe/debug.h"
#include "machine/state/launch_state.h"
#include "util/demangle.h"
#include "util/pages.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

/* Seconds of the process's time between two moments, at first; a step back costs at most as much. */
#define FIRST_INTERVAL 0.04
#define FIRST_PAUSE 2000 /* cycles, or warp instructions */
#define RECORDED 2       /* snapshots before that of the answer, from which the stores to a word are recorded */
#define POLLED 4096      /* instructions between two looks whether the user wants to stop */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- Moments ---- */

static void drop_moment(struct debugger *d, uint32_t k)
{
	pages_drop(d->moments.at[k].image);
	for (; k + 1 < d->moments.count; k++)
		d->moments.at[k] = d->moments.at[k + 1];
	d->moments.count--;
}

/* They take too much: one goes, which leaves the smallest gap in time; first those that are extra. */
static void thin_out(struct debugger *d)
{
	uint32_t least = 0;
	double gap = 0;

	for (uint32_t k = 1; k + 1 < d->moments.count; k++) {
		const struct moment *m = &d->moments.at[k];
		double g = m[1].when - m[-1].when - (m->is_extra ? 1e9 : 0);

		if (!least || g < gap) {
			least = k;
			gap = g;
		}
	}
	if (least && gap / 2 > d->pace.interval)
		d->pace.interval = gap / 2;
	drop_moment(d, least ? least : d->moments.count - 1);
}

/* In the order of their positions; what runs again is between moments that are kept. */
static void keep_moment(struct debugger *d)
{
	const struct machine *machine = d->gpu->machine;
	bool before = pages_apart(true);
	uint32_t k = d->moments.count;
	double now = seconds_now();
	struct moment moment = {.at = d->at,
		.cycle = machine ? machine->time.cycle : d->gpu->cycle,
		.printed = d->printing.printed,
		.when = d->pace.when + (now - d->pace.since)};

	moment.image = pages_take();
	d->pace.cost = seconds_now() - now;
	vector_push(&d->arena, &d->moments);
	for (; k && d->moments.at[k - 1].at > moment.at; k--)
		d->moments.at[k] = d->moments.at[k - 1];
	moment.is_extra = k + 1 != d->moments.count;
	d->moments.at[k] = moment;
	while (pages_taken() > d->front->snapshot_bytes && d->moments.count > 2)
		thin_out(d);
	d->pace.when = moment.when;
	d->pace.since = seconds_now();
	pages_apart(before);
}

static void drop_all(struct debugger *d)
{
	while (d->moments.count)
		drop_moment(d, d->moments.count - 1);
}

uint64_t engine_first_position(const struct debugger *d)
{
	assert(d->moments.count);
	return d->moments.at[0].at + 1;
}

/* ---- The host ----
 *
 * A program goes on while its kernels run.  What it has done to the GPU, and what it has written to memory that it
 * shares with the launch, is not done again when the launch goes back.  So the first moment that is kept is behind the
 * last use of the GPU, and at one since which no thread of the program can act. */

/* True: it has used the GPU since the last look. */
static bool look_at_host(struct debugger *d)
{
	const char *why = NULL;
	bool before = pages_apart(true);
	uint64_t acts = d->front->look_at_host ? d->front->look_at_host(d->front->context, &why) : 0;
	bool acted = acts != d->host.acts;

	d->host.acts = acts;
	d->host.may_act = why;
	if (why)
		snprintf(d->host.why, sizeof d->host.why, "%s", why);
	pages_apart(before);
	return acted;
}

bool engine_may_go_back(struct debugger *d, uint64_t position)
{
	if (d->host.may_act)
		text_print(&d->out,
			"there is no going back here: %s, so the program may write to memory that it shares with this "
			"launch\n",
			d->host.why);
	else if (position < engine_first_position(d))
		text_print(&d->out,
			"there is no going back to before position %llu: there the program acted, or another launch "
			"ended\n",
			(unsigned long long)engine_first_position(d));
	return !d->host.may_act && position >= engine_first_position(d);
}

/* The last moment before a position. */
static uint32_t moment_before(const struct debugger *d, uint64_t position)
{
	uint32_t k = d->moments.count;

	assert(k && d->moments.at[0].at < position);
	while (d->moments.at[k - 1].at >= position)
		k--;
	return k - 1;
}

static void put_back(struct debugger *d, uint64_t position)
{
	const struct moment *moment = &d->moments.at[moment_before(d, position)];

	pages_put_back(moment->image);
	d->at = moment->at;
	d->printing.printed = moment->printed;
	d->has_ended = d->was_told = false;
	d->here = (struct here){0};
	d->pace.when = moment->when;
	d->pace.since = seconds_now();
	stops_look_anew(d);
	writes_look_anew(d);
}

/* Seconds between moments from here on.  Where it runs again they are closer, as it may be stopped there again and
 * again. */
static double wanted_gap(const struct debugger *d)
{
	bool is_new = d->at >= d->moments.at[d->moments.count - 1].at;
	double gap = is_new ? d->pace.interval : d->pace.interval / 8;
	double least = d->pace.cost * (is_new ? 4 : 1); /* so that they take a part of the time */

	if (least < FIRST_INTERVAL)
		least = FIRST_INTERVAL;
	return gap < least ? least : gap;
}

/* A moment is worth its memory here: none is near. */
static bool is_far_from_moments(const struct debugger *d)
{
	double least = wanted_gap(d) / 2, took = seconds_now() - d->pace.since;
	uint32_t k = moment_before(d, d->at + 1);

	return d->at > d->moments.at[k].at && took > least &&
	       (k + 1 == d->moments.count || d->moments.at[k + 1].when - d->pace.when - took > least);
}

/* What so many cycles took becomes how many the run goes on for. */
static void choose_pause(struct debugger *d, double took)
{
	double factor = took > 0 ? wanted_gap(d) / took : 4;

	if (factor > 4)
		factor = 4;
	if (factor < 0.1)
		factor = 0.1;
	d->pace.pause = (uint64_t)((double)d->pace.pause * factor) + 1;
}

/* ---- Asking ---- */

static void answer(struct debugger *d)
{
	if (d->out.at)
		d->front->reply(d->front->context, d->out.at, d->out.length);
	arena_free(&d->scratch);
	d->out = (struct text){.arena = &d->scratch};
}

/* The run has stopped.  Returns when it goes on, forwards. */
static void ask(struct debugger *d, const char *why)
{
	bool before = pages_apart(true);

	if (d->at > d->furthest)
		d->furthest = d->at;
	json_note_stop(d, why);
	show_stop(d, why);
	if (d->asked)
		writes_tell(d, d->plan.was_found);
	answer(d);
	for (;;) {
		const char *line = d->front->command(d->front->context);
		enum next next = NEXT_GO;

		if (!line)
			d->is_over = true;
		else
			next = commands_run(d, line);
		answer(d);
		if (next == NEXT_GO)
			break;
	}
	pages_apart(before);
}

void engine_go(struct debugger *d, const struct goal *goal)
{
	d->plan = (struct plan){.kind = PLAN_FORWARD, .goal = *goal};
	d->focus_ended = false;
}

_Noreturn void engine_go_from(struct debugger *d, const struct goal *goal, uint32_t k)
{
	assert(k < d->moments.count);
	d->plan = (struct plan){.kind = PLAN_FORWARD, .goal = *goal, .from = d->moments.at[k].at + 1};
	longjmp(d->back, 1);
}

_Noreturn void engine_go_to(struct debugger *d, uint64_t position)
{
	assert(position);
	d->plan = (struct plan){.kind = PLAN_REPLAY, .end = position};
	longjmp(d->back, 1);
}

_Noreturn void engine_go_back(struct debugger *d, const struct goal *goal)
{
	/* What was changed just before this position is seen at it. */
	uint64_t end = d->has_ended || d->asked ? d->at + 1 : d->at;

	if (end <= engine_first_position(d))
		engine_go_to(d, engine_first_position(d));
	d->plan = (struct plan){.kind = PLAN_SEARCH, .end = end, .from = end, .goal = *goal};
	longjmp(d->back, 1);
}

/* ---- While it runs ---- */

/* Nothing was found: the run is where it was asked. */
static _Noreturn void go_back_to_question(struct debugger *d)
{
	uint64_t at = writes_asked_at(d);

	if (at)
		engine_go_to(d, at);
	engine_go_from(d, &(struct goal){.kind = GOAL_NONE, .without_stops = true}, d->moments.count - 1);
}

/* A search has come to where it ends: the answer is known, or lies before the moment from which it ran. */
static _Noreturn void continue_search(struct debugger *d)
{
	struct plan *plan = &d->plan;
	uint64_t ran_from = d->moments.at[moment_before(d, plan->from)].at;

	if (d->asked && !plan->found && ran_from < engine_first_position(d))
		go_back_to_question(d);
	if (plan->found ||
		ran_from < engine_first_position(d)) { /* where the warp began is the beginning of a line, too */
		uint64_t at = plan->found ? plan->found : plan->first ? plan->first : engine_first_position(d);
		uint32_t k = moment_before(d, at);

		*plan = (struct plan){.kind = PLAN_REPLAY, .end = at, .was_found = plan->found, .goal = plan->goal};
		if (d->asked) {
			plan->from = d->moments.at[k < RECORDED ? 0 : k - RECORDED].at + 1;
			writes_record(d);
		}
		longjmp(d->back, 1);
	}
	/* Whether a line began there can be seen from further back alone. */
	plan->end = plan->first > ran_from ? plan->first + 1 : ran_from + 1;
	plan->from = ran_from;
	plan->first = 0;
	longjmp(d->back, 2);
}

static bool wants_to_stop(struct debugger *d)
{
	return d->at % POLLED == 0 && d->front->interrupted && d->front->interrupted(d->front->context);
}

/* What a search has found is told as if it had been come to forwards: what has changed, or ended, since the instruction
 * before. */
static void replay(struct debugger *d)
{
	bool is_there = d->at == d->plan.end;

	if (d->asked)
		writes_changed(d);
	d->reached = NULL;
	if (!is_there && d->plan.was_found) { /* so that what changes at the place is told */
		stops_reached(d);
		d->reached = NULL;
	}
	if (!is_there)
		return;
	if (d->plan.was_found && d->plan.goal.kind == GOAL_NONE && !d->asked)
		stops_reached(d);
	else
		stops_look_anew(d);
	ask(d, d->at == 1                           ? "the beginning of the launch"
		: d->at == engine_first_position(d) ? "the first position that can be visited again"
						    : NULL);
}

static void issue(void *context, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct debugger *d = context;

	d->at++;
	d->here = (struct here){core, r, i, lanes};
	d->unit = core->machine->mode->clock_unit;
	if (d->is_over)
		return;
	switch (d->plan.kind) {
	case PLAN_FORWARD:
		if (stops_reached(d))
			ask(d, NULL);
		else if (wants_to_stop(d))
			ask(d, "interrupted");
		break;
	case PLAN_REPLAY: replay(d); break;
	case PLAN_SEARCH:
		if (d->at >= d->plan.end)
			continue_search(d);
		if (d->asked ? writes_changed(d) : stops_reached(d))
			d->plan.found = d->at;
		break;
	}
}

static void warp_ends(void *context, const struct warp_slot *r)
{
	struct debugger *d = context;
	d->focus_ended |= has_name(r, &d->focus);
}

static void phase_ends(void *context, const struct group *group, uint64_t object)
{
	stops_note_phase(context, group->number, object);
}

static void note_access(void *context, const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	const uint64_t *address)
{
	struct debugger *d = context;

	if (d->asked)
		writes_note(d, r, i, lanes, space, address);
}

/* What has been seen already is not shown again. */
static void print(void *context, const char *text, size_t length)
{
	struct debugger *d = context;
	uint64_t end = d->printing.printed + length;

	if (end > d->printing.seen) {
		size_t skip =
			d->printing.seen > d->printing.printed ? (size_t)(d->printing.seen - d->printing.printed) : 0;

		if (d->printing.print)
			d->printing.print(d->printing.context, text + skip, length - skip);
		else
			fwrite(text + skip, 1, length - skip, stdout);
		d->printing.seen = end;
	}
	d->printing.printed = end;
}

/* ---- A launch ---- */

static struct debugger *explained; /* gpu->explain has no context */

/* The warp that the finding names first is the focus. */
static void ask_at_hang(struct debugger *d, const struct launch *launch)
{
	const struct finding *f = &launch->result.finding;
	const struct finding_detail *detail = f->detail;
	bool before = pages_apart(true);
	const char *why = !detail        ? f->message
			  : detail->what ? arena_printf(&d->scratch, "hang (%s): %s %s",
						   f->cause ? f->cause : "no cause is known", detail->what,
						   detail->who ? detail->who : "")
					 : detail->message;

	if (detail && detail->thread_count)
		d->focus = (struct warp_name){.known = true,
			.launch = launch->ordinal,
			.group = detail->threads[0].group,
			.warp = detail->threads[0].thread / launch->kernel->lanes};
	ask(d, why ? why : "hang");
	pages_apart(before);
}

static void explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct debugger *d = explained;

	if (!d->is_running) { /* lockstep_why_stuck */
		if (d->explain)
			d->explain(machine, launch, proved);
		return;
	}
	d->has_ended = d->told.is_finding = true;
	d->here = (struct here){0};
	if (d->is_over || d->plan.kind == PLAN_FORWARD) {
		if (d->explain)
			d->explain(machine, launch, proved);
		d->was_told = !d->is_over;
		if (!d->is_over)
			ask_at_hang(d, launch);
		return;
	}
	if (d->plan.kind == PLAN_SEARCH)
		continue_search(d);
	ask(d, "the hang");
}

struct debugger *debugger_create(struct gpu *gpu, const struct lockstep_debug *front)
{
	bool apart = pages_apart(true);
	struct arena arena = {0};
	struct debugger *d = arena_new(&arena, struct debugger);
	static struct debug_hooks hooks;

	pages_apart(apart);
	d->arena = arena;
	d->gpu = gpu;
	d->front = front;
	d->known.since = time(NULL);
	d->out.arena = &d->scratch;
	d->printing.print = gpu->options.print;
	d->printing.context = gpu->options.print_context;
	d->explain = gpu->explain;
	explained = d;
	hooks = (struct debug_hooks){
		.context = d, .issue = issue, .warp_ends = warp_ends, .phase_ends = phase_ends, .access = note_access};
	gpu->options.print = print;
	gpu->options.print_context = d;
	gpu->options.interrupt = &d->quits;
	gpu->options.threads = 1;
	gpu->explain = gpu->explain ? explain : NULL;
	gpu->observe[OBSERVER_debug] = &hooks;
	return d;
}

void debugger_destroy(struct debugger *d)
{
	struct arena arena;

	if (!d)
		return;
	drop_all(d);
	stops_forget(d);
	arena_free(&d->scratch);
	arena_free(&d->last.arena);
	arena = d->arena; /* it lies in it */
	arena_free(&arena);
}

static const char *const outcomes[] = {[GPU_COMPLETED] = "completed",
	[GPU_HANG] = "hangs",
	[GPU_FAULT] = "ended by a fault",
	[GPU_LIMIT] = "stopped at the limit of cycles",
	[GPU_INTERRUPTED] = "interrupted"};

/* Of a program with many launches, `continue` is about what goes wrong in them. */
static bool goes_on_to_next(const struct debugger *d, const struct gpu_result *result)
{
	return d->front->look_at_host && result->outcome == GPU_COMPLETED && d->plan.kind == PLAN_FORWARD &&
	       d->plan.goal.kind == GOAL_NONE && !d->plan.goal.without_stops;
}

/* The launch has ended: the user may still go back. */
static void end(struct debugger *d, const struct gpu_result *result)
{
	char words[sizeof result->finding.message + 128];

	d->has_ended = true;
	d->told.is_finding = result->outcome != GPU_COMPLETED || result->finding.message[0];
	d->here = (struct here){0};
	if (d->is_over || d->quits || (d->was_told && d->plan.kind == PLAN_FORWARD))
		return;
	if (goes_on_to_next(d, result))
		return;
	if (d->plan.kind == PLAN_SEARCH)
		continue_search(d);
	snprintf(words, sizeof words, "the kernel has %s%s after %llu %s%s%s%s",
		result->outcome == GPU_HANG ? "ended: it " : "", outcomes[result->outcome],
		(unsigned long long)result->cycles, d->unit ? d->unit : "cycle", result->cycles == 1 ? "" : "s",
		result->finding.message[0] ? ": " : "", result->finding.message);
	ask(d, words);
}

/* The first launch of each kernel stops at its beginning, where stops are then set in it. */
static void choose_plan(struct debugger *d)
{
	bool is_new = true;

	for (uint32_t k = 0; k < d->seen.count; k++)
		is_new &= d->seen.at[k] != d->kernel;
	if (is_new || d->plan.goal.kind != GOAL_NONE)
		d->plan = (struct plan){.kind = PLAN_FORWARD, .goal = {.kind = GOAL_ANY, .times = 1}};
	if (is_new)
		*vector_push(&d->arena, &d->seen) = d->kernel;
	if (d->front->look_at_host && d->kernel && d->plan.goal.kind == GOAL_ANY)
		text_print(&d->out, "launch %llu: kernel %s\n", (unsigned long long)d->gpu->waiting->ordinal,
			demangle_brief(&d->scratch, d->kernel->entry->name));
}

static void begin(struct debugger *d)
{
	bool before = pages_apart(true);

	drop_all(d);
	d->at = d->furthest = 0;
	d->printing.printed = d->printing.seen = 0;
	d->pace.pause = FIRST_PAUSE;
	d->pace.interval = FIRST_INTERVAL;
	d->pace.when = 0;
	d->pace.since = seconds_now();
	d->has_ended = d->was_told = d->focus_ended = false;
	d->focus = (struct warp_name){.known = false};
	d->here = (struct here){0};
	d->kernel = d->gpu->waiting ? d->gpu->waiting->kernel : NULL;
	choose_plan(d);
	look_at_host(d);
	keep_moment(d);
	pages_apart(before);
}

/* A launch that was stuck, or ran with another that has ended. */
static void begin_again(struct debugger *d)
{
	bool could_act = d->host.may_act;

	if (!look_at_host(d) && !d->host.has_returned && !could_act)
		return;
	drop_all(d);
	d->has_ended = false;
	keep_moment(d);
}

/* A pause has come. */
static void keep_another(struct debugger *d)
{
	bool could_act = d->host.may_act;

	if (could_act)
		look_at_host(d);
	if (d->host.may_act)
		return;
	if (could_act)
		drop_all(d);
	if (!d->moments.count || is_far_from_moments(d))
		keep_moment(d);
}

/* Behind a setjmp: the plan says where to. */
static void go_back(struct debugger *d)
{
	put_back(d, d->plan.from ? d->plan.from : d->plan.end);
	pages_apart(false); /* commands are apart, and have been left */
}

static bool run(struct debugger *d, struct gpu_result *result)
{
	struct gpu *gpu = d->gpu;

	if (setjmp(d->back))
		go_back(d);
	for (;;) {
		double begun = seconds_now();

		gpu->pause.at =
			(gpu->machine && gpu->machine->launches.first
					? gpu->machine->mode->elapsed(gpu->machine, gpu->machine->launches.first)
					: 0) +
			d->pace.pause;
		if (gpu_finish(gpu, result)) {
			end(d, result);
			d->host.has_returned = true;
			return true;
		}
		if (!gpu->pause.reached)
			return false;
		gpu->stuck = false; /* nobody but us has stopped it */
		choose_pause(d, seconds_now() - begun);
		keep_another(d);
	}
}

bool debugger_finish(struct debugger *d, struct gpu_result *result)
{
	struct gpu *gpu = d->gpu;
	bool over;

	if (d->is_over) {
		gpu->pause.at = 0;
		return gpu_finish(gpu, result);
	}
	if (!d->has_gone_back && !gpu->machine && !gpu->finished)
		begin(d);
	else if (!d->has_gone_back)
		begin_again(d);
	d->host.has_returned = d->has_gone_back = false;
	d->is_running = true;
	over = run(d, result);
	d->is_running = false;
	return over;
}

void debugger_give_up(struct debugger *d)
{
	d->is_running = true;
	if (setjmp(d->back)) {
		go_back(d);
		d->has_gone_back = true;
	} else {
		gpu_give_up(d->gpu);
	}
	d->is_running = false;
}
