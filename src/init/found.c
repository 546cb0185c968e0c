/* The uninitialised reads that were found: one for each line and object, over all launches. */
#include "init/init.h"

void init_list_add(struct init_list *list, struct arena *arena, const struct init_found *found)
{
	for (uint32_t k = 0; k < list->found.count; k++) {
		struct init_found *f = &list->found.at[k];

		if (f->space == found->space && f->object == found->object && f->is_part == found->is_part &&
			f->kernel == found->kernel && kernel_same_line(f->kernel, f->pc, found->pc)) {
			f->count += found->count;
			return;
		}
	}
	*vector_push(arena, &list->found) = *found;
}

void init_list_forget(struct init_list *list, const struct ptx_module *module)
{
	for (uint32_t k = 0; k < list->found.count; k++)
		if (list->found.at[k].kernel && list->found.at[k].kernel->module == module)
			list->found.at[k].kernel = NULL;
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
