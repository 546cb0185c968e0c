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

/* What one lane fetches. */
struct texture_lane {
	const struct lockstep_image *image;
	struct sampling sampling;
	uint32_t texels;
	uint64_t address[TEXELS]; /* 0: the border */
	double weight[TEXELS];    /* they add up to 1 */
	uint8_t data[TEXELS][16];
};

/* What a warp fetches. */
struct texture_fetch {
	uint32_t line_count;
	uint64_t line[CORE_WARPS * TEXELS];
	lane_mask lanes_of[CORE_WARPS * TEXELS]; /* lanes with a texel in it */
	struct texture_lane lane[];              /* as many as a warp has */
};

/* Of a core: a fetch for each operation. */
struct texture_unit {
	char *fetches; /* null until a kernel comes that reads textures */
};

static size_t fetch_bytes(uint32_t lanes)
{
	return (sizeof(struct texture_fetch) + lanes * sizeof(struct texture_lane) + 63) & ~(size_t)63;
}

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

/* A whole coordinate, brought inside 0 .. n - 1 or to the border. */
static int64_t inside(int64_t at, uint32_t n, enum lockstep_addressing mode)
{
	if (at >= 0 && at < (int64_t)n)
		return at;
	if (mode == LOCKSTEP_ADDRESS_BORDER)
		return BORDER;
	if (mode == LOCKSTEP_ADDRESS_WRAP)
		return ((at % (int64_t)n) + (int64_t)n) % (int64_t)n;
	/* what is mirrored is at most one texel outside, where mirroring and clamping agree */
	return at < 0 ? 0 : (int64_t)n - 1;
}

/* The coordinate in texels. */
static double in_texels(double x, uint32_t n, bool normalized, enum lockstep_addressing mode)
{
	double floor_of = floor(x);

	if (normalized && mode == LOCKSTEP_ADDRESS_WRAP)
		x -= floor_of;
	else if (normalized && mode == LOCKSTEP_ADDRESS_MIRROR)
		x = fmod(floor_of, 2) == 0 ? x - floor_of : 1 - (x - floor_of);
	if (normalized)
		x *= n;
	return isnan(x) ? 0 : x > FAR ? FAR : x < -FAR ? -FAR : x;
}

static struct step step_of(double x, uint32_t n, bool linear, enum lockstep_addressing mode)
{
	struct step step = {.count = 1, .weight = {1, 0}};
	int64_t first = (int64_t)floor(linear ? x - 0.5 : x);
	double fraction = linear ? floor((x - 0.5 - (double)first) * 256 + 0.5) / 256 : 0;

	step.at[0] = inside(first, n, mode);
	if (linear) {
		step.at[1] = inside(first + 1, n, mode);
		step.weight[0] = 1 - fraction;
		step.weight[1] = fraction;
		step.count = 2;
	}
	return step;
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

/* Where a fetch reads: coordinates in the image's own terms. */
struct position {
	double x[3];    /* as given, or of a cube's face */
	uint32_t slice; /* layer, face */
	bool whole;     /* texels by number: nothing is scaled, filtered or normalized */
	bool gathers;   /* tld4: all four texels, whatever the filter */
};

static void add_texel(struct texture_lane *lane, const struct lockstep_image_level *level, const int64_t at[3],
	uint32_t bytes, double weight)
{
	uint64_t address = level->address + (uint64_t)at[0] * bytes + (uint64_t)at[1] * level->row_bytes +
			   (uint64_t)at[2] * level->slice_bytes;

	if (at[0] == BORDER || at[1] == BORDER || at[2] == BORDER)
		address = 0;
	lane->address[lane->texels] = address;
	lane->weight[lane->texels++] = weight;
}

/* The texels of one level, whose weights add up to `share`. */
static void add_level(struct texture_lane *lane, const struct position *p, uint32_t number, double share)
{
	const struct lockstep_image *image = lane->image;
	const struct lockstep_image_level *level = &image->level[number];
	const uint32_t size[3] = {level->width, level->height, level->depth};
	struct step step[3] = {
		{.count = 1, .weight = {1, 0}}, {.count = 1, .weight = {1, 0}}, {.count = 1, .weight = {1, 0}}};
	bool linear = p->gathers || (lane->sampling.linear && texel_is_float(image) && !p->whole);

	step[2].at[0] = p->slice;
	for (uint32_t k = 0; k < image->dimensions; k++) {
		enum lockstep_addressing mode =
			image->cube ? LOCKSTEP_ADDRESS_CLAMP : mode_of(image, &lane->sampling, k);
		bool normalized = !p->whole && (lane->sampling.normalized || image->cube);

		step[k] = step_of(in_texels(p->x[k], size[k], normalized, mode), size[k], linear, mode);
	}
	for (uint32_t z = 0; z < step[2].count; z++)
		for (uint32_t y = 0; y < step[1].count; y++)
			for (uint32_t x = 0; x < step[0].count; x++) {
				const int64_t at[3] = {step[0].at[x], step[1].at[y], step[2].at[z]};
				double weight = step[0].weight[x] * step[1].weight[y] * step[2].weight[z] * share;

				if (weight > 0 || p->gathers)
					add_texel(lane, level, at, image_texel_bytes(image), weight);
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
	return face;
}

/* Coordinates of one lane, as written: maybe a layer, then directions. */
static struct position position_of(const struct warp *w, const struct insn *i, const struct insn_extra *extra,
	const struct lockstep_image *image, uint32_t lane)
{
	struct position p = {.whole = i->type2 == TYPE_S32, .gathers = op_is((enum op)i->op, "tld4")};
	uint8_t geometry = i->modifiers.geometry;
	uint32_t next = geometry == geometry_A1D || geometry == geometry_A2D || geometry == geometry_ACUBE;
	uint32_t layer = next ? register_word(w, extra->coordinates[0], lane) : 0,
		 layers = image->level[0].depth / (image->cube ? 6 : 1);
	double v[3] = {0};

	for (uint32_t k = 0; k < 3 && next + k < extra->coordinate_count; k++)
		v[k] = p.whole ? (double)(int32_t)register_word(w, extra->coordinates[next + k], lane)
			       : register_float(w, extra->coordinates[next + k], lane);
	memcpy(p.x, v, sizeof v);
	if (!next || !(image->layered || image->cube))
		layer = 0;
	else if (layer >= layers)
		layer = layers - 1;
	if (image->cube)
		p.slice = layer * 6 + face_of(v, p.x);
	else
		p.slice = layer;
	return p;
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
	const struct texture_lane *at, uint32_t lane)
{
	const struct lockstep_image *image = at->image;
	double level = 0;

	if (i->op == OP_tex_grad)
		level = level_of_gradients(w, extra, image, &at->sampling, lane);
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

static void find_texels(struct texture_lane *lane, const struct position *p, double level)
{
	double whole = floor(level), share = floor((level - whole) * 256 + 0.5) / 256;
	uint32_t first = (uint32_t)whole;

	lane->texels = 0;
	if (!lane->image->linear_levels || !texel_is_float(lane->image) || p->gathers) {
		add_level(lane, p, (uint32_t)floor(level + 0.5), 1);
		return;
	}
	if (share < 1)
		add_level(lane, p, first, 1 - share);
	if (share > 0)
		add_level(lane, p, first + 1, share);
}

/* --- Lines --- */

#define LINE_TABLE 2048 /* more than twice as many as there can be */

static void find_lines(struct texture_fetch *fetch, lane_mask lanes)
{
	uint16_t place[LINE_TABLE] = {0}; /* index into line, plus one */

	fetch->line_count = 0;
	EACH_LANE(l, lanes)
		for (uint32_t k = 0; k < fetch->lane[l].texels; k++) {
			uint64_t line = fetch->lane[l].address[k] & ~(uint64_t)(LINE_BYTES - 1);
			uint32_t at = (uint32_t)((line / LINE_BYTES) * 0x9e3779b97f4a7c15ull >> 53);

			if (!fetch->lane[l].address[k])
				continue;
			while (place[at] && fetch->line[place[at] - 1] != line)
				at = (at + 1) % LINE_TABLE;
			if (!place[at]) {
				place[at] = (uint16_t)(fetch->line_count + 1);
				fetch->line[fetch->line_count] = line;
				fetch->lanes_of[fetch->line_count++] = 0;
			}
			fetch->lanes_of[place[at] - 1] |= 1ull << l;
		}
}

/* Tells observers which texels are read. */
static void tell(const struct texture_fetch *fetch, struct core *core, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes)
{
	if (!observer_hears(core, OBSERVE_moves, r->bit))
		return;
	EACH_LANE(l, lanes) {
		const struct texture_lane *lane = &fetch->lane[l];

		for (uint32_t k = 0; k < lane->texels; k++)
			if (lane->address[k])
				observe_moves(core, r, i, (uint32_t)l, space_GLOBAL, lane->address[k],
					image_texel_bytes(lane->image), false);
	}
}

/* Finds the texels and lines of a fetch by `lanes`.  False, and a finding: a handle is no texture's. */
static bool find_fetch(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct warp *w = &r->warp;
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	const struct lockstep_image *image = NULL;
	struct sampling sampling;
	uint64_t handle = 0;

	EACH_LANE(l, lanes) {
		struct texture_lane *lane = &fetch->lane[l];
		struct position p;

		if (!image || texture_handle(w, i, (uint32_t)l) != handle)
			image = texture_image(core, r, i, (uint32_t)l, LOCKSTEP_TEXTURE);
		if (!image)
			return false;
		handle = texture_handle(w, i, (uint32_t)l);
		if (!find_sampling(&sampling, core, r, i, (uint32_t)l, image))
			return false;
		lane->image = image;
		lane->sampling = sampling;
		p = position_of(w, i, extra, image, (uint32_t)l);
		find_texels(lane, &p, level_of(w, i, extra, lane, (uint32_t)l));
	}
	if (i->pd != NO_PREDICATE) /* everything is resident */
		w->predicates[i->pd] |= lanes;
	find_lines(fetch, lanes);
	tell(fetch, core, r, i, lanes);
	return true;
}

/* Those with a texel in them. */
static uint8_t sectors(const struct core *core, const struct operation *op, const struct transaction *t)
{
	const struct texture_fetch *fetch = op->state;
	uint8_t found = 0;

	EACH_LANE(l, t->lanes)
		for (uint32_t k = 0; k < fetch->lane[l].texels; k++)
			if (fetch->lane[l].address[k] - t->line < LINE_BYTES)
				found |= l1_sector_mask(&core->l1, (uint32_t)(fetch->lane[l].address[k] - t->line),
					image_texel_bytes(fetch->lane[l].image));
	return found;
}

/* Keeps the texels of a line, whose bytes `data` are. */
static void collect(struct texture_fetch *fetch, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	EACH_LANE(l, lanes) {
		struct texture_lane *lane = &fetch->lane[l];
		uint32_t bytes = image_texel_bytes(lane->image);

		for (uint32_t k = 0; k < lane->texels; k++)
			if (lane->address[k] - line < LINE_BYTES)
				memcpy(lane->data[k], data + (lane->address[k] - line), bytes);
	}
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	const struct texture_fetch *fetch = op->state;

	EACH_LANE(l, lanes) {
		const struct texture_lane *lane = &fetch->lane[l];
		uint32_t bytes = image_texel_bytes(lane->image);

		for (uint32_t k = 0; k < lane->texels; k++)
			for (uint32_t b = 0; lane->address[k] - line < LINE_BYTES && b < bytes; b++)
				if (l < reader[lane->address[k] - line + b])
					reader[lane->address[k] - line + b] = (uint8_t)l;
	}
}

/* --- From texels to values --- */

static uint32_t single_bits(double value)
{
	return bits_of((float)value);
}

static double texel_value(const struct texture_lane *lane, uint32_t k, uint32_t component, uint32_t channel)
{
	if (!lane->address[k])
		return lane->image->buffer ? 0 : (double)lane->image->border[component];
	return texel_channel_value(lane->image, lane->data[k], channel);
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

static uint32_t single_texel(const struct texture_lane *lane, uint32_t k, uint32_t component)
{
	uint32_t channel = texel_source(lane->image, component);

	if (channel == TEXEL_ZERO)
		return 0;
	if (channel == TEXEL_ONE)
		return texel_is_float(lane->image) ? single_bits(1) : 1;
	if (texel_is_float(lane->image))
		return single_bits(texel_value(lane, k, component, channel));
	return lane->address[k] ? texel_channel_bits(lane->image, lane->data[k], channel)
				: integer_border(lane->image, component);
}

static uint32_t filtered(const struct texture_lane *lane, uint32_t component)
{
	uint32_t channel = texel_source(lane->image, component);
	double sum = 0;

	if (lane->texels == 1 || channel >= TEXEL_ZERO)
		return single_texel(lane, 0, component);
	for (uint32_t k = 0; k < lane->texels; k++)
		sum += lane->weight[k] * texel_value(lane, k, component, channel);
	return single_bits(sum);
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

		if (to)
			EACH_LANE(l, lanes)
				to[l] = component < 4 ? single_texel(&fetch->lane[l], counter_clockwise[k], component)
						      : filtered(&fetch->lane[l], k);
	}
}

/* All of it at once, from memory that nothing else changes meanwhile. */
static void fetch_at_once(
	struct texture_fetch *fetch, struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	if (!find_fetch(fetch, core, r, i, lanes))
		return;
	for (uint32_t k = 0; k < fetch->line_count; k++)
		collect(fetch, fetch->lanes_of[k], space_host(core->machine->space, fetch->line[k]), fetch->line[k]);
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
		unit->fetches =
			arena_reserve(arena, core->lsu.operation_count * fetch_bytes(core->machine->model->warp_size));
}

static struct texture_fetch *fetch_number(const struct core *core, uint32_t k)
{
	return (struct texture_fetch *)(void *)(unit_of(core)->fetches +
						k * fetch_bytes(core->machine->model->warp_size));
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
	load_store_queue(core, op, fetch->line[0], op->lanes, 1);
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

	line.line = fetch->line[t->element];
	line.lanes = fetch->lanes_of[t->element];
	return through_l1_load(core, op, &line);
}

static void deliver(const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	collect(op->state, lanes, data, line);
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
