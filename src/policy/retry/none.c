/* At once: the retries of paper 1. */
#include "policy/retry/retry.h"

static uint64_t delay(const struct retry_values *values, uint32_t attempts)
{
	(void)values, (void)attempts;
	return 0;
}

const struct retry_policy retry_none = {
	.name = "none",
	.summary = "at once (paper 1, 4.1)",
	.delay = delay,
};
