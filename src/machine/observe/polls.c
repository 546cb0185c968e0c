/* How warps wait for words that they poll: events of cores, added up between quanta. */
#include "machine/observe/polls.h"

#include "machine/core/observer.h"
#include "machine/observe/tape.h"
#include "machine/state/launch_state.h"

#include <assert.h>

#define SITES_WITH_WORDS 32 /* bits of a word's `sites` */

enum kind { BEGAN, WROTE, LEFT };

struct event {
	struct tape_event in;
	uint64_t since; /* LEFT: when the wait began */
	uint32_t pc;
};

/* A warp's last access of global memory that reads, and whether it waits for the word. */
struct poll {
	uint64_t address, since;
	uint32_t pc;
	bool waits;
};

struct polling {
	struct tape tape;
	uint64_t heard; /* warp slots whose kernels poll: of these alone it hears accesses */
	struct poll poll[CORE_WARPS];
};

static void create(struct core *core, void *state, struct arena *arena)
{
	assert(core->warps.count <= CORE_WARPS);
	(void)state;
	(void)arena;
	observer_hear(core, OBSERVER_polls, OBSERVE_access, 0);
}

/* Null: the kernel has no loop that polls. */
static struct polls *polls_here(const struct core_launch *on)
{
	return on->observed[OBSERVER_polls];
}

static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	const struct kernel *kernel = on->launch->kernel;

	assert(on->launch->machine == core->machine);
	(void)state;
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].flags & INSN_WAIT_BRANCH)
			on->observed[OBSERVER_polls] = profile_polls(profile_of(core, on->launch));
}

static void warp_begins(struct core *core, void *state, struct warp_slot *r)
{
	struct polling *s = state;
	uint64_t heard = polls_here(r->core_launch) ? s->heard | r->bit : s->heard & ~r->bit;

	assert(r->warp.slot < CORE_WARPS);
	s->poll[r->warp.slot] = (struct poll){0};
	if (heard != s->heard)
		observer_hear(core, OBSERVER_polls, OBSERVE_access, s->heard = heard);
}

/* A word becomes known between quanta, when a warp has been seen to wait for it. */
static bool is_known(const struct polls *p, uint64_t address)
{
	assert(!p->words.count || p->lowest <= p->highest);
	return p->words.count && address >= p->lowest && address <= p->highest && lookup_get(&p->places, address);
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	struct polling *s = state;
	bool is_atomic = i->kind == INSN_ATOMIC;

	assert(s->heard & r->bit);
	if (space != space_GLOBAL || !lanes)
		return;
	if (is_atomic || i->kind == INSN_LOAD) {
		s->poll[r->warp.slot].address = address[__builtin_ctzll(lanes)];
		s->poll[r->warp.slot].pc = launch_pc(r->core_launch->launch, i);
	}
	if (i->kind != INSN_STORE && (!is_atomic || i->flags & INSN_LOCK_TRY))
		return;
	EACH_LANE(l, lanes)
		if (is_known(polls_here(r->core_launch), address[l]))
			tape_add(&s->tape, sizeof(struct event), core, r, WROTE, address[l]);
}

static void polls(struct core *core, void *state, const struct warp_slot *r, lane_mask again)
{
	struct polling *s = state;
	struct poll *poll = &s->poll[r->warp.slot];
	struct event *e;

	assert(poll->since <= core->now);
	if (poll->waits == (again != 0) || !poll->address)
		return;
	poll->waits = again != 0;
	e = tape_add(&s->tape, sizeof *e, core, r, poll->waits ? BEGAN : LEFT, poll->address);
	e->pc = poll->pc;
	e->since = poll->since;
	poll->since = core->now;
}

/* ---- Between quanta ---- */

static struct poll_site *site_of(struct arena *arena, struct polls *p, uint32_t pc)
{
	for (uint32_t k = 0; k < p->sites.count; k++)
		if (p->sites.at[k].pc == pc)
			return &p->sites.at[k];
	*vector_push(arena, &p->sites) = (struct poll_site){.pc = pc};
	return &p->sites.at[p->sites.count - 1];
}

/* Sites that have no bit know of one word only. */
static void count_word(const struct polls *p, struct poll_site *site, struct polled_word *word)
{
	uint32_t number = (uint32_t)(site - p->sites.at);

	assert(number < p->sites.count);
	if (number >= SITES_WITH_WORDS) {
		site->words = 1;
		return;
	}
	site->words += !(word->sites >> number & 1);
	word->sites |= 1u << number;
}

static struct polled_word *word_of(struct arena *arena, struct polls *p, uint64_t address, struct poll_site *site)
{
	uint64_t *place = lookup_at(arena, &p->places, address);

	if (!*place) {
		*vector_push(arena, &p->words) = (struct polled_word){.address = address};
		*place = p->words.count;
		p->lowest = p->words.count == 1 || address < p->lowest ? address : p->lowest;
		p->highest = address > p->highest ? address : p->highest;
	}
	assert(p->lowest <= address);
	assert(address <= p->highest);
	assert(*place <= p->words.count);
	assert(p->words.at[*place - 1].address == address);
	count_word(p, site, &p->words.at[*place - 1]);
	return &p->words.at[*place - 1];
}

static void count_writer(struct arena *arena, struct poll_site *site, const struct polled_word *word)
{
	assert(site->writers.count <= POLL_WRITERS);
	for (uint32_t k = 0; k < site->writers.count; k++)
		if (site->writers.at[k].group == word->group && site->writers.at[k].warp == word->warp) {
			site->writers.at[k].times++;
			return;
		}
	if (site->writers.count < POLL_WRITERS)
		*vector_push(arena, &site->writers) = (struct poll_writer){word->group, word->warp, 1};
}

/* A waiter that came when others of the phase had gone on already waits for the next. */
static void leave(struct arena *arena, struct polls *p, const struct event *e)
{
	struct poll_site *site = site_of(arena, p, e->pc);
	struct polled_word *word = word_of(arena, p, e->in.address, site);
	uint64_t waited = e->in.at - e->since;

	assert(e->since <= e->in.at);
	assert(e->in.kind == LEFT);
	assert(site->worst <= site->waited);
	site->waited += waited;
	if (waited > site->worst) {
		site->worst = waited;
		site->worst_group = e->in.group;
		site->worst_thread = e->in.warp;
	}
	assert(site->worst <= site->waited);
	if (word->was_opened && e->since < word->opened)
		return;
	word->was_opened = true;
	word->opened = e->in.at;
	site->phases++;
	if (word->is_written)
		count_writer(arena, site, word);
}

static void add_up(struct launch_profile *p, const void *event)
{
	const struct event *e = event;
	struct polls *polls = profile_polls(p);
	struct polled_word *word;

	assert(e->in.kind != WROTE || lookup_get(&polls->places, e->in.address));
	switch ((enum kind)e->in.kind) {
	case BEGAN: word_of(&p->arena, polls, e->in.address, site_of(&p->arena, polls, e->pc)); break;
	case LEFT: leave(&p->arena, polls, e); break;
	case WROTE:
		word = &polls->words.at[lookup_get(&polls->places, e->in.address) - 1];
		word->is_written = true;
		word->group = e->in.group;
		word->warp = e->in.warp;
		break;
	}
}

static void flush(struct machine *machine, bool at_end)
{
	(void)at_end;
	tapes_add_up(machine, OBSERVER_polls, add_up);
}

/* All that its cores have written down is added up. */
static void launch_ends(struct launch *launch)
{
	tapes_add_up(launch->machine, OBSERVER_polls, add_up);
}

const struct profile_part profile_part_polls = {.size = sizeof(struct polls)};

const struct observer observer_polls = {
	.state_size = sizeof(struct polling),
	.has_arena = true,
	.profiles = true,
	.create = create,
	.on = {.launch_begins = launch_begins, .warp_begins = warp_begins, .access = accesses, .polls = polls},
	.launch_ends = launch_ends,
	.flush = flush,
};
