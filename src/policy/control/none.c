/* No control processor. */
#include "policy/control/control.h"

const struct control_policy control_none = {
	.name = "none",
	.summary = "none: there is no firmware",
};
