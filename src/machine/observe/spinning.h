/* Warps that spin: events for the spin detector, and what the back-off policy makes of what it finds.
 *
 * An observer of branches and comparisons that, unlike others, changes what happens: back-off comes before the
 * scheduler's pick, and its delays are times before which a warp does not issue; only the second instruction that a
 * warp issues in a cycle is reported to it.  So without these policies the cycle loop is as if this file were not
 * there, but for a test before such second instructions. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SPINNING_H
#define LOCKSTEP_MACHINE_OBSERVE_SPINNING_H

#include "machine/state/gpu.h"
#include "machine/state/machine.h"

/* Whether the policies of the GPU fit together and their fields can be read; an error says what is wrong. */
bool spinning_check(const struct gpu *gpu, struct diagnostic *diagnostic);

#endif
