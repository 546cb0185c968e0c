/* The rows of causes.def as a table. */
#include "check/causes.h"

#include <stddef.h>
#include <string.h>

enum cause_role { CAUSE_ROLE_ROOT, CAUSE_ROLE_SYMPTOM };

static const struct {
	const char *name, *remedy;
	const char *alternative; /* null: the remedy */
	enum cause_role role;
	enum cause_except except;
} rows[HANG_CAUSES] = {
#define CAUSE(id, name, role, summary, remedy, except, alternative)                                                    \
	[CAUSE_##id] = {name, remedy, alternative, CAUSE_ROLE_##role, EXCEPT_##except},
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

bool cause_is_symptom(enum hang_cause cause)
{
	return rows[cause].role == CAUSE_ROLE_SYMPTOM;
}

enum cause_except cause_except(enum hang_cause cause)
{
	return rows[cause].except;
}

const char *cause_remedy(enum hang_cause cause, bool already_done)
{
	return already_done && rows[cause].alternative ? rows[cause].alternative : rows[cause].remedy;
}

const char *cause_remedy_for(enum hang_cause cause, bool independent, bool strong)
{
	switch (rows[cause].except) {
	case EXCEPT_INDEPENDENT: return cause_remedy(cause, independent);
	case EXCEPT_STRONG: return cause_remedy(cause, strong);
	case EXCEPT_NEVER: break;
	}
	return cause_remedy(cause, false);
}
