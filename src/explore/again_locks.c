/* Locks of a launch that is run again, given back where the launch that hangs did not: when their owner ends, or while
 * their owner waits for another lock. */
#include "explore/again_parts.h"

#include "machine/gpu/dispatch.h"

/* ---- At the owner's end ---- */

static bool owner_has_ended(const struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;
	struct core *core;
	uint32_t lane;

	return machine && machine->launches &&
	       dispatch_turn(machine->launches, change->group) < machine->launches->next_group &&
	       !again_find_thread(again, change, &core, &lane);
}

/* The thread's last atomic may still be on its way when it ends: the lock is given back when it has been taken. */
static void release_at_end(void *context)
{
	struct again *again = context;
	const struct change *lock = again->lock;
	uint64_t value;

	if (again->lock_state == LOCK_GIVEN_BACK || !owner_has_ended(again, lock))
		return;
	if (lock->is_bit ? again_free_bit(again, lock)
			 : again_read_word(again, lock, &value) && value != again->lock_value &&
				   again_word(again, lock, again->lock_value))
		again->lock_state = LOCK_GIVEN_BACK;
}

void again_release_at_end(struct again *again, const struct change *change, uint64_t value)
{
	again->lock = change;
	again->lock_value = value;
	again->lock_state = LOCK_TAKEN;
	again->gpu.between = release_at_end;
	again->gpu.between_context = again;
}

bool again_was_released(const struct again *again)
{
	return again->lock_state == LOCK_GIVEN_BACK;
}

/* ---- While the owner waits ---- */

/* Looks at the word between quanta: free, taken by another, free again.  Then the owner has it again, before its own
 * release. */
static void take_when_free(void *context)
{
	struct again *again = context;
	const struct change *lock = again->lock;
	uint64_t value;

	if (again->lock_state == LOCK_TAKEN || !again_read_word(again, lock, &value))
		return;
	if (again->lock_state == LOCK_GIVEN_BACK && value != lock->values[0])
		again->lock_state = LOCK_OF_ANOTHER;
	else if (again->lock_state == LOCK_OF_ANOTHER && value == lock->values[0] &&
		 again_word(again, lock, again->lock_value))
		again->lock_state = LOCK_TAKEN;
}

bool again_give_back(struct again *again, const struct change *change)
{
	if (change->is_bit)
		return again_free_bit(again, change);
	if (!again_read_word(again, change, &again->lock_value) || again->lock_value == change->values[0] ||
		!again_word(again, change, change->values[0]))
		return false;
	if (change->is_own)
		return true;
	again->lock = change;
	again->lock_state = LOCK_GIVEN_BACK;
	again->gpu.between = take_when_free;
	again->gpu.between_context = again;
	return true;
}

bool again_owner_has_ended(const struct again *again, const struct change *change)
{
	return owner_has_ended(again, change);
}
