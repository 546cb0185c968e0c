/* Accesses of a whole warp to neighbouring bytes, judged and remembered as one.
 *
 * Most pages of memory are accessed only by warps whose lanes take neighbouring elements.  Such a page has, in place of
 * a granule for each element, runs: neighbouring granules whose record is of neighbouring threads, in one of the two
 * records of a granule.  Anything less simple (a race, a strong access, scattered lanes, a third record) turns the page
 * into granules, and is judged granule by granule in judge.c, with the same result.
 *
 * A page that many threads read and none writes (a table, a matrix, halos of neighbours) has readers: runs that are not
 * judged, since no two reads race.  A read that resembles an earlier one makes its run longer: the same granules read
 * by the same threads of the next group, or further granules by the same threads.  When anything other than a plain
 * read of neighbouring or equal addresses comes, or there are too many runs, the page is turned into granules, and what
 * was read is judged as if it were read then. */
#include "race/judge.h"

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

#define PAGE_RUNS 16
#define RUN_LANES 8 /* neighbours that an access must have to make a page of runs of one that was not touched yet */

#define FIRST_SIZE 2
#define MOST_SIZE 7 /* of readers: 4 bytes for each of the page */
#define MOST_READERS ((32u << MOST_SIZE) / (uint32_t)sizeof(struct run))

/* clock_memory: the values of a page. */
static uint32_t values_size(uint32_t shift)
{
	assert(shift < PAGE_SHIFTS);
	return PAGE_BITS - 4 - shift;
}

/* A page that was not touched yet gets runs, of granules of 1 << shift bytes. */
static struct page *begin_page(struct races *races, uint32_t shift)
{
	struct page *page = clock_memory(&races->clocks, HEAD_SIZE);

	assert(shift < PAGE_SHIFTS);
	*page = (struct page){.shift = shift, .run = clock_memory(&races->clocks, FIRST_SIZE), .run_size = FIRST_SIZE};
	return page;
}

void runs_drop(struct races *races, struct page *page)
{
	assert(page->run);
	for (uint32_t slot = 0; slot < 2; slot++)
		if (page->value[slot])
			clock_give_back(&races->clocks, page->value[slot], values_size(page->shift));
	clock_give_back(&races->clocks, page->run, page->run_size);
	clock_give_back(&races->clocks, page, HEAD_SIZE);
}

/* False: there is no room. */
static bool push_run(struct races *races, struct page *page, const struct run *r)
{
	struct run *old = page->run;

	assert(r->first < r->end);
	assert(r->end <= PAGE_BYTES >> page->shift);
	assert(r->repeats);
	if (page->run_count == (page->is_read ? MOST_READERS : PAGE_RUNS))
		return false;
	if ((page->run_count + 1u) * sizeof *old > (size_t)32 << page->run_size) {
		page->run = clock_memory(&races->clocks, page->run_size + 1u);
		memcpy(page->run, old, page->run_count * sizeof *old);
		clock_give_back(&races->clocks, old, page->run_size++);
	}
	page->run[page->run_count++] = *r;
	return true;
}

/* The number k of those that have accessed the granule. */
static uint32_t thread_at(const struct run *r, uint32_t granule, uint32_t k)
{
	assert(r->first <= granule);
	assert(granule < r->end);
	assert(k < r->repeats);
	return r->base + (granule >> r->lane_shift) + k * r->stride;
}

static uint32_t lane_at(const struct warp_run *x, uint32_t granule)
{
	uint32_t lane = thread_at(&x->run, granule, 0) - x->warp->first;

	assert(lane < 64);
	return lane;
}

static void set_values(struct races *races, struct page *page, const struct warp_run *x, const struct run *r)
{
	assert(r->slot < 2);
	assert(r->first < r->end);
	assert(r->end <= PAGE_BYTES >> page->shift);
	if (!x->all->written)
		return;
	if (!page->value[r->slot])
		page->value[r->slot] = clock_memory(&races->clocks, values_size(page->shift));
	for (uint32_t g = r->first; g < r->end; g++)
		page->value[r->slot][g] = x->all->written[lane_at(x, g)];
}

/* A thread that has read, as it was then: it is known what its group knew of itself. */
struct reader {
	struct race_group group;
	struct race_warp warp;
	struct strand strand;
	uint64_t address[64]; /* of all lanes the same: of a warp that reads one element, each thread is remembered */
};

static void become(struct reader *reader, struct race_launch *launch, uint32_t thread)
{
	uint32_t number = thread - launch->first;

	assert(thread >= launch->first);
	assert(number < launch->threads);
	reader->group.launch = launch;
	reader->group.first = thread - number % launch->group_stride;
	reader->warp.group = &reader->group;
	reader->warp.first = thread - (thread - reader->group.first) % launch->lanes;
}

static void readers_to_granules(struct races *races, struct page *fine, const struct run *r)
{
	struct race_launch *launch = launch_of(races, thread_at(r, r->first, 0));
	struct site site = races->sites.at[r->site];
	struct reader reader = {.strand = {.epoch = r->epoch, .floor = r->floor}};
	const struct race_access all = {.insn = &site.kernel->code[site.pc],
		.lanes = ~(lane_mask)0,
		.space = space_GLOBAL,
		.address = reader.address};
	struct access x = {.warp = &reader.warp, .all = &all, .site = &site, .u = &reader.strand};

	assert(launch);
	assert(r->site);
	for (uint32_t g = r->first; g < r->end; g++)
		for (uint32_t k = 0; k < r->repeats; k++) {
			uint32_t thread = thread_at(r, g, k);

			become(&reader, launch, thread);
			x.lane = thread - reader.warp.first;
			x.strand = strand_number(launch, thread);
			x.record = (struct record){.thread = thread, .epoch = r->epoch, .site = r->site};
			judge_one_granule(races, &x, &fine->granule[g], 0);
		}
}

static void run_to_granules(const struct races *races, struct page *fine, const struct page *page, const struct run *r)
{
	bool has_values = races->sites.at[r->site].writes;

	assert(r->site < races->sites.count);
	assert(!has_values || page->value[r->slot]);
	for (uint32_t g = r->first; g < r->end; g++)
		fine->granule[g].at[r->slot] = (struct record){.thread = thread_at(r, g, 0),
			.epoch = r->epoch,
			.site = r->site,
			.value = has_values ? page->value[r->slot][g] : 0};
}

struct page *runs_to_granules(struct races *races, struct page *page)
{
	struct page *fine = page_take(races, page->shift);

	assert(page->run);
	for (uint32_t k = 0; k < page->run_count; k++)
		if (page->is_read)
			readers_to_granules(races, fine, &page->run[k]);
		else
			run_to_granules(races, fine, page, &page->run[k]);
	runs_drop(races, page);
	return fine;
}

/* ---- Readers ---- */

static bool are_alike(const struct run *a, const struct run *b)
{
	return a->site == b->site && a->epoch == b->epoch && a->floor == b->floor && a->lane_shift == b->lane_shift;
}

/* The entry has the other's, too.  False: it cannot have them alone. */
static bool extend(struct run *to, const struct run *more)
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
	assert(at < page->run_count);
	if (!at || !extend(&page->run[at - 1], &page->run[at]))
		return;
	page->run_count--;
	memmove(&page->run[at], &page->run[at + 1], (page->run_count - at) * sizeof *page->run);
	page->run_last = (uint16_t)(at - 1);
}

/* From the entry that became longer last on, as threads mostly do the same in the same order. */
static bool extend_one(struct page *page, const struct run *more)
{
	assert(!page->run_count || page->run_last < page->run_count);
	for (uint32_t k = 0; k < page->run_count; k++) {
		uint32_t at = page->run_last + k;

		at -= at >= page->run_count ? page->run_count : 0;
		if (!extend(&page->run[at], more))
			continue;
		page->run_last = (uint16_t)at;
		close_up(page, at);
		return true;
	}
	return false;
}

/* False: there is no room. */
static bool add_reader(struct races *races, struct page *page, const struct run *more)
{
	assert(page->is_read);
	if (extend_one(page, more))
		return true;
	if (!push_run(races, page, more))
		return false;
	page->run_last = (uint16_t)(page->run_count - 1);
	return true;
}

/* The page's runs become readers.  False: not all are reads. */
static bool become_readers(struct races *races, struct page *page)
{
	struct run run[PAGE_RUNS];
	uint32_t count = page->run_count;

	assert(!page->is_read);
	assert(count <= PAGE_RUNS);
	for (uint32_t k = 0; k < count; k++)
		if (!is_plain_read(&races->sites.at[page->run[k].site]))
			return false;
	memcpy(run, page->run, count * sizeof *run);
	page->run_count = 0;
	page->is_read = true;
	for (uint32_t k = 0; k < count; k++)
		add_reader(races, page, &run[k]);
	return true;
}

/* ---- Judging ---- */

enum how_many { NONE, ALL, SOME };

/* With a reconvergence stack: the access is of one strand. */
static enum how_many are_before_warp(const struct races *races, const struct warp_run *x, const struct run *y,
	uint32_t first, uint32_t end, bool must)
{
	const struct race_launch *launch = x->warp->group->launch;
	uint32_t strand = strand_number(launch, x->warp->first), are = 0, of = 0;
	uint32_t last = strand_number(launch, thread_at(y, end - 1, 0));

	assert(first < end);
	for (uint32_t s = strand_number(launch, thread_at(y, first, 0)); s <= last; s++, of++)
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
		are += order_is_before(races, x->warp, thread_at(&x->run, g, 0), strand_of(x->warp, lane_at(x, g)),
			       thread_at(y, g, 0), y->epoch, must) == CLOCK_HAS;
	return are == of ? ALL : are ? SOME : NONE;
}

enum fate { KEEP, DROP, UNCLEAR };

/* What becomes of a run's records where the access is. */
static enum fate fate_of(const struct races *races, const struct warp_run *x, const struct run *y)
{
	const struct site *site = &races->sites.at[y->site];
	uint32_t first = y->first > x->run.first ? y->first : x->run.first;
	uint32_t end = y->end < x->run.end ? y->end : x->run.end;
	bool may_race = rule_conflict(x->site, site), stands = site_stands_for(x->site, site);
	enum how_many before;

	assert(y->site);
	assert(y->slot < 2);
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
static bool add_run(struct races *races, struct page *page, const struct run *r)
{
	assert(r->slot < 2);
	assert(!page->is_read);
	if (page->run_count) {
		struct run *last = &page->run[page->run_count - 1];

		if (last->end == r->first && last->base == r->base && last->epoch == r->epoch &&
			last->site == r->site && last->slot == r->slot && last->lane_shift == r->lane_shift) {
			last->end = r->end;
			return true;
		}
	}
	return push_run(races, page, r);
}

/* Takes [first, end) out of the run, of which something may be left on both sides: there is room for that. */
static void cut(struct races *races, struct page *page, uint32_t number, uint32_t first, uint32_t end)
{
	struct run *r = &page->run[number], rest = *r;
	bool is_inside = r->first < first && end < r->end;

	assert(number < page->run_count);
	assert(r->first < end);
	assert(first < r->end);
	rest.first = (uint16_t)end;
	if (r->first < first)
		r->end = (uint16_t)first;
	else
		r->first = end < r->end ? (uint16_t)end : r->end; /* or nothing is left of it */
	if (is_inside)
		push_run(races, page, &rest);
}

static void forget_empty(struct page *page)
{
	uint32_t kept = 0;

	assert(!page->is_read);
	for (uint32_t k = 0; k < page->run_count; k++)
		if (page->run[k].first < page->run[k].end)
			page->run[kept++] = page->run[k];
	page->run_count = (uint16_t)kept;
}

/* From `at` on up to where that changes, at most `end`: whether granules have a record there. */
static bool is_covered(const struct page *page, uint32_t slot, uint32_t at, uint32_t *end)
{
	assert(slot < 2);
	assert(at < *end);
	for (uint32_t k = 0; k < page->run_count; k++) {
		const struct run *r = &page->run[k];

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

/* Adds granules from `first` on to the page's readers.  False: it is not of reads alone, or has no room. */
static bool read_page(struct races *races, struct page *page, const struct warp_run *x, uint32_t first)
{
	struct run r = x->run;

	assert(first < x->run.end);
	if (!x->is_read || (!page->is_read && !become_readers(races, page)))
		return false;
	r.first = (uint16_t)first;
	r.stride = 1;
	r.floor = strand_of(x->warp, x->lane)->floor;
	r.repeats = (uint16_t)(x->is_same ? x->lanes : 1);
	return add_reader(races, page, &r);
}

static void remember_otherwise(struct races *races, struct page **page, const struct warp_run *x, uint32_t first)
{
	assert(first < x->run.end);
	if (read_page(races, *page, x, first))
		return;
	*page = runs_to_granules(races, *page);
	for (uint32_t g = first; g < x->run.end; g++)
		judge_remember(races, x->warp, x->all, x->site, x->run.site, lane_at(x, g), &(*page)->granule[g]);
}

static void remember(struct races *races, struct page **page, const struct warp_run *x)
{
	for (uint32_t at = x->run.first, end; at < x->run.end; at = end) {
		struct run r = x->run;
		bool is_full;

		end = x->run.end;
		assert(at < end);
		r.slot = is_covered(*page, 0, at, &end);
		is_full = r.slot && is_covered(*page, 1, at, &end);
		r.first = (uint16_t)at;
		r.end = (uint16_t)end;
		if (is_full || !add_run(races, *page, &r)) {
			remember_otherwise(races, page, x, at);
			return;
		}
		set_values(races, *page, x, &r);
	}
}

/* False: that is for judge.c. */
static bool judge_page(struct races *races, struct page **page, const struct warp_run *x)
{
	enum fate fate[PAGE_RUNS];
	uint32_t runs = (*page)->run_count, drops = 0;

	assert(!(*page)->is_read);
	assert(runs <= PAGE_RUNS);
	for (uint32_t k = 0; k < runs; k++) {
		fate[k] = fate_of(races, x, &(*page)->run[k]);
		drops += fate[k] == DROP;
		if (fate[k] == UNCLEAR)
			return false;
	}
	if (runs + drops > PAGE_RUNS)
		return false;
	for (uint32_t k = 0; k < runs; k++)
		if (fate[k] == DROP)
			cut(races, *page, k, x->run.first, x->run.end);
	if (drops)
		forget_empty(*page);
	remember(races, page, x);
	return true;
}

/* ---- An instruction ---- */

#define MOST_PIECES 4

/* Lanes that follow each other, and whose addresses are neighbours, or the same. */
struct piece {
	uint64_t first, end; /* bytes */
	uint32_t lane, lanes;
	bool is_same;
};

static lane_mask mask_of(uint32_t first, uint32_t count)
{
	assert(count);
	assert(first + count <= 64);
	return ((count < 64 ? (lane_mask)1 << count : 0) - 1) << first;
}

/* The first piece of the lanes, which take `size` bytes each. */
static struct piece piece_of(const struct race_access *a, lane_mask lanes, uint32_t size)
{
	uint32_t first = (uint32_t)__builtin_ctzll(lanes), l = first + 1;
	bool is_same = l < 64 && lanes >> l & 1 && a->address[l] == a->address[first];

	assert(lanes);
	while (l < 64 && lanes >> l & 1 && a->address[l] == a->address[l - 1] + (is_same ? 0 : size))
		l++;
	return (struct piece){.first = a->address[first],
		.end = a->address[first] + (l - first) * (uint64_t)size,
		.lane = first,
		.lanes = l - first,
		.is_same = is_same};
}

/* Whether it is a plain read, or of neighbours that have no byte in common with pieces before it: where lanes write,
 * two that meet race. */
static bool is_apart(const struct piece *piece, uint32_t count, const struct piece *p, bool is_read)
{
	assert(count < MOST_PIECES);
	for (uint32_t k = 0; k < count && !is_read; k++)
		if (piece[k].first < p->end && p->first < piece[k].end)
			return false;
	return is_read || !p->is_same;
}

/* The pieces of what the lanes do; 0: they are too many, or not to be judged as pieces. */
static uint32_t pieces_of(const struct race_access *a, uint32_t size, bool is_read, struct piece *piece)
{
	uint32_t count = 0;

	assert(a->lanes);
	if (size & (size - 1))
		return 0;
	for (lane_mask lanes = a->lanes; lanes; count++) {
		struct piece p = piece_of(a, lanes, size);

		if (p.first & (size - 1) || count == MOST_PIECES || !is_apart(piece, count, &p, is_read))
			return 0;
		piece[count] = p;
		lanes &= ~mask_of(p.lane, p.lanes);
	}
	return count;
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
	if (*page && page_is_put_off(*page))
		put_off_judge_all(races, shadow->group);
	if (!*page && lanes < RUN_LANES)
		return false;
	if (!*page)
		shadow_put(races, shadow, at >> PAGE_BITS, begin_page(races, (uint32_t)__builtin_ctz(x->site->bytes)));
	if (!(*page)->run || x->site->bytes < 1u << (*page)->shift)
		return false;
	place(x, in_page, size, (*page)->shift);
	if (!x->is_same && !(*page)->is_read && judge_page(races, page, x))
		return true;
	return read_page(races, *page, x, x->run.first);
}

lane_mask runs_judge(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t epoch, struct shadow *shadow)
{
	uint32_t size = site->bytes * a->insn->access.elements, count;
	struct piece piece[MOST_PIECES];
	struct warp_run x = {.warp = warp,
		.all = a,
		.site = site,
		.run = {.site = number, .epoch = epoch, .repeats = 1},
		.is_read = is_plain_read(site)};
	lane_mask judged = 0;

	assert(epoch);
	count = site->writes && !a->written ? 0 : pieces_of(a, size, x.is_read, piece);
	for (uint32_t k = 0; k < count; k++) {
		x.lane = piece[k].lane;
		x.is_same = piece[k].is_same;
		for (uint32_t left = piece[k].lanes; left; left -= x.lanes, x.lane += x.lanes)
			if (judge_piece(races, shadow, &x, size, left))
				judged |= mask_of(x.lane, x.lanes);
	}
	return judged;
}
