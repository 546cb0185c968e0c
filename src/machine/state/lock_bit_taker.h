/* The thread that took a lock bit, and where (lsu/lock_bits.h). */
#ifndef LOCKSTEP_MACHINE_STATE_LOCK_BIT_TAKER_H
#define LOCKSTEP_MACHINE_STATE_LOCK_BIT_TAKER_H

#include <stdint.h>

struct launch;

struct lock_bit_taker {
	const struct launch *launch;
	uint32_t group, thread; /* flat */
	uint32_t pc;
	uint32_t word;  /* its address in the group's shared memory */
	uint32_t place; /* where it lies in the core's: bytes */
	uint64_t since; /* cycle */
};

#endif
