/* Recording of the timeline: phases in which a scheduler issues from one warp, spans in which a warp waits, and the
 * phases of mbarriers and barriers. */
#include "machine/observe/timeline.h"

#include "machine/core/observer.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/observe/barrier_phases.h"
#include "machine/observe/mbarrier_phases.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include "util/vector.h"

#include <assert.h>

#define PHASE_GAP 16 /* cycles without an issue that end a phase */

struct phase {
	uint32_t warp, group, pc;
	const struct kernel *kernel;
	uint64_t launch;
	uint64_t start, last, count; /* count 0: none is open */
};

struct timeline {
	struct arena *arena;
	VECTOR(struct timeline_event) events;
	struct phase phases[CORE_SCHEDULERS];
	struct mbarrier_phases mbarriers;
	struct barrier_phases barriers;
};

static void close_phase(const struct core *core, struct timeline *t, uint32_t scheduler)
{
	struct phase *p = &t->phases[scheduler];

	assert(scheduler < core->issue.schedulers);
	if (!p->count)
		return;
	assert(p->start <= p->last);
	assert(p->warp % core->issue.schedulers == scheduler);
	*vector_push(t->arena, &t->events) = (struct timeline_event){
		.kind = TIMELINE_ISSUE,
		.core = core->index,
		.lane = scheduler,
		.warp = p->warp,
		.group = p->group,
		.start = p->start,
		.end = p->last + 1,
		.detail = p->count,
		.launch = p->launch,
		.pc = p->pc,
		.kernel = p->kernel,
	};
	p->count = 0;
}

/* One instruction of the warp is issued now. */
static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct timeline *t = state;
	uint32_t slot = core_slot(core, r), scheduler = slot % core->issue.schedulers;
	struct phase *p = &t->phases[scheduler];

	assert(core->issue.schedulers <= CORE_SCHEDULERS);
	assert(!p->count || p->last <= core->now);
	(void)i;
	(void)lanes;
	if (p->count && (p->warp != slot || p->group != r->group->number || p->launch != r->group->launch ||
				core->now - p->last > PHASE_GAP))
		close_phase(core, t, scheduler);
	if (!p->count)
		*p = (struct phase){.warp = slot,
			.group = r->group->number,
			.pc = r->warp.path->pc,
			.kernel = r->warp.kernel,
			.launch = r->group->launch,
			.start = core->now};
	p->count++;
	p->last = core->now;
	assert(p->start <= p->last);
}

static void span(const struct core *core, struct timeline *t, const struct warp_slot *r, enum timeline_kind kind,
	uint64_t start, uint64_t detail)
{
	assert(kind != TIMELINE_ISSUE); /* a phase, whose lane is a scheduler */
	if (core->now <= start)
		return;
	*vector_push(t->arena, &t->events) = (struct timeline_event){
		.kind = kind,
		.core = core->index,
		.lane = core_slot(core, r),
		.warp = core_slot(core, r),
		.group = r->group->number,
		.start = start,
		.end = core->now,
		.detail = detail,
		.launch = r->group->launch,
	};
}

static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	assert(number < GROUP_BARRIERS);
	span(core, state, r, TIMELINE_BARRIER, since, number);
}

static void lock_waited(struct core *core, void *state, const struct warp_slot *r, uint64_t address, uint64_t since)
{
	assert(since <= core->now);
	span(core, state, r, TIMELINE_LOCK_WAITING, since, address);
}

static void lock_given_back(struct core *core, void *state, const struct warp_slot *r, uint64_t address, uint64_t since)
{
	assert(since <= core->now);
	span(core, state, r, TIMELINE_LOCK_HELD, since, address);
}

/* ---- Phases ---- */

/* A phase that is over, or has begun; `e` has its kind, what it is of, and what only such have. */
static void add_open(const struct core *core, struct timeline *t, const struct open_phase *p, struct timeline_event e)
{
	assert(p->start <= core->now);
	if (core->now <= p->start || !(e.phase.is_over || p->is_begun))
		return;
	e.core = core->index;
	e.group = p->group;
	e.start = p->start;
	e.end = core->now;
	e.launch = p->launch;
	e.pc = p->last;
	e.phase.number = p->number;
	e.phase.first = p->is_begun ? p->first : core->now;
	e.phase.arrivals = p->arrivals;
	*vector_push(t->arena, &t->events) = e;
}

/* ---- mbarriers ---- */

static void add_phase(const struct core *core, struct timeline *t, const struct mbarrier_phase *p, bool is_over)
{
	assert(p->object % 8 == 0);
	add_open(core, t, &p->open,
		(struct timeline_event){.kind = TIMELINE_PHASE,
			.detail = p->object,
			.phase = {.bytes = p->bytes, .by_bytes = p->by_bytes, .is_over = is_over}});
}

static void mbarrier(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object,
	const struct mbarrier_record *what, const struct mbarrier *now)
{
	struct timeline *t = state;
	const struct mbarrier_phase *phase = mbarrier_phases_at(&t->mbarriers, op->group, object);

	assert(op->lanes >> lane & 1);
	(void)lane;
	(void)now;
	if (phase && (what->act == MBARRIER_INITIALISED || what->act == MBARRIER_INVALIDATED))
		add_phase(core, t, phase, false);
	mbarrier_phases_note(core, t->arena, &t->mbarriers, op, object, what);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	struct timeline *t = state;
	struct mbarrier_phase *phase = mbarrier_phases_at(&t->mbarriers, op->group, object);

	if (!phase)
		return;
	assert(phase->open.is_begun && phase->open.first <= core->now);
	add_phase(core, t, phase, true);
	mbarrier_phases_next(core, phase);
}

static void mbarrier_answers(
	struct core *core, void *state, const struct operation *op, lane_mask complete, uint64_t since)
{
	lane_mask open = op->lanes & ~complete;

	assert(since <= core->now);
	span(core, state, op->slot, TIMELINE_MBARRIER_WAIT, since,
		op->address[__builtin_ctzll(open ? open : op->lanes)]);
}

/* Those of the group, or of all groups, that are open. */
static void close_mbarriers(const struct core *core, struct timeline *t, const struct group *group)
{
	assert(!group || group->used);
	for (uint32_t k = t->mbarriers.open.count; k--;) {
		const struct mbarrier_phase *p = &t->mbarriers.open.at[k];

		if (group && (p->open.group != group->number || p->open.launch != group->launch))
			continue;
		add_phase(core, t, p, false);
		mbarrier_phases_forget(&t->mbarriers, p);
	}
}

/* ---- Barriers ---- */

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct timeline *t = state;

	(void)waits;
	assert(number <= CLUSTER_BARRIER && lanes);
	barrier_phases_come(core, t->arena, &t->barriers, r, number, lanes);
}

static void add_barrier(const struct core *core, struct timeline *t, const struct barrier_phase *p, uint32_t number,
	struct timeline_phase how)
{
	assert(number <= CLUSTER_BARRIER);
	add_open(core, t, &p->open,
		(struct timeline_event){.kind = TIMELINE_BARRIER_PHASE, .detail = number, .phase = how});
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct timeline *t = state;
	struct barrier_phase *p = barrier_phases_at(core, &t->barriers, group, number);

	if (!p)
		return;
	assert(p->open.is_begun);
	add_barrier(core, t, p, number,
		(struct timeline_phase){.is_over = true,
			.by_exit = number < NAMED_BARRIERS && barrier_phase_ends_by_exit(p, group, number)});
	barrier_phases_next(core, p);
}

/* As close_mbarriers. */
static void close_barriers(const struct core *core, struct timeline *t, const struct group *group)
{
	uint32_t first = group ? (uint32_t)(group - core->groups.at) : 0, end = group ? first + 1 : core->groups.count;

	assert(end <= core->groups.count);
	for (uint32_t place = first; place < end; place++)
		for (uint32_t k = 0; t->barriers.of[place] && k <= CLUSTER_BARRIER; k++) {
			add_barrier(core, t, &t->barriers.of[place][k], k, (struct timeline_phase){0});
			t->barriers.of[place][k] = (struct barrier_phase){0};
		}
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	assert(group->used);
	close_mbarriers(core, state, group);
	close_barriers(core, state, group);
}

/* Hands everything recorded so far to the sink; when nothing runs any more also the phases still open.  In functional
 * mode, where each core has a clock of its own, all of a core's comes together, at the end. */
static void flush(struct machine *machine, bool at_end)
{
	const struct timeline_sink *sink = machine->gpu->observe[OBSERVER_timeline];

	assert(!at_end || !machine->launches.first);
	if (!sink || (machine->mode->takes_turns && !at_end))
		return;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct timeline *t = observer_state(core, OBSERVER_timeline);

		if (!t) /* no group has been there */
			continue;
		for (uint32_t s = 0; at_end && s < core->issue.schedulers; s++)
			close_phase(core, t, s);
		if (at_end)
			close_mbarriers(core, t, NULL);
		if (at_end)
			close_barriers(core, t, NULL);
		for (uint32_t k = 0; k < t->events.count; k++)
			sink->event(sink->context, &t->events.at[k]);
		t->events.count = 0;
	}
}

const struct observer observer_timeline = {
	.state_size = sizeof(struct timeline),
	.has_arena = true,
	.before = before,
	.on.arrives = arrives,
	.on.opens = opens,
	.on.released = released,
	.on.mbarrier = mbarrier,
	.on.phase_ends = phase_ends,
	.on.mbarrier_answers = mbarrier_answers,
	.on.group_ends = group_ends,
	.on.lock_waited = lock_waited,
	.on.lock_given_back = lock_given_back,
	.flush = flush,
};
