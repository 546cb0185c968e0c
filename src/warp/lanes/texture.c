/* Texture fetches of a whole warp: coordinates to texels, texels in lines, and texels to values.
 *
 * Coordinates and sums are in double precision, in which products of weights and texels are exact. */
#include "warp/lanes/lanes.h"

static lane_mask same(const uint64_t *element, uint64_t value)
{
	lane_mask lanes = 0;
	MASK_OF(uint64_t, element[x] == value, lanes)
	return lanes;
}

/* ---- One direction ---- */

/* Of a float: one of 2^24 or more is whole. */
static ALWAYS_INLINE double floor_of_float(double x)
{
	double small = choose_double(x < 0x1p24, choose_double(x > -0x1p24, x, 0), 0);
	double whole = (double)(int32_t)small;
	whole -= choose_double(small < whole, 1, 0);
	return choose_double(x < 0x1p24, choose_double(x > -0x1p24, whole, x), x);
}

/* Of what is no farther than TEXTURE_FAR. */
static ALWAYS_INLINE double near_floor(double x)
{
	double whole = (double)(int32_t)x;
	return whole - choose_double(x < whole, 1, 0);
}

static void wrap(double *x, double size)
{
	SIMD for (unsigned l = 0; l < LANES; l++) x[l] = (x[l] - floor_of_float(x[l])) * size;
}

/* Every other period runs backwards. */
static void mirror(double *x, double size)
{
	SIMD for (unsigned l = 0; l < LANES; l++)
	{
		double whole = floor_of_float(x[l]), in = x[l] - whole;
		double half = whole / 2;
		x[l] = choose_double(half == floor_of_float(half), in, 1 - in) * size;
	}
}

/* In texels, limited; 0 is what is no number. */
static void read_coordinates(double *x, const struct texture_axis *axis)
{
	const int32_t *whole = axis->coordinate;
	const float *real = axis->coordinate;
	const double size = axis->size;

	if (axis->whole)
		SIMD for (unsigned l = 0; l < LANES; l++) x[l] = whole[l];
	else
		SIMD for (unsigned l = 0; l < LANES; l++) x[l] = (double)real[l];
	if (axis->normalized && axis->mode == LOCKSTEP_ADDRESS_WRAP)
		wrap(x, size);
	else if (axis->normalized && axis->mode == LOCKSTEP_ADDRESS_MIRROR)
		mirror(x, size);
	else if (axis->normalized)
		SIMD for (unsigned l = 0; l < LANES; l++) x[l] *= size;
	SIMD for (unsigned l = 0; l < LANES; l++)
	{
		double most = choose_double(x[l] > TEXTURE_FAR, TEXTURE_FAR, x[l]);
		double least = choose_double(most < -TEXTURE_FAR, -TEXTURE_FAR, most);
		x[l] = choose_double(x[l] == x[l], least, 0);
	}
}

/* Brings what is outside of 0 .. size - 1 inside, or to the border. */
static void bring_inside(int32_t *at, const struct texture_axis *axis)
{
	const int32_t size = (int32_t)axis->size;

	if (axis->mode == LOCKSTEP_ADDRESS_BORDER)
		SIMD for (unsigned l = 0; l < LANES; l++) at[l] =
			(uint32_t)at[l] < (uint32_t)size ? at[l] : TEXTURE_BORDER;
	else if (axis->mode == LOCKSTEP_ADDRESS_WRAP) /* at most one texel outside */
		SIMD for (unsigned l = 0; l < LANES; l++) at[l] += at[l] < 0 ? size : at[l] >= size ? -size : 0;
	else /* mirrored: at most one texel outside, where mirroring and clamping agree */
		SIMD for (unsigned l = 0; l < LANES; l++) at[l] = at[l] < 0 ? 0 : at[l] >= size ? size - 1 : at[l];
}

/* The one texel of a direction in which nothing is filtered. */
static void whole_steps(struct texture_steps *to, const struct texture_axis *axis)
{
	const uint32_t *layer = axis->coordinate, last = axis->size - 1;

	to->count = 1;
	SIMD for (unsigned l = 0; l < LANES; l++) to->weight[0][l] = 1;
	if (layer)
		SIMD for (unsigned l = 0; l < LANES; l++) to->at[0][l] = (int32_t)(layer[l] < last ? layer[l] : last);
	else
		memset(to->at[0], 0, sizeof to->at[0]);
}

static void steps(struct texture_steps *to, const struct texture_axis *axis)
{
	_Alignas(64) double x[LANES];

	if (axis->is_layer || !axis->coordinate) {
		whole_steps(to, axis);
		return;
	}
	read_coordinates(x, axis);
	to->count = axis->linear ? 2 : 1;
	if (axis->linear) {
		SIMD for (unsigned l = 0; l < LANES; l++)
		{
			double middle = x[l] - 0.5, first = near_floor(middle);
			double share = (double)(int32_t)((middle - first) * 256 + 0.5) / 256;
			to->at[0][l] = (int32_t)first;
			to->at[1][l] = (int32_t)first + 1;
			to->weight[0][l] = 1 - share;
			to->weight[1][l] = share;
		}
		bring_inside(to->at[1], axis);
	} else {
		SIMD for (unsigned l = 0; l < LANES; l++)
		{
			to->at[0][l] = (int32_t)near_floor(x[l]);
			to->weight[0][l] = 1;
		}
	}
	bring_inside(to->at[0], axis);
}

/* ---- Texels ---- */

/* Row and slice of the texels that the columns then tell apart. */
struct texel_place {
	_Alignas(64) uint64_t address[LANES];
	double weight[LANES];
	int32_t outside[LANES]; /* negative: they are */
};

static ALWAYS_INLINE void find_place(struct texel_place *place, const struct texture_steps *row, uint32_t of_row,
	const struct texture_steps *slice, uint32_t of_slice, const struct texture_level *level)
{
	const uint64_t first = level->address;
	const uint32_t row_bytes = level->bytes[1], slice_bytes = level->bytes[2];
	const int32_t *y = row->at[of_row], *z = slice->at[of_slice];
	const double *y_weight = row->weight[of_row], *z_weight = slice->weight[of_slice];

	SIMD for (unsigned l = 0; l < LANES; l++) place->address[l] =
		first + (uint64_t)(uint32_t)y[l] * row_bytes + (uint64_t)(uint32_t)z[l] * slice_bytes;
	SIMD for (unsigned l = 0; l < LANES; l++) place->weight[l] = y_weight[l] * z_weight[l];
	SIMD for (unsigned l = 0; l < LANES; l++) place->outside[l] = y[l] | z[l];
}

static ALWAYS_INLINE void find_texel(struct texture_texels *to, const struct texel_place *place,
	const struct texture_steps *column, uint32_t of_column, const struct texture_level *level)
{
	const uint32_t bytes = level->bytes[0];
	const int32_t *at = column->at[of_column];
	const double *weight = column->weight[of_column];
	double *shares = to->weight;
	uint64_t *address = to->address;

	to->present = to->inside = 0;
	SIMD for (unsigned l = 0; l < LANES; l++) address[l] = place->address[l] + (uint64_t)(uint32_t)at[l] * bytes;
	SIMD for (unsigned l = 0; l < LANES; l++) shares[l] = weight[l] * place->weight[l];
	MASK_OF(double, shares[x] > 0, to->present)
	MASK_OF(int32_t, (place->outside[x] | at[x]) >= 0, to->inside)
}

static uint32_t texels(struct texture_texels *to, const struct texture_steps step[3], const struct texture_level *level)
{
	uint32_t count = 0;

	for (uint32_t z = 0; z < step[2].count; z++)
		for (uint32_t y = 0; y < step[1].count; y++) {
			struct texel_place place;

			find_place(&place, &step[1], y, &step[2], z, level);
			for (uint32_t x = 0; x < step[0].count; x++)
				find_texel(&to[count++], &place, &step[0], x, level);
		}
	return count;
}

/* ---- Lines ---- */

static lane_mask in_line(const uint64_t *address, lane_mask among, const struct texture_block *line, uint32_t *words)
{
	lane_mask lanes = 0;
	uint32_t seen = 0;

	const uint64_t first = line->address, block = ~(line->bytes - 1);

	MASK_OF(uint64_t, (address[x] & block) == first, lanes)
	lanes &= among;
	for (unsigned base = 0; base < LANES; base += 32) {
		const uint32_t mask = (uint32_t)(lanes >> base);
		SIMD_OR(seen)
		for (unsigned l = 0; l < 32; l++)
			seen |= LANE_IN(mask, l, uint32_t) ? UINT32_C(1) << ((uint32_t)address[base + l] >> 2 & 31) : 0;
	}
	*words |= seen;
	return lanes;
}

/* A line is two vectors, and its words are picked from both at once. */
static void pick(uint32_t *to, const uint64_t *address, lane_mask lanes, const uint8_t *data, uint32_t word)
{
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
	const __m512i low = _mm512_loadu_si512(data), high = _mm512_loadu_si512(data + 64);
	for (unsigned base = 0; base < LANES; base += 16) {
		__m256i first = _mm512_cvtepi64_epi32(_mm512_loadu_si512(address + base));
		__m256i second = _mm512_cvtepi64_epi32(_mm512_loadu_si512(address + base + 8));
		__m512i at = _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
		__m512i place = _mm512_add_epi32(_mm512_srli_epi32(at, 2), _mm512_set1_epi32((int)word));
		__m512i shift = _mm512_slli_epi32(_mm512_and_si512(at, _mm512_set1_epi32(3)), 3);
		__m512i value = _mm512_srlv_epi32(_mm512_permutex2var_epi32(low, place, high), shift);
		_mm512_mask_storeu_epi32(to + base, (__mmask16)(lanes >> base), value);
	}
#else
	EACH_LANE(l, lanes) {
		uint32_t at = (uint32_t)address[l] % TEXTURE_LINE, value;
		memcpy(&value, data + (at / 4 + word) % (TEXTURE_LINE / 4) * 4, sizeof value);
		to[l] = value >> at % 4 * 8;
	}
#endif
}

/* ---- Values ---- */

static ALWAYS_INLINE double value_of(
	uint32_t word, const enum texture_value kind, uint32_t shift, uint32_t bits, double unit)
{
	if (kind == TEXTURE_FLOAT)
		return (double)float_of(word);
	if (kind == TEXTURE_HALF)
		return (double)half_to_float(word >> shift & 0xffff);
	if (kind == TEXTURE_UNSIGNED)
		return (double)(int32_t)(word >> shift & ((UINT32_C(1) << bits) - 1)) / unit;
	double value = (double)((int32_t)(word << (32 - bits - shift)) >> (32 - bits)) / unit;
	return choose_double(value < -1, -1, value);
}

/* A sum begins with what changes no single texel: -0. */
static ALWAYS_INLINE void filter_as(uint32_t *to, lane_mask lanes, const struct texture_texels *texel, uint32_t count,
	const uint32_t *const *word, const struct texture_channel *channel, const enum texture_value kind)
{
	const uint32_t shift = channel->shift, bits = channel->bits;
	const double unit = (double)((UINT32_C(1) << (bits - (kind == TEXTURE_SIGNED)) % 32) - 1),
		     border = channel->border;
	lane_mask some = 0, several = 0;

	for (uint32_t k = 0; k < count; k++) {
		several |= some & texel[k].present;
		some |= texel[k].present;
	}
	for (unsigned base = 0; base < LANES; base += 32) {
		_Alignas(64) double sum[32];
		const uint32_t taken = (uint32_t)(lanes >> base), sums = (uint32_t)(several >> base);

		SIMD for (unsigned l = 0; l < 32; l++) sum[l] = LANE_IN(sums, l, double) ? 0.0 : -0.0;
		for (uint32_t k = 0; k < count; k++) {
			const uint32_t present = (uint32_t)(texel[k].present >> base),
				       inside = (uint32_t)(texel[k].inside >> base);
			const uint32_t *from = word[k] + base;
			const double *weight = texel[k].weight + base;

			if (!present)
				continue;
			if ((present & inside) == UINT32_MAX) {
				SIMD for (unsigned l = 0; l < 32; l++) sum[l] +=
					weight[l] * value_of(from[l], kind, shift, bits, unit);
				continue;
			}
			SIMD for (unsigned l = 0; l < 32; l++)
			{
				double read = value_of(from[l], kind, shift, bits, unit);
				double value = LANE_IN(inside, l, double) ? read : border;
				double more = sum[l] + weight[l] * value;
				sum[l] = LANE_IN(present, l, double) ? more : sum[l];
			}
		}
		SIMD for (unsigned l = 0; l < 32; l++)
		{
			uint32_t value = bits_of((float)sum[l]);
			to[base + l] = LANE_IN(taken, l, uint32_t) ? value : to[base + l];
		}
	}
}

static void filter(uint32_t *to, lane_mask lanes, const struct texture_texels *texel, uint32_t count,
	const uint32_t *const *word, const struct texture_channel *channel)
{
	switch (channel->value) {
	case TEXTURE_FLOAT: filter_as(to, lanes, texel, count, word, channel, TEXTURE_FLOAT); return;
	case TEXTURE_HALF: filter_as(to, lanes, texel, count, word, channel, TEXTURE_HALF); return;
	case TEXTURE_UNSIGNED: filter_as(to, lanes, texel, count, word, channel, TEXTURE_UNSIGNED); return;
	case TEXTURE_SIGNED: filter_as(to, lanes, texel, count, word, channel, TEXTURE_SIGNED); return;
	}
}

static void integers(uint32_t *to, lane_mask lanes, lane_mask inside, const uint32_t *word, uint32_t shift,
	uint32_t bits, bool is_signed, uint32_t border)
{
	const uint32_t up = 32 - bits - shift, down = 32 - bits;

	for (unsigned base = 0; base < LANES; base += 32) {
		const uint32_t taken = (uint32_t)(lanes >> base), in = (uint32_t)(inside >> base);

		SIMD for (unsigned l = 0; l < 32; l++)
		{
			uint32_t top = word[base + l] << up;
			uint32_t value = is_signed ? (uint32_t)((int32_t)top >> down) : top >> down;
			value = LANE_IN(in, l, uint32_t) ? value : border;
			to[base + l] = LANE_IN(taken, l, uint32_t) ? value : to[base + l];
		}
	}
}

const struct lane_texture V(lane_texture) = {
	.same = same,
	.steps = steps,
	.texels = texels,
	.in_line = in_line,
	.pick = pick,
	.filter = filter,
	.integers = integers,
};
