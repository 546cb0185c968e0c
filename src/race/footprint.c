/* What launches have accessed: see footprint.h. */
#include "race/footprint.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Spans ---- */

#define SPANS_AT_FIRST 256

static int by_address(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

void spans_order(struct spans *spans)
{
	struct span *at = spans->list.at;
	uint32_t kept = 0;

	if (spans->list.count)
		qsort(at, spans->list.count, sizeof *at, by_address);
	for (uint32_t k = 0; k < spans->list.count; k++)
		if (kept && at[k].first <= at[kept - 1].end)
			at[kept - 1].end = at[k].end > at[kept - 1].end ? at[k].end : at[kept - 1].end;
		else
			at[kept++] = at[k];
	assert(kept <= spans->list.count);
	spans->list.count = kept;
}

void spans_add(struct spans *spans, struct arena *arena, uint64_t first, uint64_t end)
{
	struct span *last = spans->list.count ? &spans->list.at[spans->list.count - 1] : NULL;
	struct span *recent = &spans->recent[first / 4 % SPANS_RECENT];

	assert(first < end);
	if (recent->first == first && recent->end >= end)
		return;
	*recent = (struct span){first, end};
	if (last && first <= last->end && end >= last->first) {
		last->first = first < last->first ? first : last->first;
		last->end = end > last->end ? end : last->end;
		return;
	}
	if (spans->list.count >= spans->limit && spans->limit) {
		spans_order(spans);
		spans->limit = spans->list.count * 2;
	}
	if (spans->limit < SPANS_AT_FIRST)
		spans->limit = SPANS_AT_FIRST;
	*vector_push(arena, &spans->list) = (struct span){first, end};
}

/* ---- Launches ---- */

static struct footprint *find(const struct footprints *all, uint64_t ordinal)
{
	struct footprint *f = all->launches;

	while (f && f->ordinal != ordinal)
		f = f->next;
	return f;
}

struct footprint *footprint_group_begins(
	struct footprints *all, uint64_t ordinal, const struct kernel *kernel, uint32_t groups)
{
	struct footprint *f = find(all, ordinal);
	struct arena arena = {0};

	assert(groups);
	if (f)
		return f;
	f = arena_new(&arena, struct footprint);
	f->site = arena_new_array(&arena, uint32_t, 2 * (size_t)kernel->code_count);
	f->ordinal = ordinal;
	f->kernel = kernel;
	f->began = ++all->clock;
	f->groups = groups;
	f->next = all->launches;
	f->arena = arena; /* last: it has grown */
	all->launches = f;
	return f;
}

void footprint_group_ends(struct footprints *all, uint64_t ordinal)
{
	struct footprint *f = find(all, ordinal);

	assert(!f || f->groups);
	if (f && !--f->groups)
		f->ended = ++all->clock;
}

/* Whether launches beside this one can take the access for one of an atomic kind. */
static bool is_strong(const struct insn *i)
{
	bool is_volatile = i->access.order == order_VOLATILE || i->access.order == order_MMIO;

	if (i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE)
		return true;
	if (i->kind != INSN_ATOMIC &&
		((i->kind != INSN_LOAD && i->kind != INSN_STORE) || i->access.order <= order_WEAK))
		return false;
	return is_volatile || i->access.scope != scope_CTA;
}

/* Whether it orders what other launches see. */
static bool is_fence(const struct insn *i)
{
	bool is_ordered = i->access.order == order_ACQUIRE || i->access.order == order_RELEASE ||
			  i->access.order == order_ACQ_REL || i->access.order == order_SC;

	return i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE || (is_ordered && is_strong(i));
}

void footprint_fence(struct footprints *all, uint64_t ordinal)
{
	struct footprint *f = find(all, ordinal);

	if (f)
		f->fences = true;
}

void footprint_add(
	struct footprints *all, uint64_t ordinal, uint32_t pc, bool writes, bool awaited, const struct span *span)
{
	struct footprint *f = find(all, ordinal);
	struct footprint_site *site;
	uint32_t *place;
	assert(span->first < span->end);

	if (!f)
		return;
	place = &f->site[2 * (size_t)pc + awaited];
	if (!*place) {
		*vector_push(&f->arena, &f->sites) = (struct footprint_site){
			.pc = pc, .strong = is_strong(&f->kernel->code[pc]), .awaited = awaited};
		*place = f->sites.count;
		f->fences |= is_fence(&f->kernel->code[pc]);
	}
	site = &f->sites.at[*place - 1];
	assert(*place <= f->sites.count);
	assert(site->pc == pc && site->awaited == awaited);
	site->writes |= writes;
	spans_add(&site->spans, &f->arena, span->first, span->end);
}

struct footprint *footprint_take(struct footprints *all, uint64_t ordinal)
{
	struct footprint **at = &all->launches, *f;

	while (*at && (*at)->ordinal != ordinal)
		at = &(*at)->next;
	f = *at;
	if (!f)
		return NULL;
	*at = f->next;
	if (!f->ended)
		f->ended = ++all->clock;
	assert(f->began < f->ended);
	for (uint32_t k = 0; k < f->sites.count; k++)
		spans_order(&f->sites.at[k].spans);
	return f;
}

void footprint_free(struct footprint *f)
{
	struct arena arena;

	if (!f)
		return;
	arena = f->arena; /* it lies in it */
	arena_free(&arena);
}
