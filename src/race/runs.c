/* Accesses of a whole warp to neighbouring bytes, judged and remembered as one.
 *
 * Most pages of memory are accessed by warps alone whose lanes take neighbouring elements.  Their pages have, in place
 * of a granule for each element, runs: neighbouring granules whose record is of neighbouring threads, in one of the
 * two records of a granule.  All that is not so simple (a race, a strong access, lanes that are scattered, a third
 * record) makes granules of the page, and is judged granule by granule in judge.c, with the same result. */
#include "race/parts.h"

#include <string.h>

/* The lanes of an access that are in a page, as a run. */
struct warp_run {
	struct race_warp *warp;
	const struct race_access *all;
	const struct site *site;
	struct run run; /* without its record's number */
	uint32_t lane;  /* the first */
};

/* ---- The pages ---- */

static uint32_t thread_at(const struct run *r, uint32_t granule)
{
	return r->base + (granule >> r->lane_shift);
}

static uint32_t lane_at(const struct warp_run *x, uint32_t granule)
{
	return thread_at(&x->run, granule) - x->warp->first;
}

static bool has_values(const struct races *races, const struct run *r)
{
	return races->sites.at[r->site].writes;
}

static void set_values(struct races *races, struct page *page, const struct warp_run *x, const struct run *r)
{
	if (!x->all->written)
		return;
	if (!page->value[r->slot])
		page->value[r->slot] = values_take(races, page->shift);
	for (uint32_t g = r->first; g < r->end; g++)
		page->value[r->slot][g] = x->all->written[lane_at(x, g)];
}

struct page *runs_to_granules(struct races *races, struct page *page)
{
	struct page *fine = page_take(races, page->shift);

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

	for (uint32_t k = 0; k < page->runs; k++)
		if (page_runs(page)[k].first < page_runs(page)[k].end)
			page_runs(page)[kept++] = page_runs(page)[k];
	page->runs = (uint16_t)kept;
}

/* From `at` on up to where that changes, at most `end`: whether granules have a record there. */
static bool is_covered(const struct page *page, uint32_t slot, uint32_t at, uint32_t *end)
{
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

static void remember_in_granules(
	struct races *races, struct page **page, const struct warp_run *x, uint32_t first, uint32_t end)
{
	*page = runs_to_granules(races, *page);
	for (uint32_t g = first; g < end; g++)
		judge_remember(races, x->warp, x->all, x->site, x->run.site, lane_at(x, g), &(*page)->granule[g]);
}

static void remember(struct races *races, struct page **page, const struct warp_run *x)
{
	for (uint32_t at = x->run.first, end; at < x->run.end; at = end) {
		struct run r = x->run;

		end = x->run.end;
		r.slot = is_covered(*page, 0, at, &end);
		r.first = (uint16_t)at;
		if (r.slot && is_covered(*page, 1, at, &end)) {
			remember_in_granules(races, page, x, at, x->run.end);
			return;
		}
		r.end = (uint16_t)end;
		if (!add_run(*page, &r)) {
			remember_in_granules(races, page, x, at, x->run.end);
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

/* Whether lanes are neighbours, as their addresses are, `size` bytes each. */
static bool is_run(const struct race_access *a, uint32_t size)
{
	uint32_t first = (uint32_t)__builtin_ctzll(a->lanes);
	lane_mask lanes = a->lanes >> first;
	uint64_t at = a->address[first];

	if ((lanes & (lanes + 1)) || (at & (size - 1)) || (size & (size - 1)))
		return false;
	for (uint32_t l = first; l < 64 && a->lanes >> l & 1; l++, at += size)
		if (a->address[l] != at)
			return false;
	return true;
}

/* The lanes from `lane` on that are in one page; how many of them.  False: they have not been judged. */
static bool judge_piece(
	struct races *races, struct shadow *shadow, struct warp_run *x, uint32_t size, uint32_t lanes, uint32_t *count)
{
	uint64_t at = x->all->address[x->lane] - shadow->base;
	uint32_t in_page = (PAGE_BYTES - (uint32_t)(at & (PAGE_BYTES - 1))) / size;
	struct page **page = &shadow->page[at >> PAGE_BITS];
	uint32_t shift, first;

	*count = lanes < in_page ? lanes : in_page;
	if (page_is_put_off(*page))
		put_off_judge_all(races, shadow->group);
	if (!*page && lanes < RUN_LANES)
		return false;
	if (!*page)
		*page = shadow_runs(races, shadow, at >> PAGE_BITS, (uint32_t)__builtin_ctz(x->site->bytes));
	shift = (*page)->shift;
	if (!(*page)->is_runs || x->site->bytes < 1u << shift)
		return false;
	first = (uint32_t)(at & (PAGE_BYTES - 1)) >> shift;
	x->run.lane_shift = (uint8_t)((uint32_t)__builtin_ctz(size) - shift);
	x->run.first = (uint16_t)first;
	x->run.end = (uint16_t)(first + (*count << x->run.lane_shift));
	x->run.base = x->warp->first + x->lane - (first >> x->run.lane_shift);
	return judge_page(races, page, x);
}

lane_mask runs_judge(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t epoch, struct shadow *shadow)
{
	uint32_t size = site->bytes * a->insn->access.elements, left = (uint32_t)__builtin_popcountll(a->lanes), count;
	struct warp_run x = {.warp = warp, .all = a, .site = site, .run = {.site = number, .epoch = epoch}};
	lane_mask judged = 0;

	if (!left || (site->writes && !a->written) || !is_run(a, size))
		return 0;
	x.lane = (uint32_t)__builtin_ctzll(a->lanes);
	for (; left; left -= count, x.lane += count)
		if (judge_piece(races, shadow, &x, size, left, &count))
			judged |= ((count < 64 ? (lane_mask)1 << count : 0) - 1) << x.lane;
	return judged;
}
