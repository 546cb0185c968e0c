/* No spin detection: nothing is observed. */
#include "policy/spin/spin.h"

const struct spin_detector spin_none = {
	.name = "none",
	.summary = "no branch counts as spin-inducing",
};
