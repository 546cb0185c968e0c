/* Which thread should have written a word, by what others have written: see absent.h. */
#include "check/absent.h"

#include "check/writers.h"

/* ---- How often ---- */

/* Threads of the launch, flat and counted through all groups: `count` of them, `stride` apart. */
struct peers {
	uint64_t first, stride;
	uint32_t count;
	bool of_groups;
};

#define NONE UINT64_MAX

/* How often most of the peers wrote the word: of the first three, what two agree on. 0: they do not agree. */
static uint8_t usual(const uint8_t *wrote, const struct peers *p, uint64_t waiter)
{
	uint8_t seen[3] = {0};
	uint32_t count = 0;

	for (uint32_t k = 0; k < p->count && count < 3; k++)
		if (p->first + k * p->stride != waiter)
			seen[count++] = wrote[p->first + k * p->stride];
	if (count == 2)
		return seen[0] > seen[1] ? seen[0] : seen[1];
	return count < 3 ? 0 : seen[0] == seen[1] || seen[0] == seen[2] ? seen[0] : seen[1];
}

/* The one that has written less often than all others, which agree; NONE: there is no such. */
static uint64_t odd_one(const uint8_t *wrote, const struct peers *p, uint64_t waiter, struct absent *absent)
{
	uint8_t most = usual(wrote, p, waiter);
	uint64_t odd = NONE;
	uint32_t others = 0;

	if (!most || most >= WRITES_MOST) /* so often is not counted */
		return NONE;
	for (uint32_t k = 0; k < p->count; k++) {
		uint64_t at = p->first + k * p->stride;

		if (at == waiter)
			continue;
		if (wrote[at] == most) {
			others++;
			continue;
		}
		if (wrote[at] > most || odd != NONE)
			return NONE;
		odd = at;
	}
	if (odd == NONE || !others)
		return NONE;
	*absent = (struct absent){.wrote = wrote[odd], .others = most, .peers = others, .of_groups = p->of_groups};
	return odd;
}

/* Takes the odd one of these peers, if they have one; false: another one has been found already. */
static bool take_odd(
	const uint8_t *wrote, const struct peers *p, uint64_t waiter, uint64_t *found, struct absent *absent)
{
	struct absent next;
	uint64_t odd = odd_one(wrote, p, waiter, &next);

	if (odd == NONE || odd == *found)
		return true;
	if (*found != NONE)
		return false;
	*found = odd;
	*absent = next;
	return true;
}

/* The same thread of all groups, if more than two have it. */
static uint64_t odd_group(const struct launch *l, const uint8_t *wrote, uint64_t waiter, struct absent *absent)
{
	uint64_t found = NONE;

	for (uint32_t t = 0; t < l->group.threads; t++)
		if (!take_odd(wrote,
			    &(struct peers){.first = t,
				    .stride = l->group.threads,
				    .count = l->total_groups,
				    .of_groups = true},
			    waiter, &found, absent))
			return NONE;
	return found;
}

/* All threads of a group, or, of a step of 32, one lane of all its warps. */
static uint64_t odd_thread(
	const struct launch *l, const uint8_t *wrote, uint32_t step, uint64_t waiter, struct absent *absent)
{
	uint64_t found = NONE;

	for (uint32_t g = 0; g < l->total_groups; g++)
		for (uint32_t lane = 0; lane < step && lane < l->group.threads; lane++) {
			struct peers p = {.first = (uint64_t)g * l->group.threads + lane,
				.stride = step,
				.count = (l->group.threads - lane + step - 1) / step};

			if (p.count > 2 && !take_odd(wrote, &p, waiter, &found, absent))
				return NONE;
		}
	return found;
}

/* Of a thread that may have nothing to do with the word, little can be said: two others at least, of them the waiter if
 * it has done as they have, differ from it; and if it lives, it may be another waiter, unless the waiter writes, too.
 */
static bool is_sure(
	const struct launch *l, const struct written_word *word, uint64_t waiter, const struct absent *absent)
{
	bool waiter_wrote = word->wrote[waiter] == absent->others;

	if (!writers_has_ended(l, absent->group, absent->thread))
		return waiter_wrote;
	return absent->peers + waiter_wrote > 1;
}

struct absent absent_find(const struct launch *l, const struct written_word *word, const struct thread *waiter)
{
	uint64_t at = (uint64_t)waiter->group * l->group.threads + waiter->number, found = NONE;
	struct absent absent = {0};

	if (!word->wrote || word->has_unknown)
		return absent;
	if (l->total_groups > 2 && l->dispatch.next_group == l->total_groups)
		found = odd_group(l, word->wrote, at, &absent);
	if (found == NONE)
		found = odd_thread(l, word->wrote, waiter->r->warp.lanes, at, &absent);
	if (found == NONE)
		found = odd_thread(l, word->wrote, 1, at, &absent);
	if (found == NONE)
		return (struct absent){0};
	absent.group = (uint32_t)(found / l->group.threads);
	absent.thread = (uint32_t)(found % l->group.threads);
	absent.found = is_sure(l, word, at, &absent);
	return absent;
}

/* ---- Where ---- */

/* The address that a thread writes, as most do: linear in the numbers of group and thread. */
struct line {
	const struct sibling_write *base;
	int64_t by_group, by_thread;
	bool has_group, has_thread; /* groups, threads differ among the writers */
};

#define TRIES 12u /* pairs of writes from which a line is made */

static int64_t offset_on(const struct line *line, uint32_t group, uint32_t thread)
{
	return line->by_group * ((int64_t)group - line->base->group) +
	       line->by_thread * ((int64_t)thread - line->base->thread);
}

/* The k-th write of the pc that differs from the base in its group alone, or in its thread alone; null: there is none.
 */
static const struct sibling_write *differing(
	const struct writes *writes, const struct sibling_write *base, bool in_group, uint32_t k)
{
	for (uint32_t n = 0; n < writes->sibling_count; n++) {
		const struct sibling_write *w = &writes->siblings[n];

		if (w->pc == base->pc && (w->group != base->group) == in_group &&
			(w->thread != base->thread) == !in_group && k-- == 0)
			return w;
	}
	return NULL;
}

static int64_t slope(const struct sibling_write *base, const struct sibling_write *w, bool in_group)
{
	int64_t by = (int64_t)(w->address - base->address);

	return by / (in_group ? (int64_t)w->group - base->group : (int64_t)w->thread - base->thread);
}

/* A thread that writes by this instruction to several places follows no line. */
static bool writes_once(const struct writes *writes, uint32_t pc)
{
	for (uint32_t n = 0; n < writes->sibling_count; n++)
		for (uint32_t k = 0; writes->siblings[n].pc == pc && k < n; k++)
			if (writes->siblings[k].pc == pc && writes->siblings[k].group == writes->siblings[n].group &&
				writes->siblings[k].thread == writes->siblings[n].thread)
				return false;
	return true;
}

/* At least three writes are on the line, and three quarters of all. */
static bool is_followed(const struct writes *writes, const struct line *line)
{
	uint32_t on = 0, all = 0;

	for (uint32_t n = 0; n < writes->sibling_count; n++) {
		const struct sibling_write *w = &writes->siblings[n];

		all += w->pc == line->base->pc;
		on += w->pc == line->base->pc &&
		      (int64_t)(w->address - line->base->address) == offset_on(line, w->group, w->thread);
	}
	return on >= 3 && on * 4 >= all * 3 && (line->by_group || line->by_thread);
}

static bool find_line(const struct writes *writes, uint32_t pc, struct line *line)
{
	uint32_t bases = 0;

	for (uint32_t n = 0; n < writes->sibling_count && bases < TRIES; n++) {
		const struct sibling_write *base = &writes->siblings[n];

		if (base->pc != pc)
			continue;
		bases++;
		for (uint32_t k = 0; k < 2 * TRIES; k++) {
			const struct sibling_write *g = differing(writes, base, true, k % TRIES),
						   *t = differing(writes, base, false, k / 2 % TRIES);

			if (!g && !t)
				break;
			*line = (struct line){.base = base,
				.by_group = g ? slope(base, g, true) : 0,
				.by_thread = t ? slope(base, t, false) : 0,
				.has_group = g,
				.has_thread = t};
			if (is_followed(writes, line))
				return true;
		}
	}
	return false;
}

/* The only thread of the launch that the line leads to this address. */
static bool find_on_line(
	const struct launch *l, const struct line *line, uint64_t address, struct absent_pattern *pattern)
{
	int64_t by = (int64_t)(address - line->base->address);
	uint32_t first_group = line->has_group ? 0 : line->base->group,
		 last_group = line->has_group ? l->total_groups - 1 : line->base->group,
		 first = line->has_thread ? 0 : line->base->thread,
		 last = line->has_thread ? l->group.threads - 1 : line->base->thread, count = 0;

	for (uint32_t g = first_group; g <= last_group; g++)
		for (uint32_t t = first; t <= last; t++)
			if (offset_on(line, g, t) == by) {
				pattern->group = g;
				pattern->thread = t;
				count++;
			}
	return count == 1;
}

static bool follow_pc(const struct launch *l, const struct writes *writes, uint32_t pc, struct absent_pattern *pattern)
{
	struct line line;

	*pattern = (struct absent_pattern){.pc = pc};
	if (!writes_once(writes, pc) || !find_line(writes, pc, &line) ||
		!find_on_line(l, &line, writes->words[0].address, pattern))
		return false;
	for (uint32_t n = 0; n < writes->sibling_count; n++) {
		const struct sibling_write *w = &writes->siblings[n];

		if (w->pc == pc && w->group == pattern->group && w->thread == pattern->thread) {
			pattern->wrote = true;
			pattern->address = w->address;
		}
	}
	return true;
}

struct absent_pattern absent_by_pattern(const struct launch *launch, const struct writes *writes)
{
	struct absent_pattern pattern;

	for (uint32_t n = 0; n < writes->sibling_count && writes->sibling_count < WRITES_SIBLINGS; n++) {
		bool is_first = true;

		for (uint32_t k = 0; k < n && is_first; k++)
			is_first = writes->siblings[k].pc != writes->siblings[n].pc;
		if (is_first && follow_pc(launch, writes, writes->siblings[n].pc, &pattern) &&
			!(pattern.wrote && pattern.address == writes->words[0].address)) {
			pattern.found = true;
			return pattern;
		}
	}
	return (struct absent_pattern){0};
}
