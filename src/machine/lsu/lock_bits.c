/* When the atomics of shared memory have their lock bits. */
#include "machine/lsu/lock_bits.h"

#include "machine/state.h"

enum { LOCK_BITS = 1024 };

static uint32_t bit_of(uint64_t address)
{
	return (uint32_t)(address / 4 % LOCK_BITS);
}

uint64_t *lock_bits_create(const struct gpu_model *model, struct arena *arena)
{
	return model->shared_atomic_locks ? arena_new_array(arena, uint64_t, LOCK_BITS) : NULL;
}

uint32_t lock_bits_cycles(const uint64_t *address, lane_mask lanes, uint32_t bank_cycles)
{
	uint32_t worst = bank_cycles;

	EACH_LANE(l, lanes) {
		uint32_t same = 0;

		EACH_LANE(m, lanes)
			same += bit_of(address[m]) == bit_of(address[l]);
		worst = same > worst ? same : worst;
	}
	return 2 * worst;
}

/* The warp repeats its loop until it has had the last lock. */
static void take_slots(struct core *core, const struct operation *op, uint64_t cycles)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t turns = (cycles + model->shared_atomic_interval - 1) / model->shared_atomic_interval;
	uint64_t *taken = &core->slots_taken[(uint32_t)(op->slot - core->slots) % core->schedulers];

	*taken = (*taken > core->now ? *taken : core->now) + turns * model->shared_atomic_slots;
}

uint64_t lock_bits_take(struct core *core, uint64_t *bits, const struct operation *op)
{
	/* Addresses count from the group's own; its place says where that lies in the core's memory. */
	uint64_t base = (uint64_t)op->group->place * op->group->core_launch->launch->group_shared, last = 0;

	EACH_LANE(l, op->lanes) {
		uint64_t *free = &bits[bit_of(base + op->address[l])];

		*free = (*free > core->now ? *free : core->now) + core->machine->model->shared_atomic_interval;
		last = *free > last ? *free : last;
	}
	take_slots(core, op, last - core->now);
	return last;
}
