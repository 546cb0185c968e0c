/* Lines of what happens at the mbarriers of a work-group, for --show mbarrier: what changes them, and which threads
 * wait.
 *
 * What lanes of one instruction do to one object in a row is one line.  A wait that looks again and again is told when
 * it begins, when it first ends in vain, and when it is over. */
#include "machine/observe/show.h"

#include "machine/lsu/mbarrier_ledger.h"
#include "machine/state/launch_state.h"
#include "warp/mbarrier.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A line that may get more lanes.  Its record: of all of them. */
struct line {
	const struct operation *op; /* null: there is none */
	uint64_t object;
	struct mbarrier_record sum;
	struct mbarrier now;
};

/* A warp's looks at an object: the instruction, the phase, and how often it was not complete. */
struct looks {
	uint64_t object, since, failed;
	int64_t phase;
	uint32_t pc, thread;
	bool is_open;
};

struct show_mbarriers {
	struct text out; /* which begins with a pointer to the core's arena: observer.has_arena */
	bool begun;
	struct line line;
	struct looks looks[CORE_WARPS]; /* by slot */
};

/* ---- Words ---- */

static void say_name(struct text *out, const struct group *group, uint64_t offset)
{
	const struct shared_place *s = kernel_shared_at(group->core_launch->launch->kernel, offset);

	assert(group->used);
	text_print(out, "%s", s ? s->variable->name : "shared memory");
	if (!s || offset > s->offset)
		text_print(out, " + 0x%" PRIx64, offset - (s ? s->offset : 0));
}

/* "12 arrivals and 512 bytes pending" */
static void say_pending(struct text *out, const struct mbarrier *now)
{
	assert(now->pending <= MBARRIER_COUNT_MAX);
	text_print(out, ": %" PRIu32 " arrival%s", now->pending, text_plural(now->pending));
	if (now->transactions > 0)
		text_print(out, " and %" PRId32 " byte%s", now->transactions, text_plural((uint64_t)now->transactions));
	text_print(out, " pending");
	if (now->transactions < 0)
		text_print(out, ", %" PRId32 " bytes have come that are not expected yet", -now->transactions);
}

static void say_change(struct text *out, const struct mbarrier_record *r)
{
	assert(r->act <= MBARRIER_BYTES && (r->act != MBARRIER_INITIALISED || r->count));
	switch ((enum mbarrier_act)r->act) {
	case MBARRIER_INITIALISED: text_print(out, "initialised with a count of %" PRIu32, r->count); break;
	case MBARRIER_INVALIDATED: text_print(out, "invalidated"); break;
	case MBARRIER_ARRIVED:
		text_print(out, "%" PRIu32 " arrival%s", r->count, text_plural(r->count));
		if (r->bytes)
			text_print(out, " that expect%s %" PRIu64 " bytes", r->count == 1 ? "s" : "", r->bytes);
		break;
	case MBARRIER_EXPECTED:
		if (r->count)
			text_print(out, "%" PRIu32 " arrival%s more expected", r->count, text_plural(r->count));
		else
			text_print(out, "%" PRIu64 " bytes expected", r->bytes);
		break;
	case MBARRIER_COPIES:
		text_print(out, "a copy of %" PRIu64 " bytes begins, to shared memory + 0x%" PRIx32, r->bytes, r->to);
		break;
	case MBARRIER_BYTES: text_print(out, "%" PRIu64 " bytes have come", r->bytes); break;
	}
}

static void say_phase(struct text *out, int64_t phase)
{
	assert(phase >= -1);
	if (phase < 0)
		text_print(out, "the phase before the first");
	else
		text_print(out, "phase %" PRId64, phase);
}

/* ---- Lines ---- */

static bool is_target(const struct core *core, const struct group *group)
{
	const uint32_t *target = core->machine->gpu->observe[OBSERVER_show_mbarriers];

	assert(group->used);
	return group->number == *target;
}

/* Cycle, warp, instruction and object: how each line begins. */
static void begin_line(struct core *core, struct show_mbarriers *s, const struct operation *op, uint64_t object)
{
	const struct launch *launch = op->group->core_launch->launch;

	assert(is_target(core, op->group) && object % 8 == 0);
	if (!s->begun)
		text_print(&s->out, "mbarriers of work-group %" PRIu32 ": %s, warp, instruction, mbarrier\n\n",
			op->group->number, observer_at_once(core) ? "round" : "cycle");
	s->begun = true;
	show_line_begins(&s->out, core, op->is_remote ? NULL : op->slot, op->is_remote ? "another work-group" : NULL);
	show_place(&s->out, launch, launch_pc(launch, op->insn));
	say_name(&s->out, op->group, object);
	text_print(&s->out, "  ");
}

static int64_t phase_of(const struct core *core, const struct group *group, uint64_t object)
{
	const struct mbarrier_object *o = mbarrier_object_of(core, group, object);

	assert(group->used);
	return o ? o->phase : 0;
}

static void end_line(struct core *core, struct show_mbarriers *s)
{
	struct line *l = &s->line;

	if (!l->op)
		return;
	assert(is_target(core, l->op->group));
	begin_line(core, s, l->op, l->object);
	say_change(&s->out, &l->sum);
	if (l->sum.act > MBARRIER_INVALIDATED)
		text_print(&s->out, " in phase %" PRId64, l->sum.phase);
	if (l->sum.act > MBARRIER_INVALIDATED && l->sum.act != MBARRIER_COPIES)
		say_pending(&s->out, &l->now);
	text_print(&s->out, "\n");
	l->op = NULL;
}

static bool goes_on(const struct line *l, const struct operation *op, uint64_t object, const struct mbarrier_record *r)
{
	assert(r->act <= MBARRIER_BYTES);
	return l->op == op && l->object == object && l->sum.act == r->act && r->act != MBARRIER_COPIES &&
	       r->act > MBARRIER_INVALIDATED;
}

/* ---- Hooks ---- */

static void mbarrier(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object,
	const struct mbarrier_record *what, const struct mbarrier *now)
{
	struct show_mbarriers *s = state;
	struct line *l = &s->line;

	assert(op->lanes >> lane & 1);
	if (!is_target(core, op->group))
		return;
	if (goes_on(l, op, object, what)) {
		l->sum.count += what->count;
		l->sum.bytes += what->bytes;
	} else {
		end_line(core, s);
		*l = (struct line){.op = op, .object = object, .sum = *what};
		l->sum.phase = phase_of(core, op->group, object);
	}
	l->now = *now;
	if (lane == 63u - (uint32_t)__builtin_clzll(op->lanes))
		end_line(core, s);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	struct show_mbarriers *s = state;

	assert(object % 8 == 0);
	if (!is_target(core, op->group))
		return;
	end_line(core, s);
	begin_line(core, s, op, object);
	text_print(&s->out, "phase %" PRId64 " complete\n", phase_of(core, op->group, object) - 1);
}

/* Tells how a lane's look begins or ends.  Those at the same phase, again and again, are one. */
static void tell_look(struct core *core, struct show_mbarriers *s, const struct operation *op, uint32_t lane,
	bool complete, bool ends)
{
	uint64_t object = op->address[lane];
	struct looks *looks = &s->looks[core_slot(core, op->slot)];
	uint32_t pc = launch_pc(op->group->core_launch->launch, op->insn);
	int64_t phase = phase_of(core, op->group, object) - complete;
	bool is_same = looks->is_open && looks->object == object && looks->pc == pc && looks->phase == phase &&
		       looks->thread == op->slot->warp.first_thread;
	uint64_t waited;

	assert(op->lanes >> lane & 1);
	if (!is_same)
		*looks = (struct looks){.object = object,
			.since = observer_clock(core),
			.phase = phase,
			.pc = pc,
			.thread = op->slot->warp.first_thread};
	looks->failed += ends && !complete;
	if (!complete && (ends ? looks->failed > 1 : is_same))
		return;
	begin_line(core, s, op, object);
	looks->is_open = !complete;
	waited = observer_clock(core) - looks->since;
	assert(waited <= observer_clock(core) && looks->failed >= (uint64_t)(ends && !complete));
	text_print(&s->out, ends && !is_same ? "asks for " : ends ? "" : "waits for ");
	say_phase(&s->out, phase);
	if (ends && !is_same)
		text_print(&s->out, complete ? ": complete" : ": not complete");
	else if (ends)
		text_print(&s->out, "%s after %" PRIu64 " %s%s", complete ? " found complete" : " not complete", waited,
			observer_at_once(core) ? "round" : "cycle", text_plural(waited));
	if (ends && complete && looks->failed)
		text_print(&s->out, ", %" PRIu64 " look%s in vain", looks->failed, text_plural(looks->failed));
	text_print(&s->out, "\n");
}

/* Once for each object of the lanes, in the order of the lanes. */
static void tell_looks(
	struct core *core, struct show_mbarriers *s, const struct operation *op, lane_mask complete, bool ends)
{
	lane_mask told = 0;

	assert(!(complete & ~op->lanes));
	if (!is_target(core, op->group))
		return;
	end_line(core, s);
	EACH_LANE(l, op->lanes) {
		if (told >> l & 1)
			continue;
		EACH_LANE(other, op->lanes)
			told |= (lane_mask)(op->address[other] == op->address[l]) << other;
		tell_look(core, s, op, (uint32_t)l, complete >> l & 1, ends);
	}
}

static void waits(struct core *core, void *state, const struct operation *op, lane_mask complete)
{
	assert(complete != op->lanes);
	tell_looks(core, state, op, complete, false);
}

static void answers(struct core *core, void *state, const struct operation *op, lane_mask complete, uint64_t since)
{
	assert(since <= core->now);
	(void)since;
	tell_looks(core, state, op, complete, true);
}

static void flush(struct machine *machine, bool at_end)
{
	assert(!at_end || !machine->launches.first);
	(void)at_end;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct show_mbarriers *s = observer_state(&machine->cores.at[c], OBSERVER_show_mbarriers);

		if (!s)
			continue;
		end_line(&machine->cores.at[c], s); /* lanes behind the last one told have faulted */
		machine_print(machine, &s->out);
	}
}

const struct observer observer_show_mbarriers = {
	.state_size = sizeof(struct show_mbarriers),
	.has_arena = true,
	.on.mbarrier = mbarrier,
	.on.phase_ends = phase_ends,
	.on.mbarrier_waits = waits,
	.on.mbarrier_answers = answers,
	.flush = flush,
};
