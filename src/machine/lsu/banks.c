/* The banks of shared memory: how long an access takes. */
#include "machine/lsu/banks.h"

#include "machine/lsu/element.h"
#include "machine/state/core.h"
#include "warp/memory.h"

#include <assert.h>

#define UNIT_TABLE 128                 /* more than lanes, so a free place is always near */
#define UNIT_HASH UINT32_C(0x9e3779b9) /* 2^32 / the golden ratio; the 7 bits above 25 index the table */

/* The most different units, of 1 << shift bytes, that one bank is asked for. */
static uint32_t most_in_one_bank(const uint64_t *address, lane_mask lanes, uint32_t shift, uint32_t banks)
{
	uint32_t seen[UNIT_TABLE], worst = 0;
	uint8_t used[UNIT_TABLE] = {0}, load[64] = {0};

	assert(banks && banks <= sizeof load && !(banks & (banks - 1)));
	EACH_LANE(l, lanes) {
		uint32_t unit = (uint32_t)(address[l] >> shift), at = unit * UNIT_HASH >> 25;

		while (used[at] && seen[at] != unit)
			at = (at + 1) % UNIT_TABLE;
		if (used[at])
			continue;
		used[at] = 1;
		seen[at] = unit;
		if (++load[unit & (banks - 1)] > worst)
			worst = load[unit & (banks - 1)];
	}
	return worst;
}

uint32_t banks_cycles(const struct gpu_model *model, const struct lane_memory *memory, const struct insn *i,
	const uint64_t *address, lane_mask lanes)
{
	uint32_t bytes = access_bytes(i) > 4 ? access_bytes(i) : 4, shift = (uint32_t)__builtin_ctz(bytes);
	uint32_t all = model->shared_banks * 4, passes = bytes > all ? bytes / all : 1;
	uint32_t banks = bytes < all ? all >> shift : 1; /* side by side, each as wide as the access */

	assert(lanes && !(bytes & (bytes - 1)));
	if (memory->is_conflict_free(address, lanes, shift, banks))
		return passes;
	return most_in_one_bank(address, lanes, shift, banks) * passes;
}

uint32_t banks_same_word(const uint64_t *address, lane_mask lanes)
{
	uint32_t worst = 0;

	assert(lanes);
	EACH_LANE(l, lanes) {
		uint32_t same = 0;

		EACH_LANE(m, lanes)
			same += address[m] == address[l];
		worst = same > worst ? same : worst;
	}
	return worst;
}
