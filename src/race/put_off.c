/* Reads of shared memory that are judged only if that can matter.
 *
 * Most kernels write a tile, meet at a barrier, read it many times, and meet again.  After a barrier of all threads of
 * the group, nothing that they did before can race, so nothing ever looks at the records of such reads.  Plain reads of
 * pages that hold nothing yet are therefore only noted.  They are judged when something else accesses such a page, or a
 * thread of the group is about to learn something: until then, what they are judged by is as it was when they came.  A
 * barrier of all threads drops them. */
#include "race/judge.h"

#include <assert.h>
#include <string.h>

#define MOST_UNIT 0xffffu  /* addresses are kept in units of the access */
#define MOST_KEPT 0x20000u /* of them for a group: then no more is put off */
#define MOST_CREDIT (1 << 20)

struct page page_of_put_off;

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

/* The lanes' addresses in units of `size` bytes, a power of two, and their pages.  False: some address is no such unit.
 */
static bool units_of(const struct race_access *a, uint32_t size, uint16_t *unit, struct pages *pages)
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
	return !(all.any & (size - 1)) && all.any >> shift <= MOST_UNIT;
}

/* Whether the pages hold nothing but reads that were put off. */
static bool are_clean(const struct shadow *shadow, const struct pages *pages)
{
	assert(pages->count);
	for (uint32_t k = 0; k < pages->count; k++)
		if (shadow->page[pages->at[k]] && shadow->page[pages->at[k]] != &page_of_put_off)
			return false;
	return true;
}

static void write_down(struct races *races, struct race_group *group, struct put_off read, const uint16_t *unit)
{
	uint32_t lanes = (uint32_t)__builtin_popcountll(read.lanes);

	assert(read.lanes);
	read.first = group->units.count;
	*vector_push(races->arena, &group->reads) = read;
	while (group->units.capacity < group->units.count + lanes)
		vector_grow_(races->arena, (void **)&group->units.at, &group->units.capacity, sizeof *group->units.at);
	memcpy(&group->units.at[group->units.count], unit, lanes * sizeof *unit);
	group->units.count += lanes;
}

bool put_off(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint32_t epoch)
{
	struct race_group *group = warp->group;
	uint32_t size = site->bytes * a->insn->access.elements;
	struct pages pages;
	uint16_t unit[64];

	assert(epoch);
	assert(is_plain_read(site));
	pages.count = 0;
	if (group->launch->credit <= 0 || size & (size - 1) || !units_of(a, size, unit, &pages) ||
		!are_clean(&group->shared, &pages))
		return false;
	if (group->units.count > MOST_KEPT) {
		group->launch->credit = 0;
		return false;
	}
	for (uint32_t k = 0; k < pages.count; k++)
		if (!group->shared.page[pages.at[k]])
			shadow_put(races, &group->shared, pages.at[k], &page_of_put_off);
	write_down(races, group,
		(struct put_off){.insn = a->insn,
			.lanes = a->lanes,
			.pc = a->pc,
			.epoch = epoch,
			.warp = (uint16_t)(warp - group->warp)},
		unit);
	return true;
}

/* Pages of reads that were put off hold nothing any more. */
static void clear_pages(struct shadow *shadow)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < shadow->touched.count; k++) {
		uint32_t number = shadow->touched.at[k];

		if (shadow->page[number] == &page_of_put_off)
			shadow->page[number] = NULL;
		else
			shadow->touched.at[kept++] = number;
	}
	assert(kept <= shadow->touched.count);
	shadow->touched.count = kept;
}

static void judge_one(struct races *races, struct race_group *group, const struct put_off *read)
{
	uint64_t address[64];
	const struct race_access a = {
		.insn = read->insn, .pc = read->pc, .lanes = read->lanes, .space = space_SHARED, .address = address};
	const uint16_t *unit = &group->units.at[read->first];
	uint64_t size = read->insn->access.bytes * (uint64_t)read->insn->access.elements;

	assert(read->first < group->units.count);
	assert(read->warp < group->launch->warps);
	EACH_LANE(l, read->lanes)
		address[l] = *unit++ * size;
	judge_plain(races, &group->warp[read->warp], &a, read->epoch);
}

void put_off_judge_all(struct races *races, struct race_group *group)
{
	uint32_t count = group->reads.count;

	clear_pages(&group->shared);
	group->launch->credit -= count;
	group->reads.count = 0; /* judging them accesses the pages */
	for (uint32_t k = 0; k < count; k++)
		judge_one(races, group, &group->reads.at[k]);
	assert(!group->reads.count);
	group->units.count = 0;
}

void put_off_forget(struct race_group *group)
{
	struct race_launch *launch = group->launch;

	assert(!group->units.count == !group->reads.count);
	clear_pages(&group->shared);
	launch->credit += launch->credit > 0 && launch->credit < MOST_CREDIT ? group->reads.count : 0;
	group->reads.count = group->units.count = 0;
}
