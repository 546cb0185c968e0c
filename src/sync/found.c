/* The misuse that was found: one for each place, or two, and cause, over all launches. */
#include "sync/sync.h"

const struct sync_cause_text sync_causes[SYNC_CAUSES] = {
#define SYNC_CAUSE(id, name, certainty, rule, remedy) [SYNC_##id] = {name, certainty, rule, remedy},
#include "sync/causes.def"
#undef SYNC_CAUSE
};

void sync_list_add(struct sync_list *list, struct arena *arena, const struct sync_found *found)
{
	for (uint32_t k = 0; k < list->found.count; k++) {
		struct sync_found *f = &list->found.at[k];

		if (f->kernel == found->kernel && f->cause == found->cause && f->pc == found->pc &&
			f->has_other == found->has_other && f->other_pc == found->other_pc) {
			f->count += found->count;
			return;
		}
	}
	*vector_push(arena, &list->found) = *found;
}

void sync_list_forget(struct sync_list *list, const struct ptx_module *module)
{
	for (uint32_t k = 0; k < list->found.count; k++)
		if (list->found.at[k].kernel && list->found.at[k].kernel->module == module)
			list->found.at[k].kernel = NULL;
}

struct syncs *syncs_create(struct arena *arena, const struct syncs_asked *asked)
{
	struct syncs *syncs = arena_new(arena, struct syncs);

	syncs->arena = arena;
	syncs->asked = *asked;
	return syncs;
}
