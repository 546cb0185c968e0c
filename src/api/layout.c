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
ASSERT_GROWS(lockstep_options, print_context);
ASSERT_GROWS(lockstep_launch, dispatchable_count);

/* All members of these structs (tests/python_module.py), in their order. */
static const struct lockstep_member members[] = {
#define MEMBER(of, member)                                                                                             \
	{                                                                                                              \
#of, #member, offsetof(struct of, member), sizeof((struct of *)0)->member, sizeof(struct of)           \
	}
#define O(member) MEMBER(lockstep_options, member)
	O(size), O(gpu), O(settings), O(plugins), O(mode), O(threads), O(seed), O(max_cycles), O(pause_when_stuck),
	O(hang_after), O(explain_limit), O(on_fault), O(weak), O(check), O(footprints), O(trace), O(trace_window),
	O(trace_cores), O(trace_core_count), O(profile), O(samples), O(show), O(show_lock_bits), O(schedule),
	O(interrupt), O(progress), O(progress_context), O(print), O(print_context),
#define L(member) MEMBER(lockstep_launch, member)
	L(size), L(module), L(kernel), L(grid), L(block), L(cluster), L(shared_bytes), L(parameters),
	L(parameter_bytes), L(envreg), L(stream), L(firmware), L(dispatchables), L(dispatchable_count),
#define N(member) MEMBER(lockstep_needs, member)
	N(size), N(registers_per_thread), N(shared_bytes), N(shared_first), N(dynamic_offset), N(local_bytes),
	N(group_threads), N(required), N(cluster), N(reads_threads),
#define G(member) MEMBER(lockstep_occupancy, member)
	G(size), G(groups_per_core), G(groups),
#define P(member) MEMBER(lockstep_parameter, member)
	P(name), P(type), P(size), P(align), P(offset),
#define K(member) MEMBER(lockstep_policy, member)
	K(kind), K(name), K(summary)};

bool lockstep_layout(size_t k, struct lockstep_member *member)
{
	if (k >= sizeof members / sizeof *members)
		return false;
	*member = members[k];
	return true;
}
