/* The proof that kernels hang: when windows are opened, how long, and what follows from what they have seen.  See
 * watch.h for why it is one. */
#include "machine/observe/watch_parts.h"

#include "kernel/clocks.h"
#include "machine/lsu/lock.h"
#include "machine/state/launch_state.h"
#include "util/text.h"

#include <assert.h>
#include <string.h>

/* As watcher_now() counts. */
#define FIRST_PAUSE 4096u
#define LONGEST_PAUSE (1u << 20)
#define FIRST_SPAN (1u << 14) /* of a window, doubled when it was too short */
#define LONGEST_SPAN (1u << 24)
/* of a try_wait: one until a warp branches, one more until it is back, in a loop with two waits twice as many; its
 * other lanes, which have a turn each time, may first end; then what is outstanding */
#define LIMITS_IN_SPAN 16u
#define FIRST_LIMIT 256u /* backward branches, doubled when they were too few */
#define LAST_LIMIT (1u << 20)
#define UNSTEADY_AFTER (1u << 20) /* nothing has started or ended */
/* windows that a suspicion rests on: pauses are in cycles, and in one of them any amount of work may be done */
#define LEAST_LOOKS 4u

struct watcher *watcher_create(struct arena *arena, bool (*begins_later)(struct machine *machine))
{
	struct watcher *w = arena_new(arena, struct watcher);

	w->begins_later = begins_later;
	w->next = w->pause = FIRST_PAUSE;
	w->span = FIRST_SPAN;
	w->limit = FIRST_LIMIT;
	return w;
}

static uint32_t doubled(uint32_t value, uint32_t most)
{
	assert(value);
	assert(most);
	return value < most / 2 ? value * 2 : most;
}

/* Often enough for a suspicion to rest on several looks. */
static uint32_t longest_pause(const struct machine *machine)
{
	uint64_t part = machine->gpu->options.hang_after / 8;

	return part && part < LONGEST_PAUSE ? (uint32_t)part : LONGEST_PAUSE;
}

/* Whether a warp that has not come back in a window of `timed` gets somewhere: it waits for a time and nothing else, or
 * its loops count. */
static bool gets_on_in_time(const struct machine *machine, const struct warp_slot *r, const struct watched_warp *w)
{
	const struct kernel_clocks *clocks = r->warp.kernel->clocks;
	bool wrapped = (watcher_now(machine) - machine->watcher->ended) >> 32;

	assert(watcher_now(machine) >= machine->watcher->ended);
	if (!w->outer)
		return w->tests & CLOCK_TEST || (w->tests & CLOCK_WRAPS && !wrapped);
	return w->counted || (!w->looks && !(clocks && clocks->escape));
}

/* Whether a warp that has not come back goes on in a loop that does more than look; with `branchless`, one that has not
 * branched at all will do, too. */
static bool gets_on(const struct machine *machine, const struct watch *watch, const struct warp_slot *r,
	const struct watched_warp *w, bool branchless)
{
	assert(!watch->timed || !watch->alone);
	if (w->state != WATCH_MOVING)
		return false;
	if (branchless && !w->branches && !w->tests)
		return true;
	return watch->timed ? gets_on_in_time(machine, r, w) : !w->looks;
}

/* Whether any warp does. */
static bool has_worker(const struct machine *machine, bool branchless)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		assert(!watch || watch->moving <= core->warps.count);
		for (uint32_t k = 0; watch && k < core->warps.count; k++)
			if (gets_on(machine, watch, &core->slots[k], &watch->warps[k], branchless))
				return true;
	}
	return false;
}

/* A warp went on and on in a loop that does more than look, or in none for the whole window. */
static bool computes(const struct machine *machine, const struct window_seen *seen)
{
	return !seen->timed && (seen->endless || seen->moving) && has_worker(machine, !seen->endless);
}

/* More than looking has been seen. */
static void end_quiet(struct machine *machine, struct watcher *w)
{
	assert(w->quiet_since <= watcher_now(machine));
	w->quiet_since = watcher_now(machine);
	w->quiet_work = machine_instructions(machine);
	w->asked_host = w->read_clock = false;
	w->quiet_looks = 0;
}

/* Nothing but looking has been seen for so long that a hang is suspected; `instructions`: cycles that one counts
 * for. */
static bool is_quiet_for_long(const struct machine *machine, const struct watcher *w, uint64_t instructions)
{
	uint64_t cycles = machine->gpu->options.hang_after, work = machine_instructions(machine),
		 most = cycles / instructions;

	assert(instructions);
	assert(w->quiet_since <= watcher_now(machine));
	if (most < WATCH_LEAST_WORK)
		most = WATCH_LEAST_WORK;
	if (w->read_clock) /* what waits for a time gets there by cycles, however many others wait with it */
		most = UINT64_MAX;
	/* What a launch that has ended has done is no longer in the sum. */
	return cycles && w->quiet_looks >= LEAST_LOOKS &&
	       (watcher_now(machine) - w->quiet_since >= cycles ||
		       (work > w->quiet_work && work - w->quiet_work >= most));
}

struct watch_quiet watch_quiet(const struct machine *machine)
{
	const struct watcher *w = machine->watcher;
	struct watch_quiet quiet = {.instructions = machine_instructions(machine)};

	if (machine->progress) {
		quiet.instructions -= machine->progress_quiet_since;
		return quiet;
	}
	assert(w->quiet_since <= watcher_now(machine));
	quiet.cycles = watcher_now(machine) - w->quiet_since;
	quiet.instructions -= w->quiet_work < quiet.instructions ? w->quiet_work : quiet.instructions;
	return quiet;
}

/* The window has shown nothing. */
static void give_up(struct machine *machine, struct watcher *w, const struct window_seen *seen)
{
	uint64_t now = watcher_now(machine);
	bool works = !seen->changed && computes(machine, seen);

	assert(w->phase != PHASE_CLOSED);
	assert(!w->has_verdict);
	window_close(machine);
	w->pause = doubled(w->pause, longest_pause(machine));
	w->next = now + w->pause;
	w->quiet_looks++;
	if (w->phase >= PHASE_ALONE_DRAINING || (seen->changed ? now - w->ended < UNSTEADY_AFTER : works))
		end_quiet(machine, w);
	w->changes = seen->changed && w->phase <= PHASE_TIMED;
	w->times = seen->times;
	w->phase = PHASE_CLOSED;
	assert(w->next > now);
	if (seen->endless)
		w->limit = doubled(w->limit, LAST_LIMIT);
}

/* Threads of groups that go on which have ended. */
static uint64_t exits_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < machine->cores.count; c++)
		for (uint64_t m = machine->cores.at[c].machine ? machine->cores.at[c].groups.used : 0; m; m &= m - 1) {
			const struct group *group = &machine->cores.at[c].groups.at[__builtin_ctzll(m)];

			assert(group->used);
			assert(group->live_threads <= group->threads);
			sum += group->threads - group->live_threads;
		}
	return sum;
}

void watch_everyone(struct machine *machine)
{
	window_close(machine);
	window_open(machine, machine->watcher);
	window_each_warp(machine, window_watch);
	assert(machine->watcher->opened == watcher_now(machine));
}

bool watch_asked_host(const struct machine *machine)
{
	return machine->watcher->asked_host;
}

bool watch_saw_work(const struct machine *machine)
{
	struct window_seen seen = watch_seen(machine);

	assert(machine->progress);
	return seen.changed || (seen.endless && computes(machine, &seen));
}

void watch_forget_changes(struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct watch *watch = watch_of(&machine->cores.at[c]);

		if (!watch)
			continue;
		assert(!watch->alone);
		watch->broken &= ~(uint32_t)PREMISES_OF_CHANGE;
		watch->endless = false;
		journal_open(&watch->journal, false);
	}
}

static void look_at_all(struct machine *machine, struct watcher *w)
{
	assert(w->phase == PHASE_ONE_WARP);
	watch_everyone(machine);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		w->misses[c] = misses_of(&machine->cores.at[c]);
	assert(w->opened <= watcher_now(machine));
	w->phase = PHASE_ALL_WARPS;
}

/* The only warp that does not wait at a barrier; null: there is none. */
static struct warp_slot *only_runner(const struct machine *machine)
{
	struct warp_slot *only = NULL;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core_warps(core); m; m &= m - 1) {
			struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

			assert(r->used);
			if (r->finished || window_is_blocked(core, r))
				continue;
			if (only)
				return NULL;
			only = r;
		}
	}
	assert(!only || !only->finished);
	return only;
}

/* Memory may change from now on. */
static void tolerate_changes(struct machine *machine, struct watcher *w, bool alone)
{
	assert(w->phase == PHASE_CLOSED);
	assert(!(alone && w->times));
	for (uint32_t p = 0; p < journals_of(machine); p++)
		journal_open(&w->memory[p], true);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct watch *watch = watch_of(&machine->cores.at[c]);

		if (!watch)
			continue;
		watch->unsteady = true;
		watch->alone = alone;
		watch->timed = w->times && !alone;
		journal_open(&watch->journal, true);
		w->misses[c] = misses_of(&machine->cores.at[c]);
	}
}

/* Nobody but one warp can write, if there is only one. */
static bool look_at_one_alone(struct machine *machine, struct watcher *w)
{
	assert(w->changes);
	assert(!w->times);
	if (!only_runner(machine))
		return false;
	tolerate_changes(machine, w, true);
	window_close_epochs(machine);
	w->phase = PHASE_ALONE_DRAINING;
	return true;
}

static bool look_at_unsteady(struct machine *machine, struct watcher *w)
{
	assert(w->ended <= watcher_now(machine));
	assert(w->changes);
	if (watcher_now(machine) - w->ended < UNSTEADY_AFTER)
		return false;
	tolerate_changes(machine, w, false);
	window_each_warp(machine, window_watch);
	w->phase = PHASE_UNSTEADY;
	return true;
}

/* Clocks may be read from now on. */
static void look_at_timed(struct machine *machine, struct watcher *w)
{
	assert(w->phase == PHASE_CLOSED);
	assert(w->times);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (watch_of(&machine->cores.at[c]))
			watch_of(&machine->cores.at[c])->timed = true;
	window_each_warp(machine, window_watch);
	w->phase = PHASE_TIMED;
}

/* ---- States that warps have come back to ---- */

static uint64_t hash_of(uint32_t warp, const uint8_t *state, size_t bytes)
{
	uint64_t hash = (uint64_t)warp << 32 ^ bytes, word;

	for (; bytes >= sizeof word; bytes -= sizeof word, state += sizeof word) {
		memcpy(&word, state, sizeof word);
		hash = splitmix64(&hash) ^ word;
	}
	word = 0;
	if (bytes)
		memcpy(&word, state, bytes);
	hash = splitmix64(&hash) ^ word;
	return splitmix64(&hash);
}

bool returns_add(struct arena *arena, struct lookup *returns, uint32_t warp, const uint8_t *state, size_t bytes)
{
	uint64_t *place = lookup_at(arena, returns, hash_of(warp, state, bytes));
	bool is_new = !*place;

	assert(bytes);
	assert(*place <= 1);
	*place = 1;
	return is_new;
}

/* A warp has come back to a state in which it was in no window before: it got somewhere in between. */
static bool has_new_return(struct machine *machine, struct watcher *w)
{
	bool is_new = false;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct watch *watch = watch_of(&machine->cores.at[c]);

		for (uint32_t k = 0; watch && k < machine->cores.at[c].warps.count; k++) {
			const struct watched_warp *warp = &watch->warps[k];

			assert(warp->state != WATCH_BACK || (warp->bytes && warp->bytes <= warp->room));
			if (warp->state == WATCH_BACK)
				is_new |= returns_add(
					&machine->arena, &w->returns, c * CORE_WARPS + k, warp->copy, warp->bytes);
		}
	}
	return is_new;
}

/* ---- Steps ---- */

/* Memory holds other values than when the window was opened, or held them meanwhile; of shared memory, since a warp of
 * the core was last copied. */
static bool saw_changes(const struct machine *machine, const struct watcher *w)
{
	assert(w->phase == PHASE_UNSTEADY);
	for (uint32_t p = 0; p < journals_of(machine); p++)
		if (w->memory[p].count)
			return true;
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (watch_of(&machine->cores.at[c]) && watch_of(&machine->cores.at[c])->journal.count)
			return true;
	return false;
}

/* All warps have come back once more: the window shows nothing, or where they are after so many.  If memory has become
 * steady, there may be a proof: memory may have changed in the window before because the kernel still worked. */
static enum watch_verdict end_unsteady(struct machine *machine, struct watcher *w, const struct window_seen *seen)
{
	bool changes = saw_changes(machine, w);

	assert(!seen->moving);
	assert(!seen->changed);
	if (has_new_return(machine, w))
		end_quiet(machine, w);
	if (is_quiet_for_long(machine, w, WATCH_CYCLES_PER_CHANGE))
		return WATCH_SUSPECTED;
	w->phase = PHASE_ALL_WARPS; /* not a window that failed: the quiet goes on */
	give_up(machine, w, seen);
	w->changes = changes;
	return WATCH_GOES_ON;
}

/* All warps have come back once more, but for what they have of clocks: where it is not known what for, they may have
 * got somewhere since they were last looked at. */
static enum watch_verdict end_timed(struct machine *machine, struct watcher *w, const struct window_seen *seen)
{
	assert(!seen->moving);
	assert(!seen->timed);
	if (seen->clock && has_new_return(machine, w))
		end_quiet(machine, w);
	if (is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK))
		return WATCH_SUSPECTED;
	give_up(machine, w, seen);
	return WATCH_GOES_ON;
}

/* A window has not shown what it was opened for. */
static enum watch_verdict fail(struct machine *machine, struct watcher *w, const struct window_seen *seen)
{
	bool is_last = w->phase == PHASE_TIMED && !seen->changed && !seen->timed && !computes(machine, seen);

	assert(w->phase != PHASE_CLOSED);
	assert(!w->has_verdict);
	if (is_last && is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK))
		return WATCH_SUSPECTED;
	give_up(machine, w, seen);
	return WATCH_GOES_ON;
}

static enum watch_verdict open_first(struct machine *machine, struct watcher *w)
{
	uint64_t progress = machine_progress(machine), exits = exits_of(machine), now = watcher_now(machine);

	assert(w->phase == PHASE_CLOSED);
	assert(!w->has_verdict);
	assert(w->ended <= now);
	if (progress != w->progress || exits != w->exits || w->begins_later(machine)) {
		w->progress = progress;
		w->exits = exits;
		w->pause = FIRST_PAUSE;
		w->ended = now;
		lookup_clear(&w->returns);
		end_quiet(machine, w);
		w->next = now + w->pause;
		return WATCH_GOES_ON;
	}
	if (!w->changes && !w->times && is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK)) {
		window_open(machine, w);
		return WATCH_SUSPECTED;
	}
	w->attempts++;
	window_open(machine, w);
	if (w->changes && ((!w->times && look_at_one_alone(machine, w)) || look_at_unsteady(machine, w)))
		return WATCH_GOES_ON;
	if (w->times) {
		look_at_timed(machine, w);
		return WATCH_GOES_ON;
	}
	if (window_choose(machine, w)) {
		w->phase = PHASE_ONE_WARP;
	} else {
		window_close(machine);
		w->next = now + w->pause;
	}
	return WATCH_GOES_ON;
}

/* The machine runs again although it was seen to hang: something may have been written. */
static void go_on(struct machine *machine, struct watcher *w)
{
	assert(w->has_verdict);
	window_close(machine);
	w->has_verdict = false;
	w->phase = PHASE_CLOSED;
	end_quiet(machine, w);
	w->pause = FIRST_PAUSE;
	w->next = watcher_now(machine) + w->pause;
}

/* Each request for a lock that has no answer waits in a queue: none is on its way there, and no answer on its way
 * back. */
static bool locks_rest(const struct machine *machine)
{
	uint32_t asked = 0, waiting = 0;

	if (machine->mode->at_once || !machine->lock->queues)
		return true;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];

		for (uint64_t m = core_warps(core); m; m &= m - 1)
			asked += (uint32_t)__builtin_popcountll(
				lock_lanes_asking(core, &core->slots[__builtin_ctzll(m)]));
	}
	for (uint32_t p = 0; p < machine->partition_count; p++)
		waiting += partition_locks_waiting(machine->partitions[p]);
	assert(waiting <= asked);
	return asked == waiting;
}

/* Of the window.  A warp in a try_wait takes no branch before its time limit is over, so a window that is shorter than
 * the limit does not tell a warp that waits from one that counts its attempts. */
static uint64_t span_of(const struct watcher *w)
{
	assert(w->phase != PHASE_CLOSED);
	assert(w->span >= FIRST_SPAN);
	return w->longest_limit > w->span ? w->longest_limit * LIMITS_IN_SPAN : w->span;
}

uint64_t watch_longest_proof(const struct machine *machine)
{
	uint64_t limit = machine->watcher->longest_limit, now = watch_seen(machine).longest_limit;

	assert(LIMITS_IN_SPAN >= 2);
	limit = now > limit ? now : limit;
	return machine->mode->at_once || limit <= FIRST_SPAN ? 0 : 2 * LIMITS_IN_SPAN * limit;
}

static enum watch_verdict step(struct machine *machine, struct watcher *w)
{
	struct window_seen seen;

	assert(!w->has_verdict);
	if (w->phase == PHASE_CLOSED)
		return watcher_now(machine) < w->next ? WATCH_GOES_ON : open_first(machine, w);
	assert(w->opened <= watcher_now(machine));
	seen = watch_seen(machine);
	w->asked_host |= seen.host;
	w->read_clock |= seen.clock;
	w->longest_limit = seen.longest_limit > w->longest_limit ? seen.longest_limit : w->longest_limit;
	if (seen.changed || seen.timed || seen.endless || machine_progress(machine) != w->progress ||
		w->begins_later(machine))
		return fail(machine, w, &seen);
	if (watcher_now(machine) - w->opened > span_of(w)) {
		w->span = doubled(w->span, LONGEST_SPAN);
		return fail(machine, w, &seen);
	}
	if (w->phase == PHASE_ALONE_DRAINING) {
		if (!only_runner(machine)) { /* another has been let go meanwhile */
			give_up(machine, w, &seen);
		} else if (window_is_drained(machine)) {
			window_each_warp(machine, window_watch);
			w->phase = PHASE_ALONE;
		}
		return WATCH_GOES_ON;
	}
	if (seen.moving || !locks_rest(machine))
		return WATCH_GOES_ON;
	if (w->phase == PHASE_UNSTEADY)
		return end_unsteady(machine, w, &seen);
	if (w->phase == PHASE_TIMED)
		return end_timed(machine, w, &seen);
	if (w->phase == PHASE_ONE_WARP) {
		look_at_all(machine, w);
	} else if (w->phase == PHASE_ALL_WARPS) {
		window_close_epochs(machine);
		w->phase = PHASE_DRAINING;
	} else if (w->phase == PHASE_ALONE || window_is_drained(machine)) {
		if (!window_lines_may_change(machine, w) && !window_barriers_may_fill(machine))
			return WATCH_PROVED;
		give_up(machine, w, &seen);
	}
	return WATCH_GOES_ON;
}

enum watch_verdict watcher_step(struct machine *machine)
{
	struct watcher *w = machine->watcher;
	enum watch_verdict verdict;

	if (w->has_verdict)
		go_on(machine, w);
	verdict = step(machine, w);
	w->has_verdict = verdict != WATCH_GOES_ON;
	return verdict;
}
