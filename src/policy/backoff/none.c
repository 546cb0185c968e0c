/* No back-off: the machine asks nobody. */
#include "policy/backoff/backoff.h"

const struct backoff_policy backoff_none = {
	.name = "none",
	.summary = "warps that spin issue like all others",
};
