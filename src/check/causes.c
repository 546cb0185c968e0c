/* The rows of causes.def as a table. */
#include "check/causes.h"

#include <stddef.h>
#include <string.h>

enum cause_lies { CAUSE_LIES_ROOT, CAUSE_LIES_SURFACE };

static const struct {
	const char *name, *remedy;
	const char *instead; /* null: the remedy */
	enum cause_lies lies;
	enum cause_except except;
} rows[HANG_CAUSES] = {
#define CAUSE(id, name, lies, summary, remedy, except, instead)                                                        \
	[CAUSE_##id] = {name, remedy, instead, CAUSE_LIES_##lies, EXCEPT_##except},
#include "check/causes.def"
#undef CAUSE
};

const char *cause_name(enum hang_cause cause)
{
	return rows[cause].name;
}

enum hang_cause cause_of_name(const char *name)
{
	enum hang_cause cause = 0;

	while (cause < HANG_CAUSES && strcmp(rows[cause].name, name))
		cause++;
	return cause;
}

bool cause_is_surface(enum hang_cause cause)
{
	return rows[cause].lies == CAUSE_LIES_SURFACE;
}

enum cause_except cause_except(enum hang_cause cause)
{
	return rows[cause].except;
}

const char *cause_remedy(enum hang_cause cause, bool followed)
{
	return followed && rows[cause].instead ? rows[cause].instead : rows[cause].remedy;
}
