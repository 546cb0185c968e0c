/* The rows of causes.def as a table. */
#include "check/causes.h"

#include <stddef.h>
#include <string.h>

enum cause_role { CAUSE_ROLE_ROOT, CAUSE_ROLE_SYMPTOM };
/* When part of a cause's remedy is done already. */
enum cause_except { EXCEPT_NEVER, EXCEPT_INDEPENDENT, EXCEPT_STRONG };

static const struct {
	const char *name, *remedy;
	const char *alternative; /* the remedy without what is done already; null: it is never */
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

const char *cause_remedy(enum hang_cause cause, bool independent, bool strong)
{
	enum cause_except except = rows[cause].except;
	bool already_done = (except == EXCEPT_INDEPENDENT && independent) || (except == EXCEPT_STRONG && strong);

	return already_done ? rows[cause].alternative : rows[cause].remedy;
}
