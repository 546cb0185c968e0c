/* The table of back-off policies, from list.def. */
#include "policy/backoff/backoff.h"

#define BACKOFF(choice) extern const struct backoff_policy backoff_##choice;
#include "policy/backoff/list.def"
#undef BACKOFF

const struct backoff_policy *const backoff_policies[] = {
#define BACKOFF(choice) &backoff_##choice,
#include "policy/backoff/list.def"
#undef BACKOFF
	NULL,
};
