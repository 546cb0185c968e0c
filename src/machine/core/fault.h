/* Faults of kernels. */
#ifndef LOCKSTEP_MACHINE_CORE_FAULT_H
#define LOCKSTEP_MACHINE_CORE_FAULT_H

#include "machine/core/core.h"

/* Keeps the first fault of the core, with all that explains it, and stops the core. */
void core_fault(struct core *core, struct warp_slot *r, const struct insn *insn, uint32_t lane, const char *cause,
	const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
