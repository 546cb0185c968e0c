/* Why a kernel hangs: the chains of waits (chain.h) of all threads are built, and the one with the most certain root is
 * explained. */
#include "check/hang.h"

#include "check/cause.h"
#include "check/past.h"
#include "explore/again.h"

#define MOST_STARTS 1024u /* chains; beyond that, only one for each pc and state in each warp */

struct choice {
	struct arena *arena;
	struct chain best, next;
	bool found;
	uint32_t starts;
};

/* Of two chains that are equally certain: of endless loops, the longer chain, as more threads wait for that loop; of
 * waits for registers the shorter; else one that begins with a thread that runs. */
static bool is_preferred(const struct chain *next, const struct chain *best)
{
	if (next->root == ROOT_ENDLESS)
		return next->count > best->count;
	if (next->root == ROOT_REGISTERS)
		return next->count < best->count;
	return next->links[0].position.state == THREAD_RUNS && best->links[0].position.state == THREAD_PARKED;
}

static void take_surer(struct choice *c)
{
	uint32_t best = chain_certainty(&c->best), next = chain_certainty(&c->next);

	if (c->found && (next < best || (next == best && !is_preferred(&c->next, &c->best))))
		return;
	c->best = c->next;
	c->found = true;
}

static void follow_warp(struct writers *writers, const struct thread *warp, struct choice *c)
{
	for (lane_mask m = warp->r->warp.live; m; m &= m - 1) {
		struct thread t = thread_at(warp->core, warp->r, (uint32_t)__builtin_ctzll(m));
		struct position p = thread_position(&t);
		bool runs = p.state == THREAD_RUNS || p.state == THREAD_AWAITS_LOCK;
		bool too_many = c->starts > MOST_STARTS || writers_doubt(writers) == DOUBT_TOO_MANY;

		if ((!runs || too_many || !wait_of(&t).found) && thread_is_repeated(&t))
			continue;
		if (runs && !wait_of(&t).found)
			wait_choose_lane(&t);
		c->starts++;
		chain_follow(c->arena, &c->next, writers, t);
		take_surer(c);
	}
}

/* Memory changes while all threads spin. */
static bool is_unsteady(const struct explanation *e)
{
	EACH_WARP(e->launch, at)
		return watch_of(at.core) && watch_of(at.core)->unsteady;
	return false;
}

/* Why it is only suspected.  Of memory, only what was looked at: between two checks it may have changed, and changed
 * back. */
static void say_suspicion(struct explanation *e)
{
	struct watch_quiet quiet = watch_quiet(e->machine);

	if (e->machine->gpu->host.doubt)
		hang_what(e, "only suspected, because %s and may still act", e->machine->gpu->host.doubt);
	if (e->machine->stuck_for_ever)
		return; /* all but that is certain */
	hang_what(e, "only suspected: no thread has ended for %llu cycles and %llu warp instructions, and %s",
		(unsigned long long)quiet.cycles, (unsigned long long)quiet.instructions,
		is_unsteady(e) ? "at each check every warp was back in an earlier state, although memory changes"
			       : "at the last check no byte of memory had changed; a loop that counts, reads a clock "
				 "or host memory, or asks which lanes run together cannot be proved to hang");
	hang_what(e, "if the kernel only needs more time, raise --hang-after (now %llu cycles)",
		(unsigned long long)e->machine->gpu->options.hang_after);
}

void cause_end(struct explanation *e)
{
	schedule_add(e);
	if (!e->detail->proved)
		say_suspicion(e);
	e->detail->what = e->what.at;
	e->detail->who = e->who.length ? e->who.at : NULL;
}

#define PAST_SHARE 3 /* of the time for explanations, the past of words gets this part */

static void explain(struct explanation *e)
{
	double seconds = e->machine->gpu->explain_seconds / PAST_SHARE;
	struct choice *c = arena_new(e->arena, struct choice);
	struct writers *writers = writers_create(e->arena, e->launch);

	c->arena = e->arena;
	c->next.steps = MOST_PLAYED;
	EACH_WARP(e->launch, at)
		follow_warp(writers, &at, c);
	/* what is said of these roots depends on who wrote the words */
	if (c->found && (c->best.root == ROOT_SIGNAL || c->best.root == ROOT_OWNER_ENDED) && seconds > 0)
		past_record(e, &c->best, again_clock() + seconds);
	if (c->found)
		cause_say(e, &c->best, writers);
	else
		cause_say_none_started(e);
}

void hang_explain(struct machine *machine, struct launch *launch, bool proved)
{
	struct arena *arena = machine->gpu->arena;
	struct explanation e = {.arena = arena,
		.machine = machine,
		.launch = launch,
		.kernel = launch->kernel,
		.finding = &launch->result.finding,
		.detail = arena_new(arena, struct finding_detail),
		.what = {.arena = arena},
		.who = {.arena = arena}};

	e.detail->proved = proved;
	*e.finding = (struct finding){
		.found = true, .launch = launch, .cycle = machine->time.cycle, .kind = "hang", .detail = e.detail};
	if (!schedule_explain(&e))
		explain(&e);
	cause_end(&e);
}
