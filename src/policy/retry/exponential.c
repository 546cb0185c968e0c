/* A delay that doubles each time. */
#include "policy/retry/retry.h"

static uint64_t delay(const struct retry_values *values, uint32_t attempts)
{
	return retry_limited(values, (uint64_t)values->unit << (attempts < 32 ? attempts - 1 : 31));
}

const struct retry_policy retry_exponential = {
	.name = "exponential",
	.summary = "a delay that doubles each time, from retry.unit up to retry.limit (Anderson's best)",
	.delay = delay,
};
