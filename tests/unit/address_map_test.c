/* Where addresses lie: the map's shifts, masks and tables against divisions and long division of polynomials, over
 * models of every shape. */
#include "memory/address_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The exponents of each degree's polynomial, below the degree itself: x^2 + x + 1, x^3 + x + 1 ... */
static const int below[17][5] = {
	{-1},
	{0, -1},
	{1, 0, -1},
	{1, 0, -1},
	{1, 0, -1},
	{2, 0, -1},
	{1, 0, -1},
	{1, 0, -1},
	{4, 3, 2, 0, -1},
	{4, 0, -1},
	{3, 0, -1},
	{2, 0, -1},
	{6, 4, 1, 0, -1},
	{4, 3, 1, 0, -1},
	{10, 6, 1, 0, -1},
	{1, 0, -1},
	{12, 3, 1, 0, -1},
};

static uint64_t polynomial_of(uint32_t degree)
{
	uint64_t polynomial = 1ull << degree;
	for (uint32_t k = 0; k < 5 && below[degree][k] >= 0; k++)
		polynomial |= 1ull << below[degree][k];
	return polynomial;
}

/* The remainder of high * x^bits + low. */
static uint32_t remainder_of(uint64_t high, uint64_t low, uint32_t bits)
{
	unsigned __int128 value = (unsigned __int128)high << bits ^ low, polynomial = polynomial_of(bits);
	for (uint32_t place = 127; place >= bits && bits; place--)
		if (value >> place & 1)
			value ^= polynomial << (place - bits);
	return bits ? (uint32_t)value : 0;
}

static uint32_t log_up(uint32_t value)
{
	uint32_t bits = 0;
	while (1ull << bits < value)
		bits++;
	return bits;
}

static bool is_power(uint32_t value)
{
	return 1ull << log_up(value) == value;
}

/* As the header describes an address, from the lowest part up. */
static struct address_place expected(const struct gpu_model *m, uint64_t address)
{
	struct address_place place;
	uint32_t per_channel = m->slices / m->channels, lines = m->slice_interleave / m->line_bytes;
	uint64_t unit = address / m->slice_interleave, channel = unit % m->channels, above = unit / m->channels;
	uint64_t in_channel = above % per_channel, local = above / per_channel;
	uint64_t line = local * lines + address / m->line_bytes % lines;
	uint32_t columns = m->dram_row_bytes > m->slice_interleave ? m->dram_row_bytes / m->slice_interleave : 1;
	uint32_t banks = m->dram_banks > per_channel ? m->dram_banks / per_channel : 1,
		 bits = log_up(m->channels) + log_up(per_channel);
	place.slice = (uint32_t)(channel * per_channel + in_channel);
	if (m->l2_hash && bits)
		place.slice = is_power(m->channels)
				      ? remainder_of(local, place.slice, bits)
				      : (place.slice + remainder_of(local, 0, 16) * m->slices / 65536) % m->slices;
	place.set = m->l2_set_hash ? remainder_of(line / m->l2_sets, line % m->l2_sets, log_up(m->l2_sets))
				   : (uint32_t)(line % m->l2_sets);
	place.bank = (uint32_t)(local / columns % banks * per_channel + in_channel);
	place.row = (uint32_t)(local / columns / banks);
	return place;
}

static void check(const struct gpu_model *model, uint64_t address)
{
	struct address_map map = address_map_of(model);
	struct address_place is = address_place(&map, address), should = expected(model, address);
	assert_int_equal(is.slice, should.slice);
	assert_int_equal(is.set, should.set);
	assert_int_equal(is.bank, should.bank);
	assert_int_equal(is.row, should.row);
	assert_int_equal(address_slice(&map, address), should.slice);
}

/* Consecutive lines, and addresses with single bits and with many, up to the highest: quotients are exact for all of
 * them. */
static void check_many(const struct gpu_model *model)
{
	uint64_t random = 1;
	for (uint64_t line = 0; line < 300; line++)
		check(model, line * 128 + line % 128);
	for (uint32_t bit = 7; bit < 64; bit++) {
		check(model, 1ull << bit);
		check(model, (1ull << bit) - 1);
		check(model, (1ull << bit) + 12345);
	}
	for (uint32_t k = 0; k < 500; k++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		check(model, random >> (k % 40));
	}
	for (uint64_t k = 1; k < 300; k++)
		check(model, -(k * 128));
}

static void every_shape(void **state)
{
	(void)state;
	static const struct {
		uint32_t channels, slices, interleave, sets, row, banks;
	} shapes[] = {
		{6, 12, 256, 64, 2048, 16},
		{32, 64, 256, 32, 1024, 16},
		{1, 1, 128, 1, 64, 1},
		{1, 4, 512, 2, 512, 2},
		{5, 20, 128, 128, 4096, 64},
		{3, 3, 1024, 65536, 65536, 4},
		{128, 256, 128, 4096, 128, 8},
		{12, 96, 4096, 8, 256, 8},
		{16, 16, 256, 16384, 2048, 1},
		{2, 2, 65536, 512, 64, 2},
	};
	for (uint32_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		for (uint32_t hashes = 0; hashes < 4; hashes++) {
			struct gpu_model model = {.channels = shapes[k].channels,
				.slices = shapes[k].slices,
				.slice_interleave = shapes[k].interleave,
				.l2_sets = shapes[k].sets,
				.dram_row_bytes = shapes[k].row,
				.dram_banks = shapes[k].banks,
				.line_bytes = 128,
				.l2_hash = hashes & 1,
				.l2_set_hash = hashes >> 1};
			check_many(&model);
		}
}

/* Whatever the number of channels, as many neighbouring units as there are slices, from one whose number they divide,
 * use each slice once; and units a whole round apart do not all use the same one. */
static void neighbours_use_all_slices(void **state)
{
	(void)state;
	static const uint32_t channels[] = {3, 5, 6, 12, 16, 20, 40, 125};
	for (uint32_t k = 0; k < sizeof channels / sizeof *channels; k++) {
		struct gpu_model model = {.channels = channels[k],
			.slices = 2 * channels[k],
			.slice_interleave = 256,
			.l2_sets = 64,
			.dram_row_bytes = 2048,
			.dram_banks = 16,
			.line_bytes = 128,
			.l2_hash = 1};
		struct address_map map = address_map_of(&model);
		uint32_t of_first[256] = {0}, most = 0;
		for (uint64_t round = 0; round < 1000; round++) {
			uint32_t uses[256] = {0};
			uint64_t first = round * model.slices * 256;
			for (uint64_t unit = 0; unit < model.slices; unit++)
				assert_int_equal(uses[address_slice(&map, first + unit * 256)]++, 0);
			of_first[address_slice(&map, first)]++;
		}
		for (uint32_t slice = 0; slice < model.slices; slice++)
			most = of_first[slice] > most ? of_first[slice] : most;
		assert_true(most <= 2 * (1000 / model.slices) + 2);
	}
}

/* Sets by the hash of every degree. */
static void every_degree(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits <= 16; bits++) {
		struct gpu_model model = {.channels = 1,
			.slices = 1,
			.slice_interleave = 128,
			.l2_sets = 1u << bits,
			.dram_row_bytes = 2048,
			.dram_banks = 16,
			.line_bytes = 128,
			.l2_set_hash = 1};
		check_many(&model);
	}
}

/* A polynomial that another one divides leaves some strides on few sets. */
static void polynomials_are_irreducible(void **state)
{
	(void)state;
	for (uint32_t degree = 2; degree <= 16; degree++)
		for (uint64_t divisor = 2; divisor < 1ull << (degree / 2 + 1); divisor++) {
			uint64_t rest = polynomial_of(degree);
			uint32_t top = 63 - (uint32_t)__builtin_clzll(divisor);
			for (uint32_t place = degree + 1; place-- > top;)
				if (rest >> place & 1)
					rest ^= divisor << (place - top);
			assert_int_not_equal(rest, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(neighbours_use_all_slices),
		cmocka_unit_test(every_degree),
		cmocka_unit_test(polynomials_are_irreducible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
