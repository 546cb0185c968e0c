/* Names of targets, "sm_90a", read. */
#include "util/architecture.h"

#include <assert.h>
#include <string.h>

bool architecture_read(const char *name, struct architecture *a)
{
	assert(name && a);
	*a = (struct architecture){.number = 0};
	if (strncmp(name, "sm_", 3))
		return false;
	for (name += 3; *name >= '0' && *name <= '9' && a->number < 1000; name++)
		a->number = a->number * 10 + (uint32_t)(*name - '0');
	if (*name == 'a' || *name == 'f')
		a->variant = *name++;
	return a->number && !*name;
}

bool architecture_runs_on(struct architecture a, uint32_t capability)
{
	switch (a.variant) {
	case 'a': return a.number == capability;
	case 'f': return a.number <= capability && a.number / 10 == capability / 10;
	default: return a.number <= capability;
	}
}
