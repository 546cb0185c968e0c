/* The same delay each time. */
#include "policy/retry/retry.h"

static uint64_t delay(const struct retry_values *values, uint32_t attempts)
{
	(void)attempts;
	return retry_limited(values, values->unit);
}

const struct retry_policy retry_constant = {
	.name = "constant",
	.summary = "after retry.unit cycles",
	.delay = delay,
};
