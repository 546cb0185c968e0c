/* Faults of kernels. */
#ifndef LOCKSTEP_MACHINE_CORE_FAULT_H
#define LOCKSTEP_MACHINE_CORE_FAULT_H

#include "machine/state/core.h"

enum fault_cause {
	FAULT_NONE,
#define FAULT(cause, kind, what) FAULT_##cause,
#include "machine/core/faults.def"
#undef FAULT
	FAULT_CAUSES
};

/* As findings have it: "address"; and the finding's kind: "fault", "trap" or "assert".  Not of FAULT_NONE. */
const char *fault_name(enum fault_cause cause);
const char *fault_kind(enum fault_cause cause);

/* Keeps the first fault of the core, with all that explains it, and stops the core. */
void core_fault(struct core *core, struct warp_slot *r, const struct insn *insn, uint32_t lane, enum fault_cause cause,
	const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
