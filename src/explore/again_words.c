/* Words of a launch that is run again, written where the launch that hangs went wrong: locks are given back when their
 * owner ends, or while it waits for another lock; a write that came too early is undone. */
#include "explore/again_parts.h"
#include "explore/left.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"

/* From now on `act` is called with `again` between quanta, and looks at the change's word. */
static void watch_word(
	struct again *again, const struct change *change, enum word_state state, void (*act)(void *again))
{
	again->word = change;
	again->word_state = state;
	again->gpu.experiment.between = act;
	again->gpu.experiment.between_context = again;
}

/* ---- At the owner's end ---- */

bool again_owner_has_ended(const struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;
	const struct launch *launch = machine ? machine_launch(machine, change->launch) : NULL;
	struct core *core;
	uint32_t lane;

	return launch && dispatch_turn(launch, change->group) < launch->dispatch.next_group &&
	       !again_find_thread(again, change, &core, &lane);
}

/* The thread's last atomic may still be on its way when it ends: the lock is given back when it has been taken. */
static void release_at_end(void *context)
{
	struct again *again = context;
	const struct change *lock = again->word;
	uint64_t value;

	if (again->word_state == WORD_CHANGED || !again_owner_has_ended(again, lock))
		return;
	if (lock->is_bit ? again_free_bit(again, lock)
			 : again_read_word(again, lock, &value) && value != again->word_value &&
				   again_word(again, lock, again->word_value))
		again->word_state = WORD_CHANGED;
}

static void arrive_now(void *context)
{
	const struct again *again = context;

	if (again->gpu.machine)
		again_arrive_now(again, again->word);
}

void again_arrive(struct again *again, const struct change *change)
{
	again->uses = left_find_uses(&again->arena, machine_launch(again->machine, change->launch)->kernel);
	watch_word(again, change, WORD_AS_IT_WAS, arrive_now);
}

void again_release_at_end(struct again *again, const struct change *change, uint64_t value)
{
	again->word_value = value;
	watch_word(again, change, WORD_AS_IT_WAS, release_at_end);
}

bool again_was_changed(const struct again *again)
{
	return again->word_state == WORD_CHANGED;
}

/* ---- While the owner waits ---- */

/* Looks at the word between quanta: free, taken by another, free again.  Then the owner has it again, before its own
 * release. */
static void take_when_free(void *context)
{
	struct again *again = context;
	const struct change *lock = again->word;
	uint64_t value;

	if (again->word_state == WORD_AS_IT_WAS || !again_read_word(again, lock, &value))
		return;
	if (again->word_state == WORD_CHANGED && value != lock->values[0])
		again->word_state = WORD_OF_ANOTHER;
	else if (again->word_state == WORD_OF_ANOTHER && value == lock->values[0] &&
		 again_word(again, lock, again->word_value))
		again->word_state = WORD_AS_IT_WAS;
}

bool again_give_back(struct again *again, const struct change *change)
{
	if (change->is_bit)
		return again_free_bit(again, change);
	if (!again_read_word(again, change, &again->word_value) || again->word_value == change->values[0] ||
		!again_word(again, change, change->values[0]))
		return false;
	if (change->is_own)
		return true;
	watch_word(again, change, WORD_CHANGED, take_when_free);
	return true;
}

/* ---- A write that came too early ---- */

static void undo_write(void *context)
{
	struct again *again = context;
	const struct change *change = again->word;
	const struct machine *machine = again->gpu.machine;
	uint64_t value;

	if (again->word_state == WORD_CHANGED || !machine || machine_clock(machine) < change->when ||
		!again_read_word(again, change, &value) || value != change->values[1])
		return;
	if (again_word(again, change, change->values[0]))
		again->word_state = WORD_CHANGED;
}

void again_undo_write(struct again *again, const struct change *change)
{
	watch_word(again, change, WORD_AS_IT_WAS, undo_write);
}
