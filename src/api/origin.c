/* What modules are and what made them, which reports name. */
#include "api/api.h"

#include "util/ptx_maker.h"

#include <string.h>

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* Results refer to it when the module may be gone; a program that loads a module again and again needs it once. */
const struct lockstep_origin *api_origin(struct lockstep *lockstep, const char *text, const char *target)
{
	struct arena scratch = {0}, *arena = &lockstep->arena;
	struct ptx_maker maker;

	ptx_maker_read(&scratch, text, &maker);
	const char *ptx = ptx_digest(&scratch, text);
	const char *key = arena_printf(&scratch, "%s\n%s\n%s\n%s\n%s\n%d", ptx, target, or_none(maker.producer),
		or_none(maker.compiler), or_none(maker.options), maker.is_pinned);
	struct lockstep_origin *origin = map_get(&lockstep->origins, key);
	if (!origin) {
		origin = arena_new(arena, struct lockstep_origin);
		*origin = (struct lockstep_origin){.ptx = arena_text(arena, ptx),
			.target = arena_text(arena, target),
			.producer = arena_text(arena, maker.producer),
			.compiler = arena_text(arena, maker.compiler),
			.options = arena_text(arena, maker.options),
			.is_pinned = maker.is_pinned};
		map_put(arena, &lockstep->origins, arena_text(arena, key), strlen(key), origin);
	}
	arena_free(&scratch);
	return origin;
}

const struct lockstep_origin *lockstep_origin(const struct lockstep_module *module)
{
	return module->origin;
}
