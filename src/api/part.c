/* Calls what features add: see part.h. */
#include "api/part.h"

#include "util/diagnostic.h"

#include <stddef.h>

#define RESULT_PART(name) extern const struct result_part result_part_##name;
#include "api/parts.def"
#undef RESULT_PART

static const struct result_part *const parts[] = {
#define RESULT_PART(name) &result_part_##name,
#include "api/parts.def"
#undef RESULT_PART
};
#define PARTS (sizeof parts / sizeof *parts)

void parts_open(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	for (size_t k = 0; k < PARTS && !diagnostic->failed; k++)
		if (parts[k]->open)
			parts[k]->open(lockstep, diagnostic);
}

void parts_add(struct lockstep *lockstep, struct started *started)
{
	for (size_t k = 0; k < PARTS; k++)
		if (parts[k]->add)
			parts[k]->add(lockstep, started);
}

void parts_forget(struct lockstep *lockstep, const struct ptx_module *module)
{
	for (size_t k = 0; k < PARTS; k++)
		if (parts[k]->forget)
			parts[k]->forget(lockstep, module);
}

void parts_close(struct lockstep *lockstep)
{
	for (size_t k = 0; k < PARTS; k++)
		if (parts[k]->close)
			parts[k]->close(lockstep);
}
