/* The table of spin detectors, from list.def. */
#include "policy/spin/spin.h"
#include "policy/policy.h"

#define SPIN(choice) extern const struct spin_detector spin_##choice;
#include "policy/spin/list.def"
#undef SPIN

const struct spin_detector *const spin_detectors[] = {
#define SPIN(choice) &spin_##choice,
#include "policy/spin/list.def"
#undef SPIN
	NULL,
};

/* See policy.h. */
const char *spin_lacks(const void *policy)
{
	(void)policy;
	return NULL; /* without any hook it detects nothing */
}
