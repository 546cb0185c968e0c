/* Pages of memory that many threads read and none writes: tables, matrices, halos of neighbours.
 *
 * No two reads race, so such a page has a list of which threads have read what; it is not judged.  What is like an
 * entry that is there makes that longer: the same granules read by the same threads of the next group, or further
 * granules by the same threads.  When something other than a plain read of neighbouring or equal addresses comes, or
 * the list becomes long, the page gets granules, with the records of all that are in the list. */
#include "race/judge.h"

#include <assert.h>
#include <string.h>

/* Of an entry thread number k of granule g. */
static uint32_t reader_of(const struct readers *r, uint32_t granule, uint32_t k)
{
	assert(k < r->repeats);
	assert(granule >= r->first);
	assert(granule < r->end);
	return r->base + (granule >> r->lane_shift) + k * r->stride;
}

/* ---- The list ---- */

#define MOST_SIZE 7 /* clock_memory: 4 bytes for each of the page */
#define FIRST_SIZE 2

static uint32_t room(const struct page *page)
{
	return (32u << page->readers_size) / (uint32_t)sizeof(struct readers);
}

static bool are_alike(const struct readers *a, const struct readers *b)
{
	return a->site == b->site && a->epoch == b->epoch && a->floor == b->floor && a->lane_shift == b->lane_shift;
}

/* The entry has the other's, too.  False: it cannot have them alone. */
static bool extend(struct readers *to, const struct readers *more)
{
	uint32_t stride = to->repeats > 1 ? to->stride : more->base - to->base;

	assert(to->repeats);
	assert(more->repeats);
	if (!are_alike(to, more))
		return false;
	if (to->base == more->base && to->repeats == more->repeats &&
		(to->repeats == 1 || to->stride == more->stride) && more->first >= to->first &&
		more->first <= to->end) {
		to->end = to->end > more->end ? to->end : more->end;
		return true;
	}
	if (to->first != more->first || to->end != more->end || (more->repeats > 1 && more->stride != stride) ||
		more->base != to->base + to->repeats * stride || !stride || stride > INT32_MAX ||
		(uint32_t)to->repeats + more->repeats > UINT16_MAX)
		return false;
	to->stride = stride;
	to->repeats = (uint16_t)(to->repeats + more->repeats);
	return true;
}

/* The entry has become longer, and may be what the one before it lacks. */
static void close_up(struct page *page, uint32_t at)
{
	assert(at < page->reader_count);
	if (!at || !extend(&page->readers[at - 1], &page->readers[at]))
		return;
	page->reader_count--;
	memmove(&page->readers[at], &page->readers[at + 1], (page->reader_count - at) * sizeof *page->readers);
	page->reader_last = (uint16_t)(at - 1);
}

/* From the entry that became longer last on, as threads mostly do the same in the same order. */
static bool extend_one(struct page *page, const struct readers *more)
{
	assert(!page->reader_count || page->reader_last < page->reader_count);
	for (uint32_t k = 0; k < page->reader_count; k++) {
		uint32_t at = page->reader_last + k;

		at -= at >= page->reader_count ? page->reader_count : 0;
		if (!extend(&page->readers[at], more))
			continue;
		page->reader_last = (uint16_t)at;
		close_up(page, at);
		return true;
	}
	return false;
}

bool readers_add(struct races *races, struct page *page, const struct readers *more)
{
	struct readers *old = page->readers;

	assert(more->first < more->end);
	assert(more->repeats);
	assert(page->reader_count <= room(page));
	if (extend_one(page, more))
		return true;
	if (page->reader_count == room(page)) {
		if (page->readers_size == MOST_SIZE)
			return false;
		page->readers = clock_memory(&races->clocks, page->readers_size + 1u);
		memcpy(page->readers, old, page->reader_count * sizeof *old);
		clock_give_back(&races->clocks, old, page->readers_size);
		page->readers_size++;
	}
	page->reader_last = page->reader_count;
	page->readers[page->reader_count++] = *more;
	return true;
}

/* ---- Pages ---- */

void readers_begin(struct races *races, struct page *page)
{
	assert(page->is_runs);
	assert(!page->readers);
	page->readers = clock_memory(&races->clocks, FIRST_SIZE);
	page->readers_size = FIRST_SIZE;
	page->reader_count = page->reader_last = 0;
}

void readers_drop(struct races *races, struct page *page)
{
	if (page->readers)
		clock_give_back(&races->clocks, page->readers, page->readers_size);
	page->readers = NULL;
}

/* A thread that has read, as it was then: it is known what its group knew of itself. */
struct reader {
	struct race_group group;
	struct race_warp warp;
	struct strand strand;
	uint64_t address[64]; /* all lanes' the same: those before it, of its warp and by the same instruction, are kept
			       */
};

static void become(struct reader *r, struct race_launch *launch, uint32_t thread)
{
	uint32_t number = thread - launch->first;

	assert(thread >= launch->first);
	assert(number < launch->threads);
	r->group.launch = launch;
	r->group.first = thread - number % launch->group_stride;
	r->warp.group = &r->group;
	r->warp.first = thread - (thread - r->group.first) % launch->lanes;
}

static void entry_to_granules(struct races *races, struct page *fine, const struct readers *e)
{
	const struct race_launch *launch = launch_of(races, reader_of(e, e->first, 0));
	struct site site = races->sites.at[e->site];
	struct reader r = {.strand = {.epoch = e->epoch, .floor = e->floor, .knows = KNOWN_NOTHING}};
	const struct race_access all = {.insn = &site.kernel->code[site.pc],
		.lanes = ~(lane_mask)0,
		.space = space_GLOBAL,
		.address = r.address};
	struct access x = {.warp = &r.warp, .all = &all, .site = &site, .u = &r.strand};

	assert(launch);
	assert(e->site);
	for (uint32_t g = e->first; g < e->end; g++)
		for (uint32_t k = 0; k < e->repeats; k++) {
			uint32_t thread = reader_of(e, g, k);

			become(&r, (struct race_launch *)(uintptr_t)launch, thread);
			x.lane = thread - r.warp.first;
			x.strand = strand_number(launch, thread);
			x.record = (struct record){.thread = thread, .epoch = e->epoch, .site = e->site};
			judge_one_granule(races, &x, &fine->granule[g], 0);
		}
}

struct page *readers_to_granules(struct races *races, struct page *page)
{
	struct page *fine = page_take(races, page->shift);

	assert(page->is_runs);
	assert(page->readers);
	for (uint32_t k = 0; k < page->reader_count; k++)
		entry_to_granules(races, fine, &page->readers[k]);
	page_drop(races, page);
	return fine;
}
