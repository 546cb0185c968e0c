/* Memory accesses of a whole warp: addresses, bounds, and words in and out.
 *
 * Nearly all accesses are by all lanes, and most of those by neighbours to neighbouring words; both have loops of their
 * own. */
#include "warp/lanes/lanes.h"

#include "warp/variants.h"

#define ALL_LANES (LANES == 64 ? ~UINT64_C(0) : UINT64_C(0xffffffff))

static void addresses(uint64_t *address, const uint64_t *base, uint64_t offset)
{
	SIMD for (unsigned l = 0; l < LANES; l++) address[l] = base[l] + offset;
}

static void addresses_narrow(uint64_t *address, const uint32_t *base, uint32_t offset)
{
	SIMD for (unsigned l = 0; l < LANES; l++) address[l] = base[l] + offset;
}

static void leave_window(uint64_t *address, uint64_t window, uint64_t bytes)
{
	SIMD for (unsigned l = 0; l < LANES; l++) address[l] -= address[l] - window < bytes ? window : 0;
}

/* Has the highest bit set when the address is less than first or more than room behind it; and the bits of `odd`. */
static ALWAYS_INLINE uint64_t misfit(uint64_t address, uint64_t first, uint64_t room, uint64_t odd)
{
	uint64_t in = address - first;
	return ((in | (room - in)) & UINT64_C(1) << 63) | (address & odd);
}

static bool fit(const uint64_t *address, lane_mask lanes, uint64_t first, uint64_t room, uint64_t odd)
{
	uint64_t wrong = 0;
	if (lanes == ALL_LANES) {
		_Pragma("omp simd reduction(|:wrong)") for (unsigned l = 0; l < LANES; l++) wrong |=
			misfit(address[l], first, room, odd);
		return !wrong;
	}
	EACH_LANE(l, lanes)
		wrong |= misfit(address[l], first, room, odd);
	return !wrong;
}

/* Do the lanes, all of them, go to neighbouring words in their order? */
static ALWAYS_INLINE bool are_neighbours(const uint64_t *address)
{
	uint64_t first = address[0], wrong = 0;
	_Pragma("omp simd reduction(|:wrong)") for (unsigned l = 0; l < LANES; l++) wrong |=
		address[l] ^ (first + 4 * l);
	return !wrong;
}

/* What neighbours ask for soon, as programs go through memory from front to back: as far ahead as work-groups are
 * resident at once. Without it half of a vector addition is waiting for memory. */
#define EXPECT(at, written)                                                                                            \
	for (unsigned line = 0; line < LANES * 4; line += 64)                                                          \
		__builtin_prefetch((at) + 16384 + line, written);

static void load_words(uint32_t *to, const uint8_t *memory, const uint64_t *address, lane_mask lanes)
{
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			memcpy(&to[l], memory + address[l], 4);
	} else if (are_neighbours(address)) {
		memcpy(to, memory + address[0], LANES * 4);
		EXPECT(memory + address[0], 0)
	} else {
		for (unsigned l = 0; l < LANES; l++)
			memcpy(&to[l], memory + address[l], 4);
	}
}

static void store_words(uint8_t *memory, const uint64_t *address, const uint32_t *from, lane_mask lanes)
{
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			memcpy(memory + address[l], &from[l], 4);
	} else if (are_neighbours(address)) {
		memcpy(memory + address[0], from, LANES * 4);
		EXPECT(memory + address[0], 1)
	} else {
		for (unsigned l = 0; l < LANES; l++)
			memcpy(memory + address[l], &from[l], 4);
	}
}

/* Each lane writes its unit into its bank's place; one that finds another there afterwards shares the bank with it. */
static bool is_conflict_free(const uint64_t *address, lane_mask lanes, uint32_t shift, uint32_t banks)
{
	uint32_t last[64], unit[LANES], wrong = 0;
	for (unsigned l = 0; l < LANES; l++)
		unit[l] = (uint32_t)(address[l] >> shift);
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			last[unit[l] & (banks - 1)] = unit[l];
		EACH_LANE(l, lanes)
			wrong |= last[unit[l] & (banks - 1)] ^ unit[l];
		return !wrong;
	}
	for (unsigned l = 0; l < LANES; l++)
		last[unit[l] & (banks - 1)] = unit[l];
	for (unsigned l = 0; l < LANES; l++)
		wrong |= last[unit[l] & (banks - 1)] ^ unit[l];
	return !wrong;
}

static void broadcast(uint32_t *d, lane_mask active, uint32_t same)
{
	FOR_ACTIVE_LANES(uint32_t, d, same)
}

static void broadcast_wide(uint64_t *d, lane_mask active, uint64_t same)
{
	FOR_ACTIVE_LANES(uint64_t, d, same)
}

static void count_up(uint32_t *to, uint32_t first)
{
	SIMD for (unsigned l = 0; l < LANES; l++) to[l] = first + l;
}

const struct lane_memory V(lane_memory) = {
	.addresses = addresses,
	.addresses_narrow = addresses_narrow,
	.leave_window = leave_window,
	.fit = fit,
	.load_words = load_words,
	.store_words = store_words,
	.is_conflict_free = is_conflict_free,
	.broadcast = broadcast,
	.broadcast_wide = broadcast_wide,
	.count_up = count_up,
};
