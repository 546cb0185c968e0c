/* Policies of every kind by name: our own and those of plug-ins. */
#ifndef LOCKSTEP_POLICY_POLICY_H
#define LOCKSTEP_POLICY_POLICY_H

#include "util/diagnostic.h"

#define POLICY_HEADERS
#include "policy/kinds.def"
#undef POLICY_HEADERS

enum policy_kind {
#define POLICY_KIND(kind, vtable, table, decides) POLICY_##kind,
#include "policy/kinds.def"
#undef POLICY_KIND
	POLICY_KIND_COUNT
};

#define POLICY_STATE_MAX (16 << 20) /* bytes of one state that a policy may ask for */

/* How the vtable of every kind begins. */
struct policy {
	const char *name, *summary;
};

const char *policy_kind_name(enum policy_kind kind); /* "scheduler" */

/* The policies of a kind in order: ours as in list.def, then those of plug-ins; null behind the last. */
const struct policy *policy_at(enum policy_kind kind, size_t index);
/* The policy called `name`: a pointer to the kind's vtable.  Null and an error that names the nearest, or all, when
 * none is. */
const void *policy_find(enum policy_kind kind, const char *name, struct diagnostic *diagnostic);

/* scheduler_find(name, diagnostic), scheduler_at(index) and so on: the same with the kind's type. */
#define POLICY_KIND(kind, vtable, table, decides)                                                                      \
	static inline const struct vtable *kind##_find(const char *name, struct diagnostic *diagnostic)                \
	{                                                                                                              \
		return policy_find(POLICY_##kind, name, diagnostic);                                                   \
	}                                                                                                              \
	static inline const struct vtable *kind##_at(size_t index)                                                     \
	{                                                                                                              \
		return (const void *)policy_at(POLICY_##kind, index);                                                  \
	}
#include "policy/kinds.def"
#undef POLICY_KIND

/* Adds a plug-in's policy, which must outlive the program's use of it.  False and an error when its name is missing, is
 * no word or taken, its state is larger than POLICY_STATE_MAX, or a hook that the core needs is null.  Not while a
 * kernel runs. */
bool policy_add(enum policy_kind kind, const void *policy, struct diagnostic *diagnostic);

/* Whether the policy is of a plug-in, and not our own. */
bool policy_is_added(enum policy_kind kind, const void *policy);

/* Loads the shared object and adds its policies.  False and an error when it cannot; see include/lockstep/plugin.h. */
bool plugin_load(const char *path, struct diagnostic *diagnostic);

#endif
