/* The uninitialised reads that were found: one for each line and object. */
#include "init/init.h"

#include <string.h>

/* Copies of a line, as of an unrolled loop, are one place. */
static bool is_same_place(const struct init_found *a, const struct init_found *b)
{
	struct place x, y;

	if (a->kernel != b->kernel)
		return false;
	if (a->pc == b->pc)
		return true;
	x = kernel_place(a->kernel, a->pc);
	y = kernel_place(b->kernel, b->pc);
	return x.line == y.line && x.file && y.file && !strcmp(x.file, y.file);
}

void init_list_add(struct init_list *list, struct arena *arena, const struct init_found *found)
{
	for (uint32_t k = 0; k < list->found.count; k++) {
		struct init_found *f = &list->found.at[k];

		if (f->launch == found->launch && f->space == found->space && f->object == found->object &&
			f->is_part == found->is_part && is_same_place(f, found)) {
			f->count += found->count;
			return;
		}
	}
	*vector_push(arena, &list->found) = *found;
}

struct inits *inits_create(struct arena *arena, uint64_t base, uint64_t bytes)
{
	struct inits *inits = arena_new(arena, struct inits);

	inits->arena = arena;
	inits->global.words = arena_reserve(arena, (bytes / 64 + 2) * sizeof *inits->global.words);
	inits->global.base = base;
	inits->global.bytes = bytes;
	return inits;
}
