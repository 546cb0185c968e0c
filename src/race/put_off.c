/* Accesses to shared memory that are judged only if that can matter.
 *
 * Most kernels write a tile, meet at a barrier, read it many times, and meet again.  After a barrier of all threads of
 * the group, nothing that they did before can race, so nothing ever looks at the records of these accesses.  Plain
 * accesses to pages that hold nothing yet are therefore left pending, as long as no two of them can race: owners.c
 * keeps the accesses of each word since the barrier.  Pending accesses are judged when one comes that may race, when
 * something else accesses such a page, or when a thread of the group is about to learn something.  Until then the state
 * that they are judged by stays as it was when they came.  A barrier of all threads drops them.  While all are reads,
 * nobody asks for owners. */
#include "race/judge.h"
#include "race/owners.h"

#include <assert.h>
#include <string.h>

#define MOST_UNIT 0xffffu  /* addresses are kept in units of the access */
#define MOST_KEPT 0x20000u /* of them for a group: then no more is put off */
#define MOST_CREDIT (1 << 20)

/* The pages that the lanes access, each once. */
struct pages {
	uint32_t count;
	uint16_t at[64];
};

static void add_page(struct pages *pages, uint16_t page)
{
	assert(pages->count < 64);
	for (uint32_t k = 0; k < pages->count; k++)
		if (pages->at[k] == page)
			return;
	pages->at[pages->count++] = page;
}

/* Bits of several addresses. */
struct together {
	uint64_t any;    /* that one has */
	uint64_t differ; /* in which one differs from the first */
};

#define BLOCK 8u /* lanes that are taken together; a warp is a multiple of it */

/* As units_of_some, of neighbouring lanes: compilers make vectors of it. */
static struct together units_of_block(const uint64_t *address, uint64_t first, uint32_t shift, uint16_t *unit)
{
	struct together t = {0};

#pragma GCC unroll 8
	for (uint32_t l = 0; l < BLOCK; l++) {
		t.any |= address[l];
		t.differ |= address[l] ^ first;
	}
	for (uint32_t l = 0; l < BLOCK; l++)
		unit[l] = (uint16_t)(address[l] >> shift);
	return t;
}

static struct together units_of_some(
	const uint64_t *address, lane_mask lanes, uint64_t first, uint32_t shift, uint16_t *unit)
{
	struct together t = {0};

	EACH_LANE(l, lanes) {
		t.any |= address[l];
		t.differ |= address[l] ^ first;
		*unit++ = (uint16_t)(address[l] >> shift);
	}
	return t;
}

/* The lanes' addresses in units of `size` bytes, a power of two, their pages, and whether they are the same.  False:
 * some address is no such unit. */
static bool units_of(const struct race_access *a, uint32_t size, uint16_t *unit, struct pages *pages, bool *same)
{
	uint32_t shift = (uint32_t)__builtin_ctz(size);
	assert(a->lanes);
	assert(size);
	uint64_t first = a->address[__builtin_ctzll(a->lanes)];
	struct together all = {0};

	for (uint32_t l = 0; l < 64 && a->lanes >> l; l += BLOCK) {
		lane_mask lanes = a->lanes >> l & ((1u << BLOCK) - 1);
		struct together t = lanes == (1u << BLOCK) - 1
					    ? units_of_block(a->address + l, first, shift, unit)
					    : units_of_some(a->address + l, lanes, first, shift, unit);

		all.any |= t.any;
		all.differ |= t.differ;
		unit += __builtin_popcountll(lanes);
	}
	add_page(pages, (uint16_t)(first >> PAGE_BITS));
	if (all.differ >> PAGE_BITS)
		EACH_LANE(l, a->lanes)
			add_page(pages, (uint16_t)(a->address[l] >> PAGE_BITS));
	*same = !all.differ;
	return !(all.any & (size - 1)) && all.any >> shift <= MOST_UNIT;
}

/* Whether the pages hold nothing but what was put off. */
static bool are_clean(const struct shadow *shadow, const struct pages *pages)
{
	assert(pages->count);
	for (uint32_t k = 0; k < pages->count; k++)
		if (shadow->page[pages->at[k]] && !page_is_put_off(shadow->page[pages->at[k]]))
			return false;
	return true;
}

static void make_pages(struct races *races, struct race_group *group, const struct pages *pages)
{
	for (uint32_t k = 0; k < pages->count; k++) {
		struct page *page = group->shared.page[pages->at[k]];

		if (!page) {
			page = clock_memory(&races->clocks, HEAD_SIZE);
			*page = (struct page){.shift = PUT_OFF_SHIFT};
			shadow_put(races, &group->shared, pages->at[k], page);
		}
		if (group->owns && !page->owners)
			owners_make(races, page);
	}
}

static void write_down(
	struct races *races, struct race_group *group, struct put_off *p, const uint16_t *unit, const uint16_t *written)
{
	uint32_t lanes = (uint32_t)__builtin_popcountll(p->lanes), room = p->writes ? 2 * lanes : lanes;
	uint16_t *to;

	assert(p->lanes);
	assert(!p->writes || written);
	p->first = group->units.count;
	*vector_push(races->arena, &group->put_off) = *p;
	while (group->units.capacity < group->units.count + room)
		vector_grow_(races->arena, (void **)&group->units.at, &group->units.capacity, sizeof *group->units.at);
	to = &group->units.at[group->units.count];
	memcpy(to, unit, lanes * sizeof *unit);
	group->units.count += room;
	if (!p->writes)
		return;
	to += lanes;
	if (p->lanes & (p->lanes + 1))
		EACH_LANE(l, p->lanes)
			*to++ = written[l];
	else
		memcpy(to, written, lanes * sizeof *written);
}

static uint32_t size_of(const struct insn *insn)
{
	return insn->access.bytes * (uint32_t)insn->access.elements;
}

/* Whether it cannot race with what was put off before. */
static bool claim(const struct race_group *group, const struct put_off *p, const uint16_t *unit, bool same)
{
	const struct race_launch *launch = group->launch;
	const struct claim c = {.unit = unit,
		.count = (uint32_t)__builtin_popcountll(p->lanes),
		.shift = (uint32_t)__builtin_ctz(size_of(p->insn)),
		.owner = 1 + (launch->shift ? p->warp : p->warp * launch->lanes),
		.lanes = p->lanes,
		.each = !launch->shift,
		.same = same,
		.writes = p->writes};

	assert(group->owns);
	return owners_claim(&group->shared, &c);
}

/* The first write of what is put off: until now all were reads. */
static void begin_owners(struct races *races, struct race_group *group)
{
	assert(!group->owns);
	group->owns = true;
	for (uint32_t k = 0; k < group->shared.touched.count; k++) {
		struct page *page = group->shared.page[group->shared.touched.at[k]];

		if (page_is_put_off(page))
			owners_make(races, page);
	}
	for (uint32_t k = 0; k < group->put_off.count; k++)
		claim(group, &group->put_off.at[k], &group->units.at[group->put_off.at[k].first], false);
}

/* Whether there is room for it, and it finds its pages so. */
static bool may_be_put_off(const struct race_group *group, const struct pages *pages)
{
	if (group->units.count > MOST_KEPT)
		group->launch->credit = 0;
	return group->launch->credit > 0 && are_clean(&group->shared, pages);
}

bool put_off(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint32_t epoch)
{
	struct race_group *group = warp->group;
	uint32_t size = size_of(a->insn);
	struct put_off p = {.insn = a->insn,
		.lanes = a->lanes,
		.pc = a->pc,
		.epoch = epoch,
		.warp = (uint16_t)(warp - group->warp),
		.writes = site->writes};
	struct pages pages;
	uint16_t unit[64];
	bool same;

	assert(epoch);
	assert(!site->strong);
	pages.count = 0;
	if ((site->reads && site->writes) || group->launch->credit <= 0 || size & (size - 1) ||
		(p.writes && !a->written) || !units_of(a, size, unit, &pages, &same) || !may_be_put_off(group, &pages))
		return false;
	if (p.writes && !group->owns)
		begin_owners(races, group);
	make_pages(races, group, &pages);
	if (group->owns && !claim(group, &p, unit, same)) {
		put_off_judge_all(races, group);
		return false;
	}
	write_down(races, group, &p, unit, a->written);
	return true;
}

/* Pages of what was put off hold nothing any more. */
static void clear_pages(struct races *races, struct race_group *group)
{
	struct shadow *shadow = &group->shared;
	uint32_t kept = 0;

	for (uint32_t k = 0; k < shadow->touched.count; k++) {
		uint32_t number = shadow->touched.at[k];
		struct page *page = shadow->page[number];

		if (!page_is_put_off(page)) {
			shadow->touched.at[kept++] = number;
			continue;
		}
		if (page->owners)
			clock_give_back(&races->clocks, page->owners, OWNERS_SIZE);
		clock_give_back(&races->clocks, page, HEAD_SIZE);
		shadow->page[number] = NULL;
	}
	assert(kept <= shadow->touched.count);
	shadow->touched.count = kept;
	group->owns = false;
}

static void judge_one(struct races *races, struct race_group *group, const struct put_off *p)
{
	uint64_t address[64];
	uint16_t written[64];
	const struct race_access a = {.insn = p->insn,
		.pc = p->pc,
		.lanes = p->lanes,
		.space = space_SHARED,
		.address = address,
		.written = p->writes ? written : NULL};
	const uint16_t *unit = &group->units.at[p->first], *value = unit + __builtin_popcountll(p->lanes);
	uint64_t size = size_of(p->insn);

	assert(p->first < group->units.count);
	assert(p->warp < group->launch->warps);
	EACH_LANE(l, p->lanes) {
		address[l] = *unit++ * size;
		if (p->writes)
			written[l] = *value++;
	}
	judge_plain(races, &group->warp[p->warp], &a, p->epoch);
}

void put_off_judge_all(struct races *races, struct race_group *group)
{
	uint32_t count = group->put_off.count;

	clear_pages(races, group);
	group->launch->credit -= count;
	group->put_off.count = 0; /* judging them accesses the pages */
	for (uint32_t k = 0; k < count; k++)
		judge_one(races, group, &group->put_off.at[k]);
	assert(!group->put_off.count);
	group->units.count = 0;
}

void put_off_forget(struct races *races, struct race_group *group)
{
	struct race_launch *launch = group->launch;

	assert(!group->units.count == !group->put_off.count);
	clear_pages(races, group);
	launch->credit += launch->credit > 0 && launch->credit < MOST_CREDIT ? group->put_off.count : 0;
	group->put_off.count = group->units.count = 0;
}
