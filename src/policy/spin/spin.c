/* The table of spin detectors, from list.def. */
#include "policy/spin/spin.h"
#include "policy/policy.h"

#define TABLE spin_detectors
#define VTABLE spin_detector
#define POLICY_NAME(choice) spin_##choice
#define LIST "policy/spin/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *spin_lacks(const void *policy)
{
	(void)policy;
	return NULL; /* without any hook it detects nothing */
}
