/* Accesses of a whole warp to neighbouring bytes, judged and remembered as one.
 *
 * Most pages of memory are accessed by warps alone whose lanes take neighbouring elements.  Their pages have, in place
 * of a granule for each element, runs: neighbouring granules whose record is of neighbouring threads, in one of the
 * two records of a granule.  All that is not so simple (a race, a strong access, lanes that are scattered, a third
 * record) makes granules of the page, and is judged granule by granule in judge.c, with the same result. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

/* The lanes of an access that are in a page, as a run. */
struct warp_run {
	struct race_warp *warp;
	const struct race_access *all;
	const struct site *site;
	struct run run; /* without its record's number */
	uint32_t lane;  /* the first */
	uint32_t lanes;
	bool is_read; /* it only reads */
	bool is_same; /* all lanes have the same address */
};

/* ---- The pages ---- */

static uint32_t thread_at(const struct run *r, uint32_t granule)
{
	assert(r->first <= granule);
	assert(granule < r->end);
	return r->base + (granule >> r->lane_shift);
}

static uint32_t lane_at(const struct warp_run *x, uint32_t granule)
{
	assert(thread_at(&x->run, granule) - x->warp->first < 64);
	return thread_at(&x->run, granule) - x->warp->first;
}

static bool has_values(const struct races *races, const struct run *r)
{
	assert(r->site < races->sites.count);
	return races->sites.at[r->site].writes;
}

static void set_values(struct races *races, struct page *page, const struct warp_run *x, const struct run *r)
{
	assert(r->slot < 2);
	assert(r->first < r->end);
	assert(r->end <= PAGE_BYTES >> page->shift);
	if (!x->all->written)
		return;
	if (!page->value[r->slot])
		page->value[r->slot] = values_take(races, page->shift);
	for (uint32_t g = r->first; g < r->end; g++)
		page->value[r->slot][g] = x->all->written[lane_at(x, g)];
}

struct page *runs_to_granules(struct races *races, struct page *page)
{
	struct page *fine;

	assert(page->is_runs);
	assert(page->runs <= PAGE_RUNS);
	if (page->readers)
		return readers_to_granules(races, page);
	fine = page_take(races, page->shift);
	for (uint32_t k = 0; k < page->runs; k++) {
		const struct run *r = &page_runs(page)[k];

		for (uint32_t g = r->first; g < r->end; g++)
			fine->granule[g].at[r->slot] = (struct record){.thread = thread_at(r, g),
				.epoch = r->epoch,
				.site = r->site,
				.value = has_values(races, r) ? page->value[r->slot][g] : 0};
	}
	page_drop(races, page);
	return fine;
}

/* ---- Judging ---- */

enum how_many { NONE, ALL, SOME };

/* With a reconvergence stack: the access is of one strand. */
static enum how_many are_before_warp(const struct races *races, const struct warp_run *x, const struct run *y,
	uint32_t first, uint32_t end, bool must)
{
	const struct race_launch *launch = x->warp->group->launch;
	uint32_t strand = strand_number(launch, x->warp->first), are = 0, of = 0;
	uint32_t last = strand_number(launch, thread_at(y, end - 1));

	assert(first < end);
	for (uint32_t s = strand_number(launch, thread_at(y, first)); s <= last; s++, of++)
		are += order_is_before(races, x->warp, strand, x->warp->strand, s << launch->shift, y->epoch, must) ==
		       CLOCK_HAS;
	return are == of ? ALL : are ? SOME : NONE;
}

/* Whether the records of a run are before the accesses to the same granules. */
static enum how_many are_before(const struct races *races, const struct warp_run *x, const struct run *y,
	uint32_t first, uint32_t end, bool must)
{
	const struct race_launch *launch = x->warp->group->launch;
	uint32_t step = 1u << (y->lane_shift < x->run.lane_shift ? y->lane_shift : x->run.lane_shift), are = 0, of = 0;

	assert(first < end);
	if (launch->shift)
		return are_before_warp(races, x, y, first, end, must);
	if (x->run.base == y->base && x->run.lane_shift == y->lane_shift)
		return ALL; /* each thread its own */
	for (uint32_t g = first; g < end; g = (g | (step - 1)) + 1, of++)
		are += order_is_before(races, x->warp, thread_at(&x->run, g), strand_of(x->warp, lane_at(x, g)),
			       thread_at(y, g), y->epoch, must) == CLOCK_HAS;
	return are == of ? ALL : are ? SOME : NONE;
}

enum fate { KEEP, DROP, UNCLEAR };

/* What becomes of a run's records where the access is. */
static enum fate fate_of(const struct races *races, const struct warp_run *x, const struct run *y)
{
	const struct site *site = &races->sites.at[y->site];
	uint32_t first = y->first > x->run.first ? y->first : x->run.first;
	uint32_t end = y->end < x->run.end ? y->end : x->run.end;
	bool may_race = site_conflicts(x->site, site), stands = site_stands_for(x->site, site);
	enum how_many before;

	if (first >= end || (!may_race && !stands))
		return KEEP;
	before = are_before(races, x, y, first, end, may_race);
	if (may_race && before != ALL)
		return UNCLEAR;
	if (!stands || before == NONE)
		return KEEP;
	return before == ALL ? DROP : UNCLEAR;
}

/* ---- Remembering ---- */

/* False: there is no room. */
static bool add_run(struct page *page, const struct run *r)
{
	assert(r->slot < 2);
	assert(r->first < r->end);
	assert(r->end <= PAGE_BYTES >> page->shift);
	assert(page->runs <= PAGE_RUNS);
	if (page->runs) {
		struct run *last = &page_runs(page)[page->runs - 1];

		if (last->end == r->first && last->base == r->base && last->epoch == r->epoch &&
			last->site == r->site && last->slot == r->slot && last->lane_shift == r->lane_shift) {
			last->end = r->end;
			return true;
		}
	}
	if (page->runs == PAGE_RUNS)
		return false;
	page_runs(page)[page->runs++] = *r;
	return true;
}

/* Takes [first, end) out of the run, of which something may be left on both sides.  False: there is no room. */
static bool cut(struct page *page, uint32_t number, uint32_t first, uint32_t end)
{
	struct run *r = &page_runs(page)[number], behind = *r;

	assert(number < page->runs);
	assert(first < end);
	if (r->first < first && end < r->end) {
		if (page->runs == PAGE_RUNS)
			return false;
		behind.first = (uint16_t)end;
		page_runs(page)[page->runs++] = behind;
		r->end = (uint16_t)first;
	} else if (r->first < first) {
		r->end = r->end < first ? r->end : (uint16_t)first;
	} else if (end < r->end) {
		r->first = r->first > end ? r->first : (uint16_t)end;
	} else {
		r->end = r->first; /* nothing */
	}
	return true;
}

static void forget_empty(struct page *page)
{
	uint32_t kept = 0;

	assert(page->runs <= PAGE_RUNS);
	for (uint32_t k = 0; k < page->runs; k++)
		if (page_runs(page)[k].first < page_runs(page)[k].end)
			page_runs(page)[kept++] = page_runs(page)[k];
	page->runs = (uint16_t)kept;
}

/* From `at` on up to where that changes, at most `end`: whether granules have a record there. */
static bool is_covered(const struct page *page, uint32_t slot, uint32_t at, uint32_t *end)
{
	assert(slot < 2);
	assert(at < *end);
	for (uint32_t k = 0; k < page->runs; k++) {
		const struct run *r = &page_runs(page)[k];

		if (r->slot != slot || r->end <= at || r->first >= *end)
			continue;
		if (r->first <= at) {
			*end = r->end < *end ? r->end : *end;
			return true;
		}
		*end = r->first;
	}
	return false;
}

/* The page, which has runs, has readers in place of them.  False: not all are reads. */
static bool become_readers(struct races *races, struct page *page)
{
	assert(page->is_runs);
	assert(!page->readers);
	for (uint32_t k = 0; k < page->runs; k++)
		if (!is_plain_read(&races->sites.at[page_runs(page)[k].site]))
			return false;
	readers_begin(races, page);
	for (uint32_t k = 0; k < page->runs; k++) {
		const struct run *r = &page_runs(page)[k];

		readers_add(races, page,
			&(struct readers){.base = r->base,
				.epoch = r->epoch,
				.repeats = 1,
				.site = r->site,
				.first = r->first,
				.end = r->end,
				.lane_shift = r->lane_shift});
	}
	page->runs = 0;
	return true;
}

/* Adds granules from `first` on to the page's readers.  False: it is not of reads alone, or has no room. */
static bool add_reader(struct races *races, struct page *page, const struct warp_run *x, uint32_t first)
{
	assert(first < x->run.end);
	if (!x->is_read || (!page->readers && !become_readers(races, page)))
		return false;
	return readers_add(races, page,
		&(struct readers){.base = x->run.base,
			.stride = 1,
			.epoch = x->run.epoch,
			.floor = strand_of(x->warp, x->lane)->floor,
			.repeats = (uint16_t)(x->is_same ? x->lanes : 1),
			.site = x->run.site,
			.first = (uint16_t)first,
			.end = x->run.end,
			.lane_shift = x->run.lane_shift});
}

static void remember_otherwise(
	struct races *races, struct page **page, const struct warp_run *x, uint32_t first, uint32_t end)
{
	if (add_reader(races, *page, x, first))
		return;
	*page = runs_to_granules(races, *page);
	for (uint32_t g = first; g < end; g++)
		judge_remember(races, x->warp, x->all, x->site, x->run.site, lane_at(x, g), &(*page)->granule[g]);
}

static void remember(struct races *races, struct page **page, const struct warp_run *x)
{
	for (uint32_t at = x->run.first, end; at < x->run.end; at = end) {
		struct run r = x->run;

		end = x->run.end;
		assert(at < end);
		r.slot = is_covered(*page, 0, at, &end);
		r.first = (uint16_t)at;
		if (r.slot && is_covered(*page, 1, at, &end)) {
			remember_otherwise(races, page, x, at, x->run.end);
			return;
		}
		r.end = (uint16_t)end;
		if (!add_run(*page, &r)) {
			remember_otherwise(races, page, x, at, x->run.end);
			return;
		}
		set_values(races, *page, x, &r);
	}
}

/* False: that is for judge.c. */
static bool judge_page(struct races *races, struct page **page, const struct warp_run *x)
{
	enum fate fate[PAGE_RUNS];
	uint32_t runs = (*page)->runs, drops = 0;

	assert(!(*page)->readers);
	assert((*page)->runs <= PAGE_RUNS);
	for (uint32_t k = 0; k < runs; k++) {
		fate[k] = fate_of(races, x, &page_runs(*page)[k]);
		drops += fate[k] == DROP;
		if (fate[k] == UNCLEAR)
			return false;
	}
	if (runs + drops > PAGE_RUNS)
		return false;
	for (uint32_t k = 0; k < runs; k++)
		if (fate[k] == DROP)
			cut(*page, k, x->run.first, x->run.end);
	if (drops)
		forget_empty(*page);
	remember(races, page, x);
	return true;
}

/* ---- An instruction ---- */

/* The first piece of the lanes, whose addresses are neighbours, `size` bytes each, or the same; how many lanes. */
static uint32_t piece_of(const struct race_access *a, lane_mask lanes, uint32_t size, bool *is_same)
{
	uint32_t first = (uint32_t)__builtin_ctzll(lanes), l = first + 1;

	assert(lanes);
	*is_same = l < 64 && lanes >> l & 1 && a->address[l] == a->address[first];
	while (l < 64 && lanes >> l & 1 && a->address[l] == a->address[l - 1] + (*is_same ? 0 : size))
		l++;
	return l - first;
}

static lane_mask mask_of(uint32_t first, uint32_t count)
{
	assert(count);
	assert(first + count <= 64);
	return ((count < 64 ? (lane_mask)1 << count : 0) - 1) << first;
}

#define MOST_PIECES 4

/* Whether pieces, of which the last is new, have no byte in common: where lanes write, two that meet race. */
static bool are_apart(const uint64_t *first, const uint64_t *end, uint32_t pieces)
{
	uint32_t new = pieces - 1;

	assert(pieces);
	assert(pieces <= MOST_PIECES);
	for (uint32_t k = 0; k < new; k++)
		if (first[k] < end[new] && first[new] < end[k])
			return false;
	return true;
}

/* Whether what the lanes do is of few pieces; what is not a plain read, of neighbours, and no two of the same bytes. */
static bool is_of_pieces(const struct race_access *a, uint32_t size, bool is_read)
{
	uint64_t first[MOST_PIECES], end[MOST_PIECES];
	uint32_t pieces = 0, count;
	bool is_same;

	if (size & (size - 1))
		return false;
	for (lane_mask lanes = a->lanes; lanes; lanes &= ~mask_of((uint32_t)__builtin_ctzll(lanes), count)) {
		uint64_t address = a->address[__builtin_ctzll(lanes)];

		count = piece_of(a, lanes, size, &is_same);
		if (address & (size - 1) || pieces == MOST_PIECES)
			return false;
		first[pieces] = address;
		end[pieces++] = address + count * (uint64_t)size;
		if (!is_read && (is_same || !are_apart(first, end, pieces)))
			return false;
	}
	return pieces != 0;
}

/* Where in the page the lanes' bytes are, granules of 1 << shift bytes. */
static void place(struct warp_run *x, uint32_t in_page, uint32_t size, uint32_t shift)
{
	uint32_t first = in_page >> shift;

	assert(in_page < PAGE_BYTES);
	assert(x->lanes);
	x->run.lane_shift = (uint8_t)(x->is_same ? PAGE_BITS : (uint32_t)__builtin_ctz(size) - shift);
	x->run.first = (uint16_t)first;
	x->run.end = (uint16_t)(first + ((x->is_same ? 1 : x->lanes) * size >> shift));
	assert(x->run.end <= PAGE_BYTES >> shift);
	x->run.base = x->warp->first + x->lane - (first >> x->run.lane_shift);
}

/* As many of `lanes` from x->lane on as are in one page: x->lanes.  False: they have not been judged. */
static bool judge_piece(struct races *races, struct shadow *shadow, struct warp_run *x, uint32_t size, uint32_t lanes)
{
	uint64_t at = x->all->address[x->lane] - shadow->base;
	uint32_t in_page = (uint32_t)(at & (PAGE_BYTES - 1)), fit = (PAGE_BYTES - in_page) / size;
	struct page **page = &shadow->page[at >> PAGE_BITS];
	assert(at >> PAGE_BITS < shadow->pages);
	assert(lanes);

	x->lanes = lanes < fit || x->is_same ? lanes : fit;
	if (page_is_put_off(*page))
		put_off_judge_all(races, shadow->group);
	if (!*page && lanes < RUN_LANES)
		return false;
	if (!*page)
		*page = shadow_runs(races, shadow, at >> PAGE_BITS, (uint32_t)__builtin_ctz(x->site->bytes));
	if (!(*page)->is_runs || x->site->bytes < 1u << (*page)->shift)
		return false;
	place(x, in_page, size, (*page)->shift);
	if (!x->is_same && !(*page)->readers && judge_page(races, page, x))
		return true;
	return add_reader(races, *page, x, x->run.first);
}

lane_mask runs_judge(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t epoch, struct shadow *shadow)
{
	uint32_t size = site->bytes * a->insn->access.elements, left;
	struct warp_run x = {.warp = warp,
		.all = a,
		.site = site,
		.run = {.site = number, .epoch = epoch},
		.is_read = is_plain_read(site)};
	lane_mask judged = 0;

	assert(a->lanes);
	assert(epoch);
	if ((site->writes && !a->written) || !is_of_pieces(a, size, x.is_read))
		return 0;
	for (lane_mask lanes = a->lanes; lanes;) {
		x.lane = (uint32_t)__builtin_ctzll(lanes);
		for (left = piece_of(a, lanes, size, &x.is_same); left; left -= x.lanes, x.lane += x.lanes) {
			if (judge_piece(races, shadow, &x, size, left))
				judged |= mask_of(x.lane, x.lanes);
			lanes &= ~mask_of(x.lane, x.lanes);
		}
	}
	return judged;
}
