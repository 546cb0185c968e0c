/* A delay that grows by the same amount each time. */
#include "policy/retry/retry.h"

static uint64_t delay(const struct retry_values *values, uint32_t attempts)
{
	return retry_limited(values, (uint64_t)values->unit * attempts);
}

const struct retry_policy retry_linear = {
	.name = "linear",
	.summary = "a delay that grows by retry.unit cycles each time, up to retry.limit",
	.delay = delay,
};
