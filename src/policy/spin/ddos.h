/* What of ddos its unit tests look at, and its largest sizes.  Private to this folder. */
#ifndef LOCKSTEP_POLICY_SPIN_DDOS_H
#define LOCKSTEP_POLICY_SPIN_DDOS_H

#include "policy/spin/spin.h"

#define SPIN_HISTORY_MAX 32 /* entries; power of two */
#define SPIN_TABLE_MAX 64

/* A value in `bits` bits: the low ones, or all groups of so many combined by exclusive or. */
uint32_t spin_hash(uint64_t value, uint32_t bits, bool modulo);
/* Whether the warp is in the spinning state. */
bool spin_is_spinning(const void *state, int warp);

#endif
