/* What is remembered of the bytes of memory: pages of granules, made when they are first touched. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

void shadow_create(struct races *races, struct shadow *shadow, uint64_t base, uint64_t bytes)
{
	uint64_t pages = (bytes >> PAGE_BITS) + 1;

	assert(base % PAGE_BYTES == 0);
	shadow->base = base;
	shadow->pages = pages;
	shadow->page = arena_reserve(races->arena, pages * sizeof *shadow->page);
}

static size_t page_size(uint32_t shift)
{
	assert(shift < PAGE_SHIFTS);
	return sizeof(struct page) + (PAGE_BYTES >> shift) * sizeof(struct granule);
}

struct page *page_take(struct races *races, uint32_t shift)
{
	struct page *page = races->free_page[shift];

	assert(shift < PAGE_SHIFTS);
	if (page) {
		races->free_page[shift] = page->next;
		memset(page, 0, page_size(shift));
	} else {
		page = arena_alloc(races->arena, page_size(shift));
	}
	page->shift = shift;
	return page;
}

void page_drop(struct races *races, struct page *page)
{
	assert(!page_is_put_off(page));
	assert(page->shift < PAGE_SHIFTS);
	if (page->run) {
		runs_drop(races, page);
		return;
	}
	page->next = races->free_page[page->shift];
	races->free_page[page->shift] = page;
}

void shadow_put(struct races *races, struct shadow *shadow, uint64_t number, struct page *page)
{
	assert(number < shadow->pages);
	assert(!shadow->page[number]);
	shadow->page[number] = page;
	*vector_push(races->arena, &shadow->touched) = (uint32_t)number;
}

void shadow_clear(struct races *races, struct shadow *shadow)
{
	for (uint32_t k = 0; k < shadow->touched.count; k++) {
		struct page *page = shadow->page[shadow->touched.at[k]];
		assert(page);

		for (uint32_t g = 0; g < PAGE_BYTES >> page->shift && !page->run; g++)
			if (page->granule[g].at[1].site == SITE_CROWD)
				crowd_drop(races, page->granule[g].at[1].thread);
		page_drop(races, page);
		shadow->page[shadow->touched.at[k]] = NULL;
	}
	shadow->touched.count = 0;
}

/* The same page in smaller granules. */
static struct page *split(struct races *races, struct page *page, uint32_t shift)
{
	struct page *fine = page_take(races, shift);
	uint32_t parts = 1u << (page->shift - shift);

	assert(!page->run);
	assert(shift < page->shift);
	for (uint32_t g = 0; g < PAGE_BYTES >> page->shift; g++) {
		if (!page->granule[g].at[0].site)
			continue;
		fine->granule[g * parts] = page->granule[g];
		for (uint32_t k = 1; k < parts; k++)
			fine->granule[g * parts + k] = crowd_copy_granule(races, &page->granule[g]);
	}
	page_drop(races, page);
	return fine;
}

/* The page of this number, in granules of 1 << shift bytes or smaller. */
static __attribute__((noinline)) struct page *page_of(
	struct races *races, struct shadow *shadow, uint64_t number, uint32_t shift)
{
	struct page **page = &shadow->page[number];

	assert(number < shadow->pages);
	assert(shift < PAGE_SHIFTS);
	if (*page && page_is_put_off(*page))
		put_off_judge_all(races, shadow->group);
	if (!*page)
		shadow_put(races, shadow, number, page_take(races, shift));
	if ((*page)->run)
		*page = runs_to_granules(races, *page);
	if ((*page)->shift > shift)
		*page = split(races, *page, shift);
	return *page;
}

/* Mostly the page is as it is needed. */
struct granule *shadow_at(
	struct races *races, struct shadow *shadow, uint64_t address, uint32_t bytes, uint32_t *count, uint32_t *size)
{
	uint64_t at = address - shadow->base, number = at >> PAGE_BITS;
	uint32_t shift = (uint32_t)__builtin_ctz(bytes);
	assert(bytes);
	assert(number < shadow->pages);
	assert(at % bytes == 0);
	struct page *page = shadow->page[number];

	if (!page || page->run || page->shift > shift) /* or it is put off */
		page = page_of(races, shadow, number, shift);
	assert(!page->run);
	assert(page->shift <= shift);
	*count = bytes >> page->shift;
	*size = 1u << page->shift;
	return &page->granule[(at & (PAGE_BYTES - 1)) >> page->shift];
}
