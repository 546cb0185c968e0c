/* What kernels ask of images: txq, suq, istypep.  Channel types and orders are numbered as in OpenCL, as the PTX ISA
 * says for languages that have no numbers of their own. */
#include "machine/core/executors.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/texture.h"
#include "machine/state/machine.h"

#include "kernel/operand.h"

#include <assert.h>

/* OpenCL's cl_channel_type; normalized where it is read so. */
static uint32_t channel_type(const struct lockstep_image *image)
{
	enum {
		SNORM_INT8 = 0x10d0,
		UNORM_INT8 = 0x10d2,
		SIGNED_INT8 = 0x10d7,
		UNSIGNED_INT8 = 0x10da,
		HALF = 0x10dd,
		FLOAT = 0x10de
	};
	uint32_t size = image->channel_bits == 8 ? 0 : image->channel_bits == 16 ? 1 : 2;

	assert(image->channel_bits == 8 || image->channel_bits == 16 || image->channel_bits == 32);
	switch (image->channel) {
	case LOCKSTEP_CHANNEL_FLOAT: return image->channel_bits == 16 ? HALF : FLOAT;
	case LOCKSTEP_CHANNEL_SIGNED: return image->normalized_float ? SNORM_INT8 + size : SIGNED_INT8 + size;
	default: return image->normalized_float ? UNORM_INT8 + size : UNSIGNED_INT8 + size;
	}
}

/* OpenCL's cl_channel_order. */
static uint32_t channel_order(const struct lockstep_image *image)
{
	enum { ORDER_R = 0x10b0, ORDER_RG = 0x10b2, ORDER_RGBA = 0x10b5, ORDER_SRGBA = 0x10c1, ORDER_SBGRA = 0x10c2 };
	static const uint32_t orders[] = {
		[LOCKSTEP_ORDER_BGRA] = 0x10b6,
		[LOCKSTEP_ORDER_ARGB] = 0x10b7,
		[LOCKSTEP_ORDER_ABGR] = 0x10c3,
		[LOCKSTEP_ORDER_A] = 0x10b1,
		[LOCKSTEP_ORDER_RA] = 0x10b3,
		[LOCKSTEP_ORDER_INTENSITY] = 0x10b8,
		[LOCKSTEP_ORDER_LUMINANCE] = 0x10b9,
		[LOCKSTEP_ORDER_DEPTH] = 0x10bd,
	};

	assert((uint32_t)image->order < sizeof orders / sizeof *orders);
	if (image->srgb)
		return image->order == LOCKSTEP_ORDER_BGRA ? ORDER_SBGRA : ORDER_SRGBA;
	if (image->order)
		return orders[image->order];
	return image->channels == 1 ? ORDER_R : image->channels == 2 ? ORDER_RG : ORDER_RGBA;
}

static uint32_t layers_of(const struct lockstep_image *image)
{
	assert(!image->cube || image->level[0].depth % 6 == 0);
	if (image->dimensions == 3)
		return 0;
	return image->layered ? image->level[0].depth / (image->cube ? 6 : 1) : 0;
}

/* The answer to one of them; level: of txq.level. */
static uint32_t answer(enum op op, const struct lockstep_image *image, uint32_t level)
{
	const struct lockstep_image_level *l =
		&image->level[level < image->level_count ? level : image->level_count - 1];

	assert(image->level_count);
	switch (op) {
	case OP_txq_level_width:
	case OP_txq_width:
	case OP_suq_width: return l->width;
	case OP_txq_level_height:
	case OP_txq_height:
	case OP_suq_height: return image->dimensions > 1 ? l->height : 0;
	case OP_txq_level_depth:
	case OP_txq_depth:
	case OP_suq_depth: return image->dimensions > 2 ? l->depth : 0;
	case OP_txq_array_size:
	case OP_suq_array_size: return layers_of(image);
	case OP_txq_num_mipmap_levels: return image->level_count;
	case OP_txq_num_samples: return 1;
	case OP_txq_channel_data_type:
	case OP_suq_channel_data_type: return channel_type(image);
	case OP_txq_channel_order:
	case OP_suq_channel_order: return channel_order(image);
	case OP_txq_normalized_coords: return image->normalized;
	case OP_txq_force_unnormalized_coords: return 0;
	case OP_txq_filter_mode: return image->linear;
	case OP_txq_addr_mode_0: return image->addressing[0];
	case OP_txq_addr_mode_1: return image->addressing[1];
	case OP_txq_addr_mode_2: return image->addressing[2];
	default: return 0; /* suq.memory_layout: rows, one after another */
	}
}

static bool is_of_type(const struct core *core, const struct warp *w, const struct insn *i, uint32_t lane)
{
	const struct lockstep_image *image = image_find(core->machine->images, texture_handle(w, i, lane));

	assert(i->pd != NO_PREDICATE);
	switch (i->op) {
	case OP_istypep_texref: return image && image->use != LOCKSTEP_SURFACE;
	case OP_istypep_surfref: return image && image->use != LOCKSTEP_TEXTURE;
	default: return false; /* a sampler is a number, and no object */
	}
}

static void query(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct warp *w = &r->warp;
	bool is_texture = op_is((enum op)i->op, "txq");

	assert(!(lanes & ~w->live));
	EACH_LANE(l, lanes) {
		uint32_t lane = (uint32_t)l, level = 0;
		const struct lockstep_image *image;

		if (i->pd != NO_PREDICATE) {
			write_predicate(w, i->pd, (lane_mask)1 << l, -(lane_mask)is_of_type(core, w, i, lane));
			continue;
		}
		image = texture_image(core, r, i, lane, is_texture ? LOCKSTEP_TEXTURE : LOCKSTEP_SURFACE);
		if (!image)
			return;
		if (i->s[1] != SLOT_NONE)
			level = (uint32_t)slot_value(w, i->s[1], 4, lane);
		if (i->d != SLOT_NONE)
			slot_set_value(w, i->d, 4, lane, answer((enum op)i->op, image, level));
	}
}

/* An image's properties come from where parameters do. */
void image_query_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(lanes && !(lanes & ~r->warp.path->active));
	query(core, r, i, lanes);
	core_set_results_ready(r, i, core->now + core->machine->model->constant_latency);
	control_advance(core, r);
}
