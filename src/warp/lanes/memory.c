/* Memory accesses of a whole warp: addresses, bounds, and words in and out.
 *
 * Nearly all accesses are by all lanes, and most of those by neighbours to neighbouring words; both have loops of their
 * own. */
#include "warp/lanes/lanes.h"

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
	uint64_t any = 0;
	SIMD_OR(any) for (unsigned l = 0; l < LANES; l++) any |= address[l];
	if (any < window) /* so is each of them: nearly always */
		return;
	SIMD for (unsigned l = 0; l < LANES; l++) address[l] -= address[l] - window < bytes ? window : 0;
}

/* Has the highest bit set when the address is not from first to first + room; and the bits of `odd`. */
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

static lane_mask in_block(const uint64_t *address, uint64_t first, uint64_t bytes)
{
	lane_mask lanes = 0;
	uint64_t block = ~(bytes - 1);
	for (unsigned base = 0; base < LANES; base += 32) {
		uint64_t in = 0;
		SIMD_OR(in)
		for (unsigned l = 0; l < 32; l++)
			in |= (address[base + l] & block) == first ? lane_bit_wide[l] : 0;
		lanes |= in << base;
	}
	return lanes;
}

static uint32_t words_in(const uint64_t *address, lane_mask lanes, uint64_t first)
{
	uint32_t words = 0;
	if (lanes == ALL_LANES) {
		SIMD_OR(words)
		for (unsigned l = 0; l < LANES; l++)
			words |= 1u << ((uint32_t)(address[l] - first) >> 2);
		return words;
	}
	EACH_LANE(l, lanes)
		words |= 1u << ((uint32_t)(address[l] - first) >> 2);
	return words;
}

/* Do the lanes, all of them, go to neighbouring words in their order? */
static ALWAYS_INLINE bool are_neighbours(const uint64_t *address)
{
	uint64_t first = address[0], wrong = 0;
	if (address[LANES - 1] - first != 4 * (LANES - 1))
		return false;
	_Pragma("omp simd reduction(|:wrong)") for (unsigned l = 0; l < LANES; l++) wrong |=
		address[l] ^ (first + 4 * l);
	return !wrong;
}

/* What neighbours ask for soon, as programs go through memory from front to back: as far ahead as work-groups are
 * resident at once. Without it half of a vector addition is waiting for memory. */
#define EXPECT(at, written)                                                                                            \
	for (unsigned line = 0; line < LANES * 4; line += 64)                                                          \
		__builtin_prefetch((at) + 16384 + line, written);

#define ROW WARP_ROW

/* Whether each lane of a row is `step` bytes after the one before. */
static ALWAYS_INLINE bool is_row_wide(const uint64_t *address, uint64_t step)
{
	uint64_t wrong = 0;
	SIMD_OR(wrong) for (unsigned l = 0; l < ROW; l++) wrong |= address[l] ^ (address[0] + step * l);
	return !wrong;
}

static ALWAYS_INLINE void load_row(uint32_t *to, memory_base memory, const uint64_t *address)
{
	uint32_t word;
	uint64_t step = address[1] - address[0];
	if (step == 4 && is_row_wide(address, 4)) {
		memcpy(to, memory_byte(memory, address[0]), ROW * 4);
	} else if (step == 0 && is_row_wide(address, 0)) {
		memcpy(&word, memory_byte(memory, address[0]), 4);
		SIMD for (unsigned l = 0; l < ROW; l++) to[l] = word;
	} else {
		for (unsigned l = 0; l < ROW; l++)
			memcpy(&to[l], memory_byte(memory, address[l]), 4);
	}
}

static void load_words(uint32_t *to, memory_base memory, const uint64_t *address, lane_mask lanes)
{
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			memcpy(&to[l], memory_byte(memory, address[l]), 4);
	} else if (are_neighbours(address)) {
		memcpy(to, memory_byte(memory, address[0]), LANES * 4);
		EXPECT(memory_byte(memory, address[0]), 0)
	} else {
		for (unsigned row = 0; row < LANES; row += ROW)
			load_row(to + row, memory, address + row);
	}
}

static void store_words(memory_base memory, const uint64_t *address, const uint32_t *from, lane_mask lanes)
{
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			memcpy(memory_byte(memory, address[l]), &from[l], 4);
	} else if (are_neighbours(address)) {
		memcpy(memory_byte(memory, address[0]), from, LANES * 4);
		EXPECT(memory_byte(memory, address[0]), 1)
	} else {
		for (unsigned l = 0; l < LANES; l++)
			memcpy(memory_byte(memory, address[l]), &from[l], 4);
	}
}

/* The addresses of all lanes, as distances from the span's first.  False: some lane is outside of it. */
static ALWAYS_INLINE bool place_in(uint32_t *at, const uint64_t *base, uint64_t offset, const struct memory_span *span)
{
	const uint64_t window = span->window, window_bytes = span->window_bytes, first = span->first, room = span->room;
	uint64_t wrong = 0;
	SIMD_OR(wrong) for (unsigned l = 0; l < LANES; l++)
	{
		uint64_t address = base[l] + offset;
		address -= address - window < window_bytes ? window : 0;
		wrong |= misfit(address, first, room, 3);
		at[l] = (uint32_t)(address - first);
	}
	return !wrong;
}

/* As is_row_wide. */
static ALWAYS_INLINE bool is_row(const uint32_t *at, uint32_t step)
{
	uint32_t wrong = 0;
	SIMD_OR(wrong) for (uint32_t l = 0; l < ROW; l++) wrong |= at[l] ^ (at[0] + step * l);
	return !wrong;
}

#define ROWS (LANES / ROW)

#define EACH_ROW(k) for (unsigned k = 0; k < ROWS; k++)

/* Adds row k, whose lanes are `step` apart, to the rows.  False: it does not go to neighbouring words or to one, or not
 * all of it is in the span. */
static ALWAYS_INLINE bool add_row(
	struct memory_rows *rows, unsigned k, uint64_t at, uint64_t step, const struct memory_span *span)
{
	at -= at - span->window < span->window_bytes ? span->window : 0;
	if (at & 3)
		return false;
	at -= span->first;
	rows->at[k] = (uint32_t)at;
	rows->is_one |= (uint8_t)((step != 4) << k);
	if (at > span->room || span->room - at < step * (ROW - 1))
		return false;
	return !(step & ~UINT64_C(4));
}

/* All rows of a warp, before anything is done; of addresses of either width. */
#define FIND_ROWS(name, type)                                                                                          \
	static bool name(struct memory_rows *rows, const type *base, type offset, const struct memory_span *span)      \
	{                                                                                                              \
		rows->is_one = 0;                                                                                      \
		EACH_ROW(k)                                                                                            \
		{                                                                                                      \
			const type *row = base + k * ROW, step = row[1] - row[0], each = 0 - (step >> 2);              \
			type wrong = 0;                                                                                \
			if (!add_row(rows, k, row[0] + offset, step, span))                                            \
				return false;                                                                          \
			SIMD_OR(wrong) for (type l = 0; l < ROW; l++) wrong |= row[l] ^ (row[0] + (4 * l & each));     \
			if (wrong)                                                                                     \
				return false;                                                                          \
		}                                                                                                      \
		return true;                                                                                           \
	}
FIND_ROWS(find_rows, uint64_t)
FIND_ROWS(find_rows_narrow, uint32_t)

static void load_rows(uint32_t *to, memory_base memory, const struct memory_rows *rows)
{
	EACH_ROW(k)
	{
		uint32_t *row_to = to + k * ROW, word;
		if (rows->is_one >> k & 1) {
			memcpy(&word, memory_byte(memory, rows->at[k]), 4);
			SIMD for (unsigned l = 0; l < ROW; l++) row_to[l] = word;
		} else {
			memcpy(row_to, memory_byte(memory, rows->at[k]), ROW * 4);
		}
	}
}

static void store_rows(memory_base memory, const struct memory_rows *rows, const uint32_t *from)
{
	EACH_ROW(k)
	{
		const uint32_t *row_from = from + k * ROW;
		if (rows->is_one >> k & 1)
			memcpy(memory_byte(memory, rows->at[k]), &row_from[ROW - 1], 4);
		else
			memcpy(memory_byte(memory, rows->at[k]), row_from, ROW * 4);
	}
}

static bool rows_are_within(const struct memory_rows *rows, uint32_t bytes)
{
	uint32_t least = UINT32_MAX, end = 0;
	EACH_ROW(k)
	{
		uint32_t row_end = rows->at[k] + (rows->is_one >> k & 1 ? 4 : 4 * ROW);
		least = rows->at[k] < least ? rows->at[k] : least;
		end = row_end > end ? row_end : end;
	}
	return end - least <= bytes;
}

static void rows_addresses(uint64_t *address, const struct memory_rows *rows)
{
	for (unsigned l = 0; l < LANES; l++)
		address[l] = rows->at[l / ROW] + (rows->is_one >> l / ROW & 1 ? 0 : l % ROW * 4);
}

/* Whether the warp goes through global memory with all its lanes. */
static ALWAYS_INLINE bool goes_on(const struct memory_rows *rows, const struct memory_span *span)
{
	return !span->window_bytes && !(rows->is_one & 1) && rows->at[ROWS - 1] - rows->at[0] == 4 * (LANES - ROW);
}

static __attribute__((noinline)) bool load_each(
	uint32_t *to, memory_base memory, const uint64_t *base, uint64_t offset, const struct memory_span *span)
{
	_Alignas(64) uint32_t at[LANES];
	if (!place_in(at, base, offset, span))
		return false;
	memory += span->first;
	for (unsigned row = 0; row < LANES; row += ROW) {
		uint32_t word;
		memcpy(&word, memory_byte(memory, at[row]), 4);
		if (is_row(at + row, 4))
			memcpy(to + row, memory_byte(memory, at[row]), ROW * 4);
		else if (is_row(at + row, 0))
			SIMD for (unsigned l = 0; l < ROW; l++) to[row + l] = word;
		else
			for (unsigned l = 0; l < ROW; l++)
				memcpy(&to[row + l], memory_byte(memory, at[row + l]), 4);
	}
	return true;
}

static bool load_all(
	uint32_t *to, memory_base memory, const uint64_t *base, uint64_t offset, const struct memory_span *span)
{
	struct memory_rows rows;
	if (!find_rows(&rows, base, offset, span))
		return load_each(to, memory, base, offset, span);
	memory += span->first;
	load_rows(to, memory, &rows);
	if (goes_on(&rows, span))
		EXPECT(memory_byte(memory, rows.at[0]), 0)
	return true;
}

static __attribute__((noinline)) bool store_each(
	memory_base memory, const uint64_t *base, uint64_t offset, const uint32_t *from, const struct memory_span *span)
{
	_Alignas(64) uint32_t at[LANES];
	if (!place_in(at, base, offset, span))
		return false;
	memory += span->first;
	for (unsigned row = 0; row < LANES; row += ROW) {
		if (is_row(at + row, 4))
			memcpy(memory_byte(memory, at[row]), from + row, ROW * 4);
		else
			for (unsigned l = 0; l < ROW; l++)
				memcpy(memory_byte(memory, at[row + l]), &from[row + l], 4);
	}
	return true;
}

/* Of lanes that write one word the last one does. */
static bool store_all(
	memory_base memory, const uint64_t *base, uint64_t offset, const uint32_t *from, const struct memory_span *span)
{
	struct memory_rows rows;
	if (!find_rows(&rows, base, offset, span))
		return store_each(memory, base, offset, from, span);
	memory += span->first;
	store_rows(memory, &rows, from);
	if (goes_on(&rows, span))
		EXPECT(memory_byte(memory, rows.at[0]), 1)
	return true;
}

/* Whether all lanes go to units of one turn of the banks that the first lane's unit begins, as nearly all accesses do.
 */
static ALWAYS_INLINE bool is_turn_of_first(const uint64_t *address, uint32_t shift, uint32_t banks)
{
	uint64_t first = address[0] >> shift << shift, beyond = ~(((uint64_t)banks << shift) - 1), wrong = 0;
	SIMD_OR(wrong) for (unsigned l = 0; l < LANES; l++) wrong |= (address[l] - first) & beyond;
	return !wrong;
}

/* Whether all units lie within a turn of the banks: then each bank is asked for one of them at most. */
static ALWAYS_INLINE bool is_within_a_turn(const uint32_t *unit, uint32_t banks)
{
	uint32_t least = unit[0], most = unit[0];
	_Pragma("omp simd reduction(min : least) reduction(max : most)") for (unsigned l = 0; l < LANES; l++)
	{
		least = unit[l] < least ? unit[l] : least;
		most = unit[l] > most ? unit[l] : most;
	}
	return most - least < banks;
}

/* Each lane writes its unit into its bank's place; one that finds another there afterwards shares the bank with it. */
static bool is_conflict_free(const uint64_t *address, lane_mask lanes, uint32_t shift, uint32_t banks)
{
	_Alignas(64) uint32_t unit[LANES];
	uint32_t last[64], wrong = 0;
	if (lanes == ALL_LANES && is_turn_of_first(address, shift, banks))
		return true;
	SIMD for (unsigned l = 0; l < LANES; l++) unit[l] = (uint32_t)address[l] >> shift;
	if (lanes != ALL_LANES) {
		EACH_LANE(l, lanes)
			last[unit[l] & (banks - 1)] = unit[l];
		EACH_LANE(l, lanes)
			wrong |= last[unit[l] & (banks - 1)] ^ unit[l];
		return !wrong;
	}
	if (is_within_a_turn(unit, banks))
		return true;
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
	.in_block = in_block,
	.words_in = words_in,
	.load_words = load_words,
	.store_words = store_words,
	.load_all = load_all,
	.store_all = store_all,
	.find_rows = find_rows,
	.find_rows_narrow = find_rows_narrow,
	.load_rows = load_rows,
	.store_rows = store_rows,
	.rows_are_within = rows_are_within,
	.rows_addresses = rows_addresses,
	.is_conflict_free = is_conflict_free,
	.broadcast = broadcast,
	.broadcast_wide = broadcast_wide,
	.count_up = count_up,
	.texture = &V(lane_texture),
	.warpgroup = &V(lane_warpgroup),
};
