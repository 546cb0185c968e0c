/* The end of a process whose plug-in breaks its contract: see contract.h. */
#include "policy/contract.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void contract_broken(enum policy_kind kind, const void *policy, const char *format, ...)
{
	const struct policy *p = policy;
	const char *file = plugin_file_of(policy);
	char what[512];
	va_list list;
	va_start(list, format);
	vsnprintf(what, sizeof what, format, list);
	va_end(list);
	assert(policy_is_added(kind, policy));
	fflush(stdout); /* what the kernel has printed */
	dprintf(STDERR_FILENO, "%s%s%s policy '%s' breaks its contract: %s\n", file ? file : "", file ? ": " : "",
		policy_kind_name(kind), p->name, what);
	_exit(2); /* other threads are in the middle of a simulation */
}
