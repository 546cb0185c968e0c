/* Whether an atomic whose result ends a loop is an attempt to take a lock.
 *
 * A lock is a word that stays where it is, is found free or taken, and is put back:
 *   - an exchange or a fetch-or of a value that stays the same, at an address that does;
 *   - a compare-and-swap with a constant at such an address.  What it puts is a constant; or, where it is not, as with
 *     an owner's number, something in the module may put the free value back;
 *   - a compare-and-swap with what the turn has read in the word, if it only marks that (`old | 1`, `old - 1`), if
 *     there are turns that do not try, because of the word alone (it is taken, or at zero), and if something puts it
 *     back: bits, semaphores, readers' counts;
 *   - at an address that moves, only if the same turn puts the word back: a walk that locks one node after another.
 * None are a table's probe (the address moves and nothing is put back), a stack or a queue (what is put is computed
 * anew), a ticket or a place in a ring (nothing puts it back, or another word decides whether to try).
 *
 * WHERE NOTHING IS KNOWN.  A release may be in another function or kernel, and its address may not be followed: a store
 * or an atomic that may put the free value back counts unless its address is known to be another one (by parameter,
 * variable or constant offset).  In another kernel only one counts that is known to put that constant, as most kernels
 * of a module have nothing to do with each other.  A word that only constants are tried on is a lock even if nothing in
 * the module puts it back: then that release is what the program lacks.  An exchange of 0 also takes an item out of a
 * mailbox: it is an attempt for a lock only if the function can put something else there afterwards, or is called from
 * elsewhere. */
#ifndef LOCKSTEP_KERNEL_ATTEMPT_H
#define LOCKSTEP_KERNEL_ATTEMPT_H

#include "kernel/flow.h"

#include <stdbool.h>
#include <stdint.h>

struct attempt {
	struct arena *arena;
	const struct ptx_module *module;
	const struct flow *flow;
	const struct flow_loop *loop; /* that its result ends */
	/* Per register of the function: the only instruction that writes it, or null. */
	const struct ptx_instruction *const *definition;
	const uint64_t *written; /* registers written in the loop */
	const uint64_t *steady;  /* registers whose value there depends on loads and on what comes from outside only */
	struct flow_room walk;   /* scratch */
	uint32_t instruction;    /* an atomic, or a load with lock */
};

bool attempt_is_lock(const struct attempt *attempt);

/* Whether another atomic of the function tries for the same lock in the same way: compilers put a loop's first attempt
 * before the loop. */
bool attempt_has_twin(const struct attempt *attempt, uint32_t other);

/* Whether an exchange's result is compared, in the loop, with the constant that it puts and with nothing else: whatever
 * else it finds, it has the lock. */
bool attempt_takes_any(const struct attempt *attempt);

/* The integer that an operand always has.  False: not known. */
bool attempt_constant(
	const struct ptx_instruction *const *definition, const struct ptx_operand *operand, uint64_t *value);

#endif
