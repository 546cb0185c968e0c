/* Boxes of tensors: their rows in global memory, their places in shared memory; see tensor.h. */
#include "machine/lsu/tensor.h"

#include <string.h>

static bool is_im2col(const struct tensor_map *map)
{
	assert(map->magic == TENSOR_MAP_MAGIC);
	return map->mode != TENSOR_TILED;
}

static uint32_t bytes_of(const struct tensor_map *map, uint64_t elements)
{
	assert(map->type < TENSOR_TYPES);
	return (uint32_t)(elements * tensor_type_bits((enum tensor_type)map->type) / 8);
}

void tensor_box_make(
	struct tensor_box *box, const struct tensor_map *map, const int32_t *at, const uint16_t *moved, uint32_t shared)
{
	assert(map->rank && map->rank <= TENSOR_RANK);
	*box = (struct tensor_box){.map = *map, .rows = 1, .shared = shared};
	if (map->swizzle == TENSOR_SWIZZLE_128)
		box->map.swizzle = (uint8_t)(TENSOR_SWIZZLE_128 + map->atom);
	for (uint32_t k = 0; k < map->rank; k++)
		box->at[k] = at[k];
	if (is_im2col(map)) {
		for (uint32_t k = 0; k + 2 < map->rank; k++)
			box->moved[k] = moved[k];
		box->rows = map->box[1];
		box->row_bytes = bytes_of(map, map->box[0]);
		return;
	}
	for (uint32_t k = 0; k < map->rank; k++) {
		uint32_t step = k ? map->step[k] : 1; /* "the first element of this array is ignored" (cuda.h) */

		box->count[k] = (map->box[k] + step - 1) / step;
		box->rows *= k ? box->count[k] : 1;
	}
	box->row_bytes = bytes_of(map, box->count[0]);
}

/* ---- Rows ---- */

/* A row's coordinates but the innermost. */
static void row_of_tile(const struct tensor_box *box, uint32_t row, int64_t at[TENSOR_RANK])
{
	assert(row < box->rows);
	for (uint32_t k = 1; k < box->map.rank; k++) {
		at[k] = box->at[k] + (int64_t)(row % box->count[k]) * box->map.step[k];
		row /= box->count[k];
	}
	assert(!row);
}

/* Goes `steps` on from *at in a dimension of the pixels' box, from its end to its start; how often it got there. */
static uint32_t walk(const struct tensor_map *map, uint32_t dimension, uint32_t steps, int64_t *at)
{
	int64_t first = map->lower[dimension - 1], step = map->step[dimension];
	int64_t last = (int64_t)map->size[dimension] - 1 + map->upper[dimension - 1];
	assert(dimension && dimension + 1 < map->rank);
	int64_t left = *at > last ? 0 : (last - *at) / step + 1, in_all = last < first ? 1 : (last - first) / step + 1;

	assert(step > 0);
	if (steps < left) {
		*at += steps * step;
		return 0;
	}
	*at = first + (steps - left) % in_all * step;
	return (uint32_t)(1 + (steps - left) / in_all);
}

/* PTX ISA, "Im2col mode": pixels follow one another through the box in W, H and D, and then in the next image. */
static void row_of_column(const struct tensor_box *box, uint32_t row, int64_t at[TENSOR_RANK])
{
	uint32_t images = box->map.rank - 1u, steps = row;

	assert(row < box->rows);
	for (uint32_t k = 1; k < images; k++) {
		at[k] = box->at[k];
		steps = walk(&box->map, k, steps, &at[k]);
		at[k] += box->moved[k - 1];
	}
	at[images] = box->at[images] + steps;
}

/* The part [*from, *to) of a row that is in the tensor, as bytes of the row; the address that its first byte has or
 * would have. */
static uint64_t find_row(const struct tensor_box *box, uint32_t row, uint32_t *from, uint32_t *to)
{
	const struct tensor_map *map = &box->map;
	int64_t at[TENSOR_RANK] = {0}, elements = (int64_t)map->size[0], first = box->at[0], end;
	uint64_t address = map->address;

	assert(row < box->rows && box->row_bytes);
	*from = *to = 0;
	(is_im2col(map) ? row_of_column : row_of_tile)(box, row, at);
	for (uint32_t k = 1; k < map->rank; k++) {
		if (at[k] < 0 || at[k] >= (int64_t)map->size[k])
			return 0;
		address += (uint64_t)at[k] * map->stride[k - 1];
	}
	end = first + (int64_t)box->row_bytes * 8 / tensor_type_bits((enum tensor_type)map->type);
	if (first >= elements || end <= 0)
		return 0;
	*from = first < 0 ? bytes_of(map, (uint64_t)-first) : 0;
	*to = end > elements ? bytes_of(map, (uint64_t)(elements - first)) : box->row_bytes;
	return first < 0 ? address - bytes_of(map, (uint64_t)-first) : address + bytes_of(map, (uint64_t)first);
}

struct tensor_run tensor_run(const struct tensor_box *box, uint32_t offset)
{
	uint32_t from, to, in_row = offset % box->row_bytes;
	uint64_t address = find_row(box, offset / box->row_bytes, &from, &to);

	assert(offset < tensor_box_bytes(box));
	if (in_row < from)
		return (struct tensor_run){.bytes = from - in_row};
	if (in_row >= to)
		return (struct tensor_run){.bytes = box->row_bytes - in_row};
	return (struct tensor_run){.address = address + in_row, .bytes = to - in_row};
}

void tensor_extent(const struct tensor_box *box, uint64_t *first, uint64_t *end)
{
	assert(box->rows && box->row_bytes);
	*first = *end = 0;
	for (uint32_t row = 0; row < box->rows; row++) {
		uint32_t from, to;
		uint64_t address = find_row(box, row, &from, &to);

		if (from == to)
			continue;
		*first = !*end || address + from < *first ? address + from : *first;
		*end = address + to > *end ? address + to : *end;
	}
	assert(*first <= *end);
}

/* ---- Shared memory ---- */

static const struct swizzle {
	uint8_t atom;     /* bytes that stay together */
	uint8_t shift;    /* bits of an offset are changed by those so much further left */
	uint16_t changed; /* which */
} swizzles[TENSOR_SWIZZLES] = {
	/* PTX ISA, "Swizzling modes"; the last three by cuda.h's words, "swizzle 32B chunks within 128B span" */
	[TENSOR_SWIZZLE_32] = {16, 3, 0x10},
	[TENSOR_SWIZZLE_64] = {16, 3, 0x30},
	[TENSOR_SWIZZLE_128] = {16, 3, 0x70},
	[TENSOR_SWIZZLE_128_ATOM_32] = {32, 2, 0x60},
	[TENSOR_SWIZZLE_128_ATOM_32_FLIP_8] = {8, 2, 0x60},
	[TENSOR_SWIZZLE_128_ATOM_64] = {64, 1, 0x40},
};

uint32_t tensor_place(const struct tensor_box *box, uint32_t offset, uint32_t *bytes)
{
	const struct swizzle *swizzle = &swizzles[box->map.swizzle];
	uint32_t at = box->shared + offset, place = at ^ (at >> swizzle->shift & swizzle->changed);

	assert(box->map.swizzle < TENSOR_SWIZZLES);
	assert(box->shared % TENSOR_ALIGNMENT == 0);
	*bytes = swizzle->atom ? swizzle->atom - at % swizzle->atom : tensor_box_bytes(box) - offset;
	if (box->map.swizzle == TENSOR_SWIZZLE_128_ATOM_32_FLIP_8)
		place ^= at >> 4 & 8; /* halves of 16 bytes change places in every second row of 128 */
	return place;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void tensor_scatter(const struct tensor_box *box, uint32_t offset, const uint8_t *data, uint32_t bytes, uint8_t *shared)
{
	uint32_t part;

	assert(offset + bytes <= tensor_box_bytes(box));
	for (uint32_t done = 0; done < bytes; done += part) {
		uint32_t place = tensor_place(box, offset + done, &part);

		part = least(part, bytes - done);
		memcpy(shared + place, data + done, part);
	}
}

void tensor_gather(const struct tensor_box *box, uint32_t offset, uint8_t *data, uint32_t bytes, const uint8_t *shared)
{
	uint32_t part;

	assert(offset + bytes <= tensor_box_bytes(box));
	for (uint32_t done = 0; done < bytes; done += part) {
		uint32_t place = tensor_place(box, offset + done, &part);

		part = least(part, bytes - done);
		memcpy(data + done, shared + place, part);
	}
}

/* A NaN of each type, whose bits the ISA leaves open: all but the sign. */
void tensor_fill(const struct tensor_box *box, uint32_t offset, uint8_t *data, uint32_t bytes)
{
	uint32_t element = bytes_of(&box->map, 1);

	assert(box->map.fill < TENSOR_FILLS);
	assert(element || box->map.fill == TENSOR_FILL_ZERO);
	memset(data, box->map.fill == TENSOR_FILL_NAN ? 0xff : 0, bytes);
	for (uint32_t k = 0; k < bytes && box->map.fill == TENSOR_FILL_NAN; k++)
		if ((offset + k) % element == element - 1)
			data[k] = 0x7f;
}
