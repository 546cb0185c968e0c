/* Texture fetches: coordinates to texels.
 *
 * The rules are those of the CUDA C++ programming guide, "Texture Fetching": with x the coordinate in texels and N
 * their number, after the addressing mode has brought x, i and i + 1 inside or to the border,
 *     nearest   T[floor(x)]
 *     linear    (1 - a) T[i] + a T[i + 1], i = floor(x - 0.5), a = frac(x - 0.5) to 8 bits; likewise in more dimensions
 * Coordinates are computed in double precision, where all this is exact or nearly so; sums of texels are rounded
 * once.
 *
 * Lanes that read one image with one sampler, the first level and no cube, as nearly all do, are handled together
 * (warp/texture.h); the others one after another. */
#include "machine/lsu/texture_fetch.h"

#include "machine/core/fault.h"
#include "machine/lsu/texture.h"
#include "machine/state/machine.h"

#include "kernel/operand.h"
#include "warp/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How a fetch samples: a sampler, or what the texture says. */
struct sampling {
	enum lockstep_addressing addressing[3];
	bool linear, normalized;
};

static double register_float(const struct warp *w, slot_ref slot, uint32_t lane)
{
	return ((const float *)slot_at(w, slot))[lane];
}

uint32_t texture_gathered(enum op op)
{
	switch (op) {
	case OP_tld4_r: return 0;
	case OP_tld4_g: return 1;
	case OP_tld4_b: return 2;
	case OP_tld4_a: return 3;
	default: return 4;
	}
}

/* --- Sampling --- */

static struct sampling sampling_of_image(const struct lockstep_image *image)
{
	struct sampling s = {.linear = image->linear, .normalized = image->normalized};

	memcpy(s.addressing, image->addressing, sizeof s.addressing);
	return s;
}

/* The state that a sampler's handle is; false: it is none. */
static bool read_sampler(struct sampling *s, uint64_t handle)
{
	static const enum lockstep_addressing modes[] = {LOCKSTEP_ADDRESS_BORDER, LOCKSTEP_ADDRESS_CLAMP,
		LOCKSTEP_ADDRESS_BORDER, LOCKSTEP_ADDRESS_WRAP, LOCKSTEP_ADDRESS_MIRROR};
	uint64_t mode = handle >> 1 & 7, filter = handle & (LOCKSTEP_SAMPLER_NEAREST | LOCKSTEP_SAMPLER_LINEAR);

	if (handle >> 6 || mode >= sizeof modes / sizeof *modes ||
		filter == (LOCKSTEP_SAMPLER_NEAREST | LOCKSTEP_SAMPLER_LINEAR))
		return false;
	*s = (struct sampling){
		.linear = filter == LOCKSTEP_SAMPLER_LINEAR, .normalized = handle & LOCKSTEP_SAMPLER_NORMALIZED};
	for (uint32_t k = 0; k < 3; k++)
		s->addressing[k] = modes[mode];
	return true;
}

/* How a lane's fetch samples: as its sampler says, or the texture.  False: a finding. */
static bool find_sampling(struct sampling *s, struct core *core, struct warp_slot *r, const struct insn *i,
	uint32_t lane, const struct lockstep_image *image)
{
	uint64_t handle;

	assert(lane < r->warp.lanes);
	if (i->s[2] == SLOT_NONE) {
		*s = sampling_of_image(image);
		return true;
	}
	handle = slot_value(&r->warp, i->s[2], 8, lane);
	if (read_sampler(s, handle))
		return true;
	core_fault(core, r, i, lane, FAULT_image, "0x%" PRIx64 " is not the handle of any sampler", handle);
	return false;
}

/* --- From coordinates to texels --- */

/* One direction: up to two texels and the second's weight, in 1/256. */
struct step {
	int64_t at[2]; /* TEXTURE_BORDER: outside */
	double weight[2];
	uint32_t count;
};

/* One that is not inside 0 .. n - 1. */
static int64_t brought_inside(int64_t at, uint32_t n, enum lockstep_addressing mode)
{
	assert(n);
	assert((uint64_t)at >= n);
	if (mode == LOCKSTEP_ADDRESS_BORDER)
		return TEXTURE_BORDER;
	if (mode == LOCKSTEP_ADDRESS_WRAP)
		return ((at % (int64_t)n) + (int64_t)n) % (int64_t)n;
	/* what is mirrored is at most one texel outside, where mirroring and clamping agree */
	return at < 0 ? 0 : (int64_t)n - 1;
}

/* A whole coordinate, brought inside 0 .. n - 1 or to the border. */
static inline int64_t inside(int64_t at, uint32_t n, enum lockstep_addressing mode)
{
	return (uint64_t)at < n ? at : brought_inside(at, n, mode);
}

/* A normalized coordinate times n, the periods of wrap and mirror taken off. */
static double from_normalized(double x, uint32_t n, enum lockstep_addressing mode)
{
	assert(n);
	if (mode == LOCKSTEP_ADDRESS_WRAP)
		x -= floor(x);
	else if (mode == LOCKSTEP_ADDRESS_MIRROR)
		x = fmod(floor(x), 2) == 0 ? x - floor(x) : 1 - (x - floor(x));
	return x * n;
}

/* The coordinate in texels, 0 for what is no number. */
static inline double in_texels(double x, uint32_t n, bool normalized, enum lockstep_addressing mode)
{
	assert(n);
	if (normalized)
		x = from_normalized(x, n, mode);
	if (fabs(x) <= TEXTURE_FAR)
		return x;
	return x > 0 ? TEXTURE_FAR : x < 0 ? -TEXTURE_FAR : 0;
}

/* Of what is no farther than TEXTURE_FAR. */
static inline int64_t near_floor(double x)
{
	int64_t whole = (int64_t)x;

	return whole - (x < (double)whole);
}

/* The weight of the second of two texels, in 1/256, at a distance `behind` from the middle of the first. */
static inline double second_share(double behind)
{
	assert(behind >= 0 && behind <= 1);
	return (double)near_floor(behind * 256 + 0.5) / 256;
}

/* Where a coordinate in texels reads. */
static inline void step_to(struct step *step, double x, uint32_t n, bool linear, enum lockstep_addressing mode)
{
	int64_t first = near_floor(linear ? x - 0.5 : x);

	step->at[0] = step->at[1] = inside(first, n, mode);
	step->count = 1;
	step->weight[0] = 1;
	assert(step->at[0] == TEXTURE_BORDER || (uint64_t)step->at[0] < n);
	if (linear) {
		double fraction = second_share(x - 0.5 - (double)first);

		step->at[1] = inside(first + 1, n, mode);
		step->weight[0] = 1 - fraction;
		step->weight[1] = fraction;
		step->count = 2;
	}
}

/* Without normalized coordinates wrap and mirror are clamp. */
static enum lockstep_addressing mode_of(
	const struct lockstep_image *image, const struct sampling *sampling, uint32_t direction)
{
	enum lockstep_addressing mode = sampling->addressing[direction];

	assert(direction < 3);
	if (image->buffer)
		return LOCKSTEP_ADDRESS_BORDER;
	return sampling->normalized || mode == LOCKSTEP_ADDRESS_BORDER ? mode : LOCKSTEP_ADDRESS_CLAMP;
}

/* How lanes read one image, with one sampler. */
struct reading {
	const struct lockstep_image *image; /* null: not known yet */
	uint64_t handle, sampler;           /* of the image; of the sampler, 0: the texture says how */
	struct sampling sampling;
	enum lockstep_addressing mode[3];
	uint32_t texel_bytes;
	bool linear;     /* of floating-point coordinates */
	bool normalized; /* likewise */
	bool gathers;    /* tld4: all four texels, whatever the filter */
};

/* Where a lane reads: coordinates in the image's own terms. */
struct position {
	double x[3];    /* as given, or of a cube's face */
	uint32_t slice; /* layer, face */
	bool whole;     /* texels by number: nothing is scaled, filtered or normalized */
	bool linear;    /* the two texels around it in each direction */
};

/* A lane's texel, or none of it. */
static inline void add_texel(
	struct texture_fetch *fetch, uint32_t lane, const struct reading *reading, uint64_t address, double share)
{
	uint32_t k = fetch->found;

	assert(k <= fetch->row_count && k < TEXELS);
	if (!(share > 0) && !reading->gathers)
		return;
	assert(k == fetch->row_count || !(fetch->row[k].present >> lane & 1));
	if (fetch->found++ == fetch->row_count) /* a row more, in which no lane has a texel yet */
		fetch->row[fetch->row_count++] = (struct texel_row){0};
	fetch_address(fetch, k)[lane] = address;
	fetch_weight(fetch, k)[lane] = share;
	fetch->row[k].present |= 1ull << lane;
	fetch->row[k].inside |= (lane_mask)(address != 0) << lane;
}

/* A lane's texels of one row of the image, which begins at `row`, 0: outside; `weight`: of all of them. */
static inline void add_row(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading, uint64_t row,
	const struct step *x, double weight)
{
	assert(reading->texel_bytes && x->count >= 1 && x->count <= 2);
	for (uint32_t k = 0; k < x->count; k++)
		add_texel(fetch, lane, reading,
			row && x->at[k] != TEXTURE_BORDER ? row + (uint64_t)x->at[k] * reading->texel_bytes : 0,
			x->weight[k] * weight);
}

static inline __attribute__((always_inline)) void step_in(
	struct step *step, const struct reading *reading, const struct position *p, uint32_t direction, uint32_t size)
{
	bool normalized = reading->normalized && !p->whole;
	enum lockstep_addressing mode = reading->mode[direction];

	assert(direction < reading->image->dimensions);
	step_to(step, in_texels(p->x[direction], size, normalized, mode), size, p->linear, mode);
}

/* The texels of one level, whose weights add up to `share`. */
static void add_level(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading,
	const struct position *p, uint32_t number, double share)
{
	const struct lockstep_image *image = reading->image;
	const struct lockstep_image_level *level = &image->level[number];
	struct step x, y = {.weight[0] = 1, .count = 1}, z = y;

	assert(number < image->level_count);
	step_in(&x, reading, p, 0, level->width);
	if (image->dimensions > 1)
		step_in(&y, reading, p, 1, level->height);
	if (image->dimensions > 2)
		step_in(&z, reading, p, 2, level->depth);
	assert(!p->slice || image->dimensions < 3);
	for (uint32_t k = 0; k < z.count; k++)
		for (uint32_t n = 0; n < y.count; n++) {
			bool inside = z.at[k] != TEXTURE_BORDER && y.at[n] != TEXTURE_BORDER;
			uint64_t row = level->address + (p->slice + (uint64_t)z.at[k]) * level->slice_bytes +
				       (uint64_t)y.at[n] * level->row_bytes;

			add_row(fetch, lane, reading, inside ? row : 0, &x, y.weight[n] * (z.weight[k] * share));
		}
}

/* The face of a cube that a direction goes to, and where on it (programming guide, "Cubemap Textures").  What the guide
 * leaves open, the edges, goes to z before y before x. */
static uint32_t face_of(const double v[3], double x[2])
{
	double ax = fabs(v[0]), ay = fabs(v[1]), az = fabs(v[2]), major, s, t;
	uint32_t face;

	if (az >= ax && az >= ay) {
		face = v[2] >= 0 ? 4u : 5u, major = az;
		s = v[2] >= 0 ? v[0] : -v[0], t = -v[1];
	} else if (ay >= ax) {
		face = v[1] >= 0 ? 2u : 3u, major = ay;
		s = v[0], t = v[1] >= 0 ? v[2] : -v[2];
	} else {
		face = v[0] >= 0 ? 0u : 1u, major = ax;
		s = v[0] >= 0 ? -v[2] : v[2], t = -v[1];
	}
	x[0] = (s / major + 1) / 2;
	x[1] = (t / major + 1) / 2;
	assert(face < 6);
	return face;
}

/* The coordinates of an instruction as written: maybe a layer, then directions. */
struct coordinates {
	const void *direction[3]; /* of lane 0; null: there is none */
	const uint32_t *layer;    /* likewise */
	bool whole;
};

static struct coordinates coordinates_of(const struct warp *w, const struct insn *i, const struct insn_extra *extra)
{
	struct coordinates c = {.whole = i->type2 == TYPE_S32};
	uint8_t geometry = i->modifiers.geometry;
	uint32_t next = geometry == geometry_A1D || geometry == geometry_A2D || geometry == geometry_ACUBE;

	assert(next <= extra->coordinate_count);
	if (next)
		c.layer = slot_at(w, extra->coordinates[0]);
	for (uint32_t k = 0; k < 3 && next + k < extra->coordinate_count; k++)
		c.direction[k] = slot_at(w, extra->coordinates[next + k]);
	return c;
}

static double along(const struct coordinates *c, uint32_t direction, uint32_t lane)
{
	assert(direction < 3);
	if (!c->direction[direction])
		return 0;
	return c->whole ? (double)((const int32_t *)c->direction[direction])[lane]
			: (double)((const float *)c->direction[direction])[lane];
}

/* The slice of a layered image or a cube, and where on its face. */
static void find_slice(
	struct position *p, const struct coordinates *c, const struct lockstep_image *image, uint32_t lane)
{
	const double v[3] = {p->x[0], p->x[1], p->x[2]};
	uint32_t layers = image->level[0].depth / (image->cube ? 6 : 1), layer = c->layer ? c->layer[lane] : 0;

	assert(layers);
	layer = layer < layers ? layer : layers - 1;
	p->slice = image->cube ? layer * 6 + face_of(v, p->x) : layer;
	assert(p->slice < image->level[0].depth);
}

static inline void find_position(
	struct position *p, const struct coordinates *c, const struct reading *reading, uint32_t lane)
{
	assert(reading->image);
	for (uint32_t k = 0; k < 3; k++)
		p->x[k] = along(c, k, lane);
	p->slice = 0;
	p->whole = c->whole;
	p->linear = reading->gathers || (reading->linear && !p->whole);
	if (reading->image->layered || reading->image->cube)
		find_slice(p, c, reading->image, lane);
}

/* --- Levels --- */

/* log2 of how many texels of the first level a pixel covers, along the longer of the two gradients. */
static double level_of_gradients(const struct warp *w, const struct insn_extra *extra,
	const struct lockstep_image *image, const struct sampling *sampling, uint32_t lane)
{
	const uint32_t size[3] = {image->level[0].width, image->level[0].height, image->level[0].depth};
	double longest = 0;

	assert(extra->gradient_count <= 3);
	for (uint32_t axis = 0; axis < 2; axis++) {
		double square = 0;

		for (uint32_t k = 0; k < extra->gradient_count && k < image->dimensions; k++) {
			double d = register_float(w, extra->gradients[axis][k], lane) *
				   (sampling->normalized ? size[k] : 1);

			square += d * d;
		}
		longest = square > longest ? square : longest;
	}
	return longest > 0 ? log2(longest) / 2 : -TEXTURE_FAR;
}

/* tex and tex.base take the first level. */
static double level_of(const struct warp *w, const struct insn *i, const struct insn_extra *extra,
	const struct reading *reading, uint32_t lane)
{
	const struct lockstep_image *image = reading->image;
	double level = 0;

	assert(image->level_count);
	if (i->op == OP_tex_grad)
		level = level_of_gradients(w, extra, image, &reading->sampling, lane);
	else if (i->op == OP_tex_level)
		level = i->type2 == TYPE_S32 ? (double)(int32_t)slot_value(w, i->s[1], 4, lane)
					     : register_float(w, i->s[1], lane);
	else
		return 0;
	level += image->level_bias;
	level = level > image->level_max ? image->level_max : level;
	level = level > image->level_min ? level : image->level_min; /* also if it is not a number */
	level = level > image->level_count - 1 ? image->level_count - 1 : level;
	return level > 0 ? level : 0;
}

static void find_texels(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading,
	const struct position *p, double level)
{
	uint32_t first = (uint32_t)level;
	double share;

	assert(level >= 0 && first < reading->image->level_count);
	fetch->found = 0;
	if (!reading->image->linear_levels || !texel_is_float(reading->image) || reading->gathers) {
		add_level(fetch, lane, reading, p, (uint32_t)(level + 0.5), 1);
		return;
	}
	share = floor((level - first) * 256 + 0.5) / 256;
	if (share < 1)
		add_level(fetch, lane, reading, p, first, 1 - share);
	if (share > 0)
		add_level(fetch, lane, reading, p, first + 1, share);
}

/* --- All of a fetch --- */

/* How a lane reads, if it differs from the lane before.  False: a finding. */
static bool find_reading(
	struct reading *reading, struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	uint64_t handle = texture_handle(&r->warp, i, lane);
	uint64_t sampler = i->s[2] == SLOT_NONE ? 0 : slot_value(&r->warp, i->s[2], 8, lane);
	const struct lockstep_image *image;

	if (reading->image && reading->handle == handle && reading->sampler == sampler)
		return true;
	image = texture_image(core, r, i, lane, LOCKSTEP_TEXTURE);
	if (!image || !find_sampling(&reading->sampling, core, r, i, lane, image))
		return false;
	reading->image = image;
	reading->handle = handle;
	reading->sampler = sampler;
	reading->texel_bytes = image_texel_bytes(image);
	assert(reading->texel_bytes);
	assert(reading->texel_bytes <= TEXEL_BYTES);
	reading->linear = reading->sampling.linear && texel_is_float(image);
	reading->normalized = reading->sampling.normalized || image->cube;
	for (uint32_t k = 0; k < 3; k++)
		reading->mode[k] = image->cube ? LOCKSTEP_ADDRESS_CLAMP : mode_of(image, &reading->sampling, k);
	return true;
}

/* Whether all `lanes` have the first one's handles. */
static bool have_one_reading(const struct warp *w, const struct insn *i, lane_mask lanes)
{
	const struct lane_texture *lane = w->memory->texture;
	uint32_t first = (uint32_t)__builtin_ctzll(lanes);
	uint64_t handle = texture_handle(w, i, first);

	assert(lanes >> first & 1);
	if (i->s[2] != SLOT_NONE) {
		const uint64_t *sampler = slot_at(w, i->s[2]);

		if (lanes & ~lane->same(sampler, sampler[first]))
			return false;
	}
	if (i->s_bytes[0] == 8)
		return !(lanes & ~lane->same(slot_at(w, i->s[0]), handle));
	EACH_LANE(l, lanes)
		if (texture_handle(w, i, (uint32_t)l) != handle)
			return false;
	return true;
}

/* Whether lanes with this reading can be looked at together: directions that steps knows, of the first level. */
static bool is_for_all(const struct reading *reading, const struct insn *i, const struct coordinates *c)
{
	const struct lockstep_image *image = reading->image;
	const struct lockstep_image_level *level = &image->level[0];

	assert(image->dimensions >= 1 && image->dimensions <= 3);
	if (image->cube || ((i->op == OP_tex_grad || i->op == OP_tex_level) && image->level_count > 1))
		return false;
	if ((level->height > 1 && level->row_bytes > UINT32_MAX) ||
		(level->depth > 1 && level->slice_bytes > UINT32_MAX))
		return false;
	for (uint32_t k = 0; k < image->dimensions; k++)
		if (!c->direction[k] || (c->whole && reading->mode[k] == LOCKSTEP_ADDRESS_WRAP))
			return false;
	return true;
}

static struct texture_axis axis_of(const struct reading *reading, const struct coordinates *c, uint32_t direction)
{
	const struct lockstep_image *image = reading->image;
	const uint32_t size[3] = {image->level[0].width, image->level[0].height, image->level[0].depth};
	struct texture_axis axis = {.size = size[direction]};

	assert(direction < 3 && !image->cube);
	if (direction >= image->dimensions) {
		axis.is_layer = direction == 2 && image->layered;
		axis.coordinate = axis.is_layer ? c->layer : NULL;
		return axis;
	}
	axis.coordinate = c->direction[direction];
	axis.whole = c->whole;
	axis.linear = reading->gathers || (reading->linear && !c->whole);
	axis.normalized = reading->normalized && !c->whole;
	axis.mode = reading->mode[direction];
	return axis;
}

static void find_for_all(
	struct texture_fetch *fetch, const struct reading *reading, const struct coordinates *c, lane_mask lanes)
{
	const struct lockstep_image_level *level = &reading->image->level[0];
	const struct texture_level from = {.address = level->address,
		.bytes = {reading->texel_bytes, (uint32_t)level->row_bytes, (uint32_t)level->slice_bytes}};
	struct texture_texels texel[TEXELS / 2];
	struct texture_steps step[3];

	for (uint32_t k = 0; k < 3; k++) {
		struct texture_axis axis = axis_of(reading, c, k);

		fetch->functions->texture->steps(&step[k], &axis);
	}
	for (uint32_t k = 0; k < TEXELS / 2; k++)
		texel[k] =
			(struct texture_texels){.address = fetch_address(fetch, k), .weight = fetch_weight(fetch, k)};
	fetch->row_count = fetch->functions->texture->texels(texel, step, &from);
	assert(fetch->row_count <= 1u << reading->image->dimensions);
	for (uint32_t k = 0; k < fetch->row_count; k++) {
		fetch->row[k].present = reading->gathers ? lanes : texel[k].present & lanes;
		fetch->row[k].inside = texel[k].inside & fetch->row[k].present;
	}
}

/* One lane after another. */
static bool find_each(struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i,
	lane_mask lanes, struct reading *reading, const struct coordinates *c)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

	EACH_LANE(l, lanes) {
		struct position p;

		if (!find_reading(reading, core, r, i, (uint32_t)l))
			return false;
		fetch_images(fetch)[l] = reading->image;
		assert(fetch->words == TEXEL_WORDS);
		if (reading->image != fetch->image)
			fetch->image = NULL;
		find_position(&p, c, reading, (uint32_t)l);
		find_texels(fetch, (uint32_t)l, reading, &p, level_of(&r->warp, i, extra, reading, (uint32_t)l));
	}
	return true;
}

/* Begins a fetch of at most `most_rows` rows, whose texels have `words` words. */
static void fetch_begin(struct texture_fetch *fetch, const struct warp *w, uint32_t words, uint32_t most_rows)
{
	uint32_t row_bytes = w->lanes * (uint32_t)(sizeof(uint64_t) + sizeof(double) + words * sizeof(uint32_t));
	size_t used = sizeof *fetch + most_rows * row_bytes;
	bool fits = used + FETCH_FEW_LINES * sizeof *fetch->line <= FETCH_FRONT;

	assert(most_rows);
	assert(most_rows <= TEXELS);
	assert(words);
	assert(words <= TEXEL_WORDS);
	fetch->functions = w->memory;
	fetch->lanes = w->lanes;
	fetch->words = words;
	fetch->row_bytes = row_bytes;
	fetch->row_count = 0;
	fetch->rows = fits ? fetch->memory : fetch->back;
	fetch->line = (void *)(fits ? fetch->memory + most_rows * row_bytes : fetch->back + fetch_back_rows(w->lanes));
	fetch->line_room = fits ? (uint32_t)((FETCH_FRONT - used) / sizeof *fetch->line) : TEXELS * w->lanes;
}

bool texture_find(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct coordinates coordinates = coordinates_of(&r->warp, i, &r->warp.kernel->extras[i->extra]);
	struct reading reading = {.gathers = texture_gathered((enum op)i->op) < 4};
	bool is_one = have_one_reading(&r->warp, i, lanes);

	assert(lanes && !(lanes & ~r->warp.live));
	if (!find_reading(&reading, core, r, i, (uint32_t)__builtin_ctzll(lanes)))
		return false;
	fetch->image = reading.image;
	is_one = is_one && is_for_all(&reading, i, &coordinates);
	fetch->line_bytes = core->machine->model->line_bytes;
	fetch_begin(fetch, &r->warp, is_one ? (reading.texel_bytes + 3) / 4 : TEXEL_WORDS,
		is_one ? 1u << reading.image->dimensions : TEXELS);
	if (is_one)
		find_for_all(fetch, &reading, &coordinates, lanes);
	else if (!find_each(fetch, core, r, i, lanes, &reading, &coordinates))
		return false;
	if (i->pd != NO_PREDICATE) /* everything is resident */
		r->warp.predicates[i->pd] |= lanes;
	return true;
}
