/* How structs lie in memory that callers make: their sizes, which may be those of another version of the header, and
 * their members. */
#include "api/api.h"

#include <assert.h>
#include <string.h>

#define LARGEST 4096 /* no struct of ours will be as large: what says so was not set */

/* The size of a struct of the caller's; false and an error for one that was not set. */
static bool read_size(const void *given, size_t *size, size_t bytes, const char *name, struct lockstep_error *error)
{
	memcpy(size, given, sizeof *size);
	return (*size >= sizeof *size && *size <= LARGEST) ||
	       api_fail_with(error, "struct %s of size %zu: expected .size = sizeof(struct %s), here %zu", name, *size,
		       name, bytes);
}

bool api_take(void *own, size_t bytes, const void *given, const char *name, struct lockstep_error *error)
{
	size_t size;

	if (!read_size(given, &size, bytes, name, error))
		return false;
	for (size_t k = bytes; k < size; k++)
		if (((const char *)given)[k])
			return api_fail_with(error,
				"struct %s of size %zu: expected 0 behind the %zu bytes that this library knows", name,
				size, bytes);
	memset(own, 0, bytes);
	memcpy(own, given, size < bytes ? size : bytes);
	memcpy(own, &bytes, sizeof bytes);
	return true;
}

bool api_give(void *given, const void *own, size_t bytes, const char *name, struct lockstep_error *error)
{
	size_t size;

	if (!read_size(given, &size, bytes, name, error))
		return false;
	memset(given, 0, size);
	memcpy(given, own, size < bytes ? size : bytes);
	memcpy(given, &size, sizeof size);
	return true;
}

/* The size is first; and a new member after the last does not lie in what an older header has as padding, of any
 * contents. */
#define ASSERT_GROWS(structure, last)                                                                                  \
	static_assert(!offsetof(struct structure, size), "the size is first");                                         \
	static_assert(                                                                                                 \
		offsetof(struct structure, last) + sizeof((struct structure *)0)->last == sizeof(struct structure),    \
		"padding behind the last member")
ASSERT_GROWS(lockstep_options, checkpoint);
ASSERT_GROWS(lockstep_launch, early_after);

/* Read from include/lockstep.h by scripts/layout.cmake. */
static const struct lockstep_member members[] = {
#define MEMBER(of, member, type)                                                                                       \
	{#of, #member, type, offsetof(struct of, member), sizeof((struct of *)0)->member, sizeof(struct of)},
#include "layout_members.inc"
};

bool lockstep_layout(size_t k, struct lockstep_member *member)
{
	if (k >= sizeof members / sizeof *members)
		return false;
	*member = members[k];
	return true;
}
