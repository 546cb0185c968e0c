/* Which threads can still write a word: the code ahead of each living or unstarted thread is analysed (ahead.h). */
#include "check/writers.h"

#include "check/mbarrier_wait.h"
#include "machine/core/cluster.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "util/vector.h"

#define MOST_FOLLOWED 40000u /* threads; the rest is not analysed */
#define MOST_GROUPS 16u      /* of those that have not started, or have ended */

struct known_word {
	struct word word;
	uint32_t group; /* of shared memory */
	struct writer living, unstarted;
	struct ended ended;
	bool has_living, has_unstarted, has_ended;
};

struct writers {
	struct arena *arena;
	const struct launch *launch;
	uint32_t followed;
	uint32_t ignored; /* of writers_beyond */
	enum doubt doubt;
	VECTOR(struct known_word) known;
};

struct writers *writers_create(struct arena *arena, const struct launch *launch)
{
	struct writers *w = arena_new(arena, struct writers);

	w->arena = arena;
	w->launch = launch;
	return w;
}

enum doubt writers_doubt(const struct writers *writers)
{
	return writers->doubt;
}

/* It has an instruction that writes such words. */
static bool can_write(const struct writers *w, const struct word *word)
{
	return word->is_mbarrier || ahead_has_stores(w->launch->kernel, word->space);
}

/* The thread waits for this very word. */
static bool waits_for(const struct thread *t, const struct word *word)
{
	struct mbarrier_wait wait;

	if (word->is_mbarrier)
		return word->space == space_SHARED && mbarrier_wait_of(t, &wait) && wait.offset == word->address;
	return waits_include(t, word);
}

/* Enough threads have been followed: it would take too long. */
static bool is_budget_spent(struct writers *w)
{
	if (w->followed < MOST_FOLLOWED)
		return false;
	w->doubt = DOUBT_TOO_MANY;
	return true;
}

static void note_doubt(struct writers *w, const struct ahead *ahead)
{
	w->followed++;
	if (ahead->reach == REACH_UNKNOWN && !w->doubt)
		w->doubt = DOUBT_POINTERS;
}

static struct known_word *known(struct writers *w, const struct thread *waiter, const struct word *word)
{
	uint32_t group = word->space == space_SHARED ? waiter->group : 0;
	struct known_word *k;

	for (uint32_t n = 0; n < w->known.count; n++)
		if (w->known.at[n].word.space == word->space && w->known.at[n].word.address == word->address &&
			w->known.at[n].word.is_mbarrier == word->is_mbarrier && w->known.at[n].group == group)
			return &w->known.at[n];
	k = vector_push(w->arena, &w->known);
	k->word = *word;
	k->group = group;
	return k;
}

static struct writer follow(struct writers *w, const struct thread *t, const struct word *word)
{
	struct position p = thread_position(t);
	struct ahead ahead;

	/* A thread that waits for the same word can write it only after that wait. */
	if (p.state == THREAD_ENDED ||
		((p.state == THREAD_RUNS || p.state == THREAD_AWAITS_LOCK) && waits_for(t, word)))
		return (struct writer){0};
	ahead = ahead_of(t, p.next_pc, word, false);
	note_doubt(w, &ahead);
	return (struct writer){
		.reach = ahead.reach == REACH_UNKNOWN ? REACH_NOT : ahead.reach, .at = *t, .store = ahead.store};
}

static void take_likelier(struct writer *best, const struct writer *writer)
{
	if (writer->reach > best->reach)
		*best = *writer;
}

/* Of the lanes of a warp, or of those that are parked. */
static void look_in_warp(
	struct writers *w, const struct thread *warp, bool parked, const struct word *word, struct writer *best)
{
	for (lane_mask m = warp->r->warp.live; m && best->reach != REACH_CERTAIN && !is_budget_spent(w); m &= m - 1) {
		struct thread at = thread_at(warp->core, warp->r, (uint32_t)__builtin_ctzll(m));
		struct writer writer = {0};

		if (!parked || thread_is_parked(&at))
			writer = follow(w, &at, word);
		take_likelier(best, &writer);
	}
}

struct writer writers_parked(struct writers *w, const struct thread *waiter, const struct wait *wait)
{
	struct writer best = {0};

	if (can_write(w, &wait->word))
		look_in_warp(w, waiter, true, &wait->word, &best);
	return best;
}

/* Shared memory of one group of a cluster, as a group of that number has it, which may be another one. */
static struct word word_for(
	const struct writers *w, const struct thread *waiter, const struct word *word, uint32_t group)
{
	uint32_t rank;

	if (word->space != space_SHARED || group == waiter->group)
		return *word;
	rank = dispatch_turn(w->launch, waiter->group) % launch_cluster_size(&w->launch->values);
	return (struct word){space_CLUSTER, SHARED_PART_BYTES * (rank + 1) + word->address, word->is_mbarrier};
}

struct writer writers_living(struct writers *w, const struct thread *waiter, const struct wait *wait)
{
	struct known_word *k = known(w, waiter, &wait->word);
	struct writer best = {0};

	if (k->has_living)
		return k->living;
	if (can_write(w, &wait->word)) {
		look_in_warp(w, waiter, false, &wait->word, &best);
		EACH_WARP(w->launch, at) {
			if (best.reach == REACH_CERTAIN || is_budget_spent(w))
				break;
			if (at.r != waiter->r &&
				(wait->word.space != space_SHARED || cluster_is_same(at.r->group, waiter->r->group))) {
				struct word word = word_for(w, waiter, &wait->word, at.r->group->number);

				look_in_warp(w, &at, false, &word, &best);
			}
		}
	}
	k->has_living = true;
	return k->living = best;
}

static struct writer follow_from_start(
	struct writers *w, const struct thread *like, uint32_t group, const struct word *word)
{
	struct writer best = {0};

	for (uint32_t t = 0; t < w->launch->group.threads && best.reach != REACH_CERTAIN && !is_budget_spent(w); t++) {
		struct ahead ahead = ahead_from_start(like, group, t, word, false);

		note_doubt(w, &ahead);
		if (ahead.reach > best.reach)
			best = (struct writer){
				.reach = ahead.reach, .at = {.group = group, .number = t}, .store = ahead.store};
	}
	return best;
}

struct writer writers_unstarted(struct writers *w, const struct thread *waiter, const struct wait *wait)
{
	struct known_word *k = known(w, waiter, &wait->word);
	uint32_t first = w->launch->dispatch.next_group, end = w->launch->total_groups;
	struct writer best = {0};

	if (k->has_unstarted || wait->word.space != space_GLOBAL || !ahead_has_stores(w->launch->kernel, space_GLOBAL))
		return k->unstarted;
	for (uint32_t g = first; g < end && best.reach != REACH_CERTAIN; g++) {
		struct writer writer;

		if (g - first == MOST_GROUPS / 2 && end - first > MOST_GROUPS)
			g = end - MOST_GROUPS / 2; /* the first and the last */
		writer = follow_from_start(w, waiter, dispatch_number(w->launch, g), &wait->word);
		take_likelier(&best, &writer);
	}
	k = known(w, waiter, &wait->word);
	k->has_unstarted = true;
	return k->unstarted = best;
}

static bool has_ended(const struct core *core, const struct group *group, uint32_t thread)
{
	const struct warp_slot *r = group ? core_slot_of(core, group, thread) : NULL;

	return !r || slot_thread_ended(r, thread);
}

static void follow_ended(struct writers *w, const struct thread *like, uint32_t group, uint32_t thread,
	const struct word *word, struct ended *ended)
{
	struct ahead ahead;
	struct writer writer = {.at = {.group = group, .number = thread}};

	if (is_budget_spent(w)) {
		ended->more = true;
		return;
	}
	ahead = ahead_from_start(like, group, thread, word, true);
	w->followed++;
	writer.reach = ahead.reach;
	writer.store = ahead.store;
	if (!ended->any || (writer.reach == REACH_NOT && ended->nonwriter.reach))
		ended->nonwriter = writer;
	ended->any = true;
	ended->nonwriters += writer.reach == REACH_NOT;
	ended->nonwriters_apart |= writer.reach == REACH_NOT && group != ended->nonwriter.at.group;
	if (writer.reach >= REACH_AS_IS) {
		ended->possible_writers++;
		take_likelier(&ended->possible_writer, &writer);
	}
	if (ahead.attempts_lock && !writer.reach && !ended->inferred_owner.reach)
		ended->inferred_owner = (struct writer){.reach = REACH_AS_IS, .at = writer.at, .store = ahead.attempt};
}

bool writers_has_ended(const struct launch *launch, uint32_t group, uint32_t thread)
{
	struct core *core = NULL;
	const struct group *at = machine_group(launch->machine, launch->ordinal, group, &core);

	return dispatch_turn(launch, group) < launch->dispatch.next_group && has_ended(core, at, thread);
}

struct ended writers_ended_unwritten(
	struct writers *w, const struct thread *waiter, const struct wait *wait, const struct written_word *past)
{
	struct ended ended = {0};
	uint32_t groups = 0, first = 0, end = w->launch->dispatch.next_group;

	if (wait->word.space == space_SHARED) { /* the groups of its cluster */
		uint32_t turn = dispatch_turn(w->launch, waiter->group), size = launch_cluster_size(&w->launch->values);

		first = turn - turn % size;
		end = first + size;
	}
	for (uint32_t g = first; g < end; g++) {
		uint32_t number = dispatch_number(w->launch, g), threads = w->launch->group.threads;
		const struct word word = word_for(w, waiter, &wait->word, number);
		struct core *core = NULL;
		const struct group *group = machine_group(w->launch->machine, w->launch->ordinal, number, &core);
		bool any = false;

		if (group && group->live_threads == group->threads)
			continue;
		if (groups == MOST_GROUPS) {
			ended.more = true;
			break;
		}
		for (uint32_t t = 0; t < threads; t++)
			if (has_ended(core, group, t) && !(past && written_by(past, threads, number, t))) {
				follow_ended(w, waiter, number, t, &word, &ended);
				any = true;
			}
		groups += any;
	}
	return ended;
}

struct ended writers_ended(struct writers *w, const struct thread *waiter, const struct wait *wait)
{
	struct known_word *k = known(w, waiter, &wait->word);
	struct ended ended;

	if (k->has_ended)
		return k->ended;
	ended = writers_ended_unwritten(w, waiter, wait, NULL);
	k = known(w, waiter, &wait->word);
	k->has_ended = true;
	return k->ended = ended;
}

/* ---- Past the end of the grid or group ---- */

#define MOST_BEYOND 16u      /* groups, or threads, past the end */
#define MOST_CODE 200000000u /* instructions of threads, followed to find them: some seconds */

/* `exists`: it may have done so when the word had another value; else it would change the word as it is now. */
static bool would_write(struct writers *w, const struct thread *like, const uint32_t group[3], uint32_t thread,
	const struct word *word, bool exists, uint32_t *store)
{
	struct ahead ahead;

	if (is_budget_spent(w))
		return false;
	ahead = ahead_of_group(like, group, thread, word, exists, w->ignored);
	w->followed++;
	*store = ahead.store;
	return ahead.reach >= REACH_AS_IS || (exists && ahead.attempts_lock);
}

/* Of the existing threads: any of the waiter's group or of the last groups of the grid has a store to the word. */
static bool has_existing_writer(struct writers *w, const struct thread *waiter, const struct word *word)
{
	uint32_t total = w->launch->total_groups, store, looked = 0;

	for (uint32_t k = 0; k <= total && looked <= MOST_BEYOND; k++) {
		uint32_t g = k ? total - k : waiter->group, at[3];

		if (word->space == space_SHARED && g != waiter->group)
			continue;
		looked++;
		launch_place_group(&w->launch->values, g, at);
		for (uint32_t t = 0; t < w->launch->group.threads; t++)
			if (would_write(w, waiter, at, t, word, true, &store))
				return true;
	}
	return w->doubt == DOUBT_TOO_MANY;
}

static bool find_group_beyond(struct writers *w, const struct thread *waiter, const struct word *word, struct beyond *b)
{
	const uint32_t *grid = w->launch->values.grid;

	for (uint32_t k = 0; k < MOST_BEYOND; k++)
		for (uint32_t axis = 0; axis < 3; axis++) {
			launch_place_group(&w->launch->values, waiter->group, b->group);
			b->group[axis] = grid[axis] + k;
			for (b->thread = 0; b->thread < w->launch->group.threads && (!axis || grid[axis] > 1);
				b->thread++)
				if (would_write(w, waiter, b->group, b->thread, word, false, &b->store))
					return true;
		}
	return false;
}

static bool find_thread_beyond(
	struct writers *w, const struct thread *waiter, const struct word *word, struct beyond *b)
{
	const uint32_t *block = w->launch->values.block;

	if (block[1] > 1 || block[2] > 1)
		return false;
	b->is_thread = true;
	launch_place_group(&w->launch->values, waiter->group, b->group);
	for (uint32_t k = 0; k < MOST_BEYOND; k++) {
		b->thread = w->launch->group.threads + k;
		if (would_write(w, waiter, b->group, b->thread, word, false, &b->store))
			return true;
	}
	return false;
}

struct beyond writers_beyond(struct writers *w, const struct thread *waiter, const struct wait *wait, uint32_t ignored)
{
	struct beyond beyond = {0};
	uint64_t each = (uint64_t)w->launch->group.threads * w->launch->kernel->code_count;

	w->ignored = ignored;
	if (each * 2 * MOST_BEYOND > MOST_CODE || has_existing_writer(w, waiter, &wait->word))
		return beyond;
	if (wait->word.space == space_GLOBAL && find_group_beyond(w, waiter, &wait->word, &beyond)) {
		beyond.found = true;
		return beyond;
	}
	beyond = (struct beyond){0};
	beyond.found = find_thread_beyond(w, waiter, &wait->word, &beyond);
	return beyond;
}
