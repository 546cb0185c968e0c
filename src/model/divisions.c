/* What shared memory leaves the L1: see divisions.h. */
#include "model/divisions.h"

#include <stdlib.h>
#include <string.h>

static bool add(const struct gpu_model *model, struct divisions *d, unsigned long kb)
{
	uint64_t way = (uint64_t)model->l1_sets * model->line_bytes, bytes = (uint64_t)kb << 10;
	if (d->count == MOST_DIVISIONS || kb > UINT32_MAX >> 10 || bytes % way || bytes / way >= model->l1_ways ||
		(d->count && bytes <= d->shared[d->count - 1]))
		return false;
	d->shared[d->count] = (uint32_t)bytes;
	d->ways[d->count++] = model->l1_ways - (uint32_t)(bytes / way);
	return true;
}

bool divisions_read(const struct gpu_model *model, struct divisions *divisions)
{
	const char *at = model->l1_divisions;
	*divisions = (struct divisions){0};
	if (!at || !strcmp(at, "none"))
		return true;
	while (*at) {
		char *end;
		unsigned long kb = strtoul(at, &end, 10);
		if (*at < '0' || *at > '9' || (*end && *end != ' ') || !add(model, divisions, kb))
			return false;
		at = end + strspn(end, " ");
	}
	return divisions->count > 0;
}

uint32_t divisions_ways(const struct divisions *divisions, uint64_t shared, uint32_t all)
{
	uint32_t k = 0;
	if (!divisions->count)
		return all;
	while (k + 1 < divisions->count && divisions->shared[k] < shared)
		k++;
	return divisions->ways[k];
}
