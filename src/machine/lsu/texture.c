/* Texture fetches: coordinates to texels, and texels to values.
 *
 * The rules are those of the CUDA C++ programming guide, "Texture Fetching": with x the coordinate in texels and N
 * their number, after the addressing mode has brought x, i and i + 1 inside or to the border,
 *     nearest   T[floor(x)]
 *     linear    (1 - a) T[i] + a T[i + 1], i = floor(x - 0.5), a = frac(x - 0.5) to 8 bits; likewise in more dimensions
 * Coordinates are computed in double precision, where all this is exact or nearly so; sums of texels are rounded
 * once. */
#include "machine/lsu/texture.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/texel.h"
#include "machine/lsu/through_l1.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

#include "kernel/operand.h"
#include "warp/lanes/half.h"

#include <math.h>
#include <string.h>

#define TEXELS 16 /* of one lane: eight of each of two levels */

/* How a fetch samples: a sampler, or what the texture says. */
struct sampling {
	enum lockstep_addressing addressing[3];
	bool linear, normalized;
};

/* A line of memory that holds texels of a fetch. */
struct texture_line {
	uint64_t address;
	lane_mask lanes; /* with a texel in it */
	/* The texel in it that was found last, from which `next` leads to the others; its number is lane * TEXELS +
	 * which of the lane, plus one; 0: none. */
	uint32_t last;
	uint8_t sectors; /* of the L1, with a texel in them */
};

/* One texel of each lane. */
struct texel_row {
	uint64_t address[CORE_WARPS]; /* 0: the border */
	double weight[CORE_WARPS];    /* those of a lane add up to 1 */
	uint8_t data[CORE_WARPS][16];
	uint16_t next[CORE_WARPS]; /* of the same line */
};

/* What a warp fetches.  Rows and lines behind those in use are never touched, so that they cost no memory. */
struct texture_fetch {
	uint32_t line_count;
	bool has_one_image;          /* all lanes have the same */
	uint32_t texels[CORE_WARPS]; /* of a lane: rows */
	uint8_t bytes[CORE_WARPS];   /* of a lane's texel */
	const struct lockstep_image *image[CORE_WARPS];
	struct texel_row row[TEXELS];
	struct texture_line line[CORE_WARPS * TEXELS];
};

/* Of a core: a fetch for each operation. */
struct texture_unit {
	struct texture_fetch *fetches; /* null until a kernel comes that reads textures */
};

/* --- Registers of one lane --- */

static uint32_t register_word(const struct warp *w, slot_ref slot, uint32_t lane)
{
	return ((const uint32_t *)slot_at(w, slot))[lane];
}

static double register_float(const struct warp *w, slot_ref slot, uint32_t lane)
{
	return ((const float *)slot_at(w, slot))[lane];
}

const struct lockstep_image *texture_image(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum lockstep_image_use use)
{
	uint64_t handle = texture_handle(&r->warp, i, lane);
	const struct lockstep_image *image = image_find(core->machine->images, handle);
	const char *what = use == LOCKSTEP_TEXTURE ? "texture" : "surface";

	if (!image)
		core_fault(core, r, i, lane, FAULT_image, "0x%llx is the handle of no %s", (unsigned long long)handle,
			what);
	else if (image->use != use && image->use != LOCKSTEP_TEXTURE_AND_SURFACE)
		core_fault(core, r, i, lane, FAULT_image, "0x%llx is not the handle of a %s",
			(unsigned long long)handle, what);
	else if (!image_is_allocated(core->machine->space, image))
		core_fault(core, r, i, lane, FAULT_image, "the memory of the %s 0x%llx has been freed", what,
			(unsigned long long)handle);
	else
		return image;
	return NULL;
}

/* The component that tld4 gathers, or 4: none, it is a fetch. */
static uint32_t gathered_component(enum op op)
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

	if (i->s[2] == SLOT_NONE) {
		*s = sampling_of_image(image);
		return true;
	}
	handle = ((const uint64_t *)slot_at(&r->warp, i->s[2]))[lane];
	if (read_sampler(s, handle))
		return true;
	core_fault(core, r, i, lane, FAULT_image, "0x%llx is the handle of no sampler", (unsigned long long)handle);
	return false;
}

/* --- From coordinates to texels --- */

#define FAR 1e9 /* beyond every image, and within 32 bits */
#define BORDER (-1)

/* One direction: up to two texels and the second's weight, in 1/256. */
struct step {
	int64_t at[2]; /* BORDER: outside */
	double weight[2];
	uint32_t count;
};

/* One that is not inside 0 .. n - 1. */
static int64_t brought_inside(int64_t at, uint32_t n, enum lockstep_addressing mode)
{
	if (mode == LOCKSTEP_ADDRESS_BORDER)
		return BORDER;
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
	if (mode == LOCKSTEP_ADDRESS_WRAP)
		x -= floor(x);
	else if (mode == LOCKSTEP_ADDRESS_MIRROR)
		x = fmod(floor(x), 2) == 0 ? x - floor(x) : 1 - (x - floor(x));
	return x * n;
}

/* The coordinate in texels, 0 for what is no number. */
static inline double in_texels(double x, uint32_t n, bool normalized, enum lockstep_addressing mode)
{
	if (normalized)
		x = from_normalized(x, n, mode);
	if (fabs(x) <= FAR)
		return x;
	return x > 0 ? FAR : x < 0 ? -FAR : 0;
}

/* Of what is no farther than FAR. */
static inline int64_t near_floor(double x)
{
	int64_t whole = (int64_t)x;

	return whole - (x < (double)whole);
}

/* The weight of the second of two texels, in 1/256, so far behind the middle of the first. */
static inline double second_share(double behind)
{
	return (double)near_floor(behind * 256 + 0.5) / 256;
}

/* Where a coordinate in texels reads. */
static inline void step_to(struct step *step, double x, uint32_t n, bool linear, enum lockstep_addressing mode)
{
	int64_t first = near_floor(linear ? x - 0.5 : x);

	step->at[0] = step->at[1] = inside(first, n, mode);
	step->count = 1;
	step->weight[0] = 1;
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
	bool is_plain;   /* two dimensions in texels, filtered, of the first level: as most */
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
	struct texel_row *to = &fetch->row[fetch->texels[lane]];

	if (!(share > 0) && !reading->gathers)
		return;
	to->address[lane] = address;
	to->weight[lane] = share;
	fetch->texels[lane]++;
}

/* A lane's texels of one row of the image, which begins at `row`, 0: outside; `weight`: of all of them. */
static inline void add_row(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading, uint64_t row,
	const struct step *x, double weight)
{
	uint64_t bytes = reading->texel_bytes;

	add_texel(fetch, lane, reading, row && x->at[0] != BORDER ? row + (uint64_t)x->at[0] * bytes : 0,
		x->weight[0] * weight);
	if (x->count > 1)
		add_texel(fetch, lane, reading, row && x->at[1] != BORDER ? row + (uint64_t)x->at[1] * bytes : 0,
			x->weight[1] * weight);
}

/* Of one plane, which begins at `plane`, 0: outside. */
static inline void add_plane(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading, uint64_t plane,
	uint64_t row_bytes, const struct step *x, const struct step *y, double weight)
{
	add_row(fetch, lane, reading, plane && y->at[0] != BORDER ? plane + (uint64_t)y->at[0] * row_bytes : 0, x,
		y->weight[0] * weight);
	if (y->count > 1)
		add_row(fetch, lane, reading, plane && y->at[1] != BORDER ? plane + (uint64_t)y->at[1] * row_bytes : 0,
			x, y->weight[1] * weight);
}

static inline __attribute__((always_inline)) void step_in(
	struct step *step, const struct reading *reading, const struct position *p, uint32_t direction, uint32_t size)
{
	bool normalized = reading->normalized && !p->whole;
	enum lockstep_addressing mode = reading->mode[direction];

	step_to(step, in_texels(p->x[direction], size, normalized, mode), size, p->linear, mode);
}

/* The four texels of a plane when none is at the border, as mostly. */
static inline void add_inner_plane(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading,
	uint64_t plane, uint64_t row_bytes, const struct step *x, const struct step *y, double weight)
{
	uint64_t left = (uint64_t)x->at[0] * reading->texel_bytes, right = (uint64_t)x->at[1] * reading->texel_bytes;

	for (uint32_t k = 0; k < 2; k++) {
		uint64_t row = plane + (uint64_t)y->at[k] * row_bytes;
		double of_row = y->weight[k] * weight;

		add_texel(fetch, lane, reading, row + left, x->weight[0] * of_row);
		add_texel(fetch, lane, reading, row + right, x->weight[1] * of_row);
	}
}

/* The texels of one level, whose weights add up to `share`.  Images have two dimensions mostly. */
static void add_level(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading,
	const struct position *p, uint32_t number, double share)
{
	const struct lockstep_image *image = reading->image;
	const struct lockstep_image_level *level = &image->level[number];
	struct step x, y = {.weight[0] = 1, .count = 1}, z;

	step_in(&x, reading, p, 0, level->width);
	if (image->dimensions > 1)
		step_in(&y, reading, p, 1, level->height);
	if (image->dimensions == 2 && p->linear && (x.at[0] | x.at[1] | y.at[0] | y.at[1]) >= 0) {
		add_inner_plane(fetch, lane, reading, level->address + p->slice * level->slice_bytes, level->row_bytes,
			&x, &y, share);
		return;
	}
	if (image->dimensions < 3) {
		add_plane(fetch, lane, reading, level->address + p->slice * level->slice_bytes, level->row_bytes, &x,
			&y, share);
		return;
	}
	step_in(&z, reading, p, 2, level->depth);
	for (uint32_t k = 0; k < z.count; k++)
		add_plane(fetch, lane, reading,
			z.at[k] == BORDER ? 0 : level->address + (uint64_t)z.at[k] * level->slice_bytes,
			level->row_bytes, &x, &y, z.weight[k] * share);
}

/* What find_position and find_texels find, where a plain reading has all its texels inside the image; false: elsewhere.
 */
static inline bool find_inside(
	struct texture_fetch *fetch, uint32_t lane, const struct reading *reading, double x, double y)
{
	const struct lockstep_image_level *level = &reading->image->level[0];
	double left = x - 0.5, top = y - 0.5;
	struct step column, row;

	if (!(fabs(x) <= FAR && fabs(y) <= FAR))
		return false;
	column.at[0] = near_floor(left);
	row.at[0] = near_floor(top);
	if ((uint64_t)column.at[0] >= level->width - 1u || (uint64_t)row.at[0] >= level->height - 1u)
		return false;
	column.at[1] = column.at[0] + 1;
	column.weight[1] = second_share(left - (double)column.at[0]);
	column.weight[0] = 1 - column.weight[1];
	row.at[1] = row.at[0] + 1;
	row.weight[1] = second_share(top - (double)row.at[0]);
	row.weight[0] = 1 - row.weight[1];
	fetch->texels[lane] = 0;
	add_inner_plane(fetch, lane, reading, level->address, level->row_bytes, &column, &row, 1);
	return true;
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

	if (next)
		c.layer = slot_at(w, extra->coordinates[0]);
	for (uint32_t k = 0; k < 3 && next + k < extra->coordinate_count; k++)
		c.direction[k] = slot_at(w, extra->coordinates[next + k]);
	return c;
}

static double along(const struct coordinates *c, uint32_t direction, uint32_t lane)
{
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

	layer = layer < layers ? layer : layers - 1;
	p->slice = image->cube ? layer * 6 + face_of(v, p->x) : layer;
}

static inline void find_position(
	struct position *p, const struct coordinates *c, const struct reading *reading, uint32_t lane)
{
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

	for (uint32_t axis = 0; axis < 2; axis++) {
		double square = 0;

		for (uint32_t k = 0; k < extra->gradient_count && k < image->dimensions; k++) {
			double d = register_float(w, extra->gradients[axis][k], lane) *
				   (sampling->normalized ? size[k] : 1);

			square += d * d;
		}
		longest = square > longest ? square : longest;
	}
	return longest > 0 ? log2(longest) / 2 : -FAR;
}

/* tex and tex.base take the first level. */
static double level_of(const struct warp *w, const struct insn *i, const struct insn_extra *extra,
	const struct reading *reading, uint32_t lane)
{
	const struct lockstep_image *image = reading->image;
	double level = 0;

	if (i->op == OP_tex_grad)
		level = level_of_gradients(w, extra, image, &reading->sampling, lane);
	else if (i->op == OP_tex_level)
		level = i->type2 == TYPE_S32 ? (double)(int32_t)register_word(w, i->s[1], lane)
					     : register_float(w, i->s[1], lane);
	else
		return 0;
	level += image->level_bias;
	level = level > image->level_max ? image->level_max : level;
	level = level > image->level_min ? level : image->level_min; /* not a number, too */
	level = level > image->level_count - 1 ? image->level_count - 1 : level;
	return level > 0 ? level : 0;
}

static void find_texels(struct texture_fetch *fetch, uint32_t lane, const struct reading *reading,
	const struct position *p, double level)
{
	uint32_t first = (uint32_t)level;
	double share;

	fetch->texels[lane] = 0;
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

/* --- Lines --- */

#define LINE_TABLE 2048 /* more than twice as many as there can be */
#define FEW_LINES 8     /* so many are looked through */

/* Index into fetch->line, plus one, by a hash of the line; filled once there are more than a few. */
struct line_table {
	uint16_t place[LINE_TABLE];
};

/* Where the line has its place, or would have it. */
static uint16_t *place_in_table(const struct texture_fetch *fetch, struct line_table *table, uint64_t line)
{
	uint32_t at = (uint32_t)((line / LINE_BYTES) * 0x9e3779b97f4a7c15ull >> 53);

	while (table->place[at] && fetch->line[table->place[at] - 1].address != line)
		at = (at + 1) % LINE_TABLE;
	return &table->place[at];
}

static uint32_t add_line(struct texture_fetch *fetch, uint64_t line)
{
	fetch->line[fetch->line_count] = (struct texture_line){.address = line};
	return fetch->line_count++;
}

static void fill_table(const struct texture_fetch *fetch, struct line_table *table)
{
	memset(table, 0, sizeof *table);
	for (uint32_t k = 0; k < fetch->line_count; k++)
		*place_in_table(fetch, table, fetch->line[k].address) = (uint16_t)(k + 1);
}

/* The index of the line, which becomes one of the fetch. */
static uint32_t find_line(struct texture_fetch *fetch, struct line_table *table, uint64_t line)
{
	uint16_t *place;

	if (fetch->line_count <= FEW_LINES) {
		for (uint32_t k = 0; k < fetch->line_count; k++)
			if (fetch->line[k].address == line)
				return k;
		add_line(fetch, line);
		if (fetch->line_count > FEW_LINES)
			fill_table(fetch, table);
		return fetch->line_count - 1;
	}
	place = place_in_table(fetch, table, line);
	if (!*place)
		*place = (uint16_t)(add_line(fetch, line) + 1);
	return *place - 1u;
}

/* A lane's texel is mostly in the line in which that of the lane before is. */
static void find_lines(struct texture_fetch *fetch, const struct l1 *l1, lane_mask lanes)
{
	struct line_table table;
	struct texture_line *before[TEXELS] = {NULL};

	fetch->line_count = 0;
	EACH_LANE(l, lanes) {
		uint32_t count = fetch->texels[l], bytes = fetch->bytes[l];

		for (uint32_t k = 0; k < count; k++) {
			struct texel_row *row = &fetch->row[k];
			uint64_t address = row->address[l], line = address & ~(uint64_t)(LINE_BYTES - 1);
			struct texture_line *at = before[k];

			if (!address)
				continue;
			if (!at || at->address != line)
				at = before[k] = &fetch->line[find_line(fetch, &table, line)];
			at->lanes |= 1ull << l;
			at->sectors |= l1_sector_mask(l1, (uint32_t)(address - line), bytes);
			row->next[l] = (uint16_t)at->last;
			at->last = (uint32_t)l * TEXELS + k + 1;
		}
	}
}

static uint32_t index_of_line(const struct texture_fetch *fetch, uint64_t line)
{
	uint32_t k = 0;

	while (fetch->line[k].address != line)
		k++;
	return k;
}

/* Texels by their number in `last` and `next`, which is not 0. */
static uint32_t lane_number(uint32_t texel)
{
	return (texel - 1) / TEXELS;
}
static uint32_t of_lane(uint32_t texel)
{
	return (texel - 1) % TEXELS;
}
static uint32_t next_of_line(const struct texture_fetch *fetch, uint32_t texel)
{
	return fetch->row[of_lane(texel)].next[lane_number(texel)];
}

/* Tells observers which texels are read. */
static void tell(const struct texture_fetch *fetch, struct core *core, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes)
{
	if (!observer_hears(core, OBSERVE_moves, r->bit))
		return;
	EACH_LANE(l, lanes)
		for (uint32_t k = 0; k < fetch->texels[l]; k++)
			if (fetch->row[k].address[l])
				observe_moves(core, r, i, (uint32_t)l, space_GLOBAL, fetch->row[k].address[l],
					fetch->bytes[l], false);
}

/* How a lane reads, if it is otherwise than the lane before.  False: a finding. */
static bool find_reading(
	struct reading *reading, struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	uint64_t handle = texture_handle(&r->warp, i, lane);
	uint64_t sampler = i->s[2] == SLOT_NONE ? 0 : ((const uint64_t *)slot_at(&r->warp, i->s[2]))[lane];
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
	reading->linear = reading->sampling.linear && texel_is_float(image);
	reading->normalized = reading->sampling.normalized || image->cube;
	reading->is_plain = reading->linear && !reading->normalized && !reading->gathers && image->dimensions == 2 &&
			    !image->layered && i->op != OP_tex_grad && i->op != OP_tex_level && i->type2 != TYPE_S32;
	for (uint32_t k = 0; k < 3; k++)
		reading->mode[k] = image->cube ? LOCKSTEP_ADDRESS_CLAMP : mode_of(image, &reading->sampling, k);
	return true;
}

/* Finds the texels and lines of a fetch by `lanes`.  False, and a finding: a handle is no texture's. */
static bool find_fetch(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct warp *w = &r->warp;
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	struct coordinates coordinates = coordinates_of(w, i, extra);
	struct reading reading = {.gathers = gathered_component((enum op)i->op) < 4};
	const struct lockstep_image *before = NULL;

	fetch->has_one_image = true;
	EACH_LANE(l, lanes) {
		struct position p;

		if (!find_reading(&reading, core, r, i, (uint32_t)l))
			return false;
		fetch->has_one_image &= !before || before == reading.image;
		before = fetch->image[l] = reading.image;
		fetch->bytes[l] = (uint8_t)reading.texel_bytes;
		if (reading.is_plain && coordinates.direction[1] &&
			find_inside(fetch, (uint32_t)l, &reading, along(&coordinates, 0, (uint32_t)l),
				along(&coordinates, 1, (uint32_t)l)))
			continue;
		find_position(&p, &coordinates, &reading, (uint32_t)l);
		find_texels(fetch, (uint32_t)l, &reading, &p, level_of(w, i, extra, &reading, (uint32_t)l));
	}
	if (i->pd != NO_PREDICATE) /* everything is resident */
		w->predicates[i->pd] |= lanes;
	find_lines(fetch, &core->l1, lanes);
	tell(fetch, core, r, i, lanes);
	return true;
}

static uint8_t sectors(const struct core *core, const struct operation *op, const struct transaction *t)
{
	const struct texture_fetch *fetch = op->state;

	(void)core;
	return fetch->line[t->element].sectors;
}

/* Keeps the texels of a line, whose bytes `data` are. */
static void collect(struct texture_fetch *fetch, const struct texture_line *line, const uint8_t *data)
{
	for (uint32_t texel = line->last; texel; texel = next_of_line(fetch, texel)) {
		struct texel_row *row = &fetch->row[of_lane(texel)];
		uint32_t lane = lane_number(texel), bytes = fetch->bytes[lane];
		const uint8_t *from = data + row->address[lane] % LINE_BYTES;

		if (bytes == 4) /* mostly; the general one is a call */
			memcpy(row->data[lane], from, 4);
		else
			memcpy(row->data[lane], from, bytes);
	}
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	const struct texture_fetch *fetch = op->state;
	uint32_t texel = fetch->line[index_of_line(fetch, line)].last;

	(void)lanes; /* all that have a texel in it */
	for (; texel; texel = next_of_line(fetch, texel)) {
		uint32_t lane = lane_number(texel), bytes = fetch->bytes[lane];
		uint8_t *first = reader + (fetch->row[of_lane(texel)].address[lane] - line);

		for (uint32_t b = 0; b < bytes; b++)
			first[b] = lane < first[b] ? (uint8_t)lane : first[b];
	}
}

/* --- From texels to values --- */

static uint32_t single_bits(double value)
{
	return bits_of((float)value);
}

static double texel_value(
	const struct texture_fetch *fetch, uint32_t lane, uint32_t k, uint32_t component, uint32_t channel)
{
	const struct lockstep_image *image = fetch->image[lane];

	if (!fetch->row[k].address[lane])
		return image->buffer ? 0 : (double)image->border[component];
	return texel_channel_value(image, fetch->row[k].data[lane], channel);
}

static uint32_t integer_border(const struct lockstep_image *image, uint32_t component)
{
	float value = image->buffer ? 0 : image->border[component];

	if (image->channel == LOCKSTEP_CHANNEL_SIGNED)
		return value >= 2147483647.0f    ? INT32_MAX
		       : value <= -2147483648.0f ? (uint32_t)INT32_MIN
						 : (uint32_t)(int32_t)value;
	return value >= 4294967295.0f ? UINT32_MAX : value <= 0 ? 0 : (uint32_t)value;
}

static uint32_t single_texel(const struct texture_fetch *fetch, uint32_t lane, uint32_t k, uint32_t component)
{
	const struct lockstep_image *image = fetch->image[lane];
	uint32_t channel = texel_source(image, component);

	if (channel == TEXEL_ZERO)
		return 0;
	if (channel == TEXEL_ONE)
		return texel_is_float(image) ? single_bits(1) : 1;
	if (texel_is_float(image))
		return single_bits(texel_value(fetch, lane, k, component, channel));
	return fetch->row[k].address[lane] ? texel_channel_bits(image, fetch->row[k].data[lane], channel)
					   : integer_border(image, component);
}

/* Compiled twice: `is_float`, the channel is a float of 32 bits, as most are, or not. */
static inline __attribute__((always_inline)) uint32_t filtered(
	const struct texture_fetch *fetch, uint32_t lane, uint32_t component, uint32_t channel, const bool is_float)
{
	double sum = 0;

	if (fetch->texels[lane] == 1)
		return single_texel(fetch, lane, 0, component);
	for (uint32_t k = 0; k < fetch->texels[lane]; k++) {
		const struct texel_row *row = &fetch->row[k];

		if (is_float && row->address[lane]) {
			float value;

			memcpy(&value, row->data[lane] + channel * sizeof value, sizeof value);
			sum += row->weight[lane] * value;
		} else {
			sum += row->weight[lane] * texel_value(fetch, lane, k, component, channel);
		}
	}
	return single_bits(sum);
}

/* Of lanes with the same image. */
static void filter_lanes(const struct texture_fetch *fetch, const struct lockstep_image *image, uint32_t component,
	lane_mask lanes, uint32_t *to)
{
	uint32_t channel = texel_source(image, component), first = (uint32_t)__builtin_ctzll(lanes);

	if (channel >= TEXEL_ZERO) {
		uint32_t constant = single_texel(fetch, first, 0, component);

		EACH_LANE(l, lanes)
			to[l] = constant;
	} else if (image->channel == LOCKSTEP_CHANNEL_FLOAT && image->channel_bits == 32) {
		EACH_LANE(l, lanes)
			to[l] = filtered(fetch, (uint32_t)l, component, channel, true);
	} else {
		EACH_LANE(l, lanes)
			to[l] = filtered(fetch, (uint32_t)l, component, channel, false);
	}
}

static void filter_component(const struct texture_fetch *fetch, uint32_t component, lane_mask lanes, uint32_t *to)
{
	while (lanes) {
		const struct lockstep_image *image = fetch->image[__builtin_ctzll(lanes)];
		lane_mask same = lanes;

		if (!fetch->has_one_image)
			EACH_LANE(l, lanes)
				same &= ~((lane_mask)(fetch->image[l] != image) << l);
		filter_lanes(fetch, image, component, same, to);
		lanes &= ~same;
	}
}

/* Writes the results: texels filtered, converted, or gathered. */
static void filter(const struct texture_fetch *fetch, uint32_t *const bank[2], const struct kernel *kernel,
	const struct insn *i, lane_mask lanes)
{
	/* texels of tld4's results, from the lower left one */
	static const uint8_t counter_clockwise[4] = {2, 3, 1, 0};
	const struct insn_extra *extra = &kernel->extras[i->extra];
	uint32_t component = gathered_component((enum op)i->op);

	for (uint32_t k = 0; k < 4; k++) {
		uint32_t *to = extra->vector[k] == SLOT_NONE
				       ? NULL
				       : bank[extra->vector[k] >> 30] + (extra->vector[k] & SLOT_OFFSET);

		if (to && component == 4)
			filter_component(fetch, k, lanes, to);
		else if (to)
			EACH_LANE(l, lanes)
				to[l] = single_texel(fetch, (uint32_t)l, counter_clockwise[k], component);
	}
}

/* All of it at once, from memory that nothing else changes meanwhile. */
static void fetch_at_once(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	if (!find_fetch(fetch, core, r, i, lanes))
		return;
	for (uint32_t k = 0; k < fetch->line_count; k++)
		collect(fetch, &fetch->line[k], space_host(core->machine->space, fetch->line[k].address));
	filter(fetch, r->warp.bank, r->warp.kernel, i, lanes);
}

/* --- The kind --- */

static struct texture_unit *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_TEXTURE);
}

static void *create(struct core *core, struct arena *arena)
{
	(void)core;
	return arena_new(arena, struct texture_unit);
}

void texture_prepare(struct core *core, struct arena *arena)
{
	struct texture_unit *unit = unit_of(core);

	if (!unit->fetches)
		unit->fetches = arena_reserve(arena, core->lsu.operation_count * sizeof(struct texture_fetch));
}

static struct texture_fetch *fetch_number(const struct core *core, uint32_t k)
{
	return &unit_of(core)->fetches[k];
}

static const struct kernel *kernel_of(const struct operation *op)
{
	return op->group->core_launch->launch->kernel;
}

static void results(const struct operation *op)
{
	filter(op->state, op->bank, kernel_of(op), op->insn, op->lanes);
}

/* A fetch is a load of the texels' lines: one transaction, which sends for one line after another. */
static void queue(struct core *core, struct warp_slot *r, struct operation *op)
{
	const struct texture_fetch *fetch = op->state;

	op->messages = fetch->line_count;
	load_store_queue(core, op, fetch->line[0].address, op->lanes, 1);
	core->counters.global_load_instructions++;
	core->counters.global_load_transactions += op->pending;
	load_store_await_result(core, r, op);
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op = load_store_take(core, r, i, lanes);
	struct texture_fetch *fetch = op->state = fetch_number(core, load_store_index(core, op));

	op->space = space_GLOBAL;
	if (!find_fetch(fetch, core, r, i, lanes)) {
		load_store_free(core, op);
	} else if (!fetch->line_count) { /* all at the border */
		results(op);
		load_store_free(core, op);
		core_set_results_ready(r, i, core->now + core->machine->model->l1_latency);
	} else {
		queue(core, r, op);
	}
}

void texture_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	if (lanes && core->machine->functional)
		fetch_at_once(fetch_number(core, 0), core, r, i, lanes);
	else if (lanes)
		issue(core, r, i, lanes);
	control_advance(core, r);
}

static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
	const struct texture_fetch *fetch = op->state;
	struct transaction line = *t;

	line.line = fetch->line[t->element].address;
	line.lanes = fetch->line[t->element].lanes;
	return through_l1_load(core, op, &line);
}

static void deliver(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	struct texture_fetch *fetch = op->state;

	(void)lanes; /* all that have a texel in it */
	collect(fetch, &fetch->line[index_of_line(fetch, line)], data);
}

const struct memory_kind memory_texture = {
	.noun = "fetch",
	.only_loads = true,
	.acquires = true,
	.is_fetch = true,
	.create = create,
	.send = send,
	.sectors = sectors,
	.deliver = deliver,
	.readers = readers,
	.results = results,
};
