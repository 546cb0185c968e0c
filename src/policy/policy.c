/* Finds policies by name, ours and those of plug-ins. */
#include "policy/policy.h"

#include "util/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define POLICY_MAX 64 /* of one kind */

#define POLICY(kind, vtable, variable) extern const struct vtable variable;
#include "policy/list.def"
#undef POLICY

static const struct {
	enum policy_kind kind;
	const void *policy;
} own[] = {
#define POLICY(kind, vtable, variable) {POLICY_##kind, &variable},
#include "policy/list.def"
#undef POLICY
};

static const char *const kind_names[POLICY_KIND_COUNT] = {
#define POLICY_KIND(kind, vtable, table, decides) #kind,
#include "policy/kinds.def"
#undef POLICY_KIND
};

static const void *added[POLICY_KIND_COUNT][POLICY_MAX];
static size_t added_count[POLICY_KIND_COUNT];

const char *policy_kind_name(enum policy_kind kind)
{
	return kind_names[kind];
}

/* One clause for "did you mean": the nearest of the names, or all of them. */
static const char *suggest(const char *name, const char *const *names, size_t count, char *clause, size_t size)
{
	const char *nearest = text_nearest(name, names, count);
	if (nearest) {
		snprintf(clause, size, "did you mean '%s'?", nearest);
		return clause;
	}
	size_t length = (size_t)snprintf(clause, size, "known are");
	for (size_t i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(clause + length, size - length, "%s %s", i ? "," : "", names[i]);
	return clause;
}

const struct policy *policy_at(enum policy_kind kind, size_t index)
{
	for (size_t k = 0; k < sizeof own / sizeof *own; k++)
		if (own[k].kind == kind && !index--)
			return own[k].policy;
	return index < added_count[kind] ? added[kind][index] : NULL;
}

const void *policy_find(enum policy_kind kind, const char *name, struct diagnostic *diagnostic)
{
	const char *names[2 * POLICY_MAX];
	char clause[512];
	size_t count = 0;
	for (const struct policy *p; count < 2 * POLICY_MAX && (p = policy_at(kind, count)); count++) {
		if (!strcmp(p->name, name))
			return p;
		names[count] = p->name;
	}
	diagnose(diagnostic, (struct place){0}, "no %s policy is called '%s'; %s", kind_names[kind], name,
		suggest(name, names, count, clause, sizeof clause));
	return NULL;
}

/* Of a policy's fixed state.  That of a divergence model depends on the launch. */
static size_t state_size(enum policy_kind kind, const void *policy)
{
#define STATE(of, vtable)                                                                                              \
	if (kind == POLICY_##of)                                                                                       \
		return ((const struct vtable *)policy)->state_size;
#define NEEDS(of, vtable, when, hook)
#include "policy/needs.def"
	return 0;
}

/* The first hook that a policy needs and that is null; null: it has all. */
static const char *lacks(enum policy_kind kind, const void *policy)
{
#define STATE(of, vtable)
#define NEEDS(of, vtable, when, hook)                                                                                  \
	if (kind == POLICY_##of) {                                                                                     \
		const struct vtable *p = policy;                                                                       \
		if ((when) && !p->hook)                                                                                \
			return #hook;                                                                                  \
	}
#include "policy/needs.def"
	return NULL;
}

/* Names stand in command lines, reports and files of models. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_+.-", *at))
			return false;
	return true;
}

bool policy_is_added(enum policy_kind kind, const void *policy)
{
	for (size_t i = 0; i < added_count[kind]; i++)
		if (added[kind][i] == policy)
			return true;
	return false;
}

bool policy_add(enum policy_kind kind, const void *policy, struct diagnostic *diagnostic)
{
	const struct policy *p = policy, *same;
	const char *what = kind_names[kind], *missing = lacks(kind, policy);
	const struct place nowhere = {0};
	if (!p->name || !*p->name || !p->summary) {
		diagnose(diagnostic, nowhere, "a %s policy lacks a name or a summary", what);
		return false;
	}
	for (size_t i = 0; (same = policy_at(kind, i)) && strcmp(same->name, p->name); i++)
		;
	if (!is_name(p->name))
		diagnose(diagnostic, nowhere,
			"the name of %s policy '%s' has other characters than letters, digits and _+.-", what, p->name);
	else if (state_size(kind, policy) > POLICY_STATE_MAX)
		diagnose(diagnostic, nowhere, "%s policy '%s' has a state_size of %zu bytes, expected at most %d", what,
			p->name, state_size(kind, policy), POLICY_STATE_MAX);
	else if (missing)
		diagnose(diagnostic, nowhere, "%s policy '%s' lacks the hook '%s'", what, p->name, missing);
	else if (same)
		diagnose(diagnostic, nowhere, "there already is a %s policy '%s'", what, p->name);
	else if (added_count[kind] == POLICY_MAX)
		diagnose(diagnostic, nowhere, "more than %d %s policies from plug-ins", POLICY_MAX, what);
	else
		added[kind][added_count[kind]++] = policy;
	return !diagnostic->failed;
}
