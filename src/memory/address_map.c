/* Address to slice, set, bank and row; the polynomial hash. */
#include "memory/address_map.h"

#include <assert.h>
#include <stdbool.h>

#define TURN_BITS 16 /* of the hash by which slices are turned: many more than those of a slice's number */

/* Irreducible polynomials over GF(2), by degree.  An address is read as a polynomial too and its remainder is the
 * hash: Rau, "Pseudo-randomly interleaved memory", ISCA 1991.  Every stride that is a power of two visits all values
 * in turn. */
static const uint32_t polynomials[] = {
	1, 0x3, 0x7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443, 0x8003, 0x1100b};

/* The remainders of digit * 16^place * x^bits: those of the powers of x, which a digit's bits add up. */
static void tabulate(struct polynomial_hash *hash, uint32_t bits)
{
	assert(bits < sizeof polynomials / sizeof *polynomials);
	uint64_t polynomial = polynomials[bits], power = polynomial & ((1u << bits) - 1); /* x^bits, reduced */
	for (uint32_t place = 0; place < 16; place++) {
		hash->of[place][0] = 0;
		for (uint32_t bit = 1; bit < 16; bit <<= 1) {
			for (uint32_t below = 0; below < bit; below++)
				hash->of[place][bit + below] = hash->of[place][below] ^ (uint32_t)power;
			power <<= 1;
			power ^= power >> bits ? polynomial : 0;
		}
	}
}

static uint32_t hash_of(const struct polynomial_hash *hash, uint64_t high, uint32_t low)
{
	for (uint32_t place = 0; high; place++, high >>= 4)
		low ^= hash->of[place][high & 15];
	return low;
}

static uint32_t bits_of(uint32_t value)
{
	return value <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(value - 1);
}

struct address_map address_map_of(const struct gpu_model *model)
{
	assert(model->channels);
	assert(model->channels <= 128);
	assert(model->slices % model->channels == 0);
	assert((model->l2_sets & (model->l2_sets - 1)) == 0);
	assert((model->dram_banks & (model->dram_banks - 1)) == 0);
	struct address_map map = {
		.channels = model->channels,
		.channels_reciprocal = model->channels > 1 ? UINT64_MAX / model->channels + 1 : 0,
		.slices = model->slices,
		.per_channel = model->slices / model->channels,
		.interleave_bits = bits_of(model->slice_interleave),
		.set_bits = bits_of(model->l2_sets),
		.line_bits = bits_of(model->slice_interleave) - bits_of(model->line_bytes),
		.set_hash = model->l2_set_hash,
	};
	map.slice_bits = bits_of(map.per_channel);
	assert(1u << map.slice_bits == map.per_channel);
	uint32_t row_bits = bits_of(model->dram_row_bytes), banks = bits_of(model->dram_banks);
	map.column_bits = row_bits > map.interleave_bits ? row_bits - map.interleave_bits : 0;
	map.bank_bits = banks > map.slice_bits ? banks - map.slice_bits : 0;
	bool turns = (model->channels & (model->channels - 1)) != 0;
	map.hash_bits = !model->l2_hash ? 0 : turns ? TURN_BITS : bits_of(model->channels) + map.slice_bits;
	map.turns = turns && model->l2_hash;
	map.run = model->l2_parts <= 1 ? 0 : model->l2_part_bytes / model->slice_interleave * map.per_channel;
	assert(!map.run || map.slices % map.run == 0);
	tabulate(&map.slice, map.hash_bits);
	tabulate(&map.set, map.set_bits);
	return map;
}

/* A hash of TURN_BITS turns the runs by its upper bits, and the slices of each by its lower ones. */
static uint32_t turn_runs(const struct address_map *map, uint32_t hash, uint32_t slice)
{
	uint32_t runs = map->slices / map->run, run = slice / map->run + (hash * runs >> TURN_BITS);

	assert(map->run);
	assert(slice < map->slices);
	assert(hash >> TURN_BITS == 0);
	return run % runs * map->run + (slice + hash) % map->run;
}

uint32_t address_hashed(const struct address_map *map, uint64_t above, uint32_t slice)
{
	assert(map->hash_bits);
	assert(slice < map->slices);
	uint64_t round = above >> map->slice_bits; /* in which each slice has one unit */
	if (!map->turns)
		return hash_of(&map->slice, round, slice);
	if (map->run)
		return turn_runs(map, hash_of(&map->slice, round, 0), slice);
	slice += hash_of(&map->slice, round, 0) * map->slices >> TURN_BITS;
	return slice < map->slices ? slice : slice - map->slices;
}

struct address_place address_place(const struct address_map *map, uint64_t address)
{
	uint64_t above = address_above(map, address);
	struct address_place place = {.slice = address_slice(map, address)};
	uint64_t local = above >> map->slice_bits;
	uint64_t in_unit = address >> (map->interleave_bits - map->line_bits) & ((1u << map->line_bits) - 1);
	uint64_t line = local << map->line_bits | in_unit; /* counts the slice's lines */
	place.set = (uint32_t)line & ((1u << map->set_bits) - 1);
	if (map->set_hash)
		place.set = hash_of(&map->set, line >> map->set_bits, place.set);
	uint64_t bank_high = local >> map->column_bits & ((1u << map->bank_bits) - 1);
	place.bank = (uint32_t)(bank_high << map->slice_bits | (above & (map->per_channel - 1)));
	place.row = (uint32_t)(local >> map->column_bits >> map->bank_bits);
	assert(place.slice < map->slices);
	assert(place.set >> map->set_bits == 0);
	return place;
}
